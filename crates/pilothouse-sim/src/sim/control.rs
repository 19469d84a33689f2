//! Requests of the host: everything it can ask for beside a prompt.

use std::rc::Rc;

use serde_json::{Value, json};

use super::abort::Cause;
use super::cli::Cli;
use super::mcp::McpServers;
use super::permission::Mode;
use super::{catalog, local};

/// What a request comes to.
enum Reply {
    /// Success; `Null` means without a payload.
    Success(Value),
    Error(String, Option<&'static str>),
    /// The work goes on and answers by itself.
    Later,
}

fn error(text: impl Into<String>) -> Reply {
    Reply::Error(text.into(), None)
}

const DONE: Reply = Reply::Success(Value::Null);

impl Cli {
    /// Serves one request.
    pub(super) fn serve(self: &Rc<Self>, id: &str, request: &Value) {
        let subtype = request["subtype"].as_str().unwrap_or("undefined");
        if self.launch.faults.deaf.as_ref().is_some_and(|deaf| deaf.ignores(subtype)) {
            return;
        }
        match self.reply(id, subtype, request) {
            Reply::Success(payload) => self.respond(id, payload),
            Reply::Error(text, code) => {
                let mut response = json!({"subtype": "error", "request_id": id, "error": text});
                if let Some(code) = code {
                    response["error_code"] = json!(code);
                }
                self.out.send(json!({"type": "control_response", "response": response}));
            }
            Reply::Later => {}
        }
    }

    fn respond(&self, id: &str, payload: Value) {
        let mut response = json!({"subtype": "success", "request_id": id});
        if !payload.is_null() {
            response["response"] = payload;
        }
        self.out.send(json!({"type": "control_response", "response": response}));
    }

    fn reply(self: &Rc<Self>, id: &str, subtype: &str, request: &Value) -> Reply {
        let text = |key: &str| request[key].as_str().unwrap_or_default();
        match subtype {
            "initialize" => self.initialize(id, request),
            "interrupt" => self.interrupt(request["cancel_queued"] == true),
            "set_permission_mode" => self.set_permission_mode(id, text("mode")),
            "set_model" => {
                let model = catalog::model_id(request["model"].as_str());
                let before = self.model.replace(model.clone());
                // Once something has been said, the change is part of the conversation.
                if before != model && self.results.get() > 0 {
                    let content = format!(
                        "<local-command-stdout>The model is now {model}</local-command-stdout>"
                    );
                    self.emit(json!({
                        "type": "user",
                        "message": {"role": "user", "content": content},
                        "parent_tool_use_id": null,
                        "timestamp": super::clock::iso(),
                        "isReplay": true,
                    }));
                }
                Reply::Success(json!({"model": model}))
            }
            "apply_flag_settings" => {
                self.apply_settings(&request["settings"]);
                DONE
            }
            "set_max_thinking_tokens" | "seed_read_state" | "set_has_subscribers" => DONE,
            "update_settings" | "register_repo_root" => Reply::Success(json!({})),
            "cancel_async_message" => {
                let cancelled = self.queue.borrow_mut().cancel(text("message_uuid"));
                if let Some(prompt) = &cancelled {
                    self.lifecycle(prompt, "cancelled");
                }
                Reply::Success(json!({"cancelled": cancelled.is_some()}))
            }
            "rename_session" => {
                let title = text("title").to_owned();
                self.session.transcript().note("custom-title", json!({"customTitle": title}));
                self.emit(
                    json!({"type": "system", "subtype": "session_title_changed", "title": title}),
                );
                *self.title.borrow_mut() = Some(title);
                DONE
            }
            "rewind_files" => {
                let (prompt, dry_run) = (text("user_message_id"), request["dry_run"] == true);
                match self.checkpoints.rewind(&self.session.transcript(), prompt, dry_run) {
                    Ok(report) => Reply::Success(report),
                    Err(fault) => error(fault),
                }
            }
            "stop_task" => {
                // The frames of its end come before the answer.
                if let Some(task) = self.tasks.find(text("task_id")) {
                    self.stop_task(&task);
                }
                Reply::Success(json!({}))
            }
            "background_tasks" => {
                let wanted = request["tool_use_id"].as_str();
                let tasks = self.tasks.all().into_iter();
                let here = tasks.filter(|task| !task.is_background.get());
                for task in here.filter(|task| wanted.is_none_or(|id| task.tool_use_id == id)) {
                    self.task_sent_back(&task);
                    task.send_back.notify_one();
                }
                Reply::Success(json!({}))
            }
            "get_task_output" => self.task_output_tail(text("task_id")),
            _ => self.ask_about(id, subtype, request),
        }
    }

    /// Requests that change nothing, and those about MCP servers.
    fn ask_about(self: &Rc<Self>, id: &str, subtype: &str, request: &Value) -> Reply {
        let text = |key: &str| request[key].as_str().unwrap_or_default();
        Reply::Success(match subtype {
            "mcp_status" => self.mcp.statuses(),
            "mcp_set_servers" => {
                let names = McpServers::sdk_servers(&request["servers"]);
                let (added, removed) = self.mcp.replace(names);
                self.connect(None);
                json!({"added": added, "removed": removed, "errors": {}})
            }
            "mcp_reconnect" | "mcp_toggle" => {
                let name = text("serverName");
                let known = if subtype == "mcp_toggle" {
                    self.mcp.toggle(name, request["enabled"] == true)
                } else {
                    self.mcp.reset(name)
                };
                if !known {
                    return error(format!("Server not found: {name}"));
                }
                self.connect(Some(id.to_owned()));
                return Reply::Later;
            }
            "mcp_message" => json!({}),
            "get_context_usage" => local::full_context_usage(self),
            "get_usage" => self.usage(),
            "get_session_cost" => json!({"text": local::cost(self)}),
            "get_binary_version" => {
                json!({"version": self.launch.version(), "buildTime": "2026-01-01T00:00:00Z"})
            }
            "list_models" => catalog::model_list(),
            "get_settings" => json!({
                "effective": *self.flag_settings.borrow(),
                "sources": [],
                "applied": {"model": *self.model.borrow(), "effort": self.effort()},
            }),
            "list_permission_rules" => self.rules(),
            "get_hooks_listing" => {
                json!({"events": [], "hooks": [], "eventCatalog": [], "policy": {
                    "disabledByPolicy": false, "managedOnly": false, "pluginOnly": false,
                    "allDisabled": false, "policyHookCount": 0,
                }})
            }
            "get_plan" => {
                match self.plan.borrow().as_ref().map(|path| (path, std::fs::read_to_string(path)))
                {
                    Some((path, Ok(plan))) => {
                        json!({"exists": true, "plan": plan, "filePath": path})
                    }
                    _ => json!({"exists": false}),
                }
            }
            "file_suggestions" => json!({"suggestions": [], "cwd": self.launch.cwd}),
            "read_file" => {
                let path = self.launch.resolve(text("path"));
                match std::fs::read_to_string(&path) {
                    Ok(contents) => {
                        json!({"contents": contents, "absPath": path, "lossy": false, "requested_path": text("path")})
                    }
                    Err(fault) => return error(format!("Cannot read {}: {fault}", path.display())),
                }
            }
            "generate_session_title" => json!({"title": text("description")}),
            "reload_plugins" => json!({
                "commands": catalog::commands(), "agents": catalog::agents(),
                "plugins": [], "mcpServers": [], "error_count": 0,
            }),
            "reload_skills" => json!({"skills": []}),
            "reload_output_styles" => catalog::output_styles(),
            _ => {
                let text = format!("Unsupported control request subtype: {subtype}");
                return Reply::Error(text, Some("unsupported_request"));
            }
        })
    }

    fn initialize(self: &Rc<Self>, id: &str, request: &Value) -> Reply {
        let again = !self.wishes.replace(request.clone()).is_null();
        self.hooks.register(&request["hooks"]);
        let named = request["sdkMcpServers"].as_array().into_iter().flatten();
        self.mcp.add(named.filter_map(Value::as_str).map(str::to_owned));
        for config in &self.launch.flags.mcp_config {
            let inline = || serde_json::from_str(config).ok();
            let file = || serde_json::from_slice(&std::fs::read(config).ok()?).ok();
            let config: Value = inline().or_else(file).unwrap_or_default();
            self.mcp.add(McpServers::sdk_servers(&config["mcpServers"]));
        }
        let new = self.mcp.pending();
        let (cli, id) = (Rc::clone(self), id.to_owned());
        // No turn begins before the tools are known.
        self.is_connecting.set(true);
        tokio::task::spawn_local(async move {
            for server in &new {
                cli.mcp.greet(&cli.asks, server).await;
            }
            cli.greet(&id);
            if again {
                cli.background_changed();
            }
            for server in &new {
                cli.mcp.list_tools(&cli.asks, server).await;
            }
            cli.is_connecting.set(false);
            cli.work();
        });
        Reply::Later
    }

    fn greet(&self, id: &str) {
        let mode = self.permissions.borrow().mode.name();
        let mut greeting = catalog::greeting(&self.launch, mode, self.state().name());
        if self.wishes.borrow()["hooks"].is_object() {
            greeting["hooks_applied"] = json!(true);
        }
        let mut pending = self.asks.pending("can_use_tool");
        for question in &mut pending {
            if let Some(request) = question["request"].as_object_mut() {
                request.remove("server_policy_ask_only");
            }
        }
        self.out.send(json!({"type": "control_response", "response": {
            "subtype": "success",
            "request_id": id,
            "response": greeting,
            "pending_permission_requests": pending,
            "pending_user_dialog_requests": [],
        }}));
        if let Some(bytes) = self.launch.faults.stderr_flood {
            super::flood_stderr(bytes);
        }
    }

    /// Shakes hands with servers that wait for it, then answers `id`.
    fn connect(self: &Rc<Self>, id: Option<String>) {
        let cli = Rc::clone(self);
        tokio::task::spawn_local(async move {
            for server in cli.mcp.pending() {
                cli.mcp.greet(&cli.asks, &server).await;
                cli.mcp.list_tools(&cli.asks, &server).await;
            }
            if let Some(id) = id {
                cli.respond(&id, json!({}));
            }
        });
    }

    fn interrupt(self: &Rc<Self>, cancels_queue: bool) -> Reply {
        let cancelled = if cancels_queue { self.queue.borrow_mut().drain() } else { Vec::new() };
        for prompt in &cancelled {
            self.lifecycle(prompt, "cancelled");
        }
        self.asks.withdraw("can_use_tool");
        self.asks.withdraw("hook_callback");
        if let Some(abort) = &*self.abort.borrow() {
            abort.set(Cause::Interrupt);
        }
        if !self.wishes("perTaskStopAffordance") {
            let background = self.tasks.all().into_iter().filter(|task| task.is_background.get());
            for task in background.filter(|task| task.kind != super::tasks::Kind::Shell) {
                self.stop_task(&task);
            }
        }
        let mut receipt = json!({"still_queued": self.queue.borrow().stamped()});
        if cancels_queue {
            let stamped = cancelled.iter().filter(|prompt| prompt.is_stamped);
            receipt["cancelled"] = stamped.map(|prompt| prompt.uuid.as_str()).collect();
        }
        Reply::Success(receipt)
    }

    fn set_permission_mode(&self, id: &str, name: &str) -> Reply {
        let Some(mode) = Mode::parse(name) else {
            let text = format!("There is no permission mode `{name}`");
            return Reply::Error(text, Some("invalid_mode"));
        };
        if mode == Mode::BypassPermissions && !self.launch.flags.may_bypass {
            let text = "bypassPermissions needs --allow-dangerously-skip-permissions at the start";
            return Reply::Error(text.to_owned(), Some("bypass_not_launched"));
        }
        // The answer comes before the word of the change.
        self.respond(id, json!({"mode": mode.name()}));
        self.set_mode(mode);
        Reply::Later
    }

    fn apply_settings(&self, settings: &Value) {
        let mut flags = self.flag_settings.borrow_mut();
        for (key, value) in settings.as_object().into_iter().flatten() {
            flags[key.as_str()] = value.clone();
        }
        if let Some(model) = settings["model"].as_str() {
            *self.model.borrow_mut() = catalog::model_id(Some(model));
        }
        if settings.get("permissions").is_some() {
            let mut permissions = self.permissions.borrow_mut();
            permissions.clear(super::permission::Source::Flag);
            permissions.add_settings(settings, super::permission::Source::Flag);
        }
    }

    fn task_output_tail(&self, id: &str) -> Reply {
        let Some(bytes) = self.tasks.output(id).and_then(|path| std::fs::read(path).ok()) else {
            return error("get_task_output: no shell with that task_id in this session");
        };
        let from = bytes.len().saturating_sub(8192);
        Reply::Success(json!({
            "output": String::from_utf8_lossy(&bytes[from..]),
            "total_bytes": bytes.len(),
            "truncated": from > 0,
        }))
    }

    fn usage(&self) -> Value {
        let ledger = self.ledger.borrow();
        json!({
            "session": {
                "total_cost_usd": ledger.total_cost(),
                "total_api_duration_ms": 0,
                "total_duration_ms": super::clock::whole(self.started.elapsed()),
                "total_lines_added": 0,
                "total_lines_removed": 0,
                "model_usage": ledger.model_usage(),
            },
            "subscription_type": null,
            "rate_limits_available": false,
            "rate_limits": null,
            "behaviors": null,
        })
    }

    fn rules(&self) -> Value {
        let permissions = self.permissions.borrow();
        let rules: Vec<_> = permissions
            .entries
            .iter()
            .map(|entry| {
                json!({
                    "behavior": entry.behavior.name(),
                    "source": entry.source.name(),
                    "rule": entry.rule.to_string(),
                    "editability": "session",
                })
            })
            .collect();
        let directories: Vec<_> = permissions
            .directories
            .iter()
            .map(|(path, source)| json!({"path": path, "source": source.name()}))
            .collect();
        json!({"state": {
            "rules": rules,
            "workspaceDirectories": directories,
            "originalCwd": self.launch.cwd,
            "managedOnly": false,
        }})
    }
}
