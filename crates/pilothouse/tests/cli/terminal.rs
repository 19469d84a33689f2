//! A person at a terminal, played by tmux.

use std::process::Command;

use super::bed::{Bed, EXE, script, until};
use super::gate::Gate;

/// A terminal with a shell in it.
struct Terminal<'a> {
    bed: &'a Bed,
    name: String,
}

impl<'a> Terminal<'a> {
    fn new(bed: &'a Bed, columns: u32, variables: &str) -> Self {
        let name = format!("ph-{}", uuid::Uuid::new_v4());
        let terminal = Self { bed, name };
        let shell = format!("env -i PATH=\"$PATH\" TERM=screen PS1='$ ' {variables} sh");
        let size = ["-x", &columns.to_string(), "-y", "50"].map(str::to_owned);
        let dir = bed.path("work");
        let made = terminal
            .tmux()
            .args(["-f", "/dev/null", "new-session", "-d"])
            .args(size)
            .arg("-c")
            .arg(dir)
            .arg(shell)
            .status();
        assert!(made.is_ok_and(|status| status.success()), "tmux is needed: install it");
        terminal
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.name]).env_remove("TMUX").env("LC_ALL", "C.UTF-8");
        command
    }

    fn type_line(&self, text: &str) {
        for keys in [&["send-keys", "-l", text][..], &["send-keys", "Enter"]] {
            assert!(self.tmux().args(keys).status().unwrap().success());
        }
    }

    fn press(&self, key: &str) {
        assert!(self.tmux().args(["send-keys", key]).status().unwrap().success());
    }

    /// What is to be seen, with what has scrolled away; colours too, if wanted.
    fn screen(&self, more: &[&str]) -> String {
        let mut command = self.tmux();
        let output = command.args(["capture-pane", "-p", "-S", "-"]).args(more).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn wait_for(&self, text: &str) {
        let mut seen = String::new();
        let come = || {
            seen = self.screen(&["-J"]);
            seen.contains(text)
        };
        let mut come = come;
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| until(&mut come)));
        assert!(found.is_ok(), "no {text:?} in:\n{seen}");
    }

    /// Starts `run` with a script.
    fn run(&self, lines: &str) {
        self.begin("run", "", lines);
    }

    /// Starts a command with a script behind it, which is too long to be typed, and then what is to
    /// follow in the shell.
    fn begin(&self, command: &str, after: &str, lines: &str) {
        std::fs::write(self.bed.path("prompt"), script(lines)).unwrap();
        let (home, claude) = (self.bed.path("home"), self.bed.path("claude"));
        let file = self.bed.path("begin");
        let text = format!(
            "export HOME={} PILOTHOUSE_CLAUDE={} PILOTHOUSE_SERVER_LISTEN=127.0.0.1:0 \
             SIM_HOLD_DIR={}\n{EXE} {command} \"$(cat {})\" {after}\necho \"it ended with $?.\"\n",
            home.display(),
            claude.display(),
            self.bed.path("holds").display(),
            self.bed.path("prompt").display(),
        );
        std::fs::write(&file, text).unwrap();
        self.type_line(&format!(". {}", file.display()));
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").output();
    }
}

#[test]
fn trust_in_a_repository_is_asked_for_before_the_run() {
    let bed = Bed::new();
    super::trust::plant(&bed, "Stop");
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    terminal.run("say Hello.");
    terminal.wait_for("Use these settings?");
    assert!(terminal.screen(&[]).contains("hook Stop: sh ./hook.sh"));
    terminal.type_line("a");
    terminal.wait_for("it ended with 0.");
    assert!(bed.ok(["trust", "ls"]).contains("trusted"));
    // It is asked once.
    terminal.run("say Again.");
    terminal.wait_for("\nAgain.");
    assert_eq!(terminal.screen(&[]).matches("Use these settings?").count(), 1);
}

#[test]
fn a_request_is_answered() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    let file = bed.path("work/made.txt");
    terminal.run(&format!(
        "say I would write a file.\ntool Write {{\"file_path\":{file:?},\"content\":\"one\\ntwo\\n\"}}\n\
         ---\ntool Bash {{\"command\":\"touch other\"}}\n---\nsay That is all."
    ));
    terminal.wait_for("Allow? [y/n");
    assert!(terminal.screen(&[]).contains("+one"), "what it would write is shown");
    // An empty line allows nothing.
    terminal.press("Enter");
    assert!(!file.exists());
    terminal.type_line("y");
    terminal.wait_for("$ touch other");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    terminal.type_line("n not today");
    terminal.wait_for("it ended with 0.");
    assert!(terminal.screen(&["-J"]).contains("That is all."));
    assert!(!bed.path("work/other").exists());
    assert!(terminal.screen(&["-e"]).contains("\x1b["), "in a terminal there are colours");
    assert_eq!(bed.live_runs(), 0);
}

#[test]
fn a_question_is_answered_in_a_narrow_terminal_without_colours() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 32, "LC_ALL=C.UTF-8 NO_COLOR=1");
    terminal.run(
        "tool AskUserQuestion {\"questions\":[{\"question\":\"Which of the two colours?\",\"header\":\
         \"Colour\",\"multiSelect\":false,\"options\":[{\"label\":\"red\",\"description\":\"warm\"},\
         {\"label\":\"blue\",\"description\":\"cold\"}]}]}\n---\nsay Thank you.",
    );
    terminal.wait_for("2. blue: cold");
    terminal.type_line("2");
    terminal.wait_for("it ended with 0.");
    let seen = terminal.screen(&["-J"]);
    assert!(
        seen.contains("Which of the two colours?: blue") && seen.contains("Thank you."),
        "{seen}"
    );
    let painted = terminal.screen(&["-e"]);
    assert!(!painted.contains("\x1b["), "{painted:?}");
}

#[test]
fn an_interrupt_from_the_keyboard() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    terminal.run("say before\nhold here\nsay never");
    bed.held("here");
    terminal.wait_for("before");
    terminal.press("C-c");
    terminal.wait_for("it ended with 130.");
    assert!(!terminal.screen(&[]).contains("never"));
}

#[test]
fn it_is_asked_where_it_is_seen() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay That is all.";
    terminal.begin("run", "> out", lines);
    terminal.wait_for("Allow? [y/n");
    assert!(terminal.screen(&[]).contains("$ touch made"));
    terminal.type_line("y");
    terminal.wait_for("it ended with 0.");
    let out = std::fs::read_to_string(bed.path("work/out")).unwrap();
    assert!(out.contains("That is all.") && !out.contains("Allow?"), "{out}");
    assert!(bed.path("work/made").exists());
}

#[test]
fn what_is_typed_meanwhile_is_for_the_shell() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    // In the background the system stops who reads from the terminal.
    terminal.begin("run --policy autonomous", "> out &\nwait $!", "say first\nhold here\nsay last");
    bed.held("here");
    bed.release("here");
    terminal.wait_for("it ended with 0.");
    // And what is typed before anything is asked answers nothing.
    std::fs::remove_file(bed.path("holds/here.held")).unwrap();
    std::fs::remove_file(bed.path("holds/here")).unwrap();
    let lines = "say first\nhold here\ntool Bash {\"command\":\"touch made\"}\n---\nsay last";
    terminal.begin("run", "; echo \"again $?.\"", lines);
    bed.held("here");
    terminal.type_line("y");
    bed.release("here");
    terminal.wait_for("Allow? [y/n");
    terminal.type_line("n");
    terminal.wait_for("again 0.");
    assert!(!bed.path("work/made").exists());
}

#[test]
fn nobody_in_the_background_is_asked() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay That is all.";
    terminal.begin("run", "&\nwait $!", lines);
    terminal.wait_for("it ended with 4.");
    assert!(!bed.path("work/made").exists());
}

#[test]
fn an_answer_alone_does_nothing_to_the_terminal() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    terminal.begin("run --quiet", "", r#"say "It is \u001b]2;stolen\u0007\u001b[2Jso.""#);
    terminal.wait_for("it ended with 0.");
    let seen = terminal.screen(&[]);
    assert!(seen.contains("It is <U+001B>]2;stolen<U+0007><U+001B>[2Jso."), "{seen}");
    let title = terminal.tmux().args(["display", "-p", "#{pane_title}"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&title.stdout).contains("stolen"), "{title:?}");
}

#[test]
fn a_shorter_status_leaves_nothing_of_a_longer_one() {
    let bed = Bed::new();
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8 NO_COLOR=1");
    // From the one to the other nothing else is written.
    let lines = "tool Bash {\"command\":\"true this is a long title of a call\"}\nhold one\n\
                 think Hm.\nhold two\nmore So it is.\n---\nsay Done.";
    terminal.begin("run --policy autonomous", "", lines);
    terminal.wait_for("… true this is a long title");
    bed.release("one");
    terminal.wait_for("… thinking ·");
    let seen = terminal.screen(&[]);
    let status = seen.lines().find(|line| line.contains("… thinking ·")).unwrap();
    assert_eq!(status.matches("Ctrl-C").count(), 1, "{status}");
    bed.release("two");
    terminal.wait_for("it ended with 0.");
}

#[test]
fn a_session_is_talked_to() {
    let bed = Bed::new();
    bed.say(&["--quiet"], "say one");
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    terminal.begin("attach last #", "", "");
    terminal.wait_for("Ctrl-D leaves");
    // Lines without a script are answered as in the demo.
    terminal.type_line("note that it works");
    terminal.wait_for("> note that it works");
    terminal.wait_for("Allow? [y/n");
    terminal.type_line("y");
    until(|| std::fs::read_dir(bed.path("work")).unwrap().count() > 0);
    terminal.press("C-d");
    terminal.wait_for("it ended with 0.");
}

#[test]
fn who_talks_is_not_kept_by_a_daemon_that_does_not_answer() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    bed.say(&["--quiet"], "say one");
    let gate =
        Gate::before(&bed, |asked| asked.starts_with("POST ") && asked.ends_with("/prompts"));
    let terminal = Terminal::new(&bed, 80, "LC_ALL=C.UTF-8");
    terminal.begin("attach last #", "", "");
    terminal.wait_for("Ctrl-D leaves");
    terminal.type_line("hello");
    gate.keeps();
    terminal.press("C-c");
    terminal.wait_for("it ended with 0.");
}

/// An export is exact in a file and visible on a terminal, and so are wire logs.
#[test]
fn exports_and_wire_logs_do_nothing_to_the_terminal() {
    let bed = Bed::new();
    bed.say(&["--quiet"], r#"say "It is \u001b]2;stolen\u0007\u009b2J\u202eso.""#);
    let exact = bed.ok(["export", "last", "--format", "markdown"]);
    assert!(exact.contains("It is \x1b]2;stolen\x07\u{9b}2J\u{202e}so."), "{exact:?}");
    let terminal = Terminal::new(&bed, 200, "LC_ALL=C.UTF-8");
    // Every byte that the pane is sent.
    let sent = bed.path("sent");
    let save = format!("cat > {}", sent.display());
    assert!(terminal.tmux().args(["pipe-pane", &save]).status().unwrap().success());
    for command in ["export last #", "export last --format json #", "logs --raw last #"] {
        terminal.begin(command, "", "");
        terminal.wait_for("it ended with 0.");
        terminal.type_line("clear");
    }
    terminal.type_line("echo over$((1))");
    terminal.wait_for("over1");
    until(|| std::fs::read_to_string(&sent).is_ok_and(|sent| sent.contains("over1")));
    let sent = std::fs::read_to_string(&sent).unwrap();
    assert!(sent.contains("<U+001B>]2;stolen<U+0007><U+009B>2J<U+202E>so."), "{sent:?}");
    assert!(!sent.contains(['\u{9b}', '\u{202e}', '\u{7}']), "{sent:?}");
    assert!(!sent.contains("\x1b]2;stolen"), "{sent:?}");
}
