//! All routes.

use axum::http::Method;

use super::fields::OfSession;
use super::route::Route;
use super::{
    approvals, attachments, commands, directories, events, export, files, history, host, policies,
    prompts, runs, sessions, settings, trust, usage,
};
use crate::http::extract::ApiJson;
use crate::http::guard::{
    ChallengeReply, ChallengeRequest, ChangeLogin, Health, LinkRequest, LoginLink, LoginReply,
    LoginRequest, LoginRow, OfLogin, WhoAmI,
};
use crate::http::openapi::{
    Done, EventStream, Got, HeaderParameter, New, NoBody, Nothing, Switched, Tag,
};
use crate::http::problem::Kind;
use crate::http::sse::StreamQuery;
use crate::store::Page;

const GET: Method = Method::GET;
const POST: Method = Method::POST;
const PUT: Method = Method::PUT;
const PATCH: Method = Method::PATCH;
const DELETE: Method = Method::DELETE;

/// What a command may be refused with.
const COMMANDED: &[Kind] =
    &[Kind::Conflict, Kind::Unprocessable, Kind::DiskFull, Kind::StoreBusy, Kind::TimedOut];

/// What writing may be refused with.
const WRITES: &[Kind] = &[Kind::Conflict, Kind::DiskFull, Kind::StoreBusy];

/// What a list may be refused with.
const PAGED: &[Kind] = &[Kind::BadCursor];

/// What looking into a session's directories may be refused with.
const SEEN: &[Kind] =
    &[Kind::Forbidden, Kind::Conflict, Kind::Unprocessable, Kind::TimedOut, Kind::Unavailable];

/// All routes.
pub(super) fn table() -> Vec<Route> {
    let parts = [
        about_sessions(),
        about_prompts(),
        about_approvals(),
        about_cli(),
        about_runs(),
        about_streams(),
        about_files(),
        others(),
    ];
    parts.into_iter().flatten().collect()
}

fn about_sessions() -> Vec<Route> {
    use Tag::Sessions;
    let one = "/api/v1/sessions/{session}";
    vec![
        Route::doing(
            POST,
            "/api/v1/sessions",
            ("createSession", Sessions, "Creates a session."),
            sessions::create,
        )
        .about("No process is started: the first prompt does that.")
        .refuses(&[Kind::NotFound, Kind::Conflict, Kind::DiskFull, Kind::StoreBusy])
        .example(r#"{"cwd":"/home/me/app","policy":"supervised","profile":{"model":"opus"}}"#),
        Route::get(
            "/api/v1/sessions",
            ("listSessions", Sessions, "Lists sessions: those that need somebody first."),
            sessions::list,
        )
        .refuses(PAGED),
        Route::get(
            "/api/v1/sessions/search",
            ("searchSessions", Sessions, "Looks for words in messages and tool calls."),
            sessions::search,
        )
        .refuses(PAGED),
        Route::get(
            one,
            ("getSession", Sessions, "A session as it stands, with what waits and what goes on."),
            sessions::one,
        ),
        Route::doing(
            PATCH,
            one,
            ("changeSession", Sessions, "Changes title, tags, archive, policy, what was read."),
            sessions::change,
        )
        .refuses(WRITES)
        .example(r#"{"title":"The parser","tags":["work"],"archived":false}"#),
        Route::doing(
            DELETE,
            one,
            ("deleteSession", Sessions, "Ends a session's run and deletes all that belongs to it."),
            sessions::delete,
        )
        .refuses(COMMANDED),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/fork",
            ("forkSession", Sessions, "Makes a session with a copy of this one's conversation."),
            sessions::fork,
        )
        .refuses(WRITES)
        .example(r#"{"title":"Another way"}"#),
        Route::doing(
            PUT,
            "/api/v1/sessions/{session}/mode",
            ("setMode", Sessions, "Changes the permission mode."),
            settings::mode,
        )
        .refuses(COMMANDED)
        .example(r#"{"mode":"plan"}"#),
        Route::doing(
            PUT,
            "/api/v1/sessions/{session}/model",
            ("setModel", Sessions, "Changes the model."),
            settings::model,
        )
        .refuses(COMMANDED)
        .example(r#"{"model":"sonnet"}"#),
        Route::doing(
            PUT,
            "/api/v1/sessions/{session}/thinking",
            ("setThinking", Sessions, "Limits thinking."),
            settings::thinking,
        )
        .refuses(COMMANDED)
        .example(r#"{"max_tokens":8000}"#),
        Route::doing(
            PUT,
            "/api/v1/sessions/{session}/effort",
            ("setEffort", Sessions, "Changes how hard the model thinks."),
            settings::effort,
        )
        .refuses(COMMANDED)
        .example(r#"{"effort":"high"}"#),
    ]
}

fn about_prompts() -> Vec<Route> {
    use Tag::{Attachments, Prompts};
    vec![
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/prompts",
            ("sendPrompt", Prompts, "Says something; starts a run where there is none."),
            prompts::send,
        )
        .about("What comes of it is told by events. With an `Idempotency-Key` it can be repeated.")
        .refuses(COMMANDED)
        .heeds(prompts::KEYED)
        .example(r#"{"text":"What does this project do?"}"#)
        .upload(),
        Route::get(
            "/api/v1/sessions/{session}/prompts",
            ("listPrompts", Prompts, "What was asked of a session, and what has become of each."),
            prompts::list,
        )
        .about("The queue is what is `queued` or `sent`.")
        .refuses(PAGED),
        Route::get(
            "/api/v1/sessions/{session}/prompts/{prompt}",
            ("getPrompt", Prompts, "What has become of a prompt."),
            prompts::get,
        ),
        Route::doing(
            DELETE,
            "/api/v1/sessions/{session}/prompts/{prompt}",
            ("cancelPrompt", Prompts, "Takes back a prompt that no turn works on yet."),
            prompts::cancel,
        )
        .refuses(COMMANDED),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/prompts/{prompt}/send-now",
            (
                "sendPromptNow",
                Prompts,
                "Does not wait for the turn's end with a prompt that waits.",
            ),
            prompts::send_now,
        )
        .refuses(COMMANDED),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/interrupt",
            ("interruptTurn", Prompts, "Stops the turn."),
            prompts::interrupt,
        )
        .refuses(COMMANDED)
        .example(r#"{"cancel_queued":true}"#),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/attachments",
            ("uploadAttachment", Attachments, "Keeps an image or a file with a session."),
            attachments::put,
        )
        .about("The body is the file itself; its bytes must be of the type that is said.")
        .refuses(WRITES)
        .upload(),
        Route::get(
            "/api/v1/sessions/{session}/attachments",
            ("listAttachments", Attachments, "Lists the images and files of a session."),
            attachments::list,
        ),
        Route::get(
            "/api/v1/sessions/{session}/attachments/{digest}",
            ("getAttachment", Attachments, "An image or file."),
            attachments::get,
        ),
    ]
}

fn about_approvals() -> Vec<Route> {
    use Tag::{Approvals, Events};
    vec![
        Route::get(
            "/api/v1/approvals",
            ("listOpenApprovals", Approvals, "What waits for an answer, in all sessions."),
            approvals::open,
        )
        .refuses(PAGED),
        Route::get(
            "/api/v1/sessions/{session}/approvals",
            ("listApprovals", Approvals, "What a session has asked, answered requests included."),
            approvals::of_session,
        )
        .refuses(PAGED),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/approvals/{approval}/decision",
            (
                "decide",
                Approvals,
                "Answers a request, a plan or questions. The first answer counts.",
            ),
            approvals::decide,
        )
        .refuses(COMMANDED)
        .example(r#"{"kind":"allow"}"#),
        Route::get(
            "/api/v1/sessions/{session}/events",
            ("listEvents", Events, "What happened, as it is stored."),
            events::list,
        ),
    ]
}

fn about_cli() -> Vec<Route> {
    use Tag::Cli;
    vec![
        Route::get(
            "/api/v1/sessions/{session}/tasks",
            ("listTasks", Cli, "Subagents and background commands that go on."),
            commands::tasks,
        ),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/tasks/{task}/stop",
            ("stopTask", Cli, "Stops a task."),
            commands::stop_task,
        )
        .refuses(COMMANDED),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/tasks/background",
            ("backgroundTasks", Cli, "Sends what runs into the background."),
            commands::background,
        )
        .refuses(COMMANDED)
        .example("{}"),
        Route::get(
            "/api/v1/sessions/{session}/mcp",
            ("getMcpServers", Cli, "How the MCP servers are."),
            commands::mcp,
        )
        .refuses(COMMANDED),
        Route::doing(
            PUT,
            "/api/v1/sessions/{session}/mcp/{server}",
            ("toggleMcpServer", Cli, "Switches an MCP server on or off."),
            commands::toggle,
        )
        .refuses(COMMANDED)
        .example(r#"{"enabled":false}"#),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/mcp/{server}/reconnect",
            ("reconnectMcpServer", Cli, "Connects an MCP server anew."),
            commands::reconnect,
        )
        .refuses(COMMANDED),
        Route::get(
            "/api/v1/sessions/{session}/context",
            ("getContextUsage", Cli, "What fills the context."),
            commands::context,
        )
        .refuses(COMMANDED),
        Route::get(
            "/api/v1/sessions/{session}/commands",
            ("listCommands", Cli, "The slash commands that can be used."),
            commands::slash,
        ),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/rewind",
            (
                "rewindFiles",
                Cli,
                "Puts files back as they were before a prompt, or tells what that would do.",
            ),
            commands::rewind,
        )
        .refuses(COMMANDED)
        .example(r#"{"user_message_id":"7f1c0b5e-0d0e-4f0c-9a53-0d3c8a8a5f10","dry_run":true}"#),
    ]
}

fn about_runs() -> Vec<Route> {
    use Tag::Runs;
    vec![
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/start",
            ("startSession", Runs, "Starts a run: resumes the conversation, or begins a new one."),
            runs::start,
        )
        .refuses(COMMANDED)
        .example(r#"{"from":{"kind":"end"}}"#),
        Route::doing(
            POST,
            "/api/v1/sessions/{session}/stop",
            ("stopSession", Runs, "Ends the run. The session can be resumed."),
            runs::stop,
        )
        .refuses(COMMANDED),
        Route::get(
            "/api/v1/sessions/{session}/runs",
            ("listRuns", Runs, "The runs of a session, oldest first."),
            runs::list,
        ),
        Route::get(
            "/api/v1/sessions/{session}/runs/{run}/wire",
            ("getWireLog", Runs, "The wire log of a run, or a part of it."),
            runs::wire,
        )
        .heeds(runs::RANGED)
        .refuses(&[Kind::RangeNotSatisfiable]),
    ]
}

fn about_streams() -> Vec<Route> {
    use Tag::Events;
    vec![
        Route::described::<Nothing, Nothing, NoBody, Switched>(
            GET,
            "/api/v1/ws",
            ("openSocket", Events, "One WebSocket for everything."),
        )
        .about(
            "A client sends one `ClientMessage` per text message and is sent a list of \
             `ServerMessage` per text message.",
        )
        .refuses(&[Kind::UpgradeRequired, Kind::ForeignOrigin, Kind::OriginMissing]),
        Route::described::<OfSession, StreamQuery, NoBody, EventStream>(
            GET,
            "/api/v1/sessions/{session}/stream",
            ("streamSession", Events, "The events of a session as they happen."),
        )
        .about(
            "Server-sent events. `event` has an `Event` and its number as id, `delta` a `Delta`, \
             `live` follows what was stored, `lagged` tells of missing pieces, `end` has a problem.",
        )
        .heeds(&[HeaderParameter {
            name: "Last-Event-ID",
            meaning: "The number of the last event that the client has; comes before `after`.",
        }]),
    ]
}

fn about_files() -> Vec<Route> {
    use Tag::{Files, History, Sessions};
    vec![
        Route::get(
            "/api/v1/sessions/{session}/files/complete",
            ("completeFile", Files, "Names of files for `@`, by a few of their letters."),
            files::complete,
        )
        .refuses(SEEN),
        Route::get(
            "/api/v1/sessions/{session}/files/read",
            ("readFile", Files, "A file, or some lines of it."),
            files::read,
        )
        .refuses(SEEN),
        Route::get(
            "/api/v1/sessions/{session}/files/image",
            ("readImage", Files, "A picture, as it is."),
            files::image,
        )
        .refuses(SEEN),
        Route::get(
            "/api/v1/sessions/{session}/files/list",
            ("listDirectory", Files, "What is in a directory."),
            files::list,
        )
        .refuses(SEEN),
        Route::get(
            "/api/v1/directories",
            ("listDirectories", Files, "Directories in which a new session could work."),
            directories::list,
        )
        .about("Names only, below the home directory or what `files.browse` names.")
        .refuses(&[Kind::NotFound, Kind::Forbidden, Kind::Conflict, Kind::Unprocessable]),
        Route::get(
            "/api/v1/sessions/{session}/files/diff",
            ("getDiff", Files, "What is different in the working tree from the last commit."),
            files::diff,
        )
        .refuses(SEEN),
        Route::get(
            "/api/v1/sessions/{session}/export",
            ("exportSession", Sessions, "A session as a document: JSON or Markdown."),
            export::export,
        ),
        Route::get(
            "/api/v1/history",
            ("listHistory", History, "Conversations that the CLI has kept, the latest first."),
            history::list,
        ),
        Route::get(
            "/api/v1/history/search",
            ("searchHistory", History, "Looks for words in conversations that the CLI has kept."),
            history::search,
        ),
        Route::doing(
            POST,
            "/api/v1/history/{cli_session}/import",
            ("importHistory", History, "Makes a session of a conversation that the CLI has kept."),
            history::import,
        )
        .about("Nothing is started or written by the CLI: that begins with the first prompt.")
        .refuses(&[Kind::Conflict, Kind::Unprocessable, Kind::DiskFull, Kind::StoreBusy])
        .example("{}"),
    ]
}

fn others() -> Vec<Route> {
    use Tag::{Access, Host, Policies};
    vec![
        Route::get(
            "/api/v1/policies",
            ("listPolicies", Policies, "All policies there are."),
            policies::list,
        ),
        Route::get(
            "/api/v1/policies/{policy}",
            ("getPolicy", Policies, "A policy and its text."),
            policies::get,
        ),
        Route::doing(
            PUT,
            "/api/v1/policies/{policy}",
            ("putPolicy", Policies, "Puts a policy there. Sessions that have it use it from now on."),
            policies::put,
        )
        .refuses(WRITES)
        .example(r#"{"text":"[[rule]]\ntool = \"Read\"\nthen = \"allow\"\n"}"#),
        Route::doing(
            DELETE,
            "/api/v1/policies/{policy}",
            ("deletePolicy", Policies, "Removes a policy that no session has."),
            policies::delete,
        )
        .refuses(WRITES),
        Route::doing(
            POST,
            "/api/v1/policies/test",
            ("testPolicy", Policies, "What a policy says to a call, and why."),
            policies::test,
        )
        .example(
            r#"{"policy":"supervised","cwd":"/home/me/app","call":{"tool_name":"Bash","input":{"command":"git status"}}}"#,
        ),
        Route::doing(
            POST,
            "/api/v1/policies/replay",
            ("replayPolicy", Policies, "What a policy would have said to the calls of a session."),
            policies::replay,
        )
        .refuses(&[Kind::NotFound]),
        Route::get(
            "/api/v1/trust",
            ("listTrust", Access, "Lists decisions about repositories."),
            trust::list,
        ),
        Route::get(
            "/api/v1/trust/report",
            ("getTrustReport", Access, "Reports what a repository would bring to sessions."),
            trust::report,
        )
        .about(
            "Hooks, servers, helpers, variables, rules, plugins, skills and texts for the model in \
             the repository of a directory, and whether they are used.",
        )
        .refuses(&[Kind::NotFound]),
        Route::doing(
            PUT,
            "/api/v1/trust",
            ("decideTrust", Access, "Trusts a repository with its present content, or never."),
            trust::decide,
        )
        .about("Holds from the next start of a CLI on, as long as the content stays the same.")
        .refuses(&[Kind::NotFound, Kind::Conflict, Kind::Unprocessable, Kind::DiskFull, Kind::StoreBusy])
        .example(r#"{"directory":"/home/me/app","digest":"9f86d0","answer":"always"}"#),
        Route::doing(
            DELETE,
            "/api/v1/trust",
            ("forgetTrust", Access, "Removes the decisions about a repository."),
            trust::forget,
        )
        .refuses(&[Kind::NotFound, Kind::DiskFull, Kind::StoreBusy]),
        Route::get(
            "/api/v1/audit",
            ("listAudit", Host, "What was done, and by whom; newest first."),
            host::audit,
        )
        .refuses(PAGED),
        Route::get(
            "/api/v1/usage",
            ("getUsage", Host, "What sessions took: cost and tokens by day, project and model."),
            usage::get,
        )
        .about("Counted when turns end. What is deleted with its session counts no more."),
        Route::get(
            "/api/v1/doctor",
            ("getDoctor", Host, "What sessions need, and what to do where it is missing."),
            host::doctor,
        ),
        Route::get("/metrics", ("getMetrics", Host, "Numbers, for Prometheus."), host::metrics)
            .refuses(&[Kind::NotFound]),
        Route::get("/api/v1/version", ("getVersion", Host, "What speaks here."), host::version),
        Route::doing(
            POST,
            "/api/v1/shutdown",
            ("shutDown", Host, "Ends the daemon. Sessions go on, for the next one to take up."),
            host::shut_down,
        )
        .refuses(&[Kind::Conflict])
        .example(r#"{"pid":4711}"#),
        Route::get("/api/openapi.json", ("getOpenApi", Host, "This document."), host::openapi),
        Route::described::<Nothing, Nothing, NoBody, Got<Health>>(
            GET,
            "/api/v1/health",
            ("getHealth", Host, "That the daemon answers."),
        )
        .public(),
        Route::described::<Nothing, Nothing, ApiJson<ChallengeRequest>, Got<ChallengeReply>>(
            POST,
            "/api/v1/challenge",
            (
                "proveDaemon",
                Access,
                "Proves that this daemon knows the token, before a client sends it.",
            ),
        )
        .refuses(&[Kind::WrongHost])
        .public(),
        Route::described::<Nothing, Nothing, NoBody, Got<WhoAmI>>(
            GET,
            "/api/v1/login",
            ("whoAmI", Access, "Who asks."),
        ),
        Route::described::<Nothing, Nothing, ApiJson<LoginRequest>, Got<LoginReply>>(
            POST,
            "/api/v1/login",
            ("logIn", Access, "Redeems a login link; the cookie comes beside it."),
        )
        .about(
            "The cookie alone opens nothing. Each request of the page also has the header \
             `X-Pilothouse-Proof: CHALLENGE.MAC`, or offers the WebSocket subprotocol \
             `proof.CHALLENGE.MAC` beside `pilothouse.1`. CHALLENGE is the latest \
             `X-Pilothouse-Challenge` of a response, a 401 included; MAC is the base64url \
             HMAC-SHA-256, under `page_key`, of `pilothouse-proof-1`, the method, the path with its \
             query, and CHALLENGE, separated by line feeds.",
        )
        .refuses(&[Kind::LoginRefused])
        .public(),
        Route::described::<Nothing, Nothing, ApiJson<LinkRequest>, New<LoginLink>>(
            POST,
            "/api/v1/login/links",
            ("createLoginLink", Access, "Makes a login link that works once."),
        ),
        Route::described::<Nothing, Nothing, NoBody, Got<Page<LoginRow>>>(
            GET,
            "/api/v1/logins",
            ("listLogins", Access, "Lists the browsers that are logged in, the last used first."),
        ),
        Route::described::<OfLogin, Nothing, ApiJson<ChangeLogin>, Got<LoginRow>>(
            PATCH,
            "/api/v1/logins/{login}",
            ("changeLogin", Access, "Renames a login."),
        )
        .refuses(&[Kind::StoreFailed])
        .example(r#"{"name":"phone"}"#),
        Route::described::<OfLogin, Nothing, NoBody, Done>(
            DELETE,
            "/api/v1/logins/{login}",
            ("endLogin", Access, "Ends a login, and the sockets and streams opened with it."),
        )
        .refuses(&[Kind::StoreFailed]),
        Route::described::<Nothing, Nothing, NoBody, Done>(
            POST,
            "/api/v1/logout",
            ("logOut", Access, "Ends this login."),
        )
        .public(),
        Route::described::<Nothing, Nothing, NoBody, Done>(
            POST,
            "/api/v1/logout/everywhere",
            ("logOutEverywhere", Access, "Ends all logins."),
        ),
    ]
}
