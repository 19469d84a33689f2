//! A scenario as data: what the host says and does, step by step.
//!
//! Texts may name what is known only when it runs: `$PROJECT` and `$HOME` (paths), `$SESSION` (the
//! session of the run before), `$PROMPT1`, `$PROMPT2` … (ids of the prompts, counted through the
//! scenario), `$TASK` (the last background task that was started), `$ANSWER` (the last assistant
//! frame), `$PLAN` (the file for the plan).

use serde_json::{Value, json};

use crate::cli::{CliVersion, RawCli};

/// One or more runs of the CLI, one after the other, in one home and project.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Names the file.
    pub name: &'static str,
    /// The oldest version that can do it.
    pub since: CliVersion,
    /// The newest version that can do it.
    pub until: CliVersion,
    /// Files of the project when it begins.
    pub files: Vec<(&'static str, &'static str)>,
    /// Variables beside those that every run has.
    pub env: Vec<(&'static str, &'static str)>,
    /// The runs.
    pub runs: Vec<Run>,
}

/// One run of the CLI.
#[derive(Debug, Clone)]
pub struct Run {
    /// Command line, after what every stream-json host passes; each with the oldest version that
    /// knows it.
    pub flags: Vec<(CliVersion, String)>,
    /// Members of the `initialize` request.
    pub initialize: Value,
    /// Answers to permission requests, by tool; each is used once. Without one the answer is yes.
    pub permissions: Vec<(&'static str, Permission)>,
    /// Answers to hooks, by event; each is used once. Without one the answer is `{}`.
    pub hooks: Vec<(&'static str, Value)>,
    /// What the host does. Whatever comes last, stdin is closed and the rest of the output read.
    pub steps: Vec<Step>,
}

/// What the host answers when the CLI asks for permission.
#[derive(Debug, Clone)]
pub enum Permission {
    /// Yes.
    Allow,
    /// Yes, with this instead of the input.
    Edited(Value),
    /// Yes, with these members added to the input.
    Completed(Value),
    /// Yes, and take all suggestions.
    Always,
    /// Yes, with these `updatedPermissions`.
    With(Value),
    /// No.
    Deny(&'static str),
    /// No, and end the turn.
    DenyAndStop(&'static str),
    /// An error instead of an answer.
    Fail(&'static str),
    /// Nothing: the request stays open.
    Open,
}

/// One thing that the host does.
#[derive(Debug, Clone)]
pub enum Step {
    /// Writes a prompt; the second value has members that go beside the message.
    Prompt(Value, Value),
    /// Writes a line as it is.
    Send(Value),
    /// Makes a control request and reads on to its answer.
    Ask(Value),
    /// Makes a control request and goes on.
    Tell(Value),
    /// Reads on to a frame that has all that this one has.
    Until(Value),
    /// Reads on to the end of a turn and what belongs to it.
    Settled,
    /// Waits until the model has come to a hold.
    Held(&'static str),
    /// Lets the model pass a hold.
    Release(&'static str),
    /// Writes into a pipe that a command reads from.
    Pipe(&'static str, &'static str),
    /// Closes stdin.
    CloseStdin,
    /// Reads on to the end.
    Ended,
    /// Only with this version or a newer one.
    Since(CliVersion, Box<Step>),
}

impl Scenario {
    /// A scenario for all versions.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            since: CliVersion::V2_1_7,
            until: CliVersion::V2_1_325,
            files: Vec::new(),
            env: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Only this version and newer ones.
    pub fn since(self, since: CliVersion) -> Self {
        Self { since, ..self }
    }

    /// Only this version and older ones.
    pub fn until(self, until: CliVersion) -> Self {
        Self { until, ..self }
    }

    /// A file of the project.
    pub fn file(mut self, path: &'static str, content: &'static str) -> Self {
        self.files.push((path, content));
        self
    }

    /// A variable.
    pub fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.env.push((name, value));
        self
    }

    /// A run.
    pub fn run(mut self, run: Run) -> Self {
        self.runs.push(run);
        self
    }

    /// Whether `version` can do it.
    pub fn suits(&self, version: CliVersion) -> bool {
        (self.since..=self.until).contains(&version)
    }
}

impl Run {
    /// A run that shows partial messages and answers permission requests.
    pub fn new() -> Self {
        Self::with_flags(&RawCli::INTERACTIVE)
    }

    /// A run without partial messages: fewer lines, for what is not about them.
    pub fn brief() -> Self {
        Self::with_flags(&["--permission-prompt-tool", "stdio", "--permission-mode", "default"])
    }

    /// A run with these flags only.
    pub fn with_flags(flags: &[&str]) -> Self {
        Self {
            flags: flags.iter().map(|flag| (CliVersion::V2_1_7, (*flag).to_owned())).collect(),
            initialize: json!({}),
            permissions: Vec::new(),
            hooks: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// One more flag.
    pub fn flag(self, flag: impl Into<String>) -> Self {
        self.flag_since(CliVersion::V2_1_7, flag)
    }

    /// One more flag, left out for older versions: they refuse what they do not know.
    pub fn flag_since(mut self, version: CliVersion, flag: impl Into<String>) -> Self {
        self.flags.push((version, flag.into()));
        self
    }

    /// A member of the `initialize` request.
    pub fn initialize(mut self, name: &str, value: Value) -> Self {
        self.initialize[name] = value;
        self
    }

    /// How the next request for `tool` is answered.
    pub fn permission(mut self, tool: &'static str, answer: Permission) -> Self {
        self.permissions.push((tool, answer));
        self
    }

    /// Registers a callback for each of `events`.
    pub fn listen(mut self, events: &[&str]) -> Self {
        for event in events {
            let id = format!("hook-{event}");
            self.initialize["hooks"][event] = json!([{"hookCallbackIds": [id]}]);
        }
        self
    }

    /// What the next callback for `event` is answered.
    pub fn hook(mut self, event: &'static str, output: Value) -> Self {
        self.hooks.push((event, output));
        self
    }

    /// One more step.
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// A prompt of text.
    pub fn prompt(self, text: &str) -> Self {
        self.step(Step::Prompt(json!(text), json!({})))
    }

    /// A prompt, and all that it leads to.
    pub fn turn(self, text: &str) -> Self {
        self.prompt(text).settled()
    }

    /// The end of a turn.
    pub fn settled(self) -> Self {
        self.step(Step::Settled)
    }

    /// A control request and its answer.
    pub fn ask(self, request: Value) -> Self {
        self.step(Step::Ask(request))
    }

    /// A control request of a newer CLI; older ones refuse it with one and the same error.
    pub fn ask_new(self, request: Value) -> Self {
        self.since(CliVersion::V2_1_325, Step::Ask(request))
    }

    /// On to a frame like this one.
    pub fn until(self, frame: Value) -> Self {
        self.step(Step::Until(frame))
    }

    /// A step that older versions leave out.
    pub fn since(self, version: CliVersion, step: Step) -> Self {
        self.step(Step::Since(version, Box::new(step)))
    }
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

/// A prompt that makes the model answer `replies`, one for each time it is asked.
///
/// Deltas are long: a path that is cut in two could not be recognised.
pub fn script(replies: &[&str]) -> String {
    format!("Go on.\n#script\nchunk 4000\n{}\n#end", replies.join("\n---\nchunk 4000\n"))
}

/// A line of a script that calls a tool.
pub fn tool(name: &str, input: Value) -> String {
    format!("tool {name} {input}")
}
