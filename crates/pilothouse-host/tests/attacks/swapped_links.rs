//! Reads while somebody swaps files and directories for links that lead outside.
//!
//! A thread renames as fast as it can. Whatever an endpoint finds at that moment, it must never show
//! anything of what is outside.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use serde_json::json;

use super::served::Served;

/// Stands in every file outside.
const SECRET: &str = "s3cret-outside";
/// Stands in the names of files and directories outside.
const SECRET_NAME: &str = "n4me-outside";
/// Stands in every file inside.
const INSIDE: &str = "plain-inside";
/// A PNG of one pixel.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

/// Swaps `place` with `other` until it is dropped.
struct Swapper {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<u64>>,
}

impl Swapper {
    fn start(place: PathBuf, other: PathBuf) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&done);
        let aside = place.with_extension("aside");
        let thread = std::thread::spawn(move || {
            let mut swaps = 0;
            while !stop.load(Ordering::Relaxed) {
                std::fs::rename(&place, &aside).unwrap();
                std::fs::rename(&other, &place).unwrap();
                std::fs::rename(&place, &other).unwrap();
                std::fs::rename(&aside, &place).unwrap();
                swaps += 2;
            }
            swaps
        });
        Self { done, thread: Some(thread) }
    }

    /// Stops, and returns how often it has swapped.
    fn stop(mut self) -> u64 {
        self.done.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

/// What is swapped, and what a link there leads to.
struct Swap {
    name: &'static str,
    /// Below the working directory.
    place: &'static str,
    /// Outside of it.
    leads_to: &'static str,
}

const SWAPS: [Swap; 4] = [
    Swap { name: "a file", place: "top.txt", leads_to: "outside/top.txt" },
    Swap { name: "a directory", place: "dir", leads_to: "outside" },
    Swap { name: "a directory above", place: "deep", leads_to: "outside/deep" },
    Swap { name: "a picture", place: "dir/pixel.png", leads_to: "outside/pixel.png" },
];

/// An endpoint with a path that a swap can lead outside, and how many reads. The diff is not among
/// them: `git` opens files by name, and follows links that are swapped in while it reads.
const READS: [(&str, usize); 17] = [
    ("/sessions/ID/files/read?path=top.txt", 200),
    ("/sessions/ID/files/read?path=dir/file.txt", 200),
    ("/sessions/ID/files/read?path=deep/er/file.txt", 200),
    ("/sessions/ID/files/read?path=dir/../dir/file.txt", 80),
    ("/sessions/ID/files/read?path=./dir//file.txt", 80),
    ("/sessions/ID/files/read?path=dir", 40),
    ("/sessions/ID/files/image?path=dir/pixel.png", 200),
    ("/sessions/ID/files/list", 80),
    ("/sessions/ID/files/list?path=dir", 200),
    ("/sessions/ID/files/list?path=deep/er", 200),
    ("/sessions/ID/files/list?path=deep/er/..", 80),
    ("/sessions/ID/files/complete?q=", 40),
    ("/sessions/ID/files/complete?q=n4me", 40),
    ("/sessions/ID/files/complete?q=dir/", 40),
    ("/directories?path=WORK/dir", 80),
    ("/directories?path=WORK/deep/er", 80),
    ("/sessions/ID/attachments", 20),
];

fn tree(top: &Path, word: &str, name: &str) {
    for dir in ["", "er", "deep/er"] {
        let dir = top.join(dir);
        std::fs::create_dir_all(dir.join(format!("{name}-dir"))).unwrap();
        for file in ["top.txt", "file.txt", &format!("{name}.txt")] {
            std::fs::write(dir.join(file), word).unwrap();
        }
        std::fs::write(dir.join("pixel.png"), [PNG, word.as_bytes()].concat()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_outside_is_read_through_swapped_links() {
    let served = Served::new().await;
    let work = served.bed.path("work").canonicalize().unwrap();
    let top = work.parent().unwrap().to_owned();
    tree(&top.join("outside"), SECRET, SECRET_NAME);
    tree(&work, INSIDE, "name");
    tree(&work.join("dir"), INSIDE, "name");
    let session = served.session(json!({})).await;
    let (mut reads, mut shown, mut swaps) = (0, 0, 0);
    for swap in SWAPS {
        let link = top.join("link");
        symlink(top.join(swap.leads_to), &link).unwrap();
        let swapper = Swapper::start(work.join(swap.place), link.clone());
        for (path, times) in READS {
            let path = path.replace("ID", &session.to_string());
            let path = format!("/api/v1{}", path.replace("WORK", work.to_str().unwrap()));
            for _ in 0..times {
                let answer = served.client.get(&path).await;
                let text = String::from_utf8_lossy(&answer.bytes);
                if let Some(at) = text.find(SECRET) {
                    let near = text[..at].chars().rev().take(300).collect::<Vec<_>>();
                    let near: String = near.into_iter().rev().collect();
                    panic!("{}: {path}: …{near}{SECRET}", swap.name);
                }
                assert!(!text.contains(SECRET_NAME), "{}: {path}: {text}", swap.name);
                assert!(answer.status < 500, "{}: {path}: {text}", swap.name);
                reads += 1;
                shown += usize::from(answer.status == 200);
            }
        }
        swaps += swapper.stop();
        std::fs::remove_file(&link).unwrap();
    }
    assert!(shown > reads / 10, "{shown} of {reads} reads found something");
    assert!(swaps > 1000, "{swaps} swaps");
    served.host.close().await;
}
