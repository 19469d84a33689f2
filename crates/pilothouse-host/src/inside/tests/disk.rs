//! On a disk that is full. Small disks are Linux's.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use super::*;

/// A small disk, in a mount namespace that a shell keeps until its input ends.
struct Disk {
    shell: Child,
    path: PathBuf,
}

impl Disk {
    /// Nothing where that is not allowed.
    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    fn of(bed: &Bed) -> Option<Self> {
        let at = bed.dir.path();
        let script =
            r#"mount -t tmpfs -o size=2m,mode=700 small "$1" && echo ready && read -r end"#;
        let mut command = std::process::Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]);
        command.arg(at).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn().ok()?;
        let mut line = String::new();
        BufReader::new(shell.stdout.take()?).read_line(&mut line).ok()?;
        let root = PathBuf::from(format!("/proc/{}/root", shell.id()));
        let disk = Self { shell, path: root.join(at.strip_prefix("/").ok()?) };
        let works = line.trim() == "ready" && std::fs::write(disk.path.join("try"), "").is_ok();
        if !works {
            eprintln!("no namespaces here: not tested");
        }
        works.then_some(disk)
    }

    /// Leaves no room but what is left of pages that were begun.
    fn fill(&self) {
        let mut file = std::fs::File::create(self.path.join("filler")).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    fn make_room(&self) {
        std::fs::remove_file(self.path.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// Writes a line of 9000 letters, which is more than a page.
const LONG_LINE: &str = "head -c 9000 /dev/zero | tr '\\0' a; echo";

impl Held {
    /// Waits until its log has no room for the long line.
    async fn is_stuck(&self) {
        let log = self.dir.join(wirelog::FILE);
        until(|| std::fs::metadata(&log).unwrap().len().is_multiple_of(4096)).await;
    }

    /// Waits until its CLI has ended.
    async fn is_gone(&self) {
        until(|| !exists(self.pid)).await;
    }
}

/// Lets the one go on who reads from this pipe.
async fn release(pipe: PathBuf) {
    let written = tokio::task::spawn_blocking(move || std::fs::write(pipe, "\n"));
    tokio::time::timeout(PATIENCE, written).await.unwrap().unwrap().unwrap();
}

fn is_told(record: &Record) -> bool {
    matches!(record, Record::Note { text, .. } if text.starts_with(b"nothing could"))
}

#[tokio::test]
async fn a_full_disk_makes_it_wait_and_loses_nothing() {
    let bed = Bed::new();
    let Some(disk) = Disk::of(&bed) else { return };
    std::fs::write(disk.path.join("filler"), vec![0; 1_600_000]).unwrap();
    let mut run = bed.start_in(&disk.path, &bed.spec("seq 1 40000"));
    until(|| rustix::fs::statvfs(&disk.path).unwrap().f_bavail == 0).await;
    disk.make_room();
    assert_eq!(run.end().await, DONE);
    assert_eq!(run.outs(), (1..=40_000).map(|n: u32| n.to_string()).collect::<Vec<_>>());
    assert!(run.seen.iter().any(is_told));
}

#[tokio::test]
async fn one_that_ends_while_the_disk_is_full_has_its_end_in_the_log() {
    let bed = Bed::new();
    let Some(disk) = Disk::of(&bed) else { return };
    let mut run = bed.start_in(&disk.path, &bed.spec(&format!("read -r x; {LONG_LINE}")));
    run.until(|record| matches!(record, Record::Started { .. })).await;
    disk.fill();
    run.send(1, "go");
    run.is_stuck().await;
    run.is_gone().await;
    disk.make_room();
    assert_eq!(run.end().await, DONE);
    assert_eq!(run.outs(), ["a".repeat(9000)]);
}

#[tokio::test]
async fn what_is_in_the_pipe_is_read_however_long_the_disk_was_full() {
    let mut bed = Bed::new();
    // So that it was full for longer.
    bed.runs.pipes_close_within = Duration::ZERO;
    let Some(disk) = Disk::of(&bed) else { return };
    // Several: whether the pipe or the time comes first is left to chance.
    let pipes: Vec<_> = (0..8).map(|n| bed.dir.path().join(format!("pipe-{n}"))).collect();
    let mut runs = Vec::new();
    for pipe in &pipes {
        let wait = format!("read -r x < {}", pipe.display());
        let script =
            format!("mkfifo {}; read -r x; {LONG_LINE}; {wait}; seq 1 5000", pipe.display());
        let mut run = bed.start_in(&disk.path, &bed.spec(&script));
        run.until(|record| matches!(record, Record::Started { .. })).await;
        runs.push(run);
    }
    disk.fill();
    for (run, pipe) in runs.iter().zip(pipes) {
        run.send(1, "go");
        run.is_stuck().await;
        release(pipe).await;
        run.is_gone().await;
    }
    disk.make_room();
    for mut run in runs {
        assert_eq!(run.end().await, DONE);
        let written = std::iter::once("a".repeat(9000)).chain((1..=5000).map(|n| n.to_string()));
        assert!(run.outs().into_iter().eq(written), "{} lines", run.outs().len());
    }
}

#[tokio::test]
async fn the_time_for_pipes_to_close_begins_when_there_is_room() {
    let bed = Bed::new();
    let Some(disk) = Disk::of(&bed) else { return };
    let pipe = bed.dir.path().join("pipe");
    // Found neither by its group nor by its mark.
    let late = format!("echo here; read -r x < {}; echo late", pipe.display());
    let script =
        format!("mkfifo {}; setsid env -i sh -c '{late}' & read -r x; {LONG_LINE}", pipe.display());
    let mut run = bed.start_in(&disk.path, &bed.spec(&script));
    run.until_out("here").await;
    disk.fill();
    run.send(1, "go");
    run.is_stuck().await;
    run.is_gone().await;
    // This is the time that must not count.
    tokio::time::sleep(bed.runs.pipes_close_within).await;
    disk.make_room();
    run.until(is_told).await;
    release(pipe).await;
    assert_eq!(run.end().await, DONE);
    assert_eq!(run.outs().last().map(String::as_str), Some("late"));
}
