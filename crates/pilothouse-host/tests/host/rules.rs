//! Which policies a session has, and from when on.

use std::path::Path;

use pilothouse_host::host::{NewSession, Profile};
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

/// What cannot be read may have forbidden anything, and the CLI's own rules would not.
#[tokio::test]
async fn a_policy_that_cannot_be_read_any_more_asks_people() {
    let bed = Bed::new();
    let house = bed.path("house.toml");
    std::fs::write(&house, "").unwrap();
    let with = || {
        let mut options = bed.options("");
        options.policy_files = vec![house.clone()];
        options
    };
    let host = Host::open(with()).await.unwrap();
    host.put_policy("mine", DENY).await.unwrap();
    let allowed_tools = vec!["Bash".to_owned()];
    let profile = Profile { see_every_call: true, allowed_tools, ..Profile::default() };
    let new = NewSession { policy: Some("mine".to_owned()), profile, ..bed.new_session() };
    let session = host.create(new).await.unwrap().id;
    let mut watcher = Watcher::new(&host, session, 0).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, Some(false));
    std::fs::write(bed.path("data/policies/mine.toml"), "what is this").unwrap();
    drop(watcher);
    host.close().await;

    let host = Host::open(with()).await.unwrap();
    let mut watcher = Watcher::new(&host, session, 0).await;
    watcher.until_live().await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, None, "people are asked");
    // One of the host's own: what it said of others is not known any more, either.
    host.put_policy("mine", ALLOW).await.unwrap();
    std::fs::remove_file(&house).unwrap();
    drop(watcher);
    let (session, mut watcher) = with_policy(&bed, &host, Some("mine")).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, None, "people are asked");
    host.close().await;
}

/// Of two who change a policy at once, the one whose text stays is the one that holds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_policy_that_is_kept_is_the_one_that_holds() {
    let bed = Bed::new();
    let host = bed.host().await;
    host.put_policy("mine", ALLOW).await.unwrap();
    let (session, mut watcher) = with_policy(&bed, &host, Some("mine")).await;
    assert_eq!(touches(&bed, &host, session, &mut watcher).await, Some(true));
    for round in 0..10 {
        let mut puts = tokio::task::JoinSet::new();
        for text in [ALLOW, DENY, ALLOW, DENY] {
            let host = host.clone();
            puts.spawn(async move { host.put_policy("mine", text).await.unwrap() });
        }
        puts.join_all().await;
        let kept = host.policy("mine").await.unwrap().text;
        let holds = touches(&bed, &host, session, &mut watcher).await;
        assert_eq!(holds, Some(kept == ALLOW), "round {round}");
    }
    host.close().await;
}
