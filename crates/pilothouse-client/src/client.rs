//! A conversation with the CLI.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pilothouse_wire::codec::{Inbound, Outbound};
use pilothouse_wire::control::cli::McpMessage;
use pilothouse_wire::control::initialize::InitializeReply;
use pilothouse_wire::control::{Request, read_reply};
use pilothouse_wire::message::ResultFrame;
use pilothouse_wire::{Extra, Frame, Raw};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use uuid::Uuid;

use crate::answering::Answering;
use crate::connection::Connection;
use crate::error::{RequestError, StartError};
use crate::mcp::McpHost;
use crate::messages::Messages;
use crate::options::Options;
use crate::process::{Exit, Process, ProcessControl, StopLadder};
use crate::prompt::Prompt;
use crate::writer::Writer;

/// A running CLI. Clones share it; when the last is dropped, the CLI is ended.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use pilothouse_client::{Client, Options};
///
/// let (client, mut messages) = Client::start(Options::default()).await?;
/// client.prompt("What is in this directory?").await?;
/// println!("{}", messages.turn().await?.text);
/// client.stop().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Client {
    run: Arc<Run>,
}

/// What ends when the last client goes.
struct Run {
    connection: Arc<Connection>,
    process: ProcessControl,
    initialized: OnceLock<InitializeReply>,
    request_timeout: Option<Duration>,
    ladder: StopLadder,
    reader: AbortHandle,
    mcp: AbortHandle,
}

impl Drop for Run {
    fn drop(&mut self) {
        // With these go the last holders of the writer, so stdin closes; the process's supervisor
        // sees its own handle go and leaves the rest to the guard.
        self.reader.abort();
        self.mcp.abort();
        self.connection.end();
    }
}

impl Client {
    /// Starts the CLI and waits until it is ready.
    ///
    /// Messages that arrive are kept until they are taken; requests of the CLI's are answered from
    /// now on.
    pub async fn start(options: Options) -> Result<(Self, Messages), StartError> {
        let mut options = options;
        let (mcp_sender, mcp_messages) = mpsc::unbounded_channel();
        let launch = options.launch()?;
        let mcp = McpHost::new(std::mem::take(&mut options.mcp_servers), mcp_sender)?;
        let initialize = options.initialize_request(&mcp);
        let resuming = options.resumed().map(str::to_owned);
        let must_block = options.handlers.hooks.iter().any(|hook| hook.must_work);

        let process = Process::start(&launch, &Uuid::new_v4().to_string())?;
        let answering = Answering { handlers: options.handlers, mcp };
        let connection = Connection::new(Writer::start(process.stdin), answering);
        let reader = tokio::spawn(Arc::clone(&connection).read(process.stdout)).abort_handle();
        let mcp = tokio::spawn(forward(Arc::clone(&connection), mcp_messages)).abort_handle();
        let messages = Messages::new(Arc::clone(&connection.queue), process.control.exit.clone());
        let run = Run {
            connection,
            process: process.control,
            initialized: OnceLock::new(),
            request_timeout: options.request_timeout,
            ladder: options.stop_ladder,
            reader,
            mcp,
        };
        let client = Self { run: Arc::new(run) };
        let after = options.startup_timeout;
        match client.run.connection.request(initialize.into(), Some(after)).await {
            Ok(success) => {
                let reply: InitializeReply =
                    read_reply(success.response.as_ref()).unwrap_or_default();
                let can_block = reply.hook_on_failure_supported == Some(true)
                    && reply.hooks_applied != Some(false);
                if must_block && !can_block {
                    client.stop().await;
                    return Err(StartError::HooksCannotBlock);
                }
                let _ = client.run.initialized.set(reply);
                Ok((client, messages))
            }
            Err(error) => Err(client.why(error, messages, resuming).await),
        }
    }

    /// Why the CLI did not come up.
    async fn why(
        &self,
        error: RequestError,
        mut messages: Messages,
        resuming: Option<String>,
    ) -> StartError {
        match error {
            RequestError::Unanswered { after, .. } => {
                let exit = self.stop().await;
                StartError::TimedOut { after, stderr: exit.stderr }
            }
            RequestError::Refused { message, .. } => {
                self.stop().await;
                StartError::Refused { message }
            }
            _ => {
                let exit = self.stop().await;
                let mut result: Option<Box<ResultFrame>> = None;
                while let Some(Frame { message, .. }) = messages.next().await {
                    if let Inbound::Result(frame) = message {
                        result = Some(frame);
                    }
                }
                StartError::from_exit(exit, result.as_deref(), resuming.as_deref())
            }
        }
    }

    /// Sends a prompt and gives its uuid. It is queued while a turn runs.
    pub async fn prompt(&self, prompt: impl Into<Prompt>) -> Result<String, RequestError> {
        let (uuid, frame) = prompt.into().into_frame();
        self.run.connection.send(&Outbound::User(Box::new(frame))).await?;
        Ok(uuid)
    }

    /// Makes any request of the protocol.
    pub async fn request<R: Request>(&self, request: R) -> Result<R::Reply, RequestError> {
        let request = request.into();
        let name = request.tag().unwrap_or_default().to_owned();
        let success = self.run.connection.request(request, self.run.request_timeout).await?;
        let payload = success.response.as_ref();
        read_reply(payload).ok_or_else(|| RequestError::Unreadable {
            request: name,
            payload: payload.map_or("nothing", Raw::get).to_owned(),
        })
    }

    /// Sends a line of the caller's making.
    pub async fn send(&self, message: &Outbound) -> Result<(), RequestError> {
        self.run.connection.send(message).await
    }

    /// What the CLI said of itself when it started: commands, models, agents, account, version.
    pub fn initialized(&self) -> &InitializeReply {
        self.run.initialized.get_or_init(InitializeReply::default)
    }

    /// The CLI's process.
    pub fn pid(&self) -> Option<u32> {
        self.run.process.pid
    }

    /// The last of what the CLI wrote to stderr, secrets replaced.
    pub fn stderr(&self) -> String {
        self.run.process.exit.stderr.text()
    }

    /// Closes stdin: the CLI finishes the current turn, then ends.
    pub async fn close(&self) {
        self.run.connection.close().await;
    }

    /// Waits until the CLI has ended by itself.
    pub async fn wait(&self) -> Exit {
        self.run.process.exit.wait().await
    }

    /// How the CLI ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        self.run.process.exit.get()
    }

    /// Ends the CLI: interrupts the turn, closes stdin, and climbs down the ladder if it must. What
    /// it started ends with it.
    pub async fn stop(&self) -> Exit {
        let ladder = self.run.ladder;
        let last_words = async {
            // Its answer does not matter; with stdin closed and nothing running the CLI ends.
            let interrupt = pilothouse_wire::control::session::Interrupt::default();
            let _ = self.run.connection.request(interrupt.into(), Some(ladder.after_eof)).await;
            self.run.connection.close().await;
        };
        // A CLI that does not read must not keep us from stopping it.
        let _ = tokio::time::timeout(ladder.after_eof, last_words).await;
        self.run.process.stop(ladder).await;
        self.run.process.exit.wait().await
    }
}

/// Sends on what the program's MCP servers say of their own accord.
async fn forward(
    connection: Arc<Connection>,
    mut messages: mpsc::UnboundedReceiver<(String, Raw)>,
) {
    while let Some((server_name, message)) = messages.recv().await {
        let request = McpMessage { server_name, message, extra: Extra::default() };
        if let Err(error) = connection.request(request.into(), None).await {
            tracing::debug!(%error, "the CLI did not take an MCP message");
        }
    }
}
