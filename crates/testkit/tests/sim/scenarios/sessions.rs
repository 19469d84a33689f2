//! Sessions: resumed, continued, forked, cut short.

use crate::scenario::Act::{Restart, Settle, Until};
use crate::scenario::{Scenario, say};

pub(crate) fn all() -> Vec<Scenario> {
    let again = |name: &'static str, args: &'static [&'static str]| {
        Scenario::new(name, [say(&["say One"]), Settle, Restart(args), say(&["say Two"]), Settle])
    };
    vec![
        again("resume", &["--resume=$SESSION"]),
        again("continue", &["--continue"]),
        again("fork", &["--resume=$SESSION", "--fork-session"]),
        Scenario::new(
            "resume at",
            [
                say(&["say One"]),
                Settle,
                say(&["say Two"]),
                Settle,
                Restart(&["--resume=$SESSION", "--resume-session-at=$A1"]),
                say(&["say Three"]),
                Settle,
            ],
        ),
        Scenario::new("resume an unknown session", [Until("result")])
            .more_args(&["--resume=00000000-0000-4000-8000-000000000000"]),
        Scenario::new(
            "resume at an unknown message",
            [
                say(&["say One"]),
                Settle,
                Restart(&[
                    "--resume=$SESSION",
                    "--resume-session-at=00000000-0000-4000-8000-000000000000",
                ]),
            ],
        ),
        Scenario::new("a session id of our own, twice", [say(&["say One"]), Settle, Restart(&[])])
            .more_args(&["--session-id=11111111-2222-4333-8444-555555555555"]),
        Scenario::turn("continue nothing", &["say One"]).more_args(&["--continue"]),
    ]
}
