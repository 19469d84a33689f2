//! A conversation with the CLI.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pilothouse_wire::codec::{Inbound, Outbound};
use pilothouse_wire::control::cli::McpMessage;
use pilothouse_wire::control::initialize::InitializeReply;
use pilothouse_wire::control::session::Interrupt;
use pilothouse_wire::control::{Request, read_reply};
use pilothouse_wire::message::ResultFrame;
use pilothouse_wire::{Extra, Frame, Raw};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use uuid::Uuid;

use crate::answering::Answering;
use crate::connection::Connection;
use crate::error::{RequestError, StartError};
use crate::mcp::{McpHost, Said};
use crate::messages::Messages;
use crate::options::Options;
use crate::process::{Exit, Process, ProcessControl};
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
    pub(crate) run: Arc<Run>,
}

/// What ends when the last client goes.
pub(crate) struct Run {
    pub(crate) connection: Arc<Connection>,
    process: ProcessControl,
    /// The MCP servers outside this process that were set last. Locked while the CLI is told.
    pub(crate) outside: tokio::sync::Mutex<BTreeMap<String, Raw>>,
    initialized: OnceLock<InitializeReply>,
    request_timeout: Option<Duration>,
    /// How long the CLI may take over an interrupt, or over the end of its stdin, when it is stopped.
    patience: Duration,
    reader: AbortHandle,
    mcp: AbortHandle,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.reader.abort();
        self.mcp.abort();
        // Stdin closes, handlers are dropped; the process's supervisor sees its own handle go and
        // climbs down the ladder.
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

        let ladder = options.stop_ladder;
        let process = Process::start(&launch, &Uuid::new_v4().to_string(), ladder)?;
        let answering = Answering { handlers: options.handlers, mcp };
        let connection = Connection::new(Writer::start(process.stdin), answering);
        let exit = process.control.exit.clone();
        let reader = Arc::clone(&connection).read(process.stdout, exit.clone());
        let reader = tokio::spawn(reader).abort_handle();
        let mcp = tokio::spawn(forward(Arc::clone(&connection), mcp_messages)).abort_handle();
        let messages = Messages::new(Arc::clone(&connection.queue), exit);
        let run = Run {
            connection,
            process: process.control,
            outside: tokio::sync::Mutex::default(),
            initialized: OnceLock::new(),
            request_timeout: options.request_timeout,
            patience: ladder.after_eof,
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

    /// Why the CLI did not come up. Ends it, if it has not ended.
    pub(crate) async fn why(
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

    /// Closes stdin: the CLI finishes the current turn, then ends. What it asks on the way can no
    /// longer be answered.
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
        let Run { connection, process, patience, .. } = &*self.run;
        // Before it is ready no turn can run.
        if self.run.initialized.get().is_some() {
            // Its answer does not matter; with stdin closed and nothing running the CLI ends.
            let _ = connection.request(Interrupt::default().into(), Some(*patience)).await;
        }
        // A CLI that does not read must not keep us from stopping it.
        let _ = tokio::time::timeout(*patience, connection.close()).await;
        process.stop().await;
        process.exit.wait().await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exit = self.exit();
        f.debug_struct("Client")
            .field("pid", &self.pid())
            .field("exit", &exit)
            .finish_non_exhaustive()
    }
}

/// Sends on what the program's MCP servers say of their own accord.
async fn forward(connection: Arc<Connection>, mut messages: mpsc::UnboundedReceiver<Said>) {
    while let Some(Said { server: server_name, message, sent }) = messages.recv().await {
        let request = McpMessage { server_name, message, extra: Extra::default() };
        // Its answer says nothing, and not every CLI gives one.
        if let Err(error) = connection.tell(request.into()).await {
            tracing::debug!(%error, "the CLI did not take an MCP message");
            break;
        }
        // Whoever said it may have been cancelled meanwhile.
        let _ = sent.send(());
    }
}
