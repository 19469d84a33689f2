//! Any JSON can be looked at as the input or output of any tool, as a hook's input, as a permission
//! request and as a rule; what does not fit is still there.
//!
//! The first line of the data names a tool, the rest is the JSON.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::assert_written_whole;
use pilothouse_wire::hook::{HookInput, HookOutput};
use pilothouse_wire::permission::{CanUseTool, PermissionResult, PermissionUpdate};
use pilothouse_wire::tool::{ToolInput, ToolOutput};
use pilothouse_wire::{Content, Raw, Wire};
use serde::Serialize;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((name, json)) = text.split_once('\n') else { return };
    let Ok(raw) = Raw::from_text(json) else { return };

    // A byte says which tool, where it is not spelled out: names take long to guess.
    let names = ToolInput::TYPED;
    let name = match name.as_bytes() {
        [number] => names[usize::from(*number) % names.len()],
        _ => name,
    };
    let input = ToolInput::of(name, &raw);
    assert_written_whole(&input, json);
    // The tool's present name gives the same view.
    assert_eq!(ToolInput::of(&input.tool_name(), &raw).tool_name(), input.tool_name());
    assert_written_whole(&ToolOutput::of(name, &raw), json);

    if let Some(hook) = view::<HookInput>(&raw) {
        hook.common();
        hook.event();
        if let HookInput::PreToolUse(call) = &hook {
            call.input();
        }
        if let HookInput::PostToolUse(call) = &hook {
            call.input();
            call.output();
        }
    }
    view::<HookOutput>(&raw);
    view::<PermissionUpdate>(&raw);
    view::<PermissionResult>(&raw);
    if let Some(content) = view::<Content>(&raw) {
        content.text();
    }
    if let Some(ask) = view::<CanUseTool>(&raw) {
        ask.allow();
        ask.allow_always();
        ask.deny("no");
    }
});

fn view<T: Wire + Serialize + std::fmt::Debug>(raw: &Raw) -> Option<T> {
    let read: T = raw.read()?;
    assert_written_whole(&read, raw.get());
    Some(read)
}
