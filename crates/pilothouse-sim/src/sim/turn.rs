//! A turn: from a prompt to its result.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::abort::{Abort, Cause};
use super::cli::{Cli, State};
use super::hooks::{self, Event};
use super::prompt::Prompt;
use super::result::{self, Ending};
use super::scope::{Scope, Tally};
use super::speak::{self, Spoken};
use super::tasks::Notice;
use super::thread::Thread;
use super::tools::{self, Round};
use super::{local, transcript::Transcript};

/// What a turn is about.
enum Occasion {
    Prompts(Vec<Prompt>),
    Notice(Notice),
}

impl Cli {
    /// A prompt of the host: starts a turn, joins the queue, or takes the place of what is being
    /// said.
    pub(super) fn accept(self: &Rc<Self>, prompt: Prompt) {
        let seen = self.prompts_seen.get();
        self.prompts_seen.set(seen + 1);
        if self.launch.faults.silence && seen == 0 {
            return;
        }
        self.set_state_running();
        self.lifecycle(&prompt, "queued");
        self.session.transcript().note(
            "queue-operation",
            json!({"operation": "enqueue", "timestamp": super::clock::iso(), "content": prompt.text()}),
        );
        let steers = prompt.is_urgent;
        self.queue.borrow_mut().push(prompt);
        if self.is_busy.get() {
            if steers && let Some(abort) = &*self.abort.borrow() {
                abort.set(Cause::Steer);
            }
        } else {
            self.work();
        }
    }

    fn set_state_running(&self) {
        if self.state() == State::Idle {
            self.set_state(State::Running);
        }
    }

    /// Starts on what waits, if anything does and nothing is being done.
    pub(super) fn work(self: &Rc<Self>) {
        if self.is_busy.get() || self.is_connecting.get() {
            return;
        }
        let Some(occasion) = self.next_occasion() else {
            self.rest();
            return;
        };
        self.is_busy.set(true);
        self.set_state_running();
        let cli = Rc::clone(self);
        tokio::task::spawn_local(async move {
            let mut occasion = Some(occasion);
            while let Some(now) = occasion {
                turn(&cli, now).await;
                occasion = cli.next_occasion();
            }
            cli.is_busy.set(false);
            cli.rest();
        });
    }

    /// The next prompts, announced as started; otherwise word of a task.
    fn next_occasion(&self) -> Option<Occasion> {
        let prompts = self.queue.borrow_mut().next_turn();
        if !prompts.is_empty() {
            for prompt in &prompts {
                self.lifecycle(prompt, "started");
            }
            return Some(Occasion::Prompts(prompts));
        }
        let mut notices = self.notices.borrow_mut();
        (!notices.is_empty()).then(|| Occasion::Notice(notices.remove(0)))
    }

    fn rest(&self) {
        if self.is_at_rest() {
            self.set_state(State::Idle);
        }
        self.stirred.notify_one();
    }
}

async fn turn(cli: &Rc<Cli>, occasion: Occasion) {
    let abort = Rc::new(Abort::default());
    *cli.abort.borrow_mut() = Some(Rc::clone(&abort));
    let (prompts, origin) = match occasion {
        Occasion::Prompts(prompts) => (prompts, None),
        Occasion::Notice(notice) => {
            let run = notice.run_id;
            let origin =
                json!({"kind": "task-notification", "producer": "session-task", "runId": run});
            (Vec::new(), Some(origin))
        }
    };
    let stamped: Vec<_> = prompts.iter().filter(|prompt| prompt.is_stamped).collect();
    let scope = Scope {
        agent: None,
        abort,
        transcript: cli.session.transcript(),
        prompt_id: Uuid::new_v4().to_string(),
        lead: stamped.last().map(|prompt| prompt.uuid.clone()),
        prompts: RefCell::new(stamped.iter().map(|prompt| prompt.uuid.clone()).collect()),
        tally: RefCell::new(Tally::new()),
        denials: Rc::default(),
        folded: RefCell::default(),
    };
    let mut thread = cli.thread.borrow_mut().take().unwrap_or_default();
    let ending = match local::command(cli, &scope, &mut thread, &prompts).await {
        Some(ending) => ending,
        None => answer(cli, &scope, &mut thread, &prompts).await,
    };
    *cli.thread.borrow_mut() = Some(thread);
    *cli.abort.borrow_mut() = None;
    // Prompts that joined on the way are done with before the result, those that began the turn
    // after it.
    for prompt in scope.folded.borrow().iter() {
        cli.lifecycle(prompt, "completed");
    }
    result::send(cli, &scope, &ending, origin);
    for prompt in &prompts {
        cli.lifecycle(prompt, ending.fate());
    }
}

async fn answer(cli: &Rc<Cli>, scope: &Scope, thread: &mut Thread, prompts: &[Prompt]) -> Ending {
    let refused = submit(cli, scope, prompts).await;
    cli.announce_turn(&scope.prompts.borrow());
    if let Some(refusal) = refused {
        let text = refusal["content"].as_str().unwrap_or_default().to_owned();
        cli.emit(refusal);
        return Ending::Local { text, command: None };
    }
    for prompt in prompts {
        cli.checkpoints.begin(&scope.transcript, &prompt.uuid);
        thread.hear(&prompt.text());
        record(cli, &scope.transcript, prompt);
    }
    let is_note = !prompts.is_empty() && prompts.iter().all(|prompt| !prompt.queries);
    if is_note {
        return Ending::Local { text: String::new(), command: None };
    }
    converse(cli, scope, thread, prompts).await
}

/// Asks the hooks; `Some` is what to show instead of an answer.
async fn submit(cli: &Rc<Cli>, scope: &Scope, prompts: &[Prompt]) -> Option<Value> {
    for prompt in prompts {
        let event = Event {
            name: "UserPromptSubmit",
            key: "",
            fields: json!({"prompt": prompt.text()}),
            tool_use_id: None,
        };
        let opinion = hooks::fire(cli, scope, event).await;
        let (content, kind, kept, reason) = if let Some(reason) = opinion.block() {
            let text = format!(
                "A UserPromptSubmit hook blocked this prompt:\n{reason}\n\nThe prompt: {}",
                prompt.text()
            );
            (text, "blocked_by_hook", false, reason)
        } else if let Some(reason) = opinion.stop() {
            (format!("A hook stopped this: {reason}"), "stopped_by_hook", true, reason)
        } else {
            continue;
        };
        return Some(json!({
            "type": "system",
            "subtype": "informational",
            "content": content,
            "level": "warning",
            "prevent_continuation": true,
            "prompt_submit_outcome": {"kind": kind, "prompt_kept": kept, "reason": reason},
        }));
    }
    None
}

fn record(cli: &Cli, transcript: &Transcript, prompt: &Prompt) {
    transcript.chain(
        "user",
        &prompt.uuid,
        json!({
            "message": {"role": "user", "content": prompt.content},
            "permissionMode": cli.permissions.borrow().mode.name(),
            "promptSource": "sdk",
        }),
    );
}

/// The loop of model and tools. `prompts` are echoed when the first request goes out, if the host
/// wants that.
pub(super) async fn converse(
    cli: &Rc<Cli>,
    scope: &Scope,
    thread: &mut Thread,
    prompts: &[Prompt],
) -> Ending {
    let mut rounds = 0;
    loop {
        announce_request(cli, scope);
        if rounds == 0 {
            echo(cli, prompts);
        }
        rounds += 1;
        let message = match speak::speak(cli, thread, scope).await {
            Spoken::Whole(message) => message,
            Spoken::Aborted(Cause::Steer) => return Ending::Steered,
            Spoken::Aborted(_) => return Ending::AbortedStreaming,
            Spoken::Failed(failure) => {
                speak::show_failure(cli, scope, &failure);
                return Ending::ApiError(failure);
            }
        };
        let calls = tools::calls(&message);
        if calls.is_empty() {
            match at_the_end(cli, scope, &message.stop_reason, &message.id).await {
                Some(_) if thread.turn_to_unheard() => continue,
                Some(ending) => return ending,
                None => continue,
            }
        }
        let denied = scope.denials.borrow().len();
        match tools::run(cli, scope, calls).await {
            Round::Done => {}
            Round::Stopped => return Ending::HookStopped,
            Round::Structured(output) => return Ending::Structured(output),
            Round::Aborted => {
                tell_interrupted(cli, scope, "[Request interrupted by user for tool use]");
                return Ending::AbortedTools;
            }
        }
        if scope.denials.borrow().len() > denied {
            thread.refused();
        }
        if scope.is_main() {
            if let Some(limit) = cli.launch.flags.max_turns.filter(|limit| rounds >= *limit) {
                return Ending::MaxTurns(limit);
            }
            fold(cli, scope, thread);
        }
    }
}

fn announce_request(cli: &Cli, scope: &Scope) {
    if scope.is_main() && cli.launch.flags.partial_messages {
        let mut frame = json!({"type": "system", "subtype": "status", "status": "requesting"});
        let prompts = scope.prompts.borrow();
        if !prompts.is_empty() {
            frame["user_message_uuids"] = json!(*prompts);
        }
        cli.emit(frame);
    }
}

fn echo(cli: &Cli, prompts: &[Prompt]) {
    if cli.launch.flags.replay_user_messages {
        for prompt in prompts {
            cli.emit(json!({
                "type": "user",
                "message": {"role": "user", "content": prompt.content},
                "parent_tool_use_id": null,
                "uuid": prompt.uuid,
                "timestamp": super::clock::iso(),
                "isReplay": true,
            }));
        }
    }
}

/// Prompts that came meanwhile join the turn. They do not bring a script of their own into it.
fn fold(cli: &Cli, scope: &Scope, thread: &mut Thread) {
    let folded = cli.queue.borrow_mut().fold();
    for prompt in &folded {
        cli.lifecycle(prompt, "started");
        if prompt.is_stamped {
            scope.prompts.borrow_mut().push(prompt.uuid.clone());
        }
        record(cli, &scope.transcript, prompt);
        thread.overhear(&prompt.text());
    }
    echo(cli, &folded);
    scope.folded.borrow_mut().extend(folded);
}

/// The model stopped without a call: `None` if it has to go on.
async fn at_the_end(cli: &Rc<Cli>, scope: &Scope, stop_reason: &str, id: &str) -> Option<Ending> {
    match stop_reason {
        "max_tokens" => {
            tell(
                cli,
                scope,
                "The answer was cut at its longest length. Go on where it ended.",
                None,
            );
            return None;
        }
        "refusal" if scope.tally.borrow().refusals == 0 => {
            scope.tally.borrow_mut().refusals += 1;
            cli.emit(json!({
                "type": "system",
                "subtype": "informational",
                "content": "A safeguard stopped this answer; going on once",
                "level": "notice",
            }));
            tell(cli, scope, "A safeguard stopped the answer above. Go on without it.", Some(id));
            return None;
        }
        _ => {}
    }
    let text = scope.tally.borrow().text.clone();
    let active = scope.tally.borrow().stop_hook_active;
    let mut fields = json!({
        "stop_hook_active": active,
        "last_assistant_message": text,
        "background_tasks": [],
        "session_crons": [],
    });
    let name = match &scope.agent {
        None => "Stop",
        Some(_) => {
            fields["agent_transcript_path"] = json!(scope.transcript.path());
            "SubagentStop"
        }
    };
    let opinion = hooks::fire(cli, scope, Event { name, key: "", fields, tool_use_id: None }).await;
    if let Some(reason) = opinion.block() {
        scope.tally.borrow_mut().stop_hook_active = true;
        tell(cli, scope, &format!("{name} hook feedback:\n{reason}"), None);
        if scope.is_main() {
            cli.emit(json!({
                "type": "system",
                "subtype": "notification",
                "key": "stop-hook-error",
                "text": "A Stop hook wants more",
                "priority": "immediate",
            }));
        }
        return None;
    }
    Some(if opinion.stop().is_some() { Ending::StopHook } else { Ending::Completed })
}

/// A message to the model that no person wrote.
fn tell(cli: &Cli, scope: &Scope, text: &str, refused: Option<&str>) {
    let mut frame = user_frame(scope, text);
    frame["isSynthetic"] = json!(true);
    if let Some(id) = refused {
        frame["refused_message_id"] = json!(id);
    }
    scope.tally.borrow_mut().rounds += 1;
    keep(scope, &frame, json!({"isMeta": true}));
    cli.emit(frame);
}

/// The mark that an interrupt leaves in the conversation.
pub(super) fn tell_interrupted(cli: &Cli, scope: &Scope, text: &str) {
    let frame = user_frame(scope, text);
    scope.tally.borrow_mut().rounds += 1;
    keep(scope, &frame, json!({}));
    if scope.is_main() || scope.abort.cause() == Some(Cause::Stopped) {
        cli.emit(frame);
    }
}

fn user_frame(scope: &Scope, text: &str) -> Value {
    let mut frame = json!({
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        "uuid": Uuid::new_v4().to_string(),
        "timestamp": super::clock::iso(),
    });
    scope.sign(&mut frame);
    frame
}

fn keep(scope: &Scope, frame: &Value, mut fields: Value) {
    fields["message"] = frame["message"].clone();
    scope.transcript.chain("user", frame["uuid"].as_str().unwrap_or_default(), fields);
}
