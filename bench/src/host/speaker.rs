//! Speaks for many generators: they hand over their stdout, and sleep.
//!
//! One thread. What is due within half a millisecond is written in one go, each line into its own pipe.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::script::Plan;
use super::speech::Speech;

/// Where a speaker listens, seen from where the generators work.
pub const SOCKET: &str = "speaker.sock";

/// How long lines may be early or late.
const TICK: Duration = Duration::from_micros(500);

/// More than any plan.
const MOST: usize = 256;

/// Hands a plan and where it is to be said to the speaker; false if there is none.
pub fn takes_over(stdout: &impl AsFd, plan: Plan) -> io::Result<bool> {
    let Ok(stream) = UnixStream::connect(SOCKET) else { return Ok(false) };
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let fds = [stdout.as_fd()];
    ancillary.push(SendAncillaryMessage::ScmRights(&fds));
    let prompt = plan.prompt();
    sendmsg(&stream, &[IoSlice::new(prompt.as_bytes())], &mut ancillary, SendFlags::empty())?;
    Ok(true)
}

/// Speaks for everybody who comes, until it is killed.
pub fn run(dir: &Path) -> io::Result<()> {
    std::env::set_current_dir(dir)?;
    let listener = UnixListener::bind(SOCKET)?;
    // Who has started it waits for this.
    writeln!(io::stdout(), "ready")?;
    let mut speeches: Vec<(File, Speech)> = Vec::new();
    let mut next_tick = Instant::now();
    loop {
        let wait = match speeches.is_empty() {
            true => None,
            false => Some(next_tick.saturating_duration_since(Instant::now())),
        };
        if comes(&listener, wait)? {
            let (stream, _) = listener.accept()?;
            speeches.extend(take(&stream)?);
            continue;
        }
        let now = Instant::now();
        next_tick = now + TICK;
        speeches.retain_mut(|(pipe, speech)| {
            // Whose reader is gone has nobody to speak to.
            speech.say_what_is_due(pipe, now).is_ok() && !speech.is_over()
        });
    }
}

fn comes(listener: &UnixListener, wait: Option<Duration>) -> io::Result<bool> {
    let mut fds = [PollFd::new(listener, PollFlags::IN)];
    let wait = wait.map(|wait| Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(wait.subsec_nanos()),
    });
    Ok(poll(&mut fds, wait.as_ref())? > 0)
}

fn take(stream: &UnixStream) -> io::Result<Option<(File, Speech)>> {
    let mut bytes = [0; MOST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut room = [IoSliceMut::new(&mut bytes)];
    let got = recvmsg(stream, &mut room, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?.bytes;
    let pipe = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    let said = String::from_utf8_lossy(bytes.get(..got).unwrap_or_default()).into_owned();
    let plan = Plan::find(&said);
    Ok(pipe.zip(plan).map(|(pipe, plan): (OwnedFd, Plan)| (File::from(pipe), Speech::new(plan))))
}
