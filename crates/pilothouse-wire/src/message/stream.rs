//! `stream_event`: what the model API streams, passed through.

use crate::block::Block;
use crate::field::Nullable;
use crate::message::assistant::{ApiMessage, Usage};
use crate::raw::{Num, Raw};

object! {
    /// One event of the model's answer. Only with partial messages switched on.
    pub struct StreamFrame {
        /// The event.
        event: StreamEvent,
        /// The session.
        session_id: Option<String>,
        /// The call that started the subagent this belongs to.
        parent_tool_use_id: Nullable<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// Milliseconds to the first token.
        ttft_ms: Option<Num>,
        /// How much of the thinking is shown, such as `updates`.
        thinking_display: Option<String>,
        /// The API's id of the message that this belongs to.
        api_message_id: Option<String>,
        /// The prompt that is answered; on the first frame of a turn.
        user_message_uuid: Option<String>,
        /// The prompts that are answered; on the first frame of a turn.
        user_message_uuids: Vec<String>,
        /// What is still to come of the turn. Only ever seen empty.
        owed_rows: Option<Vec<Raw>>,
        /// The blocks of an answer that was begun and given up.
        abandoned_blocks: Option<Box<AbandonedBlocks>>,
        /// Why the turn was resumed.
        resume_reason: Option<String>,
    }
}

object! {
    /// The blocks of an answer that was given up.
    #[derive(Default)]
    pub struct AbandonedBlocks {
        /// The API's id of the message.
        api_message_id: String,
        /// The first of them; all after it are given up too.
        from_block_index: u64,
    }
}

tagged! {
    /// An event of the model API.
    pub enum StreamEvent by "type" {
        /// A piece of a block.
        ContentBlockDelta(ContentBlockDelta) = "content_block_delta",
        /// A block begins.
        ContentBlockStart(ContentBlockStart) = "content_block_start",
        /// A block ends.
        ContentBlockStop(ContentBlockStop) = "content_block_stop",
        /// An answer begins.
        MessageStart(MessageStart) = "message_start",
        /// Stop reason and usage of an answer.
        MessageDelta(Box<MessageDelta>) = "message_delta",
        /// An answer ends.
        MessageStop(MessageStop) = "message_stop",
        /// Nothing; keeps the connection open.
        Ping(Ping) = "ping",
    }
}

object! {
    /// An answer begins.
    pub struct MessageStart {
        /// The message, its content still empty.
        message: Box<ApiMessage>,
    }
}

object! {
    /// A block begins.
    pub struct ContentBlockStart {
        /// Its place in the message.
        index: u64,
        /// The block, still empty.
        content_block: Box<Block>,
    }
}

object! {
    /// A piece of a block.
    pub struct ContentBlockDelta {
        /// The block's place in the message.
        index: u64,
        /// The piece.
        delta: Delta,
    }
}

object! {
    /// A block ends.
    #[derive(Default)]
    pub struct ContentBlockStop {
        /// Its place in the message.
        index: u64,
    }
}

object! {
    /// Stop reason and usage of an answer.
    #[derive(Default)]
    pub struct MessageDelta {
        /// What changed.
        delta: Option<StopDelta>,
        /// Usage so far.
        usage: Option<Box<Usage>>,
        /// What the API edited out of the context.
        context_management: Nullable<Raw>,
    }
}

object! {
    /// Why an answer ended.
    #[derive(Default)]
    pub struct StopDelta {
        /// `end_turn`, `tool_use`, `max_tokens` …
        stop_reason: Nullable<String>,
        /// The sequence that ended it.
        stop_sequence: Nullable<String>,
        /// More about the reason.
        stop_details: Nullable<Raw>,
        /// The API's container.
        container: Nullable<Raw>,
    }
}

object! {
    /// An answer ends.
    #[derive(Default)]
    pub struct MessageStop {}
}

object! {
    /// Nothing.
    #[derive(Default)]
    pub struct Ping {}
}

tagged! {
    /// A piece of a block.
    pub enum Delta by "type" {
        /// Of text.
        Text(TextDelta) = "text_delta",
        /// Of a tool's input.
        InputJson(InputJsonDelta) = "input_json_delta",
        /// Of thinking.
        Thinking(ThinkingDelta) = "thinking_delta",
        /// Of a thinking block's signature.
        Signature(SignatureDelta) = "signature_delta",
        /// A source of the text.
        Citations(CitationsDelta) = "citations_delta",
        /// Of a summary.
        Compaction(CompactionDelta) = "compaction_delta",
    }
}

object! {
    /// A piece of text.
    #[derive(Default)]
    pub struct TextDelta {
        /// The piece.
        text: String,
    }
}

object! {
    /// A piece of a tool's input.
    #[derive(Default)]
    pub struct InputJsonDelta {
        /// The piece; the pieces together are JSON.
        partial_json: String,
    }
}

object! {
    /// A piece of thinking.
    #[derive(Default)]
    pub struct ThinkingDelta {
        /// The piece.
        thinking: String,
        /// Tokens so far, where the text is withheld.
        estimated_tokens: Nullable<u64>,
    }
}

object! {
    /// A piece of a signature.
    #[derive(Default)]
    pub struct SignatureDelta {
        /// The piece.
        signature: String,
    }
}

object! {
    /// A source of the text.
    pub struct CitationsDelta {
        /// The source.
        citation: Raw,
    }
}

object! {
    /// A piece of a summary.
    #[derive(Default)]
    pub struct CompactionDelta {
        /// The piece.
        content: Nullable<String>,
        /// The same for the API only.
        encrypted_content: Nullable<String>,
    }
}
