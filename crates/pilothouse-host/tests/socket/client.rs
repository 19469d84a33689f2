//! A daemon as a process of its own, and a WebSocket to it.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Stdio;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::{Child, ChildStderr, Command};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderName;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::bed::{Bed, PATIENCE, sim};

/// A daemon. It is killed when it goes.
pub(crate) struct Daemon {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Daemon {
    /// Starts one in the bed's data directory, and waits until it listens.
    pub(crate) async fn start(bed: &Bed) -> Self {
        Self::start_at(bed, "127.0.0.1:0").await
    }

    /// Starts one at an address that it had before. A connection of another test may have been given
    /// the port meanwhile.
    pub(crate) async fn start_at(bed: &Bed, address: &str) -> Self {
        let started = async {
            loop {
                if let Some(daemon) = Self::try_listening(Self::command(bed, address), bed).await {
                    return daemon;
                }
            }
        };
        tokio::time::timeout(PATIENCE, started).await.expect("it starts in time")
    }

    /// Starts one, and gives what it logs.
    pub(crate) async fn start_heard(bed: &Bed) -> (Self, Lines<BufReader<ChildStderr>>) {
        let mut command = Self::command(bed, "127.0.0.1:0");
        command.stderr(Stdio::piped());
        let mut daemon = Self::listening(command, bed).await;
        let log = BufReader::new(daemon.child.stderr.take().unwrap()).lines();
        (daemon, log)
    }

    fn command(bed: &Bed, address: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pilothouse-daemon"));
        command
            .args([bed.path("data").as_path(), &sim(), Path::new(address)])
            .env_clear()
            .envs(bed.options("").env)
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Starts one that may have so many files open, and can have no more.
    pub(crate) async fn start_with_files(bed: &Bed, files: u32) -> Self {
        let plain = Self::command(bed, "127.0.0.1:0");
        let plain = plain.as_std();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -n {files} && exec \"$@\""), "sh"]);
        command.arg(plain.get_program()).args(plain.get_args());
        command.env_clear().envs(bed.options("").env).stdout(Stdio::piped()).kill_on_drop(true);
        Self::listening(command, bed).await
    }

    async fn listening(command: Command, bed: &Bed) -> Self {
        Self::try_listening(command, bed).await.expect("it starts")
    }

    /// Starts one; none where it ends before it listens.
    async fn try_listening(mut command: Command, bed: &Bed) -> Option<Self> {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = tokio::time::timeout(PATIENCE, lines.next_line());
        let first = first.await.expect("it starts in time").unwrap()?;
        let address = first.strip_prefix("listening on ").unwrap().to_owned();
        let token = std::fs::read_to_string(bed.path("data/token")).unwrap();
        Some(Self { child, address, token: token.trim().to_owned() })
    }

    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    pub(crate) async fn socket(&self) -> Socket {
        Socket::open(&self.address, Some(&self.token)).await.unwrap()
    }
}

/// A WebSocket that has said who it is.
pub(crate) struct Socket {
    stream: WebSocketStream<TcpStream>,
    heard: VecDeque<Value>,
    last_id: u64,
}

/// A connection that holds little which was not read, whatever this machine would give it: who does
/// not read is to be noticed.
pub(crate) async fn narrow(address: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 << 10).unwrap();
    socket.connect(address.parse().unwrap()).await.unwrap()
}

/// The other side has gone.
#[derive(Debug)]
pub(crate) struct Gone;

impl Socket {
    pub(crate) async fn open(address: &str, token: Option<&str>) -> Result<Self, Gone> {
        let line = token.map(|token| format!("Authorization: Bearer {token}"));
        Self::open_with(address, line.as_slice()).await
    }

    /// With these lines in the request.
    pub(crate) async fn open_with(address: &str, lines: &[String]) -> Result<Self, Gone> {
        let stream = TcpStream::connect(address).await.map_err(|_| Gone)?;
        Self::over(stream, address, lines).await
    }

    /// Over a connection that is there.
    pub(crate) async fn over(
        stream: TcpStream,
        address: &str,
        lines: &[String],
    ) -> Result<Self, Gone> {
        let mut request = format!("ws://{address}/api/v1/ws").into_client_request().unwrap();
        for line in lines {
            let (name, value) = line.split_once(": ").unwrap();
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        match client_async(request, stream).await {
            Ok((stream, _)) => Ok(Self { stream, heard: VecDeque::new(), last_id: 0 }),
            Err(_) => Err(Gone),
        }
    }

    pub(crate) async fn say(&mut self, message: Value) -> Result<(), Gone> {
        self.stream.send(Message::text(message.to_string())).await.map_err(|_| Gone)
    }

    pub(crate) async fn next(&mut self) -> Result<Value, Gone> {
        tokio::time::timeout(PATIENCE, self.hear()).await.expect("something is said in time")
    }

    pub(crate) async fn hear(&mut self) -> Result<Value, Gone> {
        loop {
            if let Some(message) = self.heard.pop_front() {
                return Ok(message);
            }
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => match serde_json::from_str(&text).unwrap() {
                    Value::Array(messages) => self.heard.extend(messages),
                    other => panic!("not a list: {other}"),
                },
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Gone),
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next message of a type; what comes before it is dropped.
    pub(crate) async fn until(&mut self, kind: &str) -> Result<Value, Gone> {
        loop {
            let message = self.next().await?;
            if message["type"] == kind {
                return Ok(message);
            }
        }
    }

    pub(crate) async fn subscribe(&mut self, session: &str, after: u64) -> Result<(), Gone> {
        self.say(json!({"op": "subscribe", "session": session, "after": after})).await
    }

    /// Sends a command, and gives the number under which its reply comes.
    pub(crate) async fn command(&mut self, session: &str, command: Value) -> Result<u64, Gone> {
        self.last_id += 1;
        let id = self.last_id;
        let said = json!({"op": "command", "id": id, "session": session, "command": command});
        self.say(said).await?;
        Ok(id)
    }

    /// Sends a command and waits for its reply; what else comes is kept for later.
    pub(crate) async fn ask(&mut self, session: &str, command: Value) -> Result<Value, Gone> {
        let id = self.command(session, command).await?;
        let mut aside = Vec::new();
        let reply = loop {
            let message = self.next().await?;
            if message["type"] == "reply" && message["id"] == id {
                break message;
            }
            aside.push(message);
        };
        aside.into_iter().rev().for_each(|message| self.heard.push_front(message));
        Ok(reply)
    }
}
