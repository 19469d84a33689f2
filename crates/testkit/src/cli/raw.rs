//! Drives a CLI line by line: for recording, and for tests that must not depend on our own client.
//!
//! Everything said in either direction is kept. The process and its whole group end with the value.

use std::collections::VecDeque;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::harness::Harness;

/// How long one CLI may take for all that a test does with it.
const PATIENCE: Duration = Duration::from_secs(120);

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The host, on the CLI's stdin.
    ToCli,
    /// The CLI, on its stdout.
    FromCli,
}

/// A running CLI.
#[derive(Debug)]
pub struct RawCli {
    child: Child,
    group: Option<Pid>,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    partial: Vec<u8>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: Option<JoinHandle<()>>,
    log: Vec<(Direction, String)>,
    deadline: Instant,
}

/// Why a conversation with a CLI went no further.
#[derive(Debug, thiserror::Error)]
pub enum RawError {
    /// It could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A pipe broke.
    #[error("the CLI's pipe broke: {source}\n{seen}")]
    Pipe {
        /// Why.
        source: io::Error,
        /// The end of the conversation.
        seen: String,
    },
    /// It did not say what was expected before its time was up.
    #[error("the CLI did not get there within {PATIENCE:?}\n{seen}")]
    TooLate {
        /// The end of the conversation.
        seen: String,
    },
    /// It closed stdout before it said what was expected.
    #[error("the CLI closed its output too early\n{seen}")]
    Ended {
        /// The end of the conversation.
        seen: String,
    },
}

impl RawCli {
    /// What every stream-json host passes.
    pub const STREAM_JSON: [&str; 5] =
        ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

    /// What a host passes that answers permission requests and shows partial messages.
    pub const INTERACTIVE: [&str; 5] = [
        "--permission-prompt-tool",
        "stdio",
        "--permission-mode",
        "default",
        "--include-partial-messages",
    ];

    /// Starts the CLI with [`Self::STREAM_JSON`] and `extra`, in a process group of its own.
    pub fn spawn(harness: &Harness, extra: &[&str]) -> Result<Self, RawError> {
        let cannot =
            |source| RawError::Start { program: harness.program().display().to_string(), source };
        let mut child = Command::new(harness.program())
            .args(Self::STREAM_JSON)
            .args(extra)
            .env_clear()
            .envs(harness.env())
            .current_dir(harness.cwd())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(cannot)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(mut errors)) = pipes else {
            return Err(cannot(io::Error::other("it has no pipes")));
        };
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&stderr);
        let stderr_reader = tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = errors.read(&mut buffer).await {
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                sink.extend_from_slice(&buffer[..length]);
            }
        });
        Ok(Self {
            group: child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
            child,
            stdin: Some(stdin),
            stdout: BufReader::new(stdout),
            partial: Vec::new(),
            stderr,
            stderr_reader: Some(stderr_reader),
            log: Vec::new(),
            deadline: Instant::now() + PATIENCE,
        })
    }

    /// Writes one frame.
    pub async fn send(&mut self, frame: &Value) -> Result<(), RawError> {
        self.send_line(&frame.to_string()).await
    }

    /// Writes one line, whatever it is.
    pub async fn send_line(&mut self, line: &str) -> Result<(), RawError> {
        self.log.push((Direction::ToCli, line.to_owned()));
        let written = match &mut self.stdin {
            Some(stdin) => {
                let bytes = format!("{line}\n");
                timeout_at(self.deadline, stdin.write_all(bytes.as_bytes())).await
            }
            None => Ok(Err(io::ErrorKind::BrokenPipe.into())),
        };
        match written {
            Ok(Ok(())) => Ok(()),
            Ok(Err(source)) => Err(RawError::Pipe { source, seen: self.seen() }),
            Err(_) => Err(RawError::TooLate { seen: self.seen() }),
        }
    }

    /// The next line as it came, without its line break; `None` when the CLI has closed its output.
    pub async fn recv(&mut self) -> Result<Option<String>, RawError> {
        // A line that is cut off by the deadline stays in `partial`.
        let read = self.stdout.read_until(b'\n', &mut self.partial);
        match timeout_at(self.deadline, read).await {
            Err(_) => Err(RawError::TooLate { seen: self.seen() }),
            Ok(Err(source)) => Err(RawError::Pipe { source, seen: self.seen() }),
            Ok(Ok(_)) if self.partial.is_empty() => Ok(None),
            Ok(Ok(_)) => {
                let mut line = std::mem::take(&mut self.partial);
                if line.last() == Some(&b'\n') {
                    line.pop();
                }
                let line = String::from_utf8_lossy(&line).into_owned();
                self.log.push((Direction::FromCli, line.clone()));
                Ok(Some(line))
            }
        }
    }

    /// Reads on to the first frame that `wanted` says yes to. What comes before it is in
    /// [`Self::frames`].
    pub async fn recv_until(
        &mut self,
        mut wanted: impl FnMut(&Value) -> bool,
    ) -> Result<Value, RawError> {
        while let Some(line) = self.recv().await? {
            if let Ok(frame) = serde_json::from_str::<Value>(&line)
                && wanted(&frame)
            {
                return Ok(frame);
            }
        }
        Err(RawError::Ended { seen: self.seen() })
    }

    /// Reads on to the end of the output.
    pub async fn recv_all(&mut self) -> Result<(), RawError> {
        while self.recv().await?.is_some() {}
        Ok(())
    }

    /// Sends a control request and reads on to its answer: the `response` object with its
    /// `subtype`.
    pub async fn request(&mut self, request_id: &str, request: Value) -> Result<Value, RawError> {
        self.send(&super::frames::control(request_id, request)).await?;
        let answer = self
            .recv_until(|frame| {
                frame["type"] == "control_response" && frame["response"]["request_id"] == request_id
            })
            .await?;
        Ok(answer["response"].clone())
    }

    /// Everything said so far in both directions.
    pub fn log(&self) -> &[(Direction, String)] {
        &self.log
    }

    /// What the CLI has said so far, as far as it is JSON.
    pub fn frames(&self) -> Vec<Value> {
        self.log
            .iter()
            .filter(|(direction, _)| *direction == Direction::FromCli)
            .filter_map(|(_, line)| serde_json::from_str(line).ok())
            .collect()
    }

    /// What the CLI has written to stderr so far.
    pub fn stderr(&self) -> String {
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The process id, as long as the process has not been waited for.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Ends the CLI's input.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Kills the process, and nothing else of its group.
    pub fn kill(&mut self) -> Result<(), RawError> {
        self.child.start_kill().map_err(|source| RawError::Pipe { source, seen: self.seen() })
    }

    /// Reads the rest of the output and waits for the exit. What is left of the group ends too.
    pub async fn wait(&mut self) -> Result<ExitStatus, RawError> {
        self.recv_all().await?;
        let exit = timeout_at(self.deadline, self.child.wait()).await;
        let status = match exit {
            Ok(Ok(status)) => status,
            Ok(Err(source)) => {
                return Err(RawError::Pipe { source, seen: self.seen() });
            }
            Err(_) => return Err(RawError::TooLate { seen: self.seen() }),
        };
        self.end_group();
        if let Some(reader) = self.stderr_reader.take() {
            let _ = timeout_at(self.deadline, reader).await;
        }
        Ok(status)
    }

    /// Once only: later the number may belong to somebody else.
    fn end_group(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    fn seen(&self) -> String {
        let mut tail = VecDeque::new();
        for (direction, line) in self.log.iter().rev().take(12) {
            let arrow = match direction {
                Direction::ToCli => "->",
                Direction::FromCli => "<-",
            };
            let start: String = line.chars().take(300).collect();
            tail.push_front(format!("{arrow} {start}"));
        }
        let lines: Vec<_> = tail.into();
        format!("last lines:\n{}\nstderr:\n{}", lines.join("\n"), self.stderr())
    }
}

impl Drop for RawCli {
    fn drop(&mut self) {
        self.end_group();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use super::*;
    use crate::cli::CliVersion;
    use crate::cli::tests::write_script;

    /// A harness whose CLI is a shell script.
    fn harness(script: &str) -> (tempfile::TempDir, Harness) {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("claude");
        write_script(&program, script);
        let harness =
            Harness::with_program(CliVersion::V2_1_7, program, "http://127.0.0.1:9").unwrap();
        (directory, harness)
    }

    #[tokio::test]
    async fn both_directions_are_kept() {
        let (_directory, harness) = harness(
            r#"read line; echo "$line"; echo "not json"; echo '{"b":2}'; echo oops >&2; exit 3"#,
        );
        let mut cli = RawCli::spawn(&harness, &[]).unwrap();
        cli.send(&serde_json::json!({"a": 1})).await.unwrap();
        cli.recv_until(|frame| frame["b"] == 2).await.unwrap();
        assert_eq!(cli.wait().await.unwrap().code(), Some(3));
        assert_eq!(cli.stderr(), "oops\n");
        let said: Vec<_> = cli.log().iter().map(|(who, line)| (*who, line.as_str())).collect();
        assert_eq!(said[0], (Direction::ToCli, r#"{"a":1}"#));
        assert_eq!(said[1], (Direction::FromCli, r#"{"a":1}"#));
        assert_eq!(said[2], (Direction::FromCli, "not json"));
        assert_eq!(cli.frames().len(), 2);
    }

    #[tokio::test]
    async fn the_environment_is_the_harness_s_and_nothing_else() {
        let (_directory, harness) = harness("exec env");
        let mut cli = RawCli::spawn(&harness, &[]).unwrap();
        cli.wait().await.unwrap();
        let mut seen: Vec<_> = cli
            .log()
            .iter()
            .filter_map(|(_, line)| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            // What a shell adds by itself.
            .filter(|(name, _)| name != "_" && name != "SHLVL" && name != "OLDPWD")
            .collect();
        let mut given = harness.env();
        seen.sort();
        given.sort();
        assert_eq!(seen, given);
    }

    #[tokio::test]
    async fn an_early_end_shows_what_was_said() {
        let (_directory, harness) = harness(r#"echo '{"type":"hello"}'; echo because >&2"#);
        let mut cli = RawCli::spawn(&harness, &[]).unwrap();
        let error = cli.recv_until(|frame| frame["type"] == "never").await.unwrap_err();
        cli.wait().await.unwrap();
        assert!(matches!(error, RawError::Ended { .. }), "{error}");
        assert!(error.to_string().contains("hello"), "{error}");
    }

    #[tokio::test]
    async fn its_whole_group_ends_with_it() {
        let (directory, harness) =
            harness(r#"exec 8>"$HOME/alive"; sleep 1000 & echo '{"type":"up"}'; wait"#);
        let alive = harness.home().join("alive");
        assert!(std::process::Command::new("mkfifo").arg(&alive).status().unwrap().success());
        let (ended, end) = tokio::sync::oneshot::channel();
        // Opening waits for the writer, reading ends when the last process that has it open is
        // gone.
        std::thread::spawn(move || {
            let mut nothing = Vec::new();
            let read = fs::File::open(alive).and_then(|mut file| file.read_to_end(&mut nothing));
            let _ = ended.send(read.is_ok());
        });
        let mut cli = RawCli::spawn(&harness, &[]).unwrap();
        cli.recv_until(|frame| frame["type"] == "up").await.unwrap();
        drop(cli);
        let ended = tokio::time::timeout(Duration::from_secs(30), end).await;
        assert!(ended.is_ok_and(|ended| ended == Ok(true)));
        drop(directory);
    }
}
