//! Ends of a process.

use super::permissions::WRITE;
use crate::scenario::Act::{Eof, Held, Line, Release, Settle, Terminate, Until};
use crate::scenario::{Reply, Scenario, say, when_asked};

const HELD: [&str; 1] = ["say One\nhold a\nmore Two"];

pub(crate) fn all() -> Vec<Scenario> {
    vec![
        Scenario::new("nothing said", []),
        Scenario::new("stdin ends in a turn", [say(&HELD), Held("a"), Eof, Release("a"), Settle]),
        Scenario::new(
            "stdin ends while asking",
            [say(&WRITE), Until("control_request/can_use_tool"), Eof, Settle],
        )
        .answer(|request| when_asked(request, || Reply::Silence)),
        Scenario::new("a line that is no JSON", [Line("this is not JSON"), Until("result")]),
        Scenario::new(
            "terminated in a turn",
            [say(&HELD), Held("a"), Until("stream_event/content_block_delta"), Terminate],
        ),
        Scenario::new("terminated when idle", [say(&["say One"]), Settle, Terminate]),
        Scenario::new("bypass as root", [Until("result")])
            .args(&["--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"]),
    ]
}
