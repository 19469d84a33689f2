//! Builds the browser client and writes the table of its files. Writes to the target directory only,
//! but for `web/node_modules`, which npm fills.

#![allow(clippy::print_stdout, reason = "that is how a build script speaks to cargo")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

#[path = "build/node.rs"]
mod node;

/// What the client is made from, in `web/`.
const SOURCES: [&str; 9] = [
    "api",
    "build",
    "index.html",
    "package-lock.json",
    "package.json",
    "public",
    "src",
    "svelte.config.js",
    "vite.config.ts",
];

/// The Node that can build it, as it is told to people.
const NODE: &str = "20.19 or newer (of 22: 22.12 or newer)";

/// How much of what npm says is passed on when it fails.
const MOST_LINES: usize = 60;

fn main() -> ExitCode {
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else {
        return failed("cargo gave no OUT_DIR");
    };
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", web.join(source).display());
    }
    println!("cargo::rerun-if-env-changed=PILOTHOUSE_WEB_SKIP");
    println!("cargo::rerun-if-env-changed=PILOTHOUSE_WEB_DIST");
    let built = client(&web, &out);
    if let Err(Trouble::CannotBuild(why) | Trouble::NotWanted(why)) = &built
        && let Err(error) = note(&out.join("note"), why)
    {
        return failed(&error.to_string());
    }
    let dist = match built {
        Ok(dist) => dist,
        Err(Trouble::Broken(why)) => return failed(&why),
        Err(Trouble::CannotBuild(why)) => {
            println!("cargo::warning=the browser client is NOT built in: {why}");
            println!(
                "cargo::warning=the next build tries again; PILOTHOUSE_WEB_SKIP=1 leaves it out"
            );
            // Of what is not there Cargo says that it has changed, so that this is run again: what
            // was missing may be there by then, and nothing else would tell.
            println!("cargo::rerun-if-changed={}", out.join("never").display());
            out.join("note")
        }
        Err(Trouble::NotWanted(why)) => {
            println!("cargo::warning=the browser client is not built in: {why}");
            out.join("note")
        }
    };
    match table(&dist).and_then(|table| fs::write(out.join("files.rs"), table)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("cannot list {}: {error}", dist.display())),
    }
}

fn failed(why: &str) -> ExitCode {
    println!("cargo::error={}", why.replace('\n', " "));
    ExitCode::FAILURE
}

/// Says to who watches the build what takes so long. Cargo keeps what a build script writes to itself
/// until its end, and npm may take minutes.
fn progress(what: &str) {
    if let Ok(mut terminal) = fs::OpenOptions::new().write(true).open("/dev/tty") {
        let _ = io::Write::write_all(&mut terminal, format!("\r\x1b[K{what}\n").as_bytes());
    }
}

enum Trouble {
    /// The sources are at fault.
    Broken(String),
    /// The machine is: everything else can be built all the same.
    CannotBuild(String),
    /// Somebody has said so.
    NotWanted(String),
}

/// The directory with the built client.
fn client(web: &Path, out: &Path) -> Result<PathBuf, Trouble> {
    if let Some(dist) = std::env::var_os("PILOTHOUSE_WEB_DIST") {
        let dist = PathBuf::from(dist);
        println!("cargo::rerun-if-changed={}", dist.display());
        return Ok(dist);
    }
    if std::env::var_os("PILOTHOUSE_WEB_SKIP").is_some() {
        return Err(Trouble::NotWanted("PILOTHOUSE_WEB_SKIP is set".to_owned()));
    }
    check_node().map_err(Trouble::CannotBuild)?;
    if !is_installed(web) {
        progress("pilothouse-web: npm fetches what the browser client is built with …");
        npm(web, &["ci"], None).map_err(Trouble::CannotBuild)?;
    }
    npm(web, &["--version"], None).map_err(Trouble::CannotBuild)?;
    progress("pilothouse-web: npm builds the browser client …");
    let dist = out.join("dist");
    npm(web, &["run", "build"], Some(&dist)).map_err(Trouble::Broken)?;
    Ok(dist)
}

/// An old one fails somewhere in the middle, with a word that nobody understands.
fn check_node() -> Result<(), String> {
    let wanted = format!("install Node {}", NODE);
    let output = Command::new("node").arg("--version").output();
    let output = output.map_err(|error| format!("node cannot be started ({error}): {wanted}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    match node::is_new_enough(&version) {
        true => Ok(()),
        false => Err(format!("Node {} is too old: {wanted}", version.trim())),
    }
}

/// Whether what the lock file names is there.
fn is_installed(web: &Path) -> bool {
    let age = |name: &str| fs::metadata(web.join(name)).and_then(|data| data.modified()).ok();
    match (age("node_modules/.package-lock.json"), age("package-lock.json")) {
        (Some(installed), Some(wanted)) => installed >= wanted,
        _ => false,
    }
}

fn npm(web: &Path, args: &[&str], dist: Option<&Path>) -> Result<(), String> {
    let name = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut command = Command::new(name);
    command.args(args).current_dir(web);
    if let Some(dist) = dist {
        command.env("PILOTHOUSE_WEB_OUT", dist);
    }
    let output = command.output().map_err(|error| format!("npm cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    for line in said(&output) {
        println!("cargo::warning=npm: {line}");
    }
    Err(format!("`npm {}` in web/ failed", args.join(" ")))
}

/// The end of what a program wrote; its beginning is seldom what matters.
fn said(output: &Output) -> Vec<String> {
    let said = [&*output.stdout, &*output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<_> = said.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let start = lines.len().saturating_sub(MOST_LINES);
    lines.iter().skip(start).map(ToString::to_string).collect()
}

/// A client of one page, which says that there is none.
fn note(dist: &Path, why: &str) -> io::Result<()> {
    fs::create_dir_all(dist)?;
    let why = why.replace('&', "&amp;").replace('<', "&lt;");
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Pilothouse</title>\n\
         <h1>Pilothouse runs, without its browser client</h1>\n\
         <p>This program was built where the client could not be: {why}</p>\n\
         <p>Install Node {} with npm and build it again, or build the client alone with \
         <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code> and name its \
         <code>dist</code> in <code>PILOTHOUSE_WEB_DIST</code> for <code>cargo build</code>.</p>\n\
         <p>The API works: see <code>/api/openapi.json</code>.</p>\n",
        NODE,
    );
    fs::write(dist.join("index.html"), page)
}

/// Rust code for the table.
fn table(dist: &Path) -> io::Result<String> {
    let mut files = BTreeMap::new();
    list(&mut files, dist, "")?;
    let mut code = String::from("/// All files of the client.\npub const FILES: &[File] = &[\n");
    for (name, path) in files.iter().filter(|(name, _)| !name.ends_with(".br")) {
        let brotli = match files.get(&format!("{name}.br")) {
            Some(path) => format!("Some(include_bytes!({path:?}))"),
            None => "None".to_owned(),
        };
        let _ = writeln!(
            code,
            "    File {{ path: {name:?}, bytes: include_bytes!({path:?}), brotli: {brotli} }},"
        );
    }
    code.push_str("];\n");
    Ok(code)
}

fn list(files: &mut BTreeMap<String, PathBuf>, directory: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            list(files, &path, &format!("{name}/"))?;
        } else {
            files.insert(name, fs::canonicalize(path)?);
        }
    }
    Ok(())
}
