//! Markdown exports as a CommonMark parser sees them: no HTML, and code byte for byte.

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use super::{call, document, ended, everything, message, shell};

/// CommonMark alone, and with the extensions that change what is code or HTML.
fn dialects() -> [Options; 2] {
    let more = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    [Options::empty(), more | Options::ENABLE_TASKLISTS | Options::ENABLE_GFM]
}

/// The fenced blocks of code of a document. Fails where there is HTML.
fn code_blocks(document: &str) -> Vec<String> {
    let mut last = Vec::new();
    for options in dialects() {
        let (mut blocks, mut open) = (Vec::new(), None);
        for event in Parser::new_ext(document, options) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    panic!("{html:?} is HTML in:\n{document}")
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    open = Some(String::new());
                }
                Event::Text(text) if open.is_some() => open.as_mut().unwrap().push_str(&text),
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
        last = blocks;
    }
    last
}

/// Text of pieces that matter to Markdown.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "`",
        "``",
        "```",
        "````",
        "~~~",
        "~~~~",
        "\n",
        "\n",
        "\n\n",
        " ",
        "  ",
        "   ",
        "    ",
        "\t",
        "<b>",
        "<script>",
        "</details>",
        "<!--",
        "-->",
        "<?x",
        "<!X",
        "<![CDATA[",
        "<a\nb>",
        "<pre>",
        "<https://x.y>",
        "<",
        ">",
        "> ",
        ">",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "10) ",
        "# ",
        "---",
        "===",
        "\\",
        "|",
        "|-|\n",
        "[a]",
        "(",
        ")",
        "](",
        "][",
        "[`]: x",
        "]: ",
        "![",
        "\"",
        "'",
        "[^1]: ",
        "&lt;b>",
        "&#96;",
        "a",
        "b c",
        "é",
        "$",
        "*",
        "_",
        "\u{a0}",
        "\r",
        "javascript:x",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

/// Text of lines, without what Markdown itself does not keep: carriage returns and NUL.
fn code() -> impl Strategy<Value = String> {
    prop_oneof![nasty(), "[ -~\u{9}\n\u{202e}\u{1b}é`~<]{0,80}"]
        .prop_map(|text| text.replace('\r', "") + "x")
}

fn with_end(text: &str) -> String {
    format!("{}\n", text.strip_suffix('\n').unwrap_or(text))
}

/// More with `PROPTEST_CASES`.
fn at_least(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(cases), ..usual }
}

/// The same text wherever text of others can stand.
fn everywhere(text: &str) -> Vec<Value> {
    let approval = |subject: Value| {
        json!({"type": "approval_requested", "approval": 1, "tool_call_id": null, "agent_id": text,
            "subject": subject, "title": text, "reason": text, "suggestions": [],
            "blocked_path": text, "default_to_no": false, "requires_user_interaction": false,
            "policy": null})
    };
    let question = json!({"question": text, "options": [{"label": text}]});
    let inner = |mut body: Value| {
        body["parent_tool_call_id"] = json!("t1");
        body
    };
    let agent = json!({"kind": "subagent_task", "description": text, "prompt": text,
        "output": {"status": "completed", "result": text}});
    let generic = json!({"kind": "generic", "name": text, "input": {text: text},
        "output": {"text": text}, "error": text});
    vec![
        json!({"type": "user_message", "prompt": null, "item": 1, "text": text,
            "attachments": [{"media_type": text, "size": 3, "title": text}],
            "origin": {"kind": "cli", "source": text}}),
        message(text),
        json!({"type": "reasoning", "item": 1, "text": text}),
        call("t1", text, &agent),
        inner(message(text)),
        inner(call("t2", text, &shell(text, text))),
        inner(ended("t2", "error", &shell(text, text))),
        ended("t1", "complete", &agent),
        call("t3", text, &generic),
        ended("t3", "complete", &generic),
        json!({"type": "plan_ready", "plan": text, "approval": 1, "tool_call_id": "x"}),
        approval(json!({"kind": "question", "questions": [question, question]})),
        approval(json!({"kind": "elicitation", "server": text, "message": text})),
        json!({"type": "approval_resolved", "approval": 1, "tool_call_id": "t1", "tool_name": text,
            "decision": {"kind": "deny", "message": text},
            "by": {"kind": "client", "name": text}}),
        json!({"type": "todos", "items": [{"title": text, "status": "completed"}]}),
        json!({"type": "notice", "level": "info", "about": "retry", "text": text}),
        json!({"type": "error", "message": text, "code": text}),
        json!({"type": "model_changed", "model": text}),
        message(text),
    ]
}

#[test]
fn a_document_has_no_html() {
    code_blocks(&document(&everything()));
    for text in [
        " ```\na\n```\n<script>x</script>",
        "- ```\n  <b>\n  ```\n<b>",
        "> - ```\n<b>\n> ```\n<b>",
        "[a](x '\n`') <b> `",
        "[foo][`x] <b> `\n\n[`x]: y",
        // Not a blank line, so the paragraph and its link go on.
        "[a](x '\n\u{a0}\n`') <b> `",
        "[a](x '\n\u{b}\n`') <b> `",
    ] {
        code_blocks(&document(&everywhere(text)));
    }
}

proptest! {
    #![proptest_config(at_least(1500))]

    #[test]
    fn no_text_becomes_html(text in nasty()) {
        code_blocks(&document(&[message(&text)]));
    }

    #[test]
    fn code_comes_back(before in nasty(), code in code(), indent in 0..4_usize) {
        // A message: a paragraph, a fenced block, a paragraph.
        let longest = code.split(|own| own != '`').map(str::len).max().unwrap_or(0);
        let (fence, indent) = ("`".repeat(longest.max(2) + 1), " ".repeat(indent));
        let indented = code.replace('\n', &format!("\n{indent}"));
        let said = format!("Look:\n\n{indent}{fence}\n{indent}{indented}\n{fence}\n\n<b>\n");
        prop_assert_eq!(code_blocks(&document(&[message(&said)])), [with_end(&code)]);
        // A tool call after a message, whatever that was.
        let bodies = [message(&before), call("t", "x", &shell(&code, "")),
            ended("t", "complete", &shell(&code, &code))];
        let blocks = code_blocks(&document(&bodies));
        let expected = [with_end(&code), with_end(&code)];
        prop_assert_eq!(&blocks[blocks.len() - 2..], &expected);
    }
}

proptest! {
    #![proptest_config(at_least(150))]

    #[test]
    fn no_text_becomes_html_anywhere(text in nasty()) {
        code_blocks(&document(&everywhere(&text)));
    }
}
