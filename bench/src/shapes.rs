//! The lines of the corpus, one function per shape.
//!
//! Fields and their order are those CLI 2.1.325 was seen to write, `result` with
//! its `type` in the middle included: a reader that relies on `type` coming first
//! must pay for it here as it would there. Every line has the asked length
//! (newline included) unless its frame alone is longer.

use crate::text::{Dice, Style, append};

/// What all lines of one session share.
#[derive(Debug)]
pub struct Session {
    id: String,
    message_id: String,
    api_message_id: bool,
}

const MODEL: &str = "claude-opus-5-5";
const USAGE: &str = "{\"input_tokens\":3,\"cache_creation_input_tokens\":412,\"cache_read_input_tokens\":21874,\"cache_creation\":{\"ephemeral_5m_input_tokens\":412,\"ephemeral_1h_input_tokens\":0},\"output_tokens\":1,\"service_tier\":\"standard\",\"inference_geo\":\"global\"}";

impl Session {
    /// A session whose stream events carry `api_message_id` or not.
    #[must_use]
    pub fn new(dice: &mut Dice, api_message_id: bool) -> Self {
        Self { id: dice.uuid(), message_id: dice.api_id("msg_01"), api_message_id }
    }

    /// `stream_event` with a delta: mostly text, some tool input, some thinking.
    pub fn delta(&self, dice: &mut Dice) -> String {
        let index = dice.between(0, 2);
        let mut line = format!(
            "{{\"type\":\"stream_event\",\"event\":{{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{"
        );
        match dice.between(0, 99) {
            0..=79 => {
                line.push_str("\"type\":\"text_delta\",\"text\":\"");
                let length = dice.between(4, 28);
                append(&mut line, dice, Style::Prose, length);
                line.push_str("\"}}");
            }
            80..=91 => {
                line.push_str("\"type\":\"input_json_delta\",\"partial_json\":\"");
                let length = dice.between(2, 22);
                append(&mut line, dice, Style::Code, length);
                line.push_str("\"}}");
            }
            _ => {
                line.push_str("\"type\":\"thinking_delta\",\"thinking\":\"");
                let length = dice.between(2, 18);
                append(&mut line, dice, Style::Prose, length);
                line.push_str("\",\"estimated_tokens\":50}}");
            }
        }
        let (session, uuid) = (&self.id, dice.uuid());
        line.push_str(&format!(
            ",\"session_id\":\"{session}\",\"parent_tool_use_id\":null,\"uuid\":\"{uuid}\""
        ));
        if self.api_message_id {
            line.push_str(&format!(",\"api_message_id\":\"{}\"", self.message_id));
        }
        line.push_str("}\n");
        line
    }

    /// `assistant` with one finished block: text, thinking or a tool call.
    pub fn assistant(&self, dice: &mut Dice, length: usize) -> String {
        let message = &self.message_id;
        let head = format!(
            "{{\"type\":\"assistant\",\"message\":{{\"model\":\"{MODEL}\",\"id\":\"{message}\",\"type\":\"message\",\"role\":\"assistant\",\"content\":["
        );
        let tail = format!(
            "],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{USAGE},\"context_management\":null}},\"parent_tool_use_id\":null,{}",
            self.stamp(dice, ",\"request_id\":\"req_011CUTdnwT3pVYyRyQ2nN8Gq\"}\n")
        );
        let (open, style, close) = match dice.between(0, 9) {
            0..=4 => ("{\"type\":\"text\",\"text\":\"".to_owned(), Style::Prose, "\"}".to_owned()),
            5 => (
                "{\"type\":\"thinking\",\"thinking\":\"".to_owned(),
                Style::Prose,
                format!("\",\"signature\":\"{}\"}}", dice.api_id("EqQBCkYIBRgCKkD")),
            ),
            _ => (
                format!(
                    "{{\"type\":\"tool_use\",\"id\":\"{}\",\"name\":\"Write\",\"input\":{{\"file_path\":\"/home/user/project/src/lib.rs\",\"content\":\"",
                    dice.api_id("toolu_01")
                ),
                Style::Code,
                "\"}}".to_owned(),
            ),
        };
        sized(&[&head, &open], &[&close, &tail], dice, style, length)
    }

    /// `user` with a tool result and its structured twin: a file that was read, or
    /// the output of a command.
    pub fn tool_result(&self, dice: &mut Dice, length: usize) -> String {
        let tool = dice.api_id("toolu_01");
        let head = format!(
            "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"{tool}\",\"type\":\"tool_result\",\"content\":\""
        );
        let (close, twin_open, twin_close) = if dice.between(0, 1) == 0 {
            (
                "\"}]},\"parent_tool_use_id\":null,",
                ",\"tool_use_result\":{\"type\":\"text\",\"file\":{\"filePath\":\"/home/user/project/src/lib.rs\",\"content\":\"",
                "\",\"numLines\":120,\"startLine\":1,\"totalLines\":120}}",
            )
        } else {
            (
                "\",\"is_error\":false}]},\"parent_tool_use_id\":null,",
                ",\"tool_use_result\":{\"stdout\":\"",
                "\",\"stderr\":\"\",\"interrupted\":false,\"isImage\":false,\"noOutputExpected\":false}",
            )
        };
        let middle = format!("{close}{}", self.stamp(dice, twin_open));
        let tail = format!(
            "{twin_close},\"tool_result_meta\":[{{\"id\":\"{tool}\",\"permission_decision\":{{\"decision\":\"accept\",\"source\":\"config\",\"reason_type\":\"mode\"}}}}]}}\n"
        );
        // The CLI repeats the content: once for the model, once structured.
        let room = length.saturating_sub(head.len() + middle.len() + tail.len());
        let mut line = String::with_capacity(length.max(1024));
        line.push_str(&head);
        append(&mut line, dice, Style::Code, room / 2);
        line.push_str(&middle);
        append(&mut line, dice, Style::Code, room - room / 2);
        line.push_str(&tail);
        line
    }

    /// `system`: the answer of a hook, or the output of a local command.
    pub fn system(&self, dice: &mut Dice, length: usize) -> String {
        let (session, uuid) = (&self.id, dice.uuid());
        let tail = format!("\",\"session_id\":\"{session}\",\"uuid\":\"{uuid}\"}}\n");
        let head = if dice.between(0, 1) == 0 {
            let hook = dice.uuid();
            format!(
                "{{\"type\":\"system\",\"subtype\":\"hook_response\",\"hook_id\":\"{hook}\",\"hook_name\":\"PostToolUse:Write\",\"hook_event\":\"PostToolUse\",\"stderr\":\"\",\"exit_code\":0,\"outcome\":\"success\",\"stdout\":\"\",\"output\":\""
            )
        } else {
            "{\"type\":\"system\",\"subtype\":\"local_command_output\",\"content\":\"".to_owned()
        };
        sized(&[&head], &[&tail], dice, Style::Prose, length)
    }

    /// `system/init`, the first line of a turn.
    pub fn init(&self, dice: &mut Dice) -> String {
        let (session, uuid) = (&self.id, dice.uuid());
        let commands =
            (0..40).map(|number| format!("\"command-{number}\"")).collect::<Vec<_>>().join(",");
        format!(
            "{{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/home/user/project\",\"session_id\":\"{session}\",\"tools\":[\"Task\",\"Bash\",\"Edit\",\"Read\",\"Skill\",\"TaskStop\",\"WebFetch\",\"WebSearch\",\"Write\"],\"mcp_servers\":[],\"model\":\"{MODEL}\",\"permissionMode\":\"default\",\"slash_commands\":[{commands}],\"terminal_slash_commands\":[\"doctor\",\"color\"],\"apiKeySource\":\"none\",\"claude_code_version\":\"2.1.325\",\"output_style\":\"default\",\"agents\":[\"Explore\",\"general-purpose\",\"Plan\"],\"skills\":[{commands}],\"plugins\":[],\"capabilities\":[\"interrupt_receipt_v1\",\"interrupt_cancel_queued_v1\",\"msg_lifecycle_v1\"],\"analytics_disabled\":true,\"product_feedback_disabled\":true,\"uuid\":\"{uuid}\",\"fast_mode_state\":\"off\",\"view_mode\":\"default\"}}\n"
        )
    }

    /// `result`, the last line of a turn.
    pub fn result(&self, dice: &mut Dice, length: usize) -> String {
        let (session, uuid) = (&self.id, dice.uuid());
        let per_model = format!(
            "{{\"{MODEL}\":{{\"inputTokens\":6,\"outputTokens\":40,\"cacheReadInputTokens\":4000,\"cacheCreationInputTokens\":200,\"webSearchRequests\":0,\"costUSD\":0.002624,\"contextWindow\":1000000,\"maxOutputTokens\":128000,\"thinkingTokens\":0,\"cacheCreationEphemeral5mInputTokens\":200,\"cacheCreationEphemeral1hInputTokens\":0,\"canonicalModel\":\"{MODEL}\",\"provider\":\"firstParty\",\"costBasis\":\"list\"}}}}"
        );
        let head = format!(
            "{{\"duration_api_ms\":86,\"stop_reason\":\"end_turn\",\"session_id\":\"{session}\",\"total_cost_usd\":0.002624,\"usage\":{{\"input_tokens\":6,\"cache_creation_input_tokens\":200,\"cache_read_input_tokens\":4000,\"output_tokens\":40,\"output_tokens_details\":{{\"thinking_tokens\":0}},\"server_tool_use\":{{\"web_search_requests\":0,\"web_fetch_requests\":0}},\"service_tier\":\"standard\",\"cache_creation\":{{\"ephemeral_1h_input_tokens\":0,\"ephemeral_5m_input_tokens\":200}},\"inference_geo\":\"global\",\"iterations\":[],\"speed\":\"standard\",\"fallback_credit\":null}},\"modelUsage\":{per_model},\"permission_denials\":[],\"terminal_reason\":\"completed\",\"fast_mode_state\":\"off\",\"is_error\":false,\"num_turns\":2,\"subtype\":\"success\",\"api_error_status\":null,\"result\":\""
        );
        let tail = format!(
            "\",\"ttft_ms\":146,\"type\":\"result\",\"duration_ms\":262,\"uuid\":\"{uuid}\",\"ttft_stream_ms\":144,\"time_to_request_ms\":131,\"queued_turn_count\":0,\"result_index\":0}}\n"
        );
        sized(&[&head], &[&tail], dice, Style::Prose, length)
    }

    /// The identifying fields of `assistant` and `user` frames, then `rest`.
    fn stamp(&self, dice: &mut Dice, rest: &str) -> String {
        let (session, uuid) = (&self.id, dice.uuid());
        format!(
            "\"session_id\":\"{session}\",\"uuid\":\"{uuid}\",\"timestamp\":\"2026-11-15T19:51:40.397Z\"{rest}"
        )
    }
}

/// `head`, filler up to `length`, `tail`.
fn sized(head: &[&str], tail: &[&str], dice: &mut Dice, style: Style, length: usize) -> String {
    let frame: usize = head.iter().chain(tail).map(|part| part.len()).sum();
    let mut line = head.concat();
    append(&mut line, dice, style, length.saturating_sub(frame));
    tail.iter().for_each(|part| line.push_str(part));
    line
}
