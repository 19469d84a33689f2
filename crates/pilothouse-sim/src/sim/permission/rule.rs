//! Permission rules: `Tool` or `Tool(content)`.

use std::fmt;
use std::path::Path;

use serde_json::Value;

/// What a rule speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sim) struct Rule {
    pub(in crate::sim) tool: String,
    pub(in crate::sim) content: Option<String>,
}

impl Rule {
    /// As it stands in flags and settings.
    pub(in crate::sim) fn parse(text: &str) -> Self {
        match text.split_once('(') {
            Some((tool, rest)) => Self::new(tool, Some(rest.strip_suffix(')').unwrap_or(rest))),
            None => Self::new(text, None),
        }
    }

    /// As it stands in a permission update.
    pub(in crate::sim) fn from_wire(rule: &Value) -> Option<Self> {
        Some(Self::new(rule["toolName"].as_str()?, rule["ruleContent"].as_str()))
    }

    fn new(tool: &str, content: Option<&str>) -> Self {
        // The old name is still in use.
        let tool = if tool == "Task" { "Agent" } else { tool };
        Self {
            tool: tool.to_owned(),
            content: content.filter(|content| *content != "*").map(str::to_owned),
        }
    }

    /// Whether it speaks of every use of `tool`.
    pub(in crate::sim) fn covers_tool(&self, tool: &str) -> bool {
        self.content.is_none() && self.names(tool)
    }

    /// Whether it speaks of running `command`, one simple command.
    pub(in crate::sim) fn covers_command(&self, command: &str) -> bool {
        self.tool == "Bash"
            && self.content.as_deref().is_none_or(|content| {
                let content = content
                    .strip_suffix(":*")
                    .map_or_else(|| content.to_owned(), |prefix| format!("{prefix} *"));
                matches(&content, command)
                    || content.strip_suffix(" *").is_some_and(|prefix| prefix == command)
            })
    }

    /// Whether it speaks of `tool` touching `path`.
    pub(in crate::sim) fn covers_path(&self, tool: &str, path: &Path, cwd: &Path) -> bool {
        // A rule for editing holds for all tools that change files, one for reading for all that
        // look.
        let names = self.names(tool)
            || (self.tool == "Edit" && is_editing(tool))
            || (self.tool == "Read" && !is_editing(tool));
        names
            && self.content.as_deref().is_none_or(|content| {
                let pattern = match content.strip_prefix("//") {
                    Some(absolute) => format!("/{absolute}"),
                    None => cwd.join(content.trim_start_matches(['.', '/'])).display().to_string(),
                };
                matches(&pattern, &path.display().to_string())
            })
    }

    fn names(&self, tool: &str) -> bool {
        let tool = if tool == "Task" { "Agent" } else { tool };
        self.tool == tool
            || (self.tool.starts_with("mcp__") && tool.starts_with(&format!("{}__", self.tool)))
    }
}

fn is_editing(tool: &str) -> bool {
    matches!(tool, "Edit" | "Write" | "NotebookEdit")
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Some(content) => write!(f, "{}({content})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

/// `*` and `**` stand for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let rest = rest.trim_start_matches('*');
    let Some(tail) = text.strip_prefix(start) else {
        return false;
    };
    let mut from = 0;
    loop {
        if matches(rest, &tail[from..]) {
            return true;
        }
        match tail[from..].chars().next() {
            Some(character) => from += character.len_utf8(),
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_wire() {
        for text in ["Bash(npm run *)", "Read", "mcp__calc__add"] {
            let rule = Rule::parse(text);
            assert_eq!(rule.to_string(), text);
            let wire = serde_json::json!({"toolName": rule.tool, "ruleContent": rule.content});
            assert_eq!(Rule::from_wire(&wire), Some(rule));
        }
        assert_eq!(Rule::parse("Task(*)"), Rule::new("Agent", None));
    }

    #[test]
    fn commands() {
        let covers = |rule: &str, command: &str| Rule::parse(rule).covers_command(command);
        assert!(covers("Bash", "anything"));
        assert!(covers("Bash(touch:*)", "touch a"));
        assert!(covers("Bash(npm run *)", "npm run build"));
        assert!(covers("Bash(npm run *)", "npm run"));
        assert!(!covers("Bash(npm run *)", "npm install"));
        assert!(!covers("Bash(touch:*)", "touchy a"));
        assert!(!covers("Read", "touch a"));
    }

    #[test]
    fn paths() {
        let covers = |rule: &str, tool: &str, path: &str| {
            Rule::parse(rule).covers_path(tool, Path::new(path), Path::new("/w"))
        };
        assert!(covers("Read(//etc/**)", "Read", "/etc/a/b"));
        assert!(!covers("Read(//etc/**)", "Write", "/etc/a/b"));
        assert!(covers("Edit(src/**)", "Write", "/w/src/a"));
        assert!(!covers("Edit(src/**)", "Write", "/w/other"));
        assert!(covers("Read", "Grep", "/w"));
    }

    #[test]
    fn a_server_stands_for_its_tools() {
        assert!(Rule::parse("mcp__calc").covers_tool("mcp__calc__add"));
        assert!(!Rule::parse("mcp__cal").covers_tool("mcp__calc__add"));
        assert!(!Rule::parse("Bash(x)").covers_tool("Bash"));
    }
}
