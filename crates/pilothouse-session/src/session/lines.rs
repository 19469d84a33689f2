//! Which line is about what.

use pilothouse_wire::message::System;
use pilothouse_wire::{Frame, Inbound, Raw};
use serde_json::Value;

use super::Session;
use crate::event::{Body, NoticeKind, NoticeLevel};

/// The longest line that is kept whole in an event.
const WHOLE: usize = 64 << 10;

impl Session {
    pub(super) fn line(&mut self, frame: Box<Frame>) {
        if let Some(run) = &mut self.run {
            run.lines += 1;
        }
        match frame.message {
            Inbound::StreamEvent(event) => self.streamed(event),
            Inbound::Assistant(message) => self.assistant(*message),
            Inbound::User(message) => self.user(*message),
            Inbound::System(System::Unknown(unknown)) => {
                let what = unknown.tag.map(|tag| format!("system/{tag}"));
                self.unknown(what, &frame.raw);
            }
            Inbound::System(system) => self.system(system),
            Inbound::Result(result) => self.result(*result),
            Inbound::ControlRequest(request) => self.asked(request, &frame.raw),
            Inbound::ControlResponse(response) => self.replied(*response),
            Inbound::ControlCancel(cancel) => self.withdrawn(&cancel.request_id),
            Inbound::ConversationReset(reset) => self.conversation_reset(reset),
            Inbound::CommandLifecycle(lifecycle) => self.lifecycle(&lifecycle),
            Inbound::RateLimitEvent(event) => self.rate_limit(&event.rate_limit_info),
            Inbound::PromptSuggestion(suggestion) => {
                if let Some(text) = suggestion.suggestion {
                    self.tell(Body::PromptSuggestion { text });
                }
            }
            Inbound::AuthStatus(status) => {
                if let Some(text) = status.error {
                    self.notice(NoticeLevel::Error, NoticeKind::Authentication, text);
                }
            }
            Inbound::Error(error) => {
                let text =
                    error.error.as_ref().map_or_else(String::new, |raw| raw.get().to_owned());
                self.notice(NoticeLevel::Error, NoticeKind::Informational, text);
            }
            // The state of a thing that is shown elsewhere, or of no use to clients.
            Inbound::ToolProgress(_)
            | Inbound::ToolUseSummary(_)
            | Inbound::ActiveGoal(_)
            | Inbound::KeepAlive(_)
            | Inbound::TranscriptMirror(_)
            | Inbound::AutocompactState(_) => {}
            Inbound::Unknown(unknown) => self.unknown(unknown.tag, &frame.raw),
            Inbound::NotJson => self.unknown(None, &frame.raw),
        }
    }

    /// Keeps what is not understood.
    pub(super) fn unknown(&mut self, what: Option<String>, line: &[u8]) {
        let text = String::from_utf8_lossy(&line[..line.len().min(WHOLE)]);
        let whole = (line.len() <= WHOLE).then(|| Raw::from_text(text.as_ref()).ok()).flatten();
        let raw = whole.map_or_else(|| Value::from(text.into_owned()), |raw| raw.to_value());
        self.tell(Body::Unknown { what, raw });
    }

    pub(super) fn notice(&mut self, level: NoticeLevel, about: NoticeKind, text: String) {
        if !text.is_empty() {
            self.tell(Body::Notice { level, about, text });
        }
    }
}
