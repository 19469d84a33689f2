//! What a CLI has kept of a conversation, beside what its clients saw while it was led.

use jiff::Timestamp;
use pilothouse_client::history::History;
use pilothouse_host::past::{Past, PastPlace};
use pilothouse_session::event::Event;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::replay::Replay;
use pilothouse_session::session::Setup;
use pilothouse_session::{Effect, Session};
use testkit::cli::{CliVersion, Direction, Harness, RawCli, allow, initialize, prompt as said};
use testkit::model::ScriptedModel;
use uuid::Uuid;

use crate::bed::shown;

/// Takes a turn, and says yes to everything.
async fn turn(cli: &mut RawCli, prompt: &str) {
    cli.send(&said(prompt)).await.unwrap();
    loop {
        let frame = cli
            .recv_until(|frame| {
                frame["type"] == "result"
                    || (frame["type"] == "control_request"
                        && frame["request"]["subtype"] == "can_use_tool")
            })
            .await
            .unwrap();
        if frame["type"] == "result" {
            return;
        }
        cli.send(&allow(&frame)).await.unwrap();
    }
}

/// The events that clients saw.
fn live(cli: &RawCli) -> Vec<Event> {
    let id = SessionId(Uuid::from_u128(9));
    let mut replay = Replay::of(Session::new(id, Setup::default()), RunId(Uuid::from_u128(1)));
    let at = Timestamp::UNIX_EPOCH;
    let lines = cli.log().iter().flat_map(|(direction, line)| match direction {
        Direction::ToCli => replay.written_by_host(line.as_bytes(), at),
        Direction::FromCli => replay.written_by_cli(line.clone().into(), at),
    });
    let events = lines.filter_map(|effect| match effect {
        Effect::Append(event) => Some(*event),
        _ => None,
    });
    events.collect()
}

async fn as_it_was_led(version: CliVersion) {
    let model = ScriptedModel::start().await.unwrap();
    let harness = Harness::new(version, &model.base_url()).unwrap();
    let mut cli = RawCli::spawn(&harness, &RawCli::INTERACTIVE).unwrap();
    cli.send(&initialize("i")).await.unwrap();
    let file = harness.cwd().join("note.txt").display().to_string();
    let write = format!(
        "#script\nthink hm\nsay I write.\ntool Write {{\"file_path\":\"{file}\",\"content\":\"a\\nb\\n\"}}\n\
         ---\ntool Bash {{\"command\":\"cat note.txt; exit 3\",\"description\":\"look\"}}\n---\nsay Done.\n#end"
    );
    turn(&mut cli, &write).await;
    let inner = "#script\\nsay I am inside.\\n#end";
    let agent = format!(
        "#script\ntool Agent {{\"description\":\"inner\",\"prompt\":\"{inner}\",\
         \"subagent_type\":\"general-purpose\",\"run_in_background\":false}}\n---\nsay It said so.\n#end"
    )
    .replace("Agent", if version == CliVersion::V2_1_7 { "Task" } else { "Agent" });
    turn(&mut cli, &agent).await;
    cli.close_stdin();
    cli.recv_all().await.unwrap();
    // It writes its transcripts to the very end.
    cli.wait().await.unwrap();

    let past = Past::of(History::at(harness.home().join(".claude")));
    let listed = past.list(&PastPlace::Directory(harness.cwd().to_owned()), 0, 9).items;
    assert_eq!(listed.len(), 1, "{listed:?}");
    let id = SessionId(Uuid::from_u128(9));
    let imported = past.import(&listed[0].cli_session, id, Setup::default()).unwrap();
    assert_eq!(imported.skipped, Default::default());
    assert_eq!(imported.cwd.as_deref(), harness.cwd().to_str());
    let (was, mut is) = (shown(&live(&cli)), shown(&imported.events));
    // The last words of a subagent are in its transcript; clients were told of them by its result.
    match is.iter().position(|line| line == "  says I am inside.") {
        Some(words) => drop(is.remove(words)),
        // It sometimes writes the lines of a subagent in the wrong order; then the last line counts
        // as the end of that conversation, although it is the beginning.
        None => assert_eq!(version, CliVersion::V2_1_62, "{is:#?}"),
    }
    assert_eq!(is, was, "{version}");
    assert_eq!(was.len(), 15, "{was:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn v2_1_325() {
    as_it_was_led(CliVersion::V2_1_325).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn v2_1_62() {
    as_it_was_led(CliVersion::V2_1_62).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn v2_1_7() {
    as_it_was_led(CliVersion::V2_1_7).await;
}
