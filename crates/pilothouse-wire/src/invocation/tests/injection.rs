//! Every field that holds text with every hostile text: no text becomes an argument of its own, and
//! no name of a variable becomes another.

use std::ffi::OsString;

use crate::invocation::*;

const ID: &str = "550e8400-e29b-41d4-a716-446655440000";

/// Texts that would be flags, or more than one argument, if they were not bound to a flag by `=`.
fn hostile() -> Vec<String> {
    let mut texts: Vec<String> = [
        "--dangerously-skip-permissions",
        "--dangerously-skip-permissions=true",
        "--allow-dangerously-skip-permissions",
        "--permission-mode=bypassPermissions",
        "--permission-mode bypassPermissions",
        "--permission-prompt-tool=mcp__evil__yes",
        "--settings={\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}",
        "--mcp-config={\"mcpServers\":{}}",
        "--allowedTools=*",
        "--output-format=text",
        "--print",
        "-p",
        "-pc",
        "-c",
        "-r",
        "-d",
        "-h",
        "-v",
        "-",
        "--",
        "-- --print",
        "---",
        "--=",
        "=",
        "=--print",
        "x=--print",
        "x --print",
        "x\t--print",
        "x\n--print",
        "x\r\n--print",
        "\n--print",
        " --print",
        "x\u{b}--print",
        "x\u{85}--print",
        "x\u{2028}--print",
        "\0",
        "x\0--print",
        "--print\0",
        "\u{2014}print",
        "\u{2013}\u{2013}print",
        "\u{2212}p",
        "\u{ff0d}\u{ff0d}print",
        "\u{feff}--print",
        "\u{200b}--print",
        "\u{202e}tnirp--",
        "@/etc/passwd",
        "@file",
        "{\"a\":1}",
        "[\"--print\"]",
        "\"--print\"",
        "'--print'",
        "$(id)",
        "`id`",
        "${IFS}--print",
        "%s%n",
        "*",
        "~/.claude",
        "../../etc/passwd",
        "|id",
        ";id",
        "&& id",
        ",--print",
        "a,--print",
        "()",
        "Bash(--print)",
        "Bash(x),--print",
        "",
        " ",
    ]
    .map(str::to_owned)
    .into();
    texts.push("x".repeat(200_000));
    texts.push(format!("--{}", "x".repeat(200_000)));
    texts
}

type Field = (&'static str, fn(&str) -> Invocation);

fn new() -> Invocation {
    Invocation::new()
}

/// Every place of an invocation that holds text, with a text in it.
const FIELDS: &[Field] = &[
    ("model", |text| new().model(text)),
    ("agent", |text| new().agent(text)),
    ("effort", |text| new().effort(text)),
    ("system prompt", |text| new().system_prompt(text)),
    ("system prompt file", |text| new().system_prompt(PromptText::File(text.into()))),
    ("append system prompt", |text| new().append_system_prompt(text)),
    ("append system prompt file", |text| new().append_system_prompt(PromptText::File(text.into()))),
    ("permission mode", |text| new().permission_mode(text)),
    ("permission prompt tool", |text| {
        new().permission_prompts(PermissionPrompts::Tool(text.into()))
    }),
    ("fallback model", |text| new().fallback_models([text])),
    ("second fallback model", |text| new().fallback_models(["haiku", text])),
    ("beta", |text| new().betas([text])),
    ("tool", |text| new().tools(BaseTools::Only(vec![text.into()]))),
    ("second tool", |text| new().tools(BaseTools::Only(vec!["Bash".into(), text.into()]))),
    ("allowed tool", |text| new().allowed_tools([text])),
    ("second allowed tool", |text| new().allowed_tools(["Read", text])),
    ("disallowed tool", |text| new().disallowed_tools([text])),
    ("second disallowed tool", |text| new().disallowed_tools(["Read", text])),
    ("directory", |text| new().add_dirs([text])),
    ("plugin", |text| new().plugins([text])),
    ("project root", |text| new().project_config_root(text)),
    ("debug filter", |text| new().debug(Debug::Only(text.into()))),
    ("debug file", |text| new().debug_file(text)),
    ("settings file", |text| new().settings(Settings::File(text.into()))),
    ("settings", |text| {
        new().settings(Settings::inline(serde_json::json!({ text: text })).unwrap())
    }),
    ("setting source", |text| new().setting_sources([text.into()])),
    ("MCP file", |text| new().mcp_config_files([text])),
    ("MCP server name", |text| new().mcp_server(text, McpServer::stdio("x", [""; 0]))),
    ("MCP server command", |text| new().mcp_server("x", McpServer::stdio(text, [text]))),
    ("MCP server address", |text| new().mcp_server("x", McpServer::http(text))),
    ("JSON schema", |text| new().json_schema(serde_json::json!({ text: text }))),
    ("new session", |text| new().start(Start::new(text))),
    ("resumed session", |text| new().start(Resume::session(text))),
    ("forked session", |text| new().start(Resume::session(ID).forked_as(text))),
    ("cut", |text| new().start(Resume::session(ID).cut_at(text))),
    ("dropped turn", |text| new().start(Resume::session(ID).cut_before(text, ID))),
    ("extra value", |text| new().extra_arg("some-flag", text)),
    ("extra name", |text| new().extra_flag(text)),
    ("extra name and value", |text| new().extra_arg(text, text)),
];

/// Flags that stand alone. None of them is in an invocation that did not ask for it.
const ALONE: [&str; 2] = ["--verbose", "--fork-session"];

/// Every argument is a flag of ours with a value bound to it, one of those that stand alone, or the
/// extra flag.
fn check(argv: &[OsString], row: &str) {
    for arg in argv {
        let arg = arg.to_str().unwrap();
        assert!(!arg.contains('\0'), "{row}: {arg:?}");
        let name = arg.split('=').next().unwrap();
        let known = name.strip_prefix("--").and_then(Flag::from_name);
        let is_bound = arg.contains('=') && (known.is_some() || name == "--some-flag");
        assert!(is_bound || ALONE.contains(&arg), "{row}: {arg:?} in {argv:?}");
        let is_mode = known == Some(Flag::PermissionMode);
        assert!(!is_mode || !arg.contains("bypass") || row.starts_with("permission mode"), "{row}");
    }
}

#[test]
fn no_text_becomes_an_argument() {
    let mut made = 0;
    for (field, with) in FIELDS {
        let usual = new().argv().unwrap().len();
        for text in hostile() {
            let shown: String = text.chars().take(60).collect();
            let row = format!("{field}: {shown:?}");
            // A value that no argument can hold is refused; that is as good.
            let Ok(argv) = with(&text).argv() else { continue };
            check(&argv, &row);
            assert!(argv.len() <= usual + 3, "{row}: {argv:?}");
            made += 1;
        }
    }
    assert!(made > 1000, "{made} of {} rows have a command line", FIELDS.len() * hostile().len());
}

#[test]
fn no_extra_flag_is_one_that_we_write() {
    for flag in Flag::ALL {
        let name = &flag.as_str()[2..];
        assert!(new().extra_flag(name).argv().is_err(), "{name}");
        assert!(new().extra_arg(name, "x").argv().is_err(), "{name}");
        for odd in
            [format!("--{name}"), format!("-{name}"), format!("{name}=x"), format!("{name} ")]
        {
            assert!(new().extra_flag(&*odd).argv().is_err(), "{odd}");
        }
    }
    for text in hostile() {
        let well_formed = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let refused = new().extra_flag(&*text).argv().is_err();
        assert!(refused || (well_formed && !text.starts_with('-')), "{text:?}");
    }
}

#[test]
fn no_name_of_a_variable_is_another() {
    for name in [
        "",
        "=",
        "A=B",
        "=A",
        "A=",
        "A\0",
        "\0",
        "A\0B",
        "LD_PRELOAD=/tmp/x.so",
        "CLAUDE_CODE_ENTRYPOINT",
        "claude_code_entrypoint",
        "Claude_Code_Entrypoint",
        "CLAUDE_AGENT_SDK_VERSION",
        "CLAUDE_AGENT_SDK_CLIENT_APP",
        "claude_agent_sdk_client_app",
    ] {
        assert!(new().env_var(name, "x").env().is_err(), "{name:?}");
        assert!(new().env_remove([name]).env().is_err(), "{name:?}");
    }
    for text in hostile() {
        let Ok(plan) = new().env_var("X", &*text).env() else { continue };
        assert_eq!(plan.get("X").unwrap(), &*text, "a value is a value");
        assert_eq!(plan.set.len(), new().env().unwrap().set.len() + 1, "{text:?}");
    }
}
