//! Stdout: one line for each frame, and all that `SIM_FAULT` does to it.

use std::cell::RefCell;
use std::io::{self, Write};

use serde_json::Value;
use tokio::sync::Notify;

use super::dialect;
use super::fault::{Crash, Faults};

/// Exit code of a process that was told to crash.
pub(super) const CRASHED: i32 = 134;

/// Lines that are no JSON, as libraries and sandboxes print them.
const JUNK: [&str; 4] = [
    "[SandboxDebug] nothing to see",
    "",
    "warning: this line is not for you",
    "\u{1b}[2mnot JSON either\u{1b}[0m",
];

/// Keys that come first in an object, in this order; the others follow by name.
const LEADING: [&str; 5] = ["type", "subtype", "index", "event", "message"];

/// Where frames go. Cannot fail: when nobody reads any more, it says so in [`Out::is_broken`].
pub(super) struct Out {
    lines: RefCell<Lines>,
    /// Told when there is something to release.
    held: Notify,
}

struct Lines {
    sink: Box<dyn Write>,
    faults: Faults,
    dice: Dice,
    written: u64,
    /// Lines kept back to be written together.
    held: Vec<u8>,
    broken: bool,
}

impl Out {
    pub(super) fn new(sink: Box<dyn Write>, faults: &Faults) -> Self {
        Self {
            lines: RefCell::new(Lines {
                sink,
                faults: faults.clone(),
                dice: Dice(0x9e37_79b9_7f4a_7c15),
                written: 0,
                held: Vec::new(),
                broken: false,
            }),
            held: Notify::new(),
        }
    }

    /// Writes one frame as one line.
    pub(super) fn send(&self, frame: Value) {
        let old = self.lines.borrow().faults.old;
        let Some(frame) = (if old { dialect::old(frame) } else { Some(frame) }) else { return };
        let mut line = Vec::new();
        let leading =
            if frame["type"] == "result" && !old { Order::ByName } else { Order::LeadingFirst };
        write_value(&frame, leading, &mut line);
        line.push(b'\n');
        let mut lines = self.lines.borrow_mut();
        lines.line(&line, frame["type"] == "assistant");
        if !lines.held.is_empty() {
            self.held.notify_one();
        }
    }

    /// Resolves when lines have been kept back.
    pub(super) async fn holds(&self) {
        self.held.notified().await;
    }

    /// Writes what has been kept back.
    pub(super) fn flush(&self) {
        self.lines.borrow_mut().release();
    }

    /// Whether nobody reads stdout any more.
    pub(super) fn is_broken(&self) -> bool {
        self.lines.borrow().broken
    }
}

impl Lines {
    fn line(&mut self, line: &[u8], is_assistant: bool) {
        if self.faults.junk && self.written % 2 == 1 {
            let junk = JUNK[self.dice.below(JUNK.len())];
            self.bytes(format!("{junk}\n").as_bytes());
        }
        let crash = match self.faults.crash {
            Some(Crash::MidLine) => is_assistant,
            Some(Crash::After(lines)) => self.written >= lines,
            None => false,
        };
        if crash {
            self.release();
            let _ = self.sink.write_all(&line[..line.len() / 2]);
            let _ = self.sink.flush();
            std::process::exit(CRASHED);
        }
        self.written += 1;
        self.bytes(line);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.faults.merged {
            self.held.extend_from_slice(bytes);
        } else {
            self.write(bytes);
        }
    }

    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            self.write(&held);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let written = if self.faults.torn { self.torn(bytes) } else { self.whole(bytes) };
        self.broken |= written.is_err();
    }

    fn whole(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sink.write_all(bytes)?;
        self.sink.flush()
    }

    /// In pieces of any size, cut anywhere, characters included.
    fn torn(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let largest = if self.dice.below(4) == 0 { 8 } else { 700 };
            let size = (1 + self.dice.below(largest)).min(bytes.len());
            self.sink.write_all(&bytes[..size])?;
            self.sink.flush()?;
            bytes = &bytes[size..];
        }
        Ok(())
    }
}

/// A small generator with a fixed seed: a fault that showed once shows again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (limit.max(1) as u64)).unwrap_or(0)
    }
}

#[derive(Clone, Copy)]
enum Order {
    /// As the CLI writes nearly everything: the type first.
    LeadingFirst,
    /// As it writes results: the type anywhere.
    ByName,
}

fn write_value(value: &Value, order: Order, out: &mut Vec<u8>) {
    match value {
        Value::Object(map) => {
            out.push(b'{');
            let mut first = true;
            let mut entry = |key: &str, value: &Value| {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                write_plain(key, out);
                out.push(b':');
                write_value(value, Order::LeadingFirst, out);
            };
            let leads = |key: &str| matches!(order, Order::LeadingFirst) && LEADING.contains(&key);
            for key in LEADING.into_iter().filter(|key| leads(key)) {
                if let Some(value) = map.get(key) {
                    entry(key, value);
                }
            }
            for (key, value) in map.iter().filter(|(key, _)| !leads(key)) {
                entry(key, value);
            }
            out.push(b'}');
        }
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(item, Order::LeadingFirst, out);
            }
            out.push(b']');
        }
        plain => write_plain(plain, out),
    }
}

fn write_plain(value: &(impl serde::Serialize + ?Sized), out: &mut Vec<u8>) {
    // A vector takes everything, and strings, numbers and nulls are always JSON.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use serde_json::json;

    use super::*;

    /// Keeps every write apart.
    #[derive(Clone, Default)]
    struct Writes(Rc<RefCell<Vec<Vec<u8>>>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(faults: &str, frames: &[Value]) -> Vec<String> {
        let writes = Writes::default();
        let out = Out::new(Box::new(writes.clone()), &faults.parse().unwrap());
        for frame in frames {
            out.send(frame.clone());
        }
        out.flush();
        let writes = writes.0.borrow();
        writes.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }

    #[test]
    fn the_type_comes_first_but_not_in_results() {
        let frames = [
            json!({"a": [{"text": "x", "type": "text"}], "type": "system", "subtype": "s"}),
            json!({"a": 1, "type": "result", "subtype": "success", "usage": {}}),
        ];
        assert_eq!(
            written("", &frames),
            [
                "{\"type\":\"system\",\"subtype\":\"s\",\"a\":[{\"type\":\"text\",\"text\":\"x\"}]}\n",
                "{\"a\":1,\"subtype\":\"success\",\"type\":\"result\",\"usage\":{}}\n",
            ]
        );
    }

    #[test]
    fn torn_lines_are_whole_when_put_together() {
        let frames = vec![json!({"type": "x", "text": "x".repeat(3000)}); 3];
        let torn = written("torn", &frames);
        assert!(torn.len() > 6, "{}", torn.len());
        assert!(torn.iter().any(|piece| !piece.ends_with('\n')));
        assert_eq!(torn, written("torn", &frames), "the seed is fixed");
        assert_eq!(torn.concat(), written("", &frames).concat());
    }

    #[test]
    fn merged_lines_come_in_one_write() {
        let frames = vec![json!({"type": "x"}); 3];
        assert_eq!(written("merged", &frames), ["{\"type\":\"x\"}\n".repeat(3)]);
    }

    #[test]
    fn junk_stands_between_lines() {
        let lines = written("junk", &vec![json!({"type": "x"}); 4]);
        let junk = lines.iter().filter(|line| !line.starts_with('{')).count();
        assert_eq!((lines.len(), junk), (6, 2));
    }
}
