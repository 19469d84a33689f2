//! A full disk: the CLI waits, nothing is lost.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use pilothouse_host::wirelog::Record;

use super::bed::{Bed, PATIENCE, is_exit, outs, plain, until};

/// A small disk, in a mount namespace that a waiting shell keeps.
struct SmallDisk {
    shell: Child,
    path: PathBuf,
}

impl SmallDisk {
    /// Nothing where namespaces are not allowed.
    #[allow(clippy::disallowed_methods)]
    fn mount(bed: &Bed) -> Option<Self> {
        let script =
            r#"mount -t tmpfs -o size=2m,mode=700 small "$1" && echo ready && read -r end"#;
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]);
        command.arg(bed.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn().ok()?;
        let mut line = String::new();
        BufReader::new(shell.stdout.take()?).read_line(&mut line).ok()?;
        let root = format!("/proc/{}/root", shell.id());
        let path = PathBuf::from(root).join(bed.path().strip_prefix("/").ok()?);
        match line.trim() {
            "ready" if std::fs::write(path.join("try"), "").is_ok() => Some(Self { shell, path }),
            _ => None,
        }
    }

    fn free(&self) -> u64 {
        rustix::fs::statvfs(&self.path).expect("a file system").f_bavail
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

#[test]
fn a_full_disk_makes_the_cli_wait_and_loses_nothing() {
    let bed = Bed::new();
    let Some(disk) = SmallDisk::mount(&bed) else {
        eprintln!("no namespaces here: not tested");
        return;
    };
    let filler = disk.path.join("filler");
    std::fs::write(&filler, vec![0; 1_600_000]).expect("there is room");
    // A long line, so that there is something to spill, and many short ones.
    let script = "seq 1 40000; head -c 300000 /dev/zero | tr '\\0' a; echo; seq 1 10000";
    let mut spec = bed.spec(script);
    spec.cwd = pilothouse_host::holder::Text("/".into());
    let run = bed.start_in(&disk.path, &spec);
    let mut link = run.attach(0);
    let began = std::time::Instant::now();
    while disk.free() > 0 {
        assert!(began.elapsed() < PATIENCE, "the disk never gets full");
        std::thread::yield_now();
    }
    std::fs::remove_file(&filler).expect("room again");
    let seen = plain(&until(&mut link, is_exit));
    let mut expected: Vec<_> = (1..=40_000).map(|n| n.to_string()).collect();
    expected.push("a".repeat(300_000));
    expected.extend((1..=10_000).map(|n| n.to_string()));
    assert_eq!(outs(&seen), expected);
    let told =
        |it: &Record| matches!(it, Record::Note { text, .. } if text.starts_with(b"nothing could"));
    assert!(seen.iter().any(told));
}
