//! Beside a minimal host in Node: one session, many clients, the same lines.
//!
//! Node is given lines as fast as it takes them; ours ten times as many a second, and none may be
//! lost or left out. What is compared is how many lines reach all clients for a second of
//! processor time, and resident memory; of ours with everything that belongs to a session: daemon,
//! holder and guard.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tokio::task::JoinSet;

use super::Terms;
use super::running::run;
use crate::host::bed::Bed;
use crate::host::client::{Client, PATIENCE};
use crate::host::report::Row;
use crate::host::script::{Mark, Plan};
use crate::host::{Outcome, process};

const CLIENTS: usize = 100;

/// How many times Node's lines ours is given, and is to relay for the same processor time.
const TIMES: u64 = 10;

/// What Node says: long enough for its compiler to have done its work.
const NODE_PLAN: Plan = Plan { turns: 60, rate: 0 };

const SECONDS: u64 = 8;

/// What a host has used.
struct Used {
    /// Relayed to all, for each second of processor time.
    lines: f64,
    /// Resident.
    kib: u64,
    /// Of that what is no file's: neither the program nor libraries.
    own_kib: u64,
}

pub(super) async fn measure(terms: &Terms) -> Outcome<Vec<Row>> {
    let node = node(terms, NODE_PLAN).await?;
    let rate = node.lines as u64 * TIMES;
    let ours = ours(terms, Plan::lasting(SECONDS, rate)).await?;
    let mebibytes = |kib: u64| kib as f64 / 1024.0;
    let name = format!("one session, {CLIENTS} clients");
    Ok(vec![
        Row::at_least(
            format!("{name}: lines relayed per processor second, ours to Node's"),
            ours.lines / node.lines,
            TIMES as f64,
            "×",
        ),
        Row::told(
            format!("{name}: lines per processor second, Node's and ours (at {rate} lines/s)"),
            format!("{:.0}, {:.0}", node.lines, ours.lines),
        ),
        Row::at_most(
            format!("{name}: resident, ours to Node's"),
            ours.kib as f64 / node.kib as f64,
            0.1,
            "×",
        ),
        Row::told(
            format!("{name}: resident, ours and Node's"),
            format!("{:.1}, {:.1} MiB", mebibytes(ours.kib), mebibytes(node.kib)),
        ),
        Row::told(
            format!("{name}: of that its own, without programs and libraries, ours and Node's"),
            format!(
                "{:.1}, {:.1} MiB; {:.2}×",
                mebibytes(ours.own_kib),
                mebibytes(node.own_kib),
                ours.own_kib as f64 / node.own_kib as f64
            ),
        ),
    ])
}

async fn ours(terms: &Terms, plan: Plan) -> Outcome<Used> {
    let bed = Bed::new(&terms.programs)?;
    let ids = bed.sessions(1).await?;
    let daemon = bed.daemon()?;
    let ran = run(&bed, &daemon, &ids, (CLIENTS, plan), async { Ok(()) }).await?;
    if ran.lost > 0 || ran.lagged > 0 {
        let (lost, lagged) = (ran.lost, ran.lagged);
        return Err(format!("ours lost {lost} lines, and left out some {lagged} times").into());
    }
    Ok(Used {
        lines: plan.lines() as f64 / (ran.daemon + ran.holders),
        kib: ran.daemon_kib + ran.holders_kib + ran.guards_kib,
        own_kib: ran.own_kib,
    })
}

async fn node(terms: &Terms, plan: Plan) -> Outcome<Used> {
    let host = NodeHost::start(terms)?;
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        clients.push(Client::open(&host.address, "/", None).await?);
    }
    let before = process::seconds(host.child.id()).unwrap_or_default();
    let mut tasks = JoinSet::new();
    for (number, mut client) in clients.into_iter().enumerate() {
        tasks.spawn(async move {
            if number == 0 {
                client.say_text(&plan.prompt()).await?;
            }
            listen(&mut client, plan).await?;
            // Not closed before all have heard everything.
            std::io::Result::Ok(client)
        });
    }
    let mut heard = Vec::new();
    let all = async {
        while let Some(client) = tasks.join_next().await {
            heard.push(client??);
        }
        Outcome::Ok(())
    };
    tokio::time::timeout(PATIENCE, all).await.map_err(|_| "Node's clients wait in vain")??;
    let pid = host.child.id();
    let used = process::seconds(pid).unwrap_or_default() - before;
    let memory = |field| process::memory_kib(pid, field).ok_or("Node has ended");
    let (kib, own_kib) = (memory("VmRSS")?, memory("RssAnon")?);
    Ok(Used { lines: plan.lines() as f64 / used, kib, own_kib })
}

/// Hears every piece and every result.
async fn listen(client: &mut Client, plan: Plan) -> std::io::Result<()> {
    let (mut pieces, mut turns) = (0, 0);
    while turns < plan.turns {
        let message = client.hear().await?;
        let text = std::str::from_utf8(message.text).map_err(std::io::Error::other)?;
        if text.contains("\"text_delta\"") {
            let mark = text.find('@').and_then(|at| Mark::read(text.get(at..)?));
            if mark.is_none_or(|mark| mark.number != pieces) {
                return Err(std::io::Error::other(format!("{mark:?} instead of {pieces}")));
            }
            pieces += 1;
        } else if text.contains("\"type\":\"result\"") {
            turns += 1;
        }
    }
    match pieces == plan.pieces() {
        true => Ok(()),
        false => Err(std::io::Error::other(format!("{pieces} pieces"))),
    }
}

struct NodeHost {
    child: Child,
    address: String,
    _home: tempfile::TempDir,
}

impl NodeHost {
    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    fn start(terms: &Terms) -> Outcome<Self> {
        let source = terms.rivals.join("node-host");
        let modules = install(&source)?;
        let home = tempfile::tempdir()?;
        let mut command = Command::new("node");
        command.arg(source.join("host.mjs")).arg(modules).arg(terms.programs.join("generator"));
        command.env("HOME", home.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.spawn()?;
        let mut host = Self { child, address: String::new(), _home: home };
        let stdout = host.child.stdout.take().ok_or("no stdout")?;
        let mut first = String::new();
        BufReader::new(stdout).read_line(&mut first)?;
        let address = first.trim().strip_prefix("listening on ").ok_or("Node has not started")?;
        host.address = address.to_owned();
        Ok(host)
    }
}

/// Its generator ends with its stdin.
impl Drop for NodeHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Installs what it needs, unless it is there. Gives the directory with `node_modules`.
fn install(source: &Path) -> Outcome<PathBuf> {
    let workspace = source.ancestors().nth(3).ok_or("the sources are not where they were")?;
    let target = workspace.join(".cache/bench/node-host");
    let wanted = std::fs::read(source.join("package.json"))?;
    let stamp = target.join(".installed");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(target);
    }
    std::fs::create_dir_all(&target)?;
    std::fs::write(target.join("package.json"), &wanted)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]);
    let status = npm.arg("--loglevel=error").current_dir(&target).stdout(Stdio::null()).status()?;
    if !status.success() {
        return Err("npm could not install the Node host".into());
    }
    std::fs::write(stamp, wanted)?;
    Ok(target)
}
