//! The files that a command names.
//!
//! Greedy on purpose: a word that is no file costs a look, a file that is missed could be changed
//! without anybody being asked.

/// The most words of one command that are looked at.
const MOST_WORDS: usize = 512;
/// Longer words are no names of files.
const LONGEST_WORD: usize = 1024;

/// Variables by which commands name the project's directory.
const PROJECT: [&str; 2] = ["${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR"];

/// Programs that read what to run from a file that they find by themselves.
const MANIFESTS: [(&str, &[&str]); 9] = [
    ("npm", &["package.json"]),
    ("npx", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("bun", &["package.json"]),
    ("deno", &["deno.json", "deno.jsonc"]),
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
];

/// Words of a command that may name files, without quotes; those of the project relative to it.
pub(super) fn names(command: &str) -> Vec<String> {
    let mut text = command.to_owned();
    for variable in PROJECT {
        text = text.replace(variable, ".");
    }
    let mut found = Vec::new();
    let apart = |c: char| c.is_whitespace() || "'\"`;|&<>(){}[]$=,".contains(c);
    for word in text.split(apart).filter(|word| !word.is_empty()).take(MOST_WORDS) {
        if word.len() > LONGEST_WORD || word.contains('\0') {
            continue;
        }
        // A short flag may have its value attached: `-r./hook.js`.
        let word = if word.starts_with('-') { word.get(2..).unwrap_or_default() } else { word };
        if word.is_empty() {
            continue;
        }
        let program = word.rsplit('/').next().unwrap_or(word);
        if let Some((_, files)) = MANIFESTS.iter().find(|(name, _)| *name == program) {
            found.extend(files.iter().map(|file| (*file).to_owned()));
        }
        found.push(word.to_owned());
    }
    // A name with spaces stands between quotes.
    for quote in ['"', '\''] {
        let quoted = text.split(quote).skip(1).step_by(2).take(MOST_WORDS);
        let is_name = |text: &&str| text.contains(' ') && text.len() <= LONGEST_WORD;
        found.extend(quoted.filter(is_name).map(str::to_owned));
    }
    found.sort();
    found.dedup();
    found
}

/// Commands in a Markdown file with front matter: hooks of skills and agents, and what `!` runs.
pub(super) fn commands_in_markdown(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let front = text.strip_prefix("---").and_then(|rest| rest.split("\n---").next());
    for line in front.into_iter().flat_map(str::lines) {
        if let Some((key, value)) = line.split_once(':')
            && key.trim_start_matches(['-', ' ', '\t']).trim_end().ends_with("command")
        {
            found.push(value.trim().trim_matches(['"', '\'']));
        }
    }
    let mut rest = text;
    while let Some(at) = rest.find("!`") {
        rest = &rest[at + 2..];
        let Some(end) = rest.find('`') else { break };
        found.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_files_however_they_are_written() {
        for (command, name) in [
            ("sh ./tools/a.sh", "./tools/a.sh"),
            ("\"$CLAUDE_PROJECT_DIR\"/hooks/a.py --x", "/hooks/a.py"),
            ("$CLAUDE_PROJECT_DIR/hooks/a.py", "./hooks/a.py"),
            ("node \"${CLAUDE_PROJECT_DIR}/a b.js\"", "./a b.js"),
            ("sh -c 'python tools/x.py;true'", "tools/x.py"),
            ("env X=1 ./run", "./run"),
            ("tool --config=conf.json", "conf.json"),
            ("cat<in>out", "in"),
            ("node -r./hook.js x", "./hook.js"),
            ("npm run hook", "package.json"),
            ("/usr/bin/make -s hook", "Makefile"),
        ] {
            let found = names(command);
            assert!(found.iter().any(|found| found == name), "{command}: {found:?}");
        }
    }

    #[test]
    fn finds_commands_of_skills_and_slash_commands() {
        let text = "---\nname: x\nhooks:\n  Stop:\n    - hooks:\n      - type: command\n        \
                    command: \"sh ./a.sh\"\n---\nNow !`./b.sh x` and `./c.sh`.\n";
        assert_eq!(commands_in_markdown(text), ["sh ./a.sh", "./b.sh x"]);
        assert_eq!(commands_in_markdown("no front matter"), [""; 0]);
    }
}
