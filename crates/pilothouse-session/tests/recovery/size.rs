//! The state stays small, however long the session.

use pilothouse_session::session::Setup;
use serde_json::{Value, json};

use crate::support::cli::{can_use, result, tool_result};
use crate::support::{Stage, prompt_id};
use bytes::Bytes;
use pilothouse_session::approval::Decision;
use pilothouse_session::command::Urgency;
use pilothouse_session::{Command, Effect, Input};
use pilothouse_wire::Frame;

/// Feeds without watching the laws, which remember too much for so long a play.
struct Long {
    stage: Stage,
    events: usize,
    commands: u128,
}

impl Long {
    fn feed(&mut self, input: Input) {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let effects = self.stage.session.handle(input, at);
        self.events += effects.iter().filter(|effect| matches!(effect, Effect::Append(_))).count();
        let sent = effects.iter().filter_map(|effect| match effect {
            Effect::Send { number, .. } => Some(*number),
            _ => None,
        });
        if let Some(number) = sent.max() {
            self.stage.session.handle(Input::Written { number }, at);
        }
    }

    fn line(&mut self, line: &Value) {
        self.feed(Input::Line(Box::new(Frame::decode(Bytes::from(line.to_string())))));
    }

    fn command(&mut self, command: Command) {
        self.commands += 1;
        let id = pilothouse_session::id::CommandId(uuid::Uuid::from_u128(self.commands));
        self.feed(Input::Command { id, command });
    }

    /// A turn with a text, a subagent that keeps a list, and a call that is asked about.
    fn turn(&mut self, number: u128) {
        let prompt = prompt_id(number);
        let content = "Do something, and say what you did, in one or two sentences.".into();
        let (attachments, urgency) = (Vec::new(), Urgency::Next);
        self.command(Command::Prompt { prompt, content, attachments, urgency });
        let uuid =
            |kind: char, of: u128| format!("{kind}0000000-0000-4000-8000-{:012}", number * 10 + of);
        let (agent, bash) = (format!("toolu_agent{number}"), format!("toolu_bash{number}"));
        let says = |parent: Option<&str>, of: u128, block: Value| {
            json!({
                "type": "assistant", "uuid": uuid('a', of), "parent_tool_use_id": parent,
                "message": {"id": format!("msg_{number}_{of}"), "role": "assistant", "content": [block]},
            })
        };
        self.line(&says(
            None,
            1,
            json!({"type": "text", "text": "I shall ask somebody. ".repeat(20)}),
        ));
        let task = json!({"description": "look", "prompt": "Look.", "subagent_type": "Explore"});
        self.line(&says(
            None,
            2,
            json!({"type": "tool_use", "id": agent, "name": "Agent", "input": task}),
        ));
        let todos =
            json!({"todos": [{"content": "look", "status": "pending", "activeForm": "looking"}]});
        let list = format!("toolu_list{number}");
        let todo = json!({"type": "tool_use", "id": list, "name": "TodoWrite", "input": todos});
        self.line(&says(Some(&agent), 3, todo));
        let mut listed = tool_result(&list, "ok", &uuid('b', 1));
        listed["parent_tool_use_id"] = json!(agent);
        self.line(&listed);
        self.line(&tool_result(&agent, "looked", &uuid('b', 2)));
        let make = json!({"command": "make"});
        self.line(&says(
            None,
            4,
            json!({"type": "tool_use", "id": bash, "name": "Bash", "input": make}),
        ));
        self.line(&can_use(&uuid('c', 1), &bash, "Bash", &make));
        let open = self.stage.session.approvals();
        let approval = open.first().expect("a request").approval;
        let decision = Decision::Allow { input: None, updates: Vec::new() };
        self.command(Command::Decide { approval, decision, name: None, identity: None });
        self.line(&tool_result(&bash, &"made\n".repeat(200), &uuid('b', 3)));
        self.line(&result("Done."));
    }
}

#[test]
fn a_long_session_has_a_small_state() {
    let mut long =
        Long { stage: Stage::ready_with(Setup::default()), events: 0, commands: 1 << 32 };
    let size = |long: &Long| serde_json::to_string(&long.stage.session).expect("a state").len();
    let mut turns = 0;
    while long.events < 50_000 {
        turns += 1;
        long.turn(turns);
    }
    let half = size(&long);
    while long.events < 100_000 {
        turns += 1;
        long.turn(turns);
    }
    let whole = size(&long);
    assert!(whole < 256 << 10, "{whole} bytes");
    // Numbers get longer, nothing else does.
    assert!(whole < half + (8 << 10), "{half} bytes, then {whole}");
    assert_eq!(long.stage.session.approvals(), []);
    assert_eq!(long.stage.session.open_items(), []);
}
