//! One WebSocket for everything: any number of sessions, commands, and the list.
//!
//! - A client [says](ClientMessage) one thing per message and [hears](ServerMessage) a list of them
//!   per message.
//! - What a session shows is gathered for at most a frame ([`SocketTerms::frame`]); events and
//!   replies are not kept waiting.
//! - A client that does not read holds up nobody: what it misses it is given from the store later.
//!   One that has not read for [`SocketTerms::patience`] is cut off.

mod follow;
mod message;
mod order;
mod outbox;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use pilothouse_session::id::SessionId;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

pub use message::{ClientMessage, Order, ServerMessage};

use super::guard::{Identity, SUBPROTOCOL, Stay, is_over};
use super::pace::Pace;
use super::problem::{Kind, Problem};
use super::rest::Actor;
use crate::Host;
use crate::host::{Change, Changes, at};
use follow::{Dated, Followed, follow};
use outbox::{Outbox, Parcel};

/// How much of anything a socket may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketTerms {
    /// Pieces of open items are sent no more often than this.
    pub frame: Duration,
    /// The list's changes are sent no more often than this.
    pub list_frame: Duration,
    /// The most sessions that are watched over one socket.
    pub subscriptions: usize,
    /// The most commands of one socket that wait for an answer.
    pub commands: usize,
    /// How long each of them is waited for. A CLI may never answer.
    pub answer: Duration,
    /// The longest message of a client.
    pub message_bytes: usize,
    /// How often a client is asked whether it is there.
    pub ping: Duration,
    /// How long a client may not read, or not say that it is there.
    pub patience: Duration,
    /// Every message says how long what is in it was held back. For measurements only.
    #[doc(hidden)]
    pub timing: bool,
}

impl Default for SocketTerms {
    fn default() -> Self {
        Self {
            frame: Duration::from_millis(33),
            list_frame: Duration::from_millis(200),
            subscriptions: 256,
            commands: 32,
            answer: Duration::from_secs(60),
            message_bytes: 32 << 20,
            ping: Duration::from_secs(30),
            patience: Duration::from_secs(90),
            timing: false,
        }
    }
}

/// How much is gathered before it is sent in any case.
const OUTBOX: usize = 256 * 1024;

/// How many batches wait between those who watch and the socket.
const BATCHES: usize = 32;

/// How often a client may say what makes no sense.
const MISTAKES: usize = 16;

/// How long a client that does not read is waited for when the daemon ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Small: a thousand sockets that say nothing must not cost much.
const BUFFER: usize = 4 * 1024;

/// The route of the socket. Sockets are closed when the daemon is `leaving`.
pub(crate) fn routes(host: Host, terms: SocketTerms, leaving: CancellationToken) -> Router {
    let door = Door { host, terms: Arc::new(terms), leaving };
    Router::new().route("/api/v1/ws", get(upgrade)).with_state(door)
}

#[derive(Clone)]
struct Door {
    host: Host,
    terms: Arc<SocketTerms>,
    leaving: CancellationToken,
}

async fn upgrade(
    State(door): State<Door>,
    identity: Option<Identity>,
    stay: Option<Extension<Stay>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let actor = Actor::known(identity.as_ref());
    upgrade
        // Browsers offer their proof as a second one, which is not selected.
        .protocols([SUBPROTOCOL])
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER)
        .max_message_size(door.terms.message_bytes)
        .max_frame_size(door.terms.message_bytes)
        .on_upgrade(async move |mut socket| {
            let leaving = door.leaving.clone();
            tokio::select! {
                () = Talk::new(door, actor).run(&mut socket) => {}
                () = is_over(stay) => {}
                () = leaving.cancelled() => say_farewell(&mut socket).await,
            }
        })
}

/// The process may live on when the daemon in it has ended, so the socket would not end by itself.
async fn say_farewell(socket: &mut WebSocket) {
    let reason = Utf8Bytes::from_static("the daemon ends: connect again");
    let frame = CloseFrame { code: close_code::AWAY, reason };
    let _ = tokio::time::timeout(FAREWELL, socket.send(Message::Close(Some(frame)))).await;
}

/// A conversation over a socket.
struct Talk {
    host: Host,
    terms: Arc<SocketTerms>,
    /// Who speaks.
    actor: Actor,
    outbox: Outbox,
    followed: (mpsc::Sender<Followed>, mpsc::Receiver<Followed>),
    /// The sessions that are watched, with the number of the subscription.
    watched: HashMap<SessionId, (u64, AbortHandle)>,
    followers: JoinSet<()>,
    last_ticket: u64,
    /// Wait for what is carried out, which goes on without them.
    commands: FuturesUnordered<BoxFuture<'static, ServerMessage>>,
    list: Option<Changes>,
    changed: BTreeSet<SessionId>,
    /// Reads what has changed in the list, once at a time: what was read last is told last.
    listing: JoinSet<ServerMessage>,
    list_sent_at: Option<Instant>,
    mistakes: usize,
    heard_at: Instant,
    /// Frames are counted from here.
    epoch: Instant,
}

/// What a conversation has waited for.
enum Step {
    Heard(Option<Result<Message, axum::Error>>),
    Followed(Followed),
    Done(ServerMessage),
    Change(Change),
    ListDue,
    Ping,
}

/// The conversation is over.
struct Over;

impl Talk {
    fn new(door: Door, actor: Actor) -> Self {
        let outbox = if door.terms.timing { Outbox::timed() } else { Outbox::default() };
        Self {
            host: door.host,
            terms: door.terms,
            actor,
            outbox,
            followed: mpsc::channel(BATCHES),
            watched: HashMap::new(),
            followers: JoinSet::new(),
            last_ticket: 0,
            commands: FuturesUnordered::new(),
            list: None,
            changed: BTreeSet::new(),
            listing: JoinSet::new(),
            list_sent_at: None,
            mistakes: 0,
            heard_at: Instant::now(),
            epoch: Instant::now(),
        }
    }

    async fn run(mut self, socket: &mut WebSocket) {
        let metrics = Arc::clone(self.host.telemetry().metrics());
        metrics.websockets_opened.add(1);
        let _counted = metrics.websockets.hold();
        let mut ping = tokio::time::interval(self.terms.ping);
        ping.reset();
        loop {
            let step = self.wait(socket, &mut ping).await;
            let taken = self.take(step, socket).await;
            if taken.is_err() || self.flush(socket).await.is_err() {
                break;
            }
        }
    }

    async fn wait(&mut self, socket: &mut WebSocket, ping: &mut tokio::time::Interval) -> Step {
        let list_due = match self.changed.is_empty() || !self.listing.is_empty() {
            true => None,
            false => {
                Some(self.list_sent_at.map_or_else(Instant::now, |at| at + self.terms.list_frame))
            }
        };
        let changes = async {
            match &mut self.list {
                Some(list) => list.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            heard = socket.recv() => Step::Heard(heard),
            Some(reply) = self.commands.next() => Step::Done(reply),
            Some(listed) = self.listing.join_next() => {
                Step::Done(listed.unwrap_or(ServerMessage::ListLagged))
            }
            Some(followed) = self.followed.1.recv() => Step::Followed(followed),
            change = changes => Step::Change(change),
            () = at(list_due) => Step::ListDue,
            _ = ping.tick() => Step::Ping,
        }
    }

    async fn take(&mut self, step: Step, socket: &mut WebSocket) -> Result<(), Over> {
        match step {
            Step::Heard(Some(Ok(message))) => self.hear(message, socket).await,
            Step::Heard(_) => Err(Over),
            Step::Followed(followed) => {
                self.put(followed);
                while self.outbox.len() < OUTBOX
                    && let Ok(followed) = self.followed.1.try_recv()
                {
                    self.put(followed);
                }
                Ok(())
            }
            Step::Done(message) => {
                self.say(message);
                Ok(())
            }
            Step::Change(Change::Session(session)) => {
                self.changed.insert(session);
                Ok(())
            }
            Step::Change(Change::Everything) => {
                self.list_is_stale();
                Ok(())
            }
            Step::ListDue => {
                self.list_sent_at = Some(Instant::now());
                let (host, changed) = (self.host.clone(), std::mem::take(&mut self.changed));
                self.listing.spawn(async move { rows(&host, changed).await });
                Ok(())
            }
            Step::Ping if self.heard_at.elapsed() > self.terms.patience => Err(Over),
            Step::Ping => send(Message::Ping(Bytes::new()), socket, self.terms.patience).await,
        }
    }

    /// Something of a session that is watched; what was on its way when that ended is dropped.
    fn put(&mut self, followed: Followed) {
        let current = self.watched.get(&followed.session).map(|(ticket, _)| *ticket);
        if current != Some(followed.ticket) {
            return;
        }
        if followed.is_last {
            self.watched.remove(&followed.session);
        }
        for Dated { parcel, read_at, held } in followed.parcels {
            self.outbox.put(parcel, read_at, held);
        }
    }

    fn say(&mut self, message: ServerMessage) {
        self.outbox.put(Parcel::Message(Box::new(message)), Instant::now(), Duration::ZERO);
    }

    /// The client is to read the list. What is being read of it here is older than what it will find.
    fn list_is_stale(&mut self) {
        self.forget_changes();
        self.say(ServerMessage::ListLagged);
    }

    fn forget_changes(&mut self) {
        self.changed.clear();
        self.listing = JoinSet::new();
    }

    async fn flush(&mut self, socket: &mut WebSocket) -> Result<(), Over> {
        let (messages, waited) = self.outbox.take();
        let metrics = self.host.telemetry().metrics();
        if let Some(waited) = waited {
            metrics.delivery_processing.took(waited.working);
            metrics.delivery_coalescing.took(waited.gathering);
        }
        for body in messages {
            metrics.client_bytes_sent.add(body.len() as u64);
            // Cannot fail: everything in it is JSON.
            let text = Utf8Bytes::try_from(body).map_err(|_| Over)?;
            send(Message::Text(text), socket, self.terms.patience).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, message: Message, socket: &mut WebSocket) -> Result<(), Over> {
        self.heard_at = Instant::now();
        let said = match &message {
            Message::Text(text) => {
                serde_json::from_str(text).map_err(|error| (id_in(text), error.to_string()))
            }
            Message::Binary(_) => Err((None, "messages are text".to_owned())),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Close(_) => return Err(Over),
        };
        match said {
            Ok(said) => self.obey(said),
            Err((id, why)) => {
                self.mistakes += 1;
                if self.mistakes > MISTAKES {
                    let reason = Utf8Bytes::from_static("too many messages that make no sense");
                    let frame = CloseFrame { code: close_code::POLICY, reason };
                    let farewell = Message::Close(Some(frame));
                    let _ = send(farewell, socket, self.terms.patience).await;
                    return Err(Over);
                }
                let detail = format!("this is not a message: {why}; the API's documents list them");
                self.say(reply(id, Err(Problem::new(Kind::InvalidInput, detail))));
            }
        }
        Ok(())
    }

    fn obey(&mut self, said: ClientMessage) {
        match said {
            ClientMessage::Subscribe { session, after } => self.subscribe(session, after),
            ClientMessage::Unsubscribe { session } => {
                if self.unsubscribe(session) {
                    self.say(ServerMessage::Unsubscribed { session, problem: None });
                }
            }
            ClientMessage::WatchList => {
                self.list = Some(self.host.changes());
                self.list_is_stale();
            }
            ClientMessage::UnwatchList => {
                self.list = None;
                self.forget_changes();
            }
            ClientMessage::Ping { id } => self.say(reply(Some(id), Ok(serde_json::json!({})))),
            ClientMessage::Command { id, session, command } => {
                if self.commands.len() >= self.terms.commands {
                    let detail = "too many commands wait for an answer: wait for some of them";
                    let problem = Problem::new(Kind::RateLimited, detail);
                    self.say(reply(Some(id), Err(problem)));
                    return;
                }
                let (host, actor) = (self.host.clone(), self.actor.clone());
                let limit = self.terms.answer;
                let answer = order::carried_out(host, session, *command, actor, limit);
                self.commands.push(Box::pin(async move { reply(Some(id), answer.await) }));
            }
        }
    }

    fn subscribe(&mut self, session: SessionId, after: u64) {
        self.unsubscribe(session);
        if self.watched.len() >= self.terms.subscriptions {
            let detail = format!(
                "{} sessions are watched over this socket: unsubscribe from one, or open another",
                self.watched.len()
            );
            let problem = Problem::new(Kind::RateLimited, detail);
            let problem = Some(Box::new(problem.document().clone()));
            self.say(ServerMessage::Unsubscribed { session, problem });
            return;
        }
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        let (host, parcels) = (self.host.clone(), self.followed.0.clone());
        let pace = Pace { epoch: self.epoch, frame: self.terms.frame };
        let task = self.followers.spawn(follow(host, (session, after), ticket, pace, parcels));
        self.watched.insert(session, (ticket, task));
        // Those that have ended are not to be kept.
        while self.followers.try_join_next().is_some() {}
    }

    fn unsubscribe(&mut self, session: SessionId) -> bool {
        let Some((_, task)) = self.watched.remove(&session) else { return false };
        task.abort();
        true
    }
}

async fn send(message: Message, socket: &mut WebSocket, patience: Duration) -> Result<(), Over> {
    match tokio::time::timeout(patience, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(Over),
    }
}

/// The id of a message that is otherwise not understood, so that its sender can tell which it was.
fn id_in(text: &str) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Named {
        id: u64,
    }
    serde_json::from_str::<Named>(text).ok().map(|named| named.id)
}

fn reply(id: Option<u64>, result: Result<serde_json::Value, Problem>) -> ServerMessage {
    match result {
        Ok(result) => ServerMessage::Reply { id, result: Some(result), problem: None },
        Err(problem) => {
            let problem = Some(Box::new(problem.document().clone()));
            ServerMessage::Reply { id, result: None, problem }
        }
    }
}

/// The sessions as they are listed now.
async fn rows(host: &Host, changed: BTreeSet<SessionId>) -> ServerMessage {
    let read = host.read(move |store| {
        changed.into_iter().map(|session| Ok((session, store.session(session)?))).collect()
    });
    match read.await {
        Ok(sessions) => ServerMessage::Sessions { sessions },
        Err(_) => ServerMessage::ListLagged,
    }
}
