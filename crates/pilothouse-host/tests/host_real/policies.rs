//! Policies with Claude Code itself: what they see, and what they keep it from doing.

use std::os::unix::fs::symlink;

use pilothouse_host::host::{NewSession, Profile};
use pilothouse_host::{Host, HostError};
use pilothouse_session::Refusal;
use pilothouse_session::approval::{Decider, Decision, Subject};
use pilothouse_session::event::Body;
use pilothouse_session::id::SessionId;
use serde_json::{Value, json};
use testkit::cli::CliVersion;

use super::bed::{Watcher, allow, decide, prompt, say};
use super::stage::Stage;

/// A session under a policy.
pub(crate) struct Play<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) host: &'a Host,
    pub(crate) session: SessionId,
    pub(crate) watcher: Watcher,
}

impl<'a> Play<'a> {
    pub(crate) async fn under(
        stage: &'a Stage,
        host: &'a Host,
        policy: &str,
        profile: Profile,
    ) -> Self {
        let new = NewSession { policy: Some(policy.to_owned()), profile, ..stage.new_session() };
        let (session, watcher) = stage.watched(host, new).await;
        Self { stage, host, session, watcher }
    }

    /// Lets the model call tools one after the other, and gives those that a person was asked
    /// about. Each is answered by `decision`.
    pub(crate) async fn calls(
        &mut self,
        calls: &[(&str, Value)],
        decision: Decision,
    ) -> Vec<String> {
        let calls = calls.iter().map(|(tool, input)| format!("tool {tool} {input}\n---\n"));
        let script = calls.collect::<String>() + "say Done.";
        prompt(self.host, self.session, &script).await;
        self.answers(decision).await
    }

    /// Answers requests until the turn has settled.
    pub(crate) async fn answers(&mut self, decision: Decision) -> Vec<String> {
        let mut asked = Vec::new();
        loop {
            let is_next = |body: &Body| {
                matches!(body, Body::ApprovalRequested { .. } | Body::Complete { .. })
            };
            match self.watcher.until(is_next).await.body {
                Body::ApprovalRequested { approval } => {
                    asked.push(match &approval.subject {
                        Subject::Tool { tool_name, .. } => tool_name.clone(),
                        other => panic!("{other:?}"),
                    });
                    let answer = decision.clone();
                    decide(self.host, self.session, approval.approval, answer).await.unwrap();
                }
                _ => return asked,
            }
        }
    }

    /// What came of the last `count` calls: whether each has failed, and its text.
    fn outcomes(&self, count: usize) -> Vec<(bool, String)> {
        let mut results = self.stage.last_asked().tool_results();
        let last = results.split_off(results.len() - count);
        last.into_iter().map(|result| (result.is_error, result.text)).collect()
    }

    /// Whether the model has the tool. Newer CLIs search by commands alone.
    fn has(&self, tool: &str) -> bool {
        self.stage.last_asked().tools().contains(&tool)
    }

    fn denials(&self) -> usize {
        self.watcher.count(is_denied)
    }
}

/// Whether the policy denied a call.
fn is_denied(body: &Body) -> bool {
    let Body::ApprovalResolved { resolution } = body else { return false };
    matches!(resolution.by, Decider::Policy { .. })
        && matches!(resolution.decision, Decision::Deny { .. })
}

pub(crate) fn no() -> Decision {
    Decision::Deny { message: Some("Not now.".into()), stop: false }
}

fn bash(command: &str) -> (&'static str, Value) {
    ("Bash", json!({ "command": command }))
}

fn read(path: &str) -> (&'static str, Value) {
    ("Read", json!({ "file_path": path }))
}

fn write_file(stage: &Stage, name: &str, text: &str) -> String {
    std::fs::write(stage.path(name), text).unwrap();
    stage.path(name)
}

const SECRET: &str = "correct-horse-battery";

const ENV: &str = r#"
[[rule]]
tool = "Read"
path = "**/.env"
deny = "Secrets stay where they are."

[[rule]]
tool = "Bash"
command = "head *"
then = "ask"
"#;

/// The usual policy asks nothing that the CLI itself would not ask.
async fn supervised(version: CliVersion) {
    let stage = Stage::of(version).await;
    let host = stage.host().await;
    let file = write_file(&stage, "notes", "read me\n");
    let mut play = Play::under(&stage, &host, "supervised", Profile::default()).await;
    let looks = [bash("ls"), bash("git status"), read(&file)];
    let asked = play.calls(&looks, no()).await;
    assert_eq!(asked, [""; 0], "{version:?}");
    let outcomes = play.outcomes(3);
    assert!(outcomes[0].1.contains("notes"), "{outcomes:?}");
    assert!(outcomes[2].1.contains("read me"), "{outcomes:?}");
    // Reading elsewhere is asked, and neither credentials nor the host's own files can be read.
    let outside = stage.bed.path("outside");
    std::fs::write(&outside, "outside\n").unwrap();
    let home = stage.harness.home();
    std::fs::create_dir(home.join(".ssh")).unwrap();
    std::fs::write(home.join(".ssh/id"), SECRET).unwrap();
    symlink(home.join(".ssh"), stage.path("keys")).unwrap();
    let token = stage.bed.path("data/token");
    std::fs::write(&token, SECRET).unwrap();
    let asked = play.calls(&[read(outside.to_str().unwrap())], allow()).await;
    assert_eq!(asked, ["Read"], "{version:?}");
    let denied = play.denials();
    let mut tries = vec![
        read(home.join(".ssh/id").to_str().unwrap()),
        read(&stage.path("keys/id")),
        read(token.to_str().unwrap()),
        bash("cat ~/.ssh/id"),
        bash("cat keys/id"),
        bash(&format!("cat {}", token.display())),
    ];
    if play.has("Grep") {
        let path = home.join(".ssh");
        tries.push(("Grep", json!({ "pattern": "c", "path": path, "output_mode": "content" })));
    }
    let asked = play.calls(&tries, allow()).await;
    assert_eq!(asked, [""; 0], "{version:?}: denied, not asked");
    assert_eq!(play.denials() - denied, tries.len(), "{version:?}");
    let told = |request: &testkit::model::Recorded| request.contains(SECRET);
    assert!(!stage.model.requests().iter().any(told), "{version:?}");
    host.close().await;
}

/// A file that a policy denies is not read, in no way that the policy can see.
async fn denied_file(version: CliVersion) {
    let stage = Stage::of(version).await;
    let host = stage.host().await;
    host.put_policy("env", ENV).await.unwrap();
    let env = write_file(&stage, ".env", SECRET);
    let notes = write_file(&stage, "notes", "read me\n");
    symlink(&env, stage.path("link")).unwrap();
    let mut play = Play::under(&stage, &host, "env", Profile::default()).await;
    let grep = |path: &str| {
        ("Grep", json!({ "pattern": "horse", "path": path, "output_mode": "content" }))
    };
    let asked = play.calls(&[read(&notes)], no()).await;
    assert_eq!(asked, [""; 0], "{version:?}");
    assert!(!play.outcomes(1)[0].0, "{version:?}");
    // A command that names the file, and a search above it, may read it: a person decides.
    let mut tries = vec![read(&env), read(&stage.path("link")), bash("cat .env")];
    let mut questions = vec!["Bash"];
    if play.has("Grep") {
        tries.extend([grep(&env), grep(".")]);
        questions.push("Grep");
    }
    let asked = play.calls(&tries, no()).await;
    assert_eq!(asked, questions, "{version:?}");
    let outcomes = play.outcomes(tries.len());
    assert!(outcomes.iter().all(|(failed, _)| *failed), "{version:?} {outcomes:?}");
    // A rule that asks about a command which the CLI takes for harmless.
    assert_eq!(play.calls(&[bash("head notes")], no()).await, ["Bash"], "{version:?}");
    assert!(play.outcomes(1)[0].0, "{version:?}");
    assert_eq!(play.calls(&[bash("head notes")], allow()).await, ["Bash"], "{version:?}");
    assert!(play.outcomes(1)[0].1.contains("read me"), "{version:?}");
    for text in ["look at @.env", "@link", "@./.env#L1-2"] {
        let refused = host.prompt(play.session, say(text)).await;
        let is_refused = matches!(refused, Err(HostError::Refused(Refusal::MentionDenied { .. })));
        assert!(is_refused, "{version:?} {text}: {refused:?}");
    }
    // A subagent.
    let denied = play.denials();
    let inner = format!("#script\ntool Read {}\n---\nsay Tried.\n#end", read(&env).1);
    let agent = json!({
        "description": "try", "prompt": inner, "subagent_type": "general-purpose",
    });
    prompt(&host, play.session, &format!("tool Agent {agent}\n---\nsay Done.")).await;
    play.watcher.until(is_denied).await;
    assert_eq!(play.denials(), denied + 1, "{version:?}");
    let told = |request: &testkit::model::Recorded| request.contains(SECRET);
    assert!(!stage.model.requests().iter().any(told), "{version:?}");
    host.close().await;
}

/// A link out of a directory in which writing is allowed.
async fn links(version: CliVersion) {
    const SRC: &str = "[[rule]]\ntool = ['Edit', 'Write']\npath = 'src/**'\nthen = 'allow'\n\
                       [[rule]]\ntool = 'Bash'\ncommand = 'echo *'\nthen = 'allow'";
    let stage = Stage::of(version).await;
    let host = stage.host().await;
    host.put_policy("src", SRC).await.unwrap();
    let outside = stage.bed.path("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("bashrc"), "mine\n").unwrap();
    std::fs::create_dir(stage.path("src")).unwrap();
    symlink(outside.join("bashrc"), stage.path("src/conf")).unwrap();
    symlink(outside.join("missing"), stage.path("src/dangling")).unwrap();
    symlink(&outside, stage.path("src/out")).unwrap();
    let mut play = Play::under(&stage, &host, "src", Profile::default()).await;
    let write =
        |name: &str| ("Write", json!({ "file_path": stage.path(name), "content": "written\n" }));
    let asked = play.calls(&[write("src/plain"), bash("echo x > src/too")], no()).await;
    assert_eq!(asked, [""; 0], "{version:?}");
    assert_eq!(stage.read("src/plain").as_deref(), Some("written\n"), "{version:?}");
    // Some of these the CLI itself refuses.
    let tries = [
        read(&stage.path("src/conf")),
        write("src/conf"),
        write("src/dangling"),
        write("src/out/new"),
        bash("echo x > src/conf"),
        bash("echo x > src/out/new"),
    ];
    let asked = play.calls(&tries, no()).await;
    for tool in ["Write", "Bash"] {
        assert!(asked.iter().any(|it| it == tool), "{version:?}: {asked:?}");
    }
    let outcomes = play.outcomes(tries.len());
    assert!(outcomes[1..].iter().all(|(failed, _)| *failed), "{version:?}: {outcomes:?}");
    let names: Vec<_> = std::fs::read_dir(&outside).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{version:?}: {names:?}");
    let text = std::fs::read_to_string(outside.join("bashrc")).unwrap();
    assert_eq!(text, "mine\n", "{version:?}");
    host.close().await;
}

/// A server whose name begins like one that is allowed.
async fn servers(version: CliVersion) {
    const GIT: &str = "[[rule]]\nserver = 'git'\nthen = 'allow'";
    let stage = Stage::of(version).await;
    let host = stage.host().await;
    host.put_policy("git", GIT).await.unwrap();
    let program = stage.harness.home().join("server.sh");
    std::fs::write(&program, SERVER).unwrap();
    let server = json!({ "command": "sh", "args": [program] });
    let names = ["git", "git__evil", "other"];
    let mcp_servers = names.map(|name| (name.to_owned(), server.clone())).into();
    let profile = Profile { mcp_servers, ..Profile::default() };
    let mut play = Play::under(&stage, &host, "git", profile).await;
    // The servers connect while the first turns run. Newer CLIs name their tools without offering
    // them.
    let tools = names.map(|name| format!("mcp__{name}__run"));
    let mut turns = 0;
    while turns == 0 || !tools.iter().all(|tool| stage.last_asked().contains(tool)) {
        assert!(turns < 100, "{version:?}: the servers do not connect");
        play.calls(&[bash("ls")], allow()).await;
        turns += 1;
    }
    let asked = play.calls(&[("mcp__git__run", json!({}))], no()).await;
    assert_eq!(asked, [""; 0], "{version:?}");
    assert!(play.outcomes(1)[0].1.contains("ran"), "{version:?}");
    let asked = play.calls(&[("mcp__git__evil__run", json!({}))], no()).await;
    assert_eq!(asked, ["mcp__git__evil__run"], "{version:?}");
    let asked = play.calls(&[("mcp__other__run", json!({}))], no()).await;
    assert_eq!(asked, ["mcp__other__run"], "{version:?}");
    host.close().await;
}

/// An MCP server with one tool.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*)
      version=$(printf '%s' "$line" | sed -n 's/.*"protocolVersion":"\([^"]*\)".*/\1/p')
      result="{\"protocolVersion\":\"$version\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}" ;;
    *'"method":"tools/list"'*)
      result='{"tools":[{"name":"run","description":"Runs.","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"ran"}]}' ;;
    *) result='{}' ;;
  esac
  if [ -n "$id" ]; then printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"; fi
done
"#;

macro_rules! on_every_version {
    ($($name:ident: $play:ident,)*) => {$(
        #[tokio::test]
        async fn $name() {
            for version in CliVersion::ALL {
                $play(version).await;
            }
        }
    )*};
}

on_every_version! {
    supervised_asks_nothing_about_looking_and_denies_credentials: supervised,
    a_denied_file_is_not_read_in_any_way: denied_file,
    writing_through_a_link_is_not_allowed_by_a_rule: links,
    a_server_does_not_pass_for_another: servers,
}
