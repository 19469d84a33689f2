//! What the simulated Claude answers, to whatever it is told.
//!
//! It knows a handful of things to do, by words in the prompt; everything else it answers by saying
//! what it knows. What it does to files it really does, in the directory of its session.

use std::path::PathBuf;

use pilothouse_sim::script::Script;
use serde_json::{Value, json};

use super::sketch::Sketch;

/// What can be asked for, as it is told.
const OFFER: &str = "\
| say | and see |
|---|---|
| *the tests fail* | thinking, a command, an edit that asks for permission |
| *make a plan* | plan mode, and a plan to approve |
| *ask me something* | a question with choices |
| *use helpers* | two subagents side by side, and a to-do list |
| *tell a story* | a long answer, letter by letter; stop it if you like |
| *run something in the background* | a command that goes on after its turn |
| *let something go wrong* | an overloaded API, and how that looks |
| *note that …* | a file written with your words |";

type Scene = fn(&str) -> Script;

/// Words, and what is done about them. The first that fits is played.
const SCENES: &[(&[&str], Scene)] = &[
    (&["read the scripts", "count the words"], helper),
    (&["plan"], plan),
    (&["note", "remember", "write down"], note),
    (&["test", "fix", "bug", "fail", "edit", "change"], fix),
    (&["ask me", "question", "choose"], question),
    (&["helper", "agent", "survey", "todo", "to-do"], helpers),
    (&["story", "long", "stream", "tell me"], story),
    (&["background", "watch", "wait"], background),
    (&["wrong", "error", "overload", "retry"], trouble),
    (&["run", "command", "list", "files", "look"], look),
    (&["show me around", "hello", "hi", "help", "what can you"], welcome),
];

/// Answers a prompt.
pub(super) fn write(prompt: &str) -> Script {
    let text = prompt.to_lowercase();
    let said = |words: &&(&[&str], Scene)| words.0.iter().any(|word| has(&text, word));
    match SCENES.iter().find(said) {
        Some((_, scene)) => scene(prompt),
        None => otherwise(prompt),
    }
}

/// Whether words stand in a text, from where a word begins.
fn has(text: &str, words: &str) -> bool {
    let begins = |at: usize| !text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    // `hi` is a word of its own, not the beginning of `history`.
    let ends = |at: usize| {
        words.len() > 3 || !text[at..].chars().next().is_some_and(char::is_alphanumeric)
    };
    text.match_indices(words).any(|(at, _)| begins(at) && ends(at + words.len()))
}

/// A file of the session's directory, as Claude names it.
fn file(name: &str) -> String {
    let dir = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    dir.join(name).to_string_lossy().into_owned()
}

fn shell(command: &str, description: &str) -> Value {
    json!({ "command": command, "description": description })
}

fn welcome(_: &str) -> Script {
    Sketch::new()
        .think(
            "Somebody is new here. I should say what this is, what is real and what is not, and what \
             there is to try.",
        )
        .say(&format!(
            "**Welcome aboard.** I am a simulated Claude: there is no model behind me, no account and \
             no network. Everything else is real: this session, its events, the permissions, the \
             files in the throw-away project, and the commands I run in it.\n\nThe other sessions in \
             the list show what that is like; some of them wait for your answer. Or talk to me \
             here:\n\n{OFFER}\n"
        ))
        .done()
}

fn otherwise(prompt: &str) -> Script {
    let said: String = prompt.trim().chars().take(200).collect();
    let said = said.replace('\n', "\n> ");
    Sketch::new()
        .think("This is none of the things I know. I should say so, and what I do know.")
        .say(&format!(
            "You said:\n\n> {said}\n\nA real Claude would have an answer. I am a script with a few \
             tricks; these are all of them:\n\n{OFFER}\n"
        ))
        .done()
}

fn fix(_: &str) -> Script {
    let is_fixed =
        std::fs::read_to_string("tides.sh").is_ok_and(|text| text.contains("n * 745) % 1440"));
    let test = shell("sh tests.sh", "Run the tests");
    if is_fixed {
        return Sketch::new()
            .say("I have mended the tide table before. Let me see whether the tests still agree.")
            .tool("Bash", &test)
            .then()
            .say("All is well: both tests pass.")
            .done();
    }
    Sketch::new()
        .say("Let me see what the tests say.")
        .tool("Bash", &test)
        .then()
        .think(
            "The second high water is 25 minutes early in the first test and an hour that does not \
             exist in the second. The README says that high water comes every 12 h 25 min: 745 \
             minutes, not 720. And a day has 1440 minutes, after which it should begin anew.",
        )
        .tool("Read", &json!({ "file_path": file("tides.sh") }))
        .then()
        .say(
            "Two mistakes in one line: the tide turns every **745** minutes, not every 720, and \
             times after midnight have to begin at `00:00` again. I would like to change it:",
        )
        .tool(
            "Edit",
            &json!({
                "file_path": file("tides.sh"),
                "old_string": "  at=$((first + n * 720))\n",
                "new_string": "  at=$(((first + n * 745) % 1440))\n",
            }),
        )
        .then()
        .tool("Bash", &test)
        .then()
        .say("Both tests pass now. The change is one line in `tides.sh`.")
        .refused(
            "Then I leave `tides.sh` as it is. What is wrong is the line with `720`: say *fix it* \
             when I may change it.",
        )
}

fn plan(_: &str) -> Script {
    let config =
        std::env::var_os("CLAUDE_CONFIG_DIR").map_or_else(|| ".claude".into(), PathBuf::from);
    let path = config.join("plans/moon.md");
    let text = "# Print the moon's phase\n\n1. `moon.sh`: the age of the moon in days, from a new moon \
                that is known and 29.53 days from one to the next.\n2. Its name: new, waxing, full, \
                waning.\n3. A test for two nights whose moon is known.\n\nNothing else changes; \
                `tides.sh` stays as it is.\n";
    let moon = "#!/bin/sh\n# Prints the phase of the moon. $1: days since a new moon; today's without \
                it.\nset -eu\ndays=${1:-$(( ($(date +%s) - 947182440) / 86400 % 29 ))}\nif [ \"$days\" \
                -lt 2 ]; then echo new\nelif [ \"$days\" -lt 13 ]; then echo waxing\nelif [ \"$days\" \
                -lt 17 ]; then echo full\nelse echo waning\nfi\n";
    Sketch::new()
        .think("A plan first: I look around, change nothing, and write down what I would do.")
        .tool("EnterPlanMode", &json!({}))
        .then()
        .tool("Read", &json!({ "file_path": file("README.md") }))
        .tool("Read", &json!({ "file_path": file("tides.sh") }))
        .then()
        .say("I know what there is. Here is what I would do.")
        .tool("Write", &json!({ "file_path": path, "content": text }))
        .then()
        .tool("ExitPlanMode", &json!({}))
        .then()
        .say("Then I begin.")
        .tool("Write", &json!({ "file_path": file("moon.sh"), "content": moon }))
        .then()
        .tool("Bash", &shell("sh moon.sh", "See what it says about tonight"))
        .then()
        .say("`moon.sh` is there, as planned.")
        .refused(
            "I leave everything as it is. Tell me what the plan should be instead; for a script I am \
             a good listener.",
        )
}

fn question(_: &str) -> Script {
    let option =
        |label: &str, description: &str| json!({ "label": label, "description": description });
    Sketch::new()
        .say("Before I begin I would like to know two things.")
        .tool(
            "AskUserQuestion",
            &json!({ "questions": [
                {
                    "question": "How should times be written?",
                    "header": "Times",
                    "multiSelect": false,
                    "options": [
                        option("24 hours", "14:35, as it is now"),
                        option("12 hours", "2:35 pm"),
                        option("Both", "14:35 (2:35 pm)"),
                    ],
                },
                {
                    "question": "Which harbours should be in the table?",
                    "header": "Harbours",
                    "multiSelect": true,
                    "options": [
                        option("Cuxhaven", "at the mouth of the Elbe"),
                        option("Brest", "in the west of Brittany"),
                        option("Whitby", "on the coast of Yorkshire"),
                    ],
                },
            ]}),
        )
        .then()
        .say("Thank you, that settles it. A real Claude would now set to work with your answers.")
        .refused("No answer is an answer too. I will not ask again.")
}

fn helpers(_: &str) -> Script {
    let todos = |done: usize| {
        let names = ["Read the scripts", "Count the words", "Report"];
        let entry = |(at, name): (usize, &&str)| {
            let status = match at {
                at if at < done => "completed",
                at if at == done => "in_progress",
                _ => "pending",
            };
            json!({ "content": name, "activeForm": name, "status": status })
        };
        json!({ "todos": names.iter().enumerate().map(entry).collect::<Vec<_>>() })
    };
    let helper = |description: &str, prompt: &str| {
        json!({
            "description": description, "prompt": prompt, "subagent_type": "Explore",
            "run_in_background": false,
        })
    };
    Sketch::new()
        .think("Two things that have nothing to do with each other: two helpers, side by side.")
        .tool("TodoWrite", &todos(0))
        .then()
        .tool("Task", &helper("Read the scripts", "Read the scripts of this project and say what each does."))
        .tool("Task", &helper("Count the words", "Count the words and lines of all files here."))
        .then()
        .tool("TodoWrite", &todos(2))
        .then()
        .say(
            "My helpers are back:\n\n- `tides.sh` prints two high waters, `tests.sh` checks it.\n- The \
             whole project is a few dozen lines long.\n\n```sh\nsh tides.sh 130   # the first high \
             water at 02:10\n```\n",
        )
        .tool("TodoWrite", &todos(3))
        .then()
        .say("That is all there is to this harbour.")
        .done()
}

/// What a helper does.
fn helper(prompt: &str) -> Script {
    let counts = prompt.to_lowercase().contains("count");
    let sketch = Sketch::new();
    if counts {
        return sketch
            .tool("Bash", &shell("wc -lw README.md tides.sh tests.sh", "Count lines and words"))
            .then()
            .say("Three files, a few dozen lines.")
            .done();
    }
    sketch
        .tool("Read", &json!({ "file_path": file("tides.sh") }))
        .tool("Read", &json!({ "file_path": file("tests.sh") }))
        .then()
        .say("`tides.sh` prints two high waters; `tests.sh` checks two of them.")
        .done()
}

fn story(_: &str) -> Script {
    Sketch::new()
        .think("A long one, then. It should have a harbour in it.")
        .say(
            "## The harbour master's tide table\n\nThere was once a harbour where every table of the \
             tides was wrong, each by another quarter of an hour, and the ships came and went by \
             guesswork. The old harbour master had copied the tables from his predecessor, who had \
             them from his, and none of them had ever gone down to the water to look.\n\nOne winter a \
             girl of nine sat on the lowest step of the quay with a watch and a piece of chalk. She \
             drew a line where the water stood, and wrote the hour beside it. She did this for a \
             month, in fog and in sleet, twice a day and twice a night.\n\nAt the end of it she went \
             to the harbour master and said: \"It comes twelve hours and twenty-five minutes after \
             it came. Always. You only have to know it once.\"\n\nThe harbour master looked at the \
             wall, at the tables, and at the chalk on her hands. \"And the moon?\" he asked. \"The \
             books say that it is the moon.\"\n\n\"I did not look at the moon,\" said the girl. \"I \
             looked at the step.\"\n\nFrom then on there was one table, and it was right, and the \
             ships came in on the flood and went out on the ebb. The step is still there. Somebody \
             chalks a new line on it every spring.\n",
        )
        .done()
}

fn background(_: &str) -> Script {
    let command = "for n in 1 2 3 4 5 6 7 8; do echo \"the water stands at $n m\"; sleep 2; done";
    Sketch::new()
        .say("I will have the tide watched, and we can go on talking meanwhile.")
        .tool(
            "Bash",
            &json!({
                "command": command, "description": "Watch the tide come in",
                "run_in_background": true,
            }),
        )
        .then()
        .say("It is being watched: see the tasks of this session. The turn is over, the task is not.")
        .refused("Then nobody watches the tide. It will come in all the same.")
}

fn trouble(_: &str) -> Script {
    Sketch::new()
        .overloaded(2)
        .say(
            "That took three attempts: twice the API was overloaded, and Claude Code tried again. You \
             have seen it happen, and nothing was lost.",
        )
        .done()
}

fn look(_: &str) -> Script {
    Sketch::new()
        .tool("Bash", &shell("ls -l", "See what is here"))
        .then()
        .tool("Read", &json!({ "file_path": file("README.md") }))
        .then()
        .say("A small project about tides: a script, its tests and a README.")
        .refused("Then I do not look.")
}

fn note(prompt: &str) -> Script {
    let before = std::fs::read_to_string("NOTES.md").unwrap_or_else(|_| "# Notes\n\n".to_owned());
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    Sketch::new()
        .say("I would write that down:")
        .tool(
            "Write",
            &json!({ "file_path": file("NOTES.md"), "content": format!("{before}- {line}\n") }),
        )
        .then()
        .say("It is in `NOTES.md`.")
        .refused("Then it stays between us.")
}

#[cfg(test)]
mod tests {
    use pilothouse_sim::script::Step;

    use super::*;

    /// The first words of a script.
    fn first(prompt: &str) -> String {
        let script = write(prompt);
        let steps = script.replies.iter().flat_map(|reply| &reply.steps);
        let mut said = steps.filter_map(|step| match step {
            Step::Say(text) | Step::Think(text) => Some(text.clone()),
            _ => None,
        });
        said.next().unwrap_or_default()
    }

    #[test]
    fn every_offer_is_kept() {
        let offers: Vec<_> = OFFER.lines().filter_map(|line| line.split('*').nth(1)).collect();
        assert_eq!(offers.len(), 8, "{OFFER}");
        for offer in offers {
            let answer = first(offer);
            assert!(!answer.contains("none of the things I know"), "{offer}: {answer}");
        }
    }

    #[test]
    fn whatever_is_said_is_answered() {
        for prompt in
            ["", "xyzzy", "#", "---", "\"quotes\" and \\", "line\nline", "history", "日本"]
        {
            let script = write(prompt);
            assert!(!script.replies.is_empty(), "{prompt}");
            assert!(script.replies.iter().all(|reply| !reply.steps.is_empty()), "{prompt}");
        }
        assert!(first("history").contains("none of the things"));
        assert!(first("hi there").contains("new here"));
    }
}
