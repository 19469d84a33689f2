//! Which modes a session may have, and what a session gets that says nothing.

use pilothouse_host::HostError;
use pilothouse_host::host::{
    Beginning, Defaults, ImportSession, ModeError, NewSession, Profile, ProfileError,
};
use pilothouse_session::Command;
use pilothouse_session::approval::{Decision, Suggestion};
use pilothouse_session::command::mode_named;
use pilothouse_session::event::Status;
use pilothouse_wire::control::settings::SetPermissionMode;
use pilothouse_wire::{PermissionMode, PermissionUpdate};

use super::bed::{Bed, Watcher, decide, prompt};

fn in_mode(mode: &str) -> Profile {
    Profile { mode: Some(mode.into()), ..Profile::default() }
}

#[tokio::test]
async fn a_session_may_switch_permissions_off_only_where_that_was_allowed() {
    let bed = Bed::new();
    let host = bed.host().await;
    let new = NewSession { profile: in_mode("bypassPermissions"), ..bed.new_session() };
    let refused = host.create(new).await;
    let why = "the profile does not allow it";
    assert!(
        matches!(refused, Err(HostError::Profile(ProfileError::Mode(ModeError::Bypass)))),
        "{why}"
    );

    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    let set = |name: &str| Command::SetMode { mode: mode_named(name) };
    for round in ["without a run", "with a run"] {
        let refused = host.command(session, set("bypassPermissions")).await;
        assert!(matches!(refused, Err(HostError::Mode(ModeError::Bypass))), "{round}");
        let refused = host.command(session, set("bypassEverything")).await;
        assert!(matches!(refused, Err(HostError::Mode(ModeError::Bypass))), "{round}");
        for name in ["", "--dangerous", "no mode", &"m".repeat(65)] {
            let refused = host.command(session, set(name)).await;
            assert!(matches!(refused, Err(HostError::Mode(ModeError::Unknown(_)))), "{round}");
        }
        prompt(&host, session, "say hm").await;
        watcher.until_status(Status::Idle).await;
    }
    let mode = PermissionMode::BypassPermissions;
    let request = SetPermissionMode { mode: mode.clone(), extra: Default::default() };
    let refused = host.command(session, Command::Request(Box::new(request.into()))).await;
    assert!(matches!(refused, Err(HostError::Mode(ModeError::Bypass))));

    prompt(&host, session, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
    let approval = watcher.until_asked().await;
    let updates = vec![Suggestion(PermissionUpdate::set_mode(mode))];
    let allow = Decision::Allow { input: None, updates };
    let refused = decide(&host, session, approval, allow).await;
    assert!(matches!(refused, Err(HostError::Mode(ModeError::Bypass))), "with an answer");
    assert_eq!(host.detail(session).await.unwrap().approvals.len(), 1, "it is still open");

    let profile = Profile { allow_bypass: true, ..Profile::default() };
    let session = host.create(NewSession { profile, ..bed.new_session() }).await.unwrap().id;
    host.command(session, set("bypassPermissions")).await.unwrap();
    let mode = host.session(session).await.unwrap().mode;
    assert_eq!(mode.as_deref(), Some("bypassPermissions"));
    host.close().await;
}

#[tokio::test]
async fn a_conversation_that_is_imported_gets_what_new_sessions_get() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say before").await;
    watcher.until_status(Status::Idle).await;
    let conversation = host.session(session).await.unwrap().cli_session.unwrap();
    host.delete(session, "Ada").await.unwrap();
    host.close().await;
    drop((watcher, host));

    let mut options = bed.options("");
    options.defaults = Defaults { policy: Some("supervised".into()), profile: in_mode("plan") };
    let host = pilothouse_host::Host::open(options).await.unwrap();
    let wish = ImportSession { profile: in_mode("bypassPermissions"), ..ImportSession::default() };
    assert!(host.import(&conversation, wish).await.is_err());
    let (row, is_new) = host.import(&conversation, ImportSession::default()).await.unwrap();
    assert!(is_new);
    assert_eq!(row.policy.as_deref(), Some("supervised"));
    assert_eq!(row.mode.as_deref(), Some("plan"));
    let mut watcher = Watcher::new(&host, row.id, 0).await;
    prompt(&host, row.id, "say after").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["before", "after"]);
    assert_eq!(host.session(row.id).await.unwrap().mode.as_deref(), Some("plan"));

    let begin = Beginning::Fork { session: row.id, at: None };
    let fork = host.create(NewSession { begin, ..bed.new_session() }).await.unwrap();
    assert_eq!(fork.mode.as_deref(), Some("plan"));
    host.close().await;
}
