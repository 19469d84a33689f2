//! What the holder's visitors say and are told.

use std::time::{Duration, Instant};

use super::super::feed::Wanted;
use super::super::protocol::{Greeting, Heard, VERSION};
use super::super::visitor::{Sending, Visitor};
use super::{Hold, LONGEST_REST, Ready, Stage};
use crate::wirelog::{Closed, Head, unix_millis};

/// More connections than a daemon ever makes; the oldest that has not attached gives way.
const MOST_VISITORS: usize = 8;

impl Hold {
    pub(super) fn serve_visitors(&mut self, ready: &[Ready], now: Instant) {
        for found in ready {
            match *found {
                Ready::Listener => self.admit(),
                Ready::Visitor { index, readable: true } => self.hear(index, now),
                _ => {}
            }
        }
    }

    fn admit(&mut self) {
        let Ok((stream, _)) = self.listener.accept() else { return };
        let Ok(visitor) = Visitor::new(stream) else { return };
        if self.visitors.len() >= MOST_VISITORS
            && let Some(oldest) = self.visitors.iter_mut().find(|old| old.attached.is_none())
        {
            oldest.go();
        }
        self.visitors.push(visitor);
    }

    /// Hears what one visitor says. It is taken out for that: what it says can be about the others.
    fn hear(&mut self, index: usize, now: Instant) {
        if index >= self.visitors.len() {
            return;
        }
        let mut visitor = self.visitors.remove(index);
        if visitor.is_gone() {
            // Cut off in this turn, by another that has attached.
        } else if self.hears(&visitor) {
            let mut room = std::mem::take(&mut self.room);
            let mut bytes = visitor.read(&mut room);
            let mut hearing = std::mem::take(&mut visitor.hearing);
            while !visitor.is_gone() {
                match hearing.next(&mut bytes) {
                    Ok(Some(heard)) => self.obey(&mut visitor, heard, now),
                    Ok(None) => break,
                    Err(garbled) => visitor.refuse(&garbled.to_string()),
                }
            }
            visitor.hearing = hearing;
            self.room = room;
        } else {
            // Only a closed connection is ready without being asked to be.
            visitor.go();
        }
        self.visitors.insert(index, visitor);
    }

    fn obey(&mut self, visitor: &mut Visitor, heard: Heard<'_>, now: Instant) {
        match heard {
            Heard::Attach(offset) if offset > self.log.len() => {
                visitor.refuse(&format!("the log has only {} bytes", self.log.len()));
            }
            Heard::Attach(_) if visitor.attached.is_some() => visitor.refuse("attached already"),
            Heard::Attach(offset) => {
                for other in &mut self.visitors {
                    if other.attached.is_some() {
                        other.go();
                    }
                }
                let (end, accepted) = (self.log.len(), self.feed.accepted());
                self.gather = Duration::ZERO;
                visitor.attach(offset, Greeting { version: VERSION, end, accepted }.line());
            }
            Heard::Eof => self.feed.close_when_written(Closed::Eof),
            Heard::Stop(grace) => self.stop(grace, now),
            Heard::Send(_)
            | Heard::Piece(_)
            | Heard::Sent
            | Heard::Gather(_)
            | Heard::Detach
            | Heard::Bye
                if visitor.attached.is_none() =>
            {
                visitor.refuse("attach first");
            }
            Heard::Send(number) => match self.feed.wants(number) {
                Wanted::Gap => {
                    let accepted = self.feed.accepted();
                    let note = format!("refused line {number}: the last one was {accepted}");
                    self.log.line(unix_millis(), Head::Note, note.as_bytes());
                    visitor.refuse("a gap");
                }
                wanted => {
                    let line = (wanted == Wanted::Yes).then(Default::default);
                    visitor.sending = Some(Sending { number, line });
                }
            },
            Heard::Piece(piece) => self.take_piece(visitor, piece, now),
            Heard::Sent => {
                if let Some(Sending { number, line: Some(mut line) }) = visitor.sending.take() {
                    self.feed.accept(number, line.take());
                }
            }
            Heard::Gather(time) => self.set_gather(time),
            Heard::Detach => visitor.go(),
            Heard::Bye => {
                if self.stage == Stage::Ended && self.log.is_clear() {
                    self.stage = Stage::Over;
                }
                visitor.go();
            }
        }
    }

    fn set_gather(&mut self, time: Duration) {
        self.gather = time.min(LONGEST_REST);
        self.rest = self.rest.filter(|_| !self.gather.is_zero());
        let note = format!("gathers lines for {} ms", self.gather.as_millis());
        self.log.line(unix_millis(), Head::Note, note.as_bytes());
    }

    fn take_piece(&mut self, visitor: &mut Visitor, piece: &[u8], now: Instant) {
        let Some(Sending { line: Some(line), .. }) = &mut visitor.sending else { return };
        if memchr::memchr(b'\n', piece).is_some() {
            let note = b"refused a line with a newline in it";
            self.log.line(unix_millis(), Head::Note, note);
            return visitor.refuse("a newline in a line");
        }
        let added = line.add(piece);
        self.check(added, now);
    }

    /// Tells the daemon what is new, and lets go of who has gone.
    pub(super) fn tell(&mut self, now: Instant) {
        if self.stage == Stage::Over {
            return;
        }
        let len = self.log.len();
        for visitor in &mut self.visitors {
            visitor.tell(&mut self.room, &self.log_file, &self.log);
        }
        let whole = self.stage == Stage::Ended && self.log.is_clear();
        let has_read = |visitor: &Visitor| visitor.is_gone() && visitor.attached == Some(len);
        let read = self.visitors.iter().any(has_read);
        self.visitors.retain(|visitor| !visitor.is_gone());
        let attached = self.visitors.iter().any(|visitor| visitor.attached.is_some());
        if whole && read && !attached {
            self.stage = Stage::Over;
        }
        self.alone_since = match attached {
            true => None,
            false => self.alone_since.or(Some(now)),
        };
    }
}
