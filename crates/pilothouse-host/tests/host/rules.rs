//! Which policies a session has, and from when on.

use std::path::Path;

use pilothouse_host::host::NewSession;
use pilothouse_host::{Host, HostError};
use pilothouse_session::event::Body;
use pilothouse_session::id::SessionId;

use super::bed::{Bed, Watcher, allow, decide, prompt};

const DENY: &str = "[[rule]]\ntool = \"Bash\"\ndeny = \"not here\"\n";
const ALLOW: &str = "[[rule]]\ntool = \"Bash\"\nthen = \"allow\"\n";

async fn with_policy(bed: &Bed, host: &Host, policy: Option<&str>) -> (SessionId, Watcher) {
    let new = NewSession { policy: policy.map(str::to_owned), ..bed.new_session() };
    let session = host.create(new).await.unwrap().id;
    (session, Watcher::new(host, session, 0).await)
}

/// Whether a command was run without anybody being asked; none where somebody was.
async fn touches(
    bed: &Bed,
    host: &Host,
    session: SessionId,
    watcher: &mut Watcher,
) -> Option<bool> {
    let path = bed.path("work/made");
    let _ = std::fs::remove_file(&path);
    prompt(host, session, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
    let is_end =
        |body: &Body| matches!(body, Body::Complete { .. } | Body::ApprovalRequested { .. });
    match watcher.until(is_end).await.body {
        Body::ApprovalRequested { approval } => {
            decide(host, session, approval.approval, allow()).await.unwrap();
            watcher.until(|body| matches!(body, Body::Complete { .. })).await;
            None
        }
        _ => Some(path.exists()),
    }
}

fn put_project(bed: &Bed, text: &str) {
    let dir = bed.path("work/.pilothouse");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("policy.toml"), text).unwrap();
}

#[tokio::test]
async fn a_project_can_forbid_and_cannot_allow() {
    let bed = Bed::new();
    let host = bed.host().await;
    put_project(&bed, ALLOW);
    let (session, mut watcher) = with_policy(&bed, &host, None).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, None, "people are asked");
    put_project(&bed, DENY);
    let (session, mut watcher) = with_policy(&bed, &host, Some("autonomous")).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, Some(false));

    // What cannot be read may have forbidden anything.
    let hostile = ["what is this", "[[rule]]\nnonsense = 1\n", &"#".repeat(300 * 1024)];
    for text in hostile {
        put_project(&bed, text);
        let (session, mut watcher) = with_policy(&bed, &host, Some("autonomous")).await;
        assert_eq!(touches(&bed, &host, session, &mut watcher).await, None);
    }
    let file = bed.path("work/.pilothouse/policy.toml");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    let (session, mut watcher) = with_policy(&bed, &host, Some("autonomous")).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, None);
    std::fs::remove_file(&file).unwrap();
    let (session, mut watcher) = with_policy(&bed, &host, Some("autonomous")).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, Some(true));
    host.close().await;
}

#[tokio::test]
async fn a_policy_that_is_changed_holds_for_sessions_that_are_open() {
    let bed = Bed::new();
    let host = bed.host().await;
    host.put_policy("mine", ALLOW).await.unwrap();
    let (session, mut watcher) = with_policy(&bed, &host, Some("mine")).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, Some(true));
    host.put_policy("mine", DENY).await.unwrap();
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, Some(false));
    host.close().await;
}

#[tokio::test]
async fn files_of_the_host_have_the_first_word_in_every_session() {
    let bed = Bed::new();
    let with = |path: &Path| {
        let mut options = bed.options("");
        options.policy_files = vec![path.to_owned()];
        options
    };
    let file = bed.path("house.toml");
    let missing = Host::open(with(&file)).await;
    assert!(matches!(missing, Err(HostError::File { .. })), "{missing:?}");
    std::fs::write(&file, "[[rule]]\nthen = 3").unwrap();
    let broken = Host::open(with(&file)).await;
    assert!(matches!(broken, Err(HostError::Policy(_))), "{broken:?}");

    std::fs::write(&file, DENY).unwrap();
    let host = Host::open(with(&file)).await.unwrap();
    for policy in [None, Some("autonomous")] {
        let (session, mut watcher) = with_policy(&bed, &host, policy).await;
        assert_eq!(touches(&bed, &host, session, &mut watcher).await, Some(false), "{policy:?}");
    }
    host.close().await;
}
