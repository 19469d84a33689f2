//! Repositories that bring configuration of their own: what runs before and after they are trusted.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pilothouse_host::host::{Beginning, NewSession, Profile, TrustDecision, TrustError};
use pilothouse_host::trust::{Standing, TrustAnswer, TrustReport};
use pilothouse_host::{Host, HostError};
use pilothouse_session::approval::Decision;
use pilothouse_session::event::Body;
use pilothouse_session::id::SessionId;
use serde_json::json;
use testkit::cli::CliVersion;
use testkit::hostile::{HostileRepository, INSTRUCTIONS};
use testkit::model::ScriptedModel;

use super::bed::{Watcher, decide, prompt};
use super::stage::{Stage, settled};

/// A hostile repository as the project of a stage, and the server it wants requests to go to.
struct Attack {
    repository: HostileRepository,
    thief: ScriptedModel,
    before: BTreeSet<String>,
}

impl Attack {
    async fn on(stage: &Stage) -> Self {
        let thief = ScriptedModel::start().await.unwrap();
        let marks = stage.harness.home().with_file_name("marks");
        let repository =
            HostileRepository::plant(stage.harness.cwd(), &marks, &thief.base_url()).unwrap();
        repository.plant_git().unwrap();
        let before = outside(stage);
        Self { repository, thief, before }
    }

    /// Nothing ran, no request went elsewhere, nothing was written outside.
    fn assert_held(&self, stage: &Stage, what: &str) {
        assert_eq!(self.repository.marks(), BTreeSet::new(), "{what}");
        let stolen = self.thief.requests().len() + self.thief.other_requests().len();
        assert_eq!(stolen, 0, "{what}");
        assert_eq!(outside(stage), self.before, "{what}");
        assert!(!stage.last_asked().contains(INSTRUCTIONS), "{what}");
    }
}

/// What lies beside the project and the home of a stage.
fn outside(stage: &Stage) -> BTreeSet<String> {
    let beside = stage.harness.home().parent().unwrap();
    let mut found = BTreeSet::new();
    let mut dirs = vec![beside.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            let is_theirs = [stage.harness.home(), stage.harness.cwd()].contains(&&*path);
            // The CLI has a directory for temporary files of its own.
            if is_theirs || path == beside.join("tmp") || path == beside.join("marks") {
                continue;
            }
            found.insert(path.display().to_string());
            if entry.file_type().unwrap().is_dir() {
                dirs.push(path);
            }
        }
    }
    found
}

/// A turn that writes a file, runs a command, and reads the repository with git. Denies everything
/// that is asked but git. Returns how often somebody was asked about something else.
async fn tries(stage: &Stage, host: &Host, session: SessionId, watcher: &mut Watcher) -> usize {
    let write = json!({"file_path": stage.path("written.txt"), "content": "x"});
    let bash = |command: &str| format!("tool Bash {}", json!({ "command": command }));
    let script = [
        format!("tool Write {write}"),
        bash(&format!("touch {}", stage.path("touched.txt"))),
        bash("git status --short"),
        bash("git diff"),
        bash("git log -p -2"),
        "say Done.".to_owned(),
    ];
    prompt(host, session, &script.join("\n---\n")).await;
    let mut asked = 0;
    loop {
        let next =
            |body: &Body| matches!(body, Body::ApprovalRequested { .. } | Body::Complete { .. });
        match watcher.until(next).await.body {
            Body::ApprovalRequested { approval } => {
                let is_git = serde_json::to_string(&approval).unwrap().contains("\"git ");
                asked += usize::from(!is_git);
                let decision = match is_git {
                    true => super::bed::allow(),
                    false => Decision::Deny { message: None, stop: false },
                };
                decide(host, session, approval.approval, decision).await.unwrap();
            }
            _ => return asked,
        }
    }
}

fn supervised(stage: &Stage) -> NewSession {
    NewSession { policy: Some("supervised".into()), ..stage.new_session() }
}

async fn open(host: &Host, new: NewSession) -> (SessionId, Watcher) {
    let session = host.create(new).await.unwrap().id;
    let mut watcher = Watcher::new(host, session, 0).await;
    watcher.until_live().await;
    (session, watcher)
}

fn notices(watcher: &Watcher) -> Vec<String> {
    let notice = |body: &Body| match body {
        Body::Notice { text, .. } => Some(text.clone()),
        _ => None,
    };
    watcher.events.iter().filter_map(|event| notice(&event.body)).collect()
}

async fn report(stage: &Stage, host: &Host) -> TrustReport {
    host.trust_report(stage.harness.cwd().to_str().unwrap(), None).await.unwrap()
}

fn always(report: &TrustReport) -> TrustDecision {
    TrustDecision {
        directory: report.directory.clone(),
        digest: report.digest.clone(),
        answer: TrustAnswer::Always,
        session: None,
        hooks_may_answer: true,
    }
}

async fn untrusted(version: CliVersion) {
    let stage = Stage::of(version).await;
    let attack = Attack::on(&stage).await;
    let host = stage.host().await;
    let (session, mut watcher) = open(&host, supervised(&stage)).await;
    assert_eq!(tries(&stage, &host, session, &mut watcher).await, 2, "{version}");
    attack.assert_held(&stage, &format!("{version}: new"));
    assert_eq!(stage.read("written.txt"), None, "{version}");
    assert_eq!(stage.read("touched.txt"), None, "{version}");
    let shown = notices(&watcher);
    let left_out = shown.iter().filter(|text| text.contains("were left out")).count();
    assert_eq!(left_out, 1, "{version}: {shown:?}");

    // A copy and a new start are decided anew.
    host.command(session, pilothouse_session::Command::Stop).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    tries(&stage, &host, session, &mut watcher).await;
    attack.assert_held(&stage, &format!("{version}: resumed"));
    let begin = Beginning::Fork { session, at: None };
    let (fork, mut fork_watcher) = open(&host, NewSession { begin, ..supervised(&stage) }).await;
    tries(&stage, &host, fork, &mut fork_watcher).await;
    attack.assert_held(&stage, &format!("{version}: forked"));

    // A directory that is itself a git directory.
    let (docs, mut docs_watcher) =
        open(&host, NewSession { cwd: stage.path("docs"), ..supervised(&stage) }).await;
    tries(&stage, &host, docs, &mut docs_watcher).await;
    attack.assert_held(&stage, &format!("{version}: in a git directory"));
    host.close().await;
}

async fn trusted(version: CliVersion) {
    let stage = Stage::of(version).await;
    let attack = Attack::on(&stage).await;
    let host = stage.host().await;
    let shown = report(&stage, &host).await;
    assert_eq!(shown.standing, Standing::Undecided, "{version}");
    let without = TrustDecision { hooks_may_answer: false, ..always(&shown) };
    let refused = host.decide_trust(without, "a test").await;
    assert!(matches!(refused, Err(HostError::Trust(TrustError::Hooks))), "{version}: {refused:?}");
    let decided = host.decide_trust(always(&shown), "a test").await.unwrap();
    assert_eq!(decided.standing, Standing::Trusted, "{version}");

    let (session, mut watcher) = open(&host, supervised(&stage)).await;
    tries(&stage, &host, session, &mut watcher).await;
    let ran = attack.repository.marks();
    for name in ["hook-SessionStart", "server", "git-diff-command", "git-signature"] {
        assert!(ran.contains(name), "{version}: {name} of {ran:?}");
    }
    let listed = serde_json::to_string(&shown.brings).unwrap();
    // Hooks of git belong to commands that somebody has allowed.
    for name in ran.iter().filter(|name| *name != "git-index-hook") {
        let forms = [format!("tools/{name}.sh"), format!("/{name}'"), format!("/{name}\"")];
        let is_listed = forms.iter().any(|form| listed.contains(form));
        assert!(is_listed, "{version}: {name} was not listed in {listed}");
    }
    host.command(session, pilothouse_session::Command::Stop).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;

    // One byte more in any of the files: nothing is trusted any more.
    for file in attack.repository.trusted_files() {
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{text}\n")).unwrap();
        let changed = report(&stage, &host).await;
        assert_eq!(changed.standing, Standing::Undecided, "{version}: {}", file.display());
        assert_eq!(changed.changed.len(), 1, "{version}: {:?}", changed.changed);
        fs::write(&file, text).unwrap();
    }
    assert_eq!(report(&stage, &host).await.standing, Standing::Trusted, "{version}");
    let script = stage.harness.cwd().join("tools/hook-Stop.sh");
    fs::write(&script, fs::read_to_string(&script).unwrap() + "\n").unwrap();
    attack.repository.clear_marks().unwrap();
    tries(&stage, &host, session, &mut watcher).await;
    let ran = attack.repository.marks();
    assert_eq!(ran, BTreeSet::new(), "{version}");
    let shown = notices(&watcher);
    assert!(shown.iter().any(|text| text.contains("tools/hook-Stop.sh")), "{version}: {shown:?}");
    let audit = host.store().audit(None, None, 100).unwrap().items;
    let decisions = audit.iter().filter(|line| line.action == "trust.decided").count();
    assert_eq!(decisions, 1, "{version}");
    host.close().await;
}

macro_rules! on_every_version {
    ($($scenario:ident),*) => {$(
        mod $scenario {
            use testkit::cli::CliVersion;

            #[tokio::test]
            async fn v2_1_326() {
                super::$scenario(CliVersion::V2_1_326).await;
            }
            #[tokio::test]
            async fn v2_1_325() {
                super::$scenario(CliVersion::V2_1_325).await;
            }
            #[tokio::test]
            async fn v2_1_62() {
                super::$scenario(CliVersion::V2_1_62).await;
            }
            #[tokio::test]
            async fn v2_1_7() {
                super::$scenario(CliVersion::V2_1_7).await;
            }
        }
    )*};
}

on_every_version!(untrusted, trusted, kept_rule);

/// Settings of a repository without anything that answers in the place of a person.
fn plant_hook(stage: &Stage, event: &str) {
    let mark = stage.harness.home().join("hook-ran");
    let command = format!("touch '{}'", mark.display());
    let hooks = json!({event: [{"hooks": [{"type": "command", "command": command}]}]});
    fs::create_dir_all(stage.harness.cwd().join(".claude")).unwrap();
    fs::write(
        stage.harness.cwd().join(".claude/settings.json"),
        json!({ "hooks": hooks }).to_string(),
    )
    .unwrap();
}

fn hook_ran(stage: &Stage) -> bool {
    let mark = stage.harness.home().join("hook-ran");
    let ran = mark.exists();
    let _ = fs::remove_file(mark);
    ran
}

fn record_trust(stage: &Stage, path: &Path) {
    let project = json!({path.to_str().unwrap(): {"hasTrustDialogAccepted": true}});
    let config = json!({ "projects": project });
    fs::write(stage.harness.home().join(".claude.json"), config.to_string()).unwrap();
}

#[tokio::test]
async fn takes_over_what_claude_code_has_recorded_once() {
    let stage = Stage::new().await;
    plant_hook(&stage, "UserPromptSubmit");
    record_trust(&stage, stage.harness.cwd());
    let host = stage.host().await;
    assert_eq!(report(&stage, &host).await.standing, Standing::TrustedByClaudeCode);
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "say Hello.").await;
    settled(&mut watcher).await;
    assert!(hook_ran(&stage));
    host.command(session, pilothouse_session::Command::Stop).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;

    plant_hook(&stage, "Stop");
    assert_eq!(report(&stage, &host).await.standing, Standing::Undecided, "other content");
    prompt(&host, session, "say Hello.").await;
    settled(&mut watcher).await;
    assert!(!hook_ran(&stage));
    host.close().await;
}

#[tokio::test]
async fn record_of_claude_code_counts_for_exactly_its_path_and_not_for_answering_hooks() {
    let stage = Stage::new().await;
    plant_hook(&stage, "Stop");
    let host = stage.host().await;
    record_trust(&stage, stage.harness.cwd().parent().unwrap());
    assert_eq!(report(&stage, &host).await.standing, Standing::Undecided, "the directory above");
    plant_hook(&stage, "PreToolUse");
    record_trust(&stage, stage.harness.cwd());
    assert_eq!(report(&stage, &host).await.standing, Standing::Undecided, "a hook that answers");
    // A branch of somebody else in a worktree of the same repository.
    plant_hook(&stage, "Stop");
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"]).args(args);
        assert!(
            git.current_dir(stage.harness.cwd()).output().unwrap().status.success(),
            "{args:?}"
        );
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "x"]);
    let tree = stage.harness.cwd().with_file_name("tree");
    git(&["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    let in_tree = host.trust_report(tree.to_str().unwrap(), None).await.unwrap();
    assert_eq!(in_tree.standing, Standing::Undecided, "a worktree");
    assert_eq!(in_tree.root, report(&stage, &host).await.root);
    // The home directory is never a repository of what is below it.
    record_trust(&stage, stage.harness.home());
    let home = stage.harness.home().to_str().unwrap();
    fs::write(stage.harness.home().join(".mcp.json"), "{}").unwrap();
    let at_home = host.trust_report(home, None).await.unwrap();
    assert_eq!(at_home.standing, Standing::Undecided);
    host.close().await;
}

#[tokio::test]
async fn decision_for_a_session_holds_there_only_and_survives_a_restart() {
    let stage = Stage::new().await;
    plant_hook(&stage, "UserPromptSubmit");
    let host = stage.host().await;
    let (session, _watcher) = stage.session(&host).await;
    let (other, mut other_watcher) = stage.session(&host).await;
    let shown = report(&stage, &host).await;
    let decision =
        TrustDecision { answer: TrustAnswer::Session, session: Some(session), ..always(&shown) };
    let nobody = TrustDecision { session: None, ..decision.clone() };
    let refused = host.decide_trust(nobody, "a test").await;
    assert!(matches!(refused, Err(HostError::Trust(TrustError::Session(_)))), "{refused:?}");
    let decided = host.decide_trust(decision, "a test").await.unwrap();
    assert_eq!(decided.standing, Standing::TrustedForSession);
    host.close().await;

    let host = stage.host().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    watcher.until_live().await;
    prompt(&host, session, "say Hello.").await;
    settled(&mut watcher).await;
    assert!(hook_ran(&stage));
    drop(std::mem::replace(&mut other_watcher, Watcher::new(&host, other, 0).await));
    other_watcher.until_live().await;
    prompt(&host, other, "say Hello.").await;
    settled(&mut other_watcher).await;
    assert!(!hook_ran(&stage));
    host.delete(session, "a test").await.unwrap();
    assert_eq!(host.trust_list().await.unwrap(), [], "it goes with its session");
    host.close().await;
}

#[tokio::test]
async fn never_holds_for_every_content_until_it_is_removed() {
    let stage = Stage::new().await;
    plant_hook(&stage, "UserPromptSubmit");
    record_trust(&stage, stage.harness.cwd());
    let host = stage.host().await;
    let shown = report(&stage, &host).await;
    assert_eq!(shown.standing, Standing::TrustedByClaudeCode);
    let never = TrustDecision { answer: TrustAnswer::Never, ..always(&shown) };
    assert_eq!(host.decide_trust(never, "a test").await.unwrap().standing, Standing::Never);
    plant_hook(&stage, "Stop");
    assert_eq!(report(&stage, &host).await.standing, Standing::Never);
    let root = shown.root.clone();
    host.forget_trust(&root, "a test").await.unwrap();
    assert_eq!(report(&stage, &host).await.standing, Standing::Undecided, "not taken over again");
    let again = host.forget_trust(&root, "a test").await;
    assert!(matches!(again, Err(HostError::Trust(TrustError::Unknown(_)))), "{again:?}");
    host.close().await;
}

#[tokio::test]
async fn rejects_a_decision_about_other_content() {
    let stage = Stage::new().await;
    plant_hook(&stage, "Stop");
    let host = stage.host().await;
    let shown = report(&stage, &host).await;
    plant_hook(&stage, "UserPromptSubmit");
    let late = host.decide_trust(always(&shown), "a test").await;
    assert!(matches!(late, Err(HostError::Trust(TrustError::Changed(_)))), "{late:?}");
    assert_eq!(host.trust_list().await.unwrap(), []);
    host.close().await;
}

#[tokio::test]
async fn shows_a_change_while_the_cli_runs() {
    let stage = Stage::new().await;
    plant_hook(&stage, "Stop");
    let host = stage.host().await;
    let shown = report(&stage, &host).await;
    host.decide_trust(always(&shown), "a test").await.unwrap();
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "say Hello.").await;
    settled(&mut watcher).await;
    plant_hook(&stage, "UserPromptSubmit");
    prompt(&host, session, "say Again.").await;
    let changed = |body: &Body| matches!(body, Body::Notice { text, .. } if text.contains("has changed while it is in use"));
    watcher.until(changed).await;
    host.close().await;
}

/// Claude Code keeps the rule in a file that an untrusted run does not read.
async fn kept_rule(version: CliVersion) {
    for destination in ["projectSettings", "localSettings"] {
        let stage = Stage::of(version).await;
        let host = stage.host().await;
        let (session, mut watcher) = stage.session(&host).await;
        let bash =
            |name: &str| format!("tool Bash {}", json!({"command": format!("frobnicate {name}")}));
        let script = [bash("one"), bash("two"), "say Done.".to_owned()];
        prompt(&host, session, &script.join("\n---\n")).await;
        let approval = watcher.until_asked().await;
        let rule = json!({"type": "addRules", "behavior": "allow", "destination": destination,
            "rules": [{"toolName": "Bash", "ruleContent": "frobnicate:*"}]});
        let always = json!({"kind": "allow", "input": null, "updates": [rule]});
        decide(&host, session, approval, serde_json::from_value(always).unwrap()).await.unwrap();
        let next =
            |body: &Body| matches!(body, Body::ApprovalRequested { .. } | Body::Complete { .. });
        let next = watcher.until(next).await.body;
        assert!(matches!(next, Body::Complete { .. }), "{version}, {destination}: {next:?}");
        host.close().await;
    }
}

#[tokio::test]
async fn setting_sources_of_a_profile_narrow_what_is_read() {
    let stage = Stage::new().await;
    plant_hook(&stage, "UserPromptSubmit");
    let host = stage.host().await;
    let shown = report(&stage, &host).await;
    host.decide_trust(always(&shown), "a test").await.unwrap();
    let sources = |names: &[&str]| Profile {
        setting_sources: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..Profile::default()
    };
    for (names, runs) in [(&["user"][..], false), (&["user", "project"], true)] {
        let (session, mut watcher) = stage.session_with(&host, sources(names)).await;
        prompt(&host, session, "say Hello.").await;
        settled(&mut watcher).await;
        assert_eq!(hook_ran(&stage), runs, "{names:?}");
    }
    let unknown = NewSession { profile: sources(&["mine"]), ..stage.new_session() };
    let refused = host.create(unknown).await.unwrap_err();
    assert!(refused.to_string().contains("setting_sources"), "{refused}");
    host.close().await;
}
