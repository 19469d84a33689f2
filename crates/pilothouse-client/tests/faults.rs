//! What a CLI can do wrong, and what the client makes of it. The CLI is the simulated one, which
//! misbehaves on demand.
#![cfg(unix)]
#![allow(clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use futures_util::StreamExt;
use pilothouse_client::mcp::{McpServer, Tool, ToolReply, schemars};
use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::wire::message::{Delta, StreamEvent};
use pilothouse_client::wire::{Block, Inbound};
use pilothouse_client::{
    Cli, Client, Messages, Options, Queued, RequestError, StartError, StopLadder, TurnError, query,
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::Notify;

/// More than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

const HELLO: &str = "hi\n#script\nsay hello there";

/// Shell: answers `initialize`.
const ANSWER: &str = r#"read -r line
id=${line#*\"request_id\":\"}; id=${id%%\"*}
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s"}}\n' "$id""#;

/// The simulated CLI, built if it is not there.
fn sim() -> PathBuf {
    let exe = std::env::current_exe().expect("this test has a path");
    let target = exe.ancestors().nth(2).expect("it is in target/debug/deps");
    let sim = target.join("sim");
    if !sim.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "-q", "-p", "testkit", "--bin", "sim"];
        let status = std::process::Command::new(cargo).args(build).status().expect("cargo runs");
        assert!(status.success(), "cannot build the simulated CLI");
    }
    sim
}

struct Bed {
    home: tempfile::TempDir,
}

impl Bed {
    fn new() -> Self {
        Self { home: tempfile::tempdir().expect("a temporary directory") }
    }

    fn dir(&self) -> &Path {
        self.home.path()
    }

    fn options(&self, fault: &str) -> Options {
        let invocation = Invocation::new()
            .cwd(self.dir())
            .partial_messages()
            .env_var("HOME", self.dir())
            .env_var("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env_var("SIM_FAULT", fault)
            .env_var("SIM_HOLD_DIR", self.dir());
        let mut options = Options::new(invocation).cli(Cli::At(sim()));
        options.clear_env = true;
        let moment = Duration::from_millis(500);
        options.stop_ladder = StopLadder { after_eof: moment, after_term: moment };
        options
    }

    /// A CLI that is this shell script.
    fn script(&self, script: &str) -> Options {
        let path = self.dir().join("claude");
        let text = format!("#!/bin/sh\n{script}\n");
        // Written by another process: a file that this one has open for writing while another
        // thread forks cannot be executed for a moment.
        let write = r#"printf %s "$1" > "$2" && chmod +x "$2""#;
        let mut shell = std::process::Command::new("/bin/sh");
        let status = shell.args(["-c", write, "sh", &text]).arg(&path).status().expect("sh runs");
        assert!(status.success());
        self.options("").cli(Cli::At(path))
    }

    async fn start(&self, fault: &str) -> (Client, Messages) {
        within(Client::start(self.options(fault))).await.expect("it starts")
    }
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it ends in time")
}

/// One turn with each of these faults is a turn like any other.
#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_matter_does_not() {
    for fault in ["torn", "merged", "junk", "unknown-types", "stderr-flood", "slow-stdin", "old"] {
        let bed = Bed::new();
        let (client, mut messages) = bed.start(fault).await;
        client.prompt(HELLO).await.expect("sent");
        let turn = within(messages.turn()).await.unwrap_or_else(|e| panic!("{fault}: {e}"));
        assert_eq!(turn.text, "hello there", "{fault}");
        assert!(within(client.stop()).await.signal.is_none(), "{fault}");
    }
}

#[tokio::test]
async fn junk_and_the_unknown_come_through_whole() {
    for (fault, is_odd) in [
        ("junk", (|m| matches!(m, Inbound::NotJson)) as fn(&Inbound) -> bool),
        ("unknown-types", |m| !m.is_known()),
    ] {
        let bed = Bed::new();
        let mut query = within(query(HELLO, bed.options(fault))).await.expect("it starts");
        let mut odd = 0;
        while let Some(frame) = within(query.next()).await {
            assert!(!frame.raw.is_empty());
            odd += usize::from(is_odd(&frame.message));
        }
        assert!(odd > 0, "{fault} shows");
    }
}

/// The answer to a request is behind more than any queue holds, and nobody takes the messages.
#[tokio::test]
async fn a_request_is_answered_though_nobody_reads() {
    let bed = Bed::new();
    let (client, mut messages) = bed.start("flood=20000").await;
    client.prompt(HELLO).await.expect("sent");
    within(client.mcp_status()).await.expect("answered");
    let turn = within(messages.turn()).await.expect("and nothing was lost");
    assert_eq!(turn.text, "hello there");
}

#[tokio::test]
async fn a_flood_arrives_complete_and_in_order() {
    let bed = Bed::new();
    let (client, mut messages) = bed.start("flood=20000").await;
    client.prompt(HELLO).await.expect("sent");
    let mut deltas = 0;
    while let Some(frame) = within(messages.next()).await {
        match frame.message {
            Inbound::StreamEvent(frame) => {
                let delta = matches!(&frame.event, StreamEvent::ContentBlockDelta(event)
                    if matches!(event.delta, Delta::Text(_)));
                deltas += usize::from(delta);
            }
            Inbound::Result(_) => break,
            _ => {}
        }
    }
    assert!(deltas >= 20_000, "{deltas}");
}

/// Nobody takes messages, and yet permissions are asked and answered.
#[tokio::test]
async fn handlers_do_not_wait_for_the_reader_of_messages() {
    let bed = Bed::new();
    let asked = Arc::new(Notify::new());
    let told = Arc::clone(&asked);
    let options = bed.options("flood=20000").on_permission(move |ask| {
        told.notify_one();
        async move { ask.allow() }
    });
    let (client, mut messages) = within(Client::start(options)).await.expect("it starts");
    let script = "hi\n#script\nsay first\ntool Write {\"file_path\":\"a.txt\",\"content\":\"x\"}\n---\nsay done";
    client.prompt(script).await.expect("sent");
    within(asked.notified()).await;
    assert_eq!(within(messages.turn()).await.expect("settled").text, "done");
    assert!(bed.dir().join("a.txt").exists());
}

/// A person thinks about one request; others go on.
#[tokio::test]
async fn one_slow_handler_holds_up_nothing() {
    let bed = Bed::new();
    let thinking = Arc::new(Notify::new());
    let released = Arc::clone(&thinking);
    let options = bed.options("").on_permission(move |ask| {
        let released = Arc::clone(&released);
        async move {
            released.notified().await;
            ask.allow()
        }
    });
    let (client, mut messages) = within(Client::start(options)).await.expect("it starts");
    let script =
        "hi\n#script\ntool Write {\"file_path\":\"a.txt\",\"content\":\"x\"}\n---\nsay done";
    client.prompt(script).await.expect("sent");
    within(client.mcp_status()).await.expect("requests are answered meanwhile");
    thinking.notify_one();
    assert_eq!(within(messages.turn()).await.expect("settled").text, "done");
}

/// An interrupt withdraws the open request: the handler's future is dropped, nothing is sent.
#[tokio::test]
async fn a_withdrawn_request_drops_its_handler() {
    struct Gone(Arc<Notify>);
    impl Drop for Gone {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let bed = Bed::new();
    let (asked, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, gone) = (Arc::clone(&asked), Arc::clone(&dropped));
    let options = bed.options("").on_permission(move |ask| {
        let guard = Gone(Arc::clone(&gone));
        told.notify_one();
        async move {
            std::future::pending::<()>().await;
            drop(guard);
            ask.allow()
        }
    });
    let (client, mut messages) = within(Client::start(options)).await.expect("it starts");
    let script =
        "hi\n#script\ntool Write {\"file_path\":\"a.txt\",\"content\":\"x\"}\n---\nsay done";
    client.prompt(script).await.expect("sent");
    within(asked.notified()).await;
    within(client.interrupt(Queued::Keep)).await.expect("interrupted");
    within(dropped.notified()).await;
    let outcome = within(messages.turn()).await;
    assert!(matches!(outcome, Err(TurnError::Interrupted(_))), "{outcome:?}");
    assert!(!bed.dir().join("a.txt").exists());
}

#[tokio::test]
async fn a_panicking_handler_fails_only_its_own_request() {
    let bed = Bed::new();
    let options = bed.options("").on_permission(|ask| async move {
        if ask.input.get().contains("bad.txt") {
            panic!("a bug in the program");
        }
        ask.allow()
    });
    let (client, mut messages) = within(Client::start(options)).await.expect("it starts");
    let script = "hi\n#script\ntool Write {\"file_path\":\"bad.txt\",\"content\":\"x\"}\n---\n\
                  tool Write {\"file_path\":\"good.txt\",\"content\":\"x\"}\n---\nsay done";
    client.prompt(script).await.expect("sent");
    assert_eq!(within(messages.turn()).await.expect("settled").text, "done");
    assert!(!bed.dir().join("bad.txt").exists());
    assert!(bed.dir().join("good.txt").exists());
}

#[tokio::test]
async fn a_crash_in_mid_line_keeps_what_came_and_fails_what_waits() {
    let bed = Bed::new();
    let (client, mut messages) = bed.start("crash=mid-line").await;
    client.prompt(HELLO).await.expect("sent");
    let mut last = None;
    while let Some(frame) = within(messages.next()).await {
        last = Some(frame.message);
    }
    assert_eq!(last, Some(Inbound::NotJson), "the torn line is kept, as what it is");
    let exit = within(client.wait()).await;
    assert_eq!(exit.code, Some(134));
    assert!(matches!(client.prompt("again").await, Err(RequestError::Ended)));
    assert!(matches!(client.mcp_status().await, Err(RequestError::Ended)));
}

#[tokio::test]
async fn a_deaf_cli_fails_the_request_and_nothing_else() {
    let bed = Bed::new();
    let mut options = bed.options("deaf=mcp_status");
    options.request_timeout = Some(Duration::from_millis(300));
    let (client, mut messages) = within(Client::start(options)).await.expect("it starts");
    let error = within(client.mcp_status()).await.expect_err("no answer comes");
    assert!(matches!(error, RequestError::Unanswered { .. }), "{error}");
    client.prompt(HELLO).await.expect("sent");
    assert_eq!(within(messages.turn()).await.expect("settled").text, "hello there");
}

#[tokio::test]
async fn a_cli_that_does_not_come_up_is_said_to_be_so() {
    let bed = Bed::new();
    let error = within(Client::start(bed.options("exit-at-once=3"))).await.err();
    assert!(matches!(&error, Some(StartError::Exited(exit)) if exit.code == Some(3)), "{error:?}");

    let mut options = bed.script("exec sleep 1000");
    options.startup_timeout = Duration::from_millis(300);
    let error = within(Client::start(options)).await.err();
    assert!(matches!(error, Some(StartError::TimedOut { .. })), "{error:?}");
}

#[tokio::test]
async fn a_cli_that_will_not_end_is_ended() {
    let bed = Bed::new();
    let (client, _messages) = bed.start("ignore-eof,ignore-sigterm").await;
    assert_eq!(within(client.stop()).await.signal, Some(9));

    let (client, _messages) = bed.start("ignore-eof").await;
    let exit = within(client.stop()).await;
    assert!(exit.code == Some(143) || exit.signal == Some(15), "{exit:?}");
}

#[tokio::test]
async fn a_cli_that_does_not_read_can_be_stopped() {
    let bed = Bed::new();
    let (client, _messages) = bed.start("slow-stdin=stop").await;
    let much = "x".repeat(4 << 20);
    let prompt = tokio::spawn({
        let client = client.clone();
        async move { client.prompt(much).await }
    });
    within(client.stop()).await;
    assert!(matches!(within(prompt).await.expect("no panic"), Err(RequestError::Ended)));
}

#[tokio::test]
async fn a_line_of_256_mib_arrives() {
    const SIZE: usize = 256 << 20;
    let bed = Bed::new();
    let big = format!("head -c {SIZE} /dev/zero | tr '\\0' x");
    let options = bed.script(&format!(
        r#"{ANSWER}
           printf '{{"type":"assistant","message":{{"content":[{{"type":"text","text":"'
           {big}
           printf '"}}]}}}}\n'"#
    ));
    let (_client, mut messages) = within(Client::start(options)).await.expect("it starts");
    let frame = within(messages.next()).await.expect("a message");
    let Inbound::Assistant(assistant) = frame.message else { panic!("not an answer") };
    let text = assistant.message.content.first().and_then(Block::as_text).map(str::len);
    assert_eq!(text, Some(SIZE));
    assert!(frame.raw.len() > SIZE);
}

#[tokio::test]
async fn no_login_is_said_to_be_so() {
    let bed = Bed::new();
    let (client, mut messages) = bed.start("not-logged-in").await;
    client.prompt(HELLO).await.expect("sent");
    let error = within(messages.turn()).await.expect_err("no turn without a login");
    assert!(matches!(error, TurnError::NotLoggedIn { .. }), "{error:?}");
    assert!(error.to_string().contains("log in"), "{error}");
}

/// Messages are a stream too: whoever polls it is woken, though the future of a poll is gone.
#[tokio::test]
async fn a_stream_of_messages_wakes_its_reader() {
    struct Bell(Notify);
    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.notify_one();
        }
    }
    let bed = Bed::new();
    let (client, mut messages) = bed.start("").await;
    let bell = Arc::new(Bell(Notify::new()));
    let waker = Waker::from(Arc::clone(&bell));
    let mut context = Context::from_waker(&waker);
    while messages.poll_next_unpin(&mut context).is_ready() {}
    client.prompt(HELLO).await.expect("sent");
    within(bell.0.notified()).await;
    assert!(messages.poll_next_unpin(&mut context).is_ready());
}

/// Not even an interrupt is answered; the CLI still gets to see the end of its stdin and to end by
/// itself.
#[tokio::test]
async fn a_deaf_cli_can_end_by_itself() {
    let bed = Bed::new();
    let mut options = bed.options("deaf=interrupt");
    options.stop_ladder.after_eof = Duration::from_secs(2);
    let (client, _messages) = within(Client::start(options)).await.expect("it starts");
    let exit = within(client.stop()).await;
    assert_eq!((exit.code, exit.signal), (Some(0), None), "{exit}");
}

/// A process in a session and an environment of its own cannot be found; it holds the pipes open
/// when the CLI has ended. Nothing waits for it.
#[tokio::test]
async fn a_stray_process_does_not_keep_a_dead_cli_alive() {
    let bed = Bed::new();
    let options = bed.script(&format!(
        r#"{ANSWER}
           exec 3<&0
           env -i setsid sh -c 'echo $$ > stray; exec sleep 100' <&3 &
           until [ -s stray ]; do :; done
           printf '{{"type":"last_words"}}\n'"#
    ));
    let (client, mut messages) = within(Client::start(options)).await.expect("it starts");
    // More than a pipe takes, and nobody reads it.
    let prompt = within(client.prompt("x".repeat(4 << 20))).await;
    assert!(matches!(prompt, Err(RequestError::Ended)), "{prompt:?}");
    let last = within(messages.next()).await.expect("what came before the end is kept");
    assert!(last.raw.starts_with(br#"{"type":"last_words""#));
    assert!(within(messages.next()).await.is_none());
    assert_eq!(within(client.wait()).await.code, Some(0));
    let pid = std::fs::read_to_string(bed.dir().join("stray")).expect("a pid was written");
    let pid = pid.trim().parse().ok().and_then(Pid::from_raw).expect("a pid");
    kill_process(pid, Signal::KILL).expect("it was still there");
}

/// Reports of progress want no answer, and not every CLI gives one.
#[tokio::test]
async fn reports_of_progress_wait_for_no_answer() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[schemars(crate = "pilothouse_client::mcp::schemars")]
    struct Nothing {}

    let bed = Bed::new();
    let tool = Tool::with_call("steps", "Takes steps", |_: Nothing, call| async move {
        for step in 1..4 {
            call.progress(f64::from(step), None, "on the way").await;
        }
        Ok(ToolReply::text("there"))
    });
    let server = McpServer::builder("walk").with_tool(tool).build().expect("a server");
    let options = bed.options("deaf=mcp_message").mcp_server(server);
    let options = options.on_permission(|ask| async move { ask.allow() });
    let (client, mut messages) = within(Client::start(options)).await.expect("it starts");
    client.prompt("hi\n#script\ntool mcp__walk__steps {}\n---\nsay done").await.expect("sent");
    assert_eq!(within(messages.turn()).await.expect("settled").text, "done");
}

/// Many conversations at once in one program.
#[tokio::test(flavor = "multi_thread")]
async fn many_at_once() {
    let done = Arc::new(AtomicUsize::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let done = Arc::clone(&done);
        tasks.spawn(async move {
            let bed = Bed::new();
            let turn = query(HELLO, bed.options("torn")).await.expect("it starts").turn().await;
            assert_eq!(turn.expect("settled").text, "hello there");
            done.fetch_add(1, Ordering::Relaxed);
        });
    }
    while let Some(outcome) = within(tasks.join_next()).await {
        outcome.expect("no panic");
    }
    assert_eq!(done.load(Ordering::Relaxed), 20);
}
