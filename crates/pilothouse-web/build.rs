//! Builds the browser client and writes the table of its files. Writes to the target directory only,
//! but for `web/node_modules`, which npm fills.

#![allow(clippy::print_stdout, reason = "that is how a build script speaks to cargo")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

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
    let dist = match client(&web, &out) {
        Ok(dist) => dist,
        Err(Trouble::Broken(why)) => return failed(&why),
        Err(Trouble::CannotBuild(why)) => {
            println!("cargo::warning=the browser client is not built in: {why}");
            match note(&out, &why) {
                Ok(dist) => dist,
                Err(error) => return failed(&error.to_string()),
            }
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

enum Trouble {
    /// The sources are at fault.
    Broken(String),
    /// The machine is: everything else can be built all the same.
    CannotBuild(String),
}

/// The directory with the built client.
fn client(web: &Path, out: &Path) -> Result<PathBuf, Trouble> {
    if let Some(dist) = std::env::var_os("PILOTHOUSE_WEB_DIST") {
        let dist = PathBuf::from(dist);
        println!("cargo::rerun-if-changed={}", dist.display());
        return Ok(dist);
    }
    if std::env::var_os("PILOTHOUSE_WEB_SKIP").is_some() {
        return Err(Trouble::CannotBuild("PILOTHOUSE_WEB_SKIP is set".to_owned()));
    }
    let missing = |why: String| Trouble::CannotBuild(why);
    if !is_installed(web) {
        npm(web, &["ci"], None).map_err(missing)?;
    }
    npm(web, &["--version"], None).map_err(missing)?;
    let dist = out.join("dist");
    npm(web, &["run", "build"], Some(&dist)).map_err(Trouble::Broken)?;
    Ok(dist)
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
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let end: Vec<&str> = said.lines().rev().take(20).collect();
    let end: Vec<&str> = end.into_iter().rev().collect();
    Err(format!("`npm {}` in web/ failed: {}", args.join(" "), end.join(" | ")))
}

/// A client of one page, which says that there is none.
fn note(out: &Path, why: &str) -> io::Result<PathBuf> {
    let dist = out.join("note");
    fs::create_dir_all(&dist)?;
    let why = why.replace('&', "&amp;").replace('<', "&lt;");
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Pilothouse</title>\n\
         <h1>Pilothouse runs, without its browser client</h1>\n\
         <p>This program was built where the client could not be: {why}</p>\n\
         <p>Install Node 20.19 or newer with npm and build it again, or build the client alone with \
         <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code> and name its \
         <code>dist</code> in <code>PILOTHOUSE_WEB_DIST</code> for <code>cargo build</code>.</p>\n\
         <p>The API works: see <code>/api/openapi.json</code>.</p>\n"
    );
    fs::write(dist.join("index.html"), page)?;
    Ok(dist)
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
