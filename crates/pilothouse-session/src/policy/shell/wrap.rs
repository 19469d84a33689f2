//! Commands that run other commands: `timeout 5 make`, `sh -c '…'`, `find -exec`, `xargs`, `sudo`.
//!
//! Where the inner command can be told for sure, it takes the place of the outer one: a pattern
//! that allows `make` allows `timeout 5 make`, and no pattern that names `timeout` lets anything
//! else through. Where it cannot, the whole is opaque. The others (`sudo` above all) stay as they
//! are, but an allowing pattern must spell the command behind them. Rules that deny see both sides.

use super::tree::Walk;
use super::{Assign, Certainty, Command, Dialect, Kind, Part, Word, known, parse_into};

const ODD: &str = "runs another command in a way that is not understood";
const MAX_WRAPS: usize = 8;

/// What the first word of a command makes of the others.
enum Reading {
    /// A command of its own.
    Itself,
    /// Runs the rest, from that word on.
    Runs(Command),
    /// Runs this text.
    Script(String, Dialect),
    /// `find` with what it runs on each file.
    Find(Command, Vec<Command>),
    /// Runs the rest with other rights or from elsewhere.
    Carries,
    Unclear,
}

/// Adds what `command` runs to the parts.
pub(super) fn unwrap(walk: &mut Walk<'_>, mut command: Command, wraps: usize) {
    if command.words.is_empty() {
        // A value that looks like code is run where another command computes with it.
        let own = |assign: &Assign| {
            let value = assign.value.as_plain().unwrap_or_default();
            known::is_harmless_local(&assign.name) && !value.contains(['$', '`', '['])
        };
        walk.parts.push(match command.assigns.iter().all(own) {
            true => {
                let words = command.assigns.into_iter().map(|assign| assign.value).collect();
                Part::Words { words, text: command.text }
            }
            false => Part::Run(command),
        });
        return;
    }
    let reading = if wraps < MAX_WRAPS { read(&command) } else { Reading::Unclear };
    let mention = Part::Mention(command.clone(), Certainty::Known);
    match reading {
        Reading::Itself => walk.parts.push(Part::Run(command)),
        Reading::Runs(inner) => {
            walk.parts.push(mention);
            unwrap(walk, inner, wraps + 1);
        }
        Reading::Script(text, dialect) => {
            walk.parts.push(mention);
            let environment = |a: &Assign| known::is_harmless_environment(&a.name);
            if !command.assigns.iter().all(environment) {
                unclear(walk, &command, "sets a variable for a whole script");
            }
            parse_into(walk.parts, &text, dialect, walk.level + 1);
        }
        Reading::Find(find, inner) => {
            walk.parts.push(mention);
            walk.parts.push(Part::Run(find));
            for command in inner {
                unwrap(walk, command, wraps + 1);
            }
        }
        Reading::Carries => {
            command.spelled = spelled(&command.words);
            guess(walk, &command);
            walk.parts.push(Part::Run(command));
        }
        Reading::Unclear => {
            guess(walk, &command);
            unclear(walk, &command, ODD);
            walk.parts.push(mention);
        }
    }
}

fn unclear(walk: &mut Walk<'_>, command: &Command, why: &'static str) {
    walk.parts.push(Part::opaque(why, &command.text));
}

/// Every word may be the name of the inner command; the first is, if it is no option.
fn guess(walk: &mut Walk<'_>, command: &Command) {
    const FAR: usize = 16;
    let first = command.words.get(1).and_then(Word::as_plain);
    let direct = first.is_some_and(|word| !word.starts_with('-') && !word.contains('='));
    for at in 1..command.words.len().min(FAR) {
        let words = command.words[at..].to_vec();
        let text = command.text.clone();
        let inner = Command { words, text, is_derived: true, ..Command::default() };
        let known = direct && at == 1;
        let certainty = if known { Certainty::Known } else { Certainty::Guessed };
        walk.parts.push(Part::Mention(inner, certainty));
    }
}

/// Up to which word a pattern must spell a command that another one carries.
fn spelled(words: &[Word]) -> usize {
    let all = words.len().saturating_sub(1);
    let outer = words.first().and_then(Word::as_plain).map(known::base);
    let first = outer.is_some_and(|name| LEADING.contains(&name));
    let inner = words.get(1).and_then(Word::as_plain);
    let simple = inner.is_some_and(|name| {
        let alone =
            Command { words: vec![Word::plain(name), Word::plain("x")], ..Command::default() };
        let plain = !name.starts_with('-') && !name.contains('=');
        plain && !is_shell(name) && matches!(read(&alone), Reading::Itself)
    });
    if first && simple { 1.min(all) } else { all }
}

pub(super) fn is_shell(name: &str) -> bool {
    matches!(known::base(name), "bash" | "sh" | "dash" | "zsh" | "ksh" | "fish" | "pwsh")
}

fn read(command: &Command) -> Reading {
    let words = &command.words;
    let Some(name) = words[0].as_plain() else { return Reading::Itself };
    let name = name.strip_prefix("/usr").unwrap_or(name);
    let name = name.strip_prefix("/bin/").unwrap_or(name);
    let rest = |at: Option<usize>| match at {
        Some(at) if at < words.len() => Reading::Runs(from(command, at)),
        _ => Reading::Unclear,
    };
    match name {
        _ if words.len() == 1 && (is_carrier(name) || is_shell(name)) => Reading::Unclear,
        "xargs" => xargs(command),
        "eval" => match words[1..].iter().map(Word::as_plain).collect::<Option<Vec<_>>>() {
            Some(words) if !words.is_empty() => Reading::Script(words.join(" "), Dialect::Bash),
            _ => Reading::Unclear,
        },
        _ if words.len() == 1 => Reading::Itself,
        "command" if matches!(words[1].as_plain(), Some("-v" | "-V")) => Reading::Itself,
        "nohup" | "setsid" | "builtin" | "command" | "exec" => rest(options(words, &[], &[])),
        "time" => rest(options(words, &["-p"], &[])),
        "timeout" => {
            let flags = ["--foreground", "--preserve-status", "-v", "--verbose"];
            rest(options(words, &flags, &["-k", "-s", "--kill-after", "--signal"]).map(|at| at + 1))
        }
        "nice" => rest(options(words, &[], &["-n", "--adjustment"])),
        "stdbuf" => rest(options(words, &["-oL", "-o0", "-eL", "-e0", "-i0"], &["-o", "-e", "-i"])),
        "env" => env(command),
        "bash" => script(words, Dialect::Bash),
        "sh" | "dash" => script(words, Dialect::Posix),
        "zsh" | "ksh" | "fish" | "pwsh" | "su" | "runuser" => Reading::Unclear,
        "find" => find(command),
        _ if is_carrier(name) => Reading::Carries,
        _ => Reading::Itself,
    }
}

/// Programs that run the command that follows them.
const LEADING: [&str; 14] = [
    "sudo",
    "doas",
    "busybox",
    "toybox",
    "strace",
    "ltrace",
    "valgrind",
    "caffeinate",
    "chronic",
    "unbuffer",
    "coproc",
    "noglob",
    "nocorrect",
    "rlwrap",
];
/// Programs that run a command that stands somewhere among their arguments.
const AMONG: [&str; 34] = [
    "ionice",
    "chrt",
    "taskset",
    "watch",
    "parallel",
    "chroot",
    "unshare",
    "nsenter",
    "flock",
    "script",
    "systemd-run",
    "firejail",
    "bwrap",
    "xvfb-run",
    "entr",
    "perf",
    "hyperfine",
    "gdb",
    "repeat",
    "pkexec",
    "setpriv",
    "prlimit",
    "numactl",
    "cmd",
    "arch",
    "linux32",
    "linux64",
    "dbus-run-session",
    "start-stop-daemon",
    "at",
    "batch",
    "crontab",
    "expect",
    "-",
];

fn is_carrier(name: &str) -> bool {
    let name = known::base(name);
    LEADING.contains(&name) || AMONG.contains(&name)
}

/// The command from word `at` on.
fn from(command: &Command, at: usize) -> Command {
    let words = command.words[at..].to_vec();
    let assigns = command.assigns.clone();
    Command { assigns, text: text(&words), words, spelled: 0, is_derived: true }
}

fn text(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The first word after the options, if all of them are known: `flags` stand alone, `values` take
/// one, in the same word or the next.
fn options(words: &[Word], flags: &[&str], values: &[&str]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let option = word.as_plain()?;
        if !option.starts_with('-') {
            return Some(at);
        }
        let carries = |name: &&&str| {
            let rest = option.strip_prefix(**name).unwrap_or_default();
            if name.starts_with("--") { rest.starts_with('=') } else { !rest.is_empty() }
        };
        at += match option {
            "--" => return Some(at + 1),
            _ if flags.contains(&option) => 1,
            _ if values.contains(&option) => 2,
            _ if values.iter().any(|name| carries(&name)) => 1,
            _ => return None,
        };
    }
    None
}

/// `env A=b command`.
fn env(command: &Command) -> Reading {
    let words = &command.words;
    let mut inner = command.clone();
    let mut at = match words[1].as_plain() {
        Some("-" | "-i" | "--ignore-environment" | "--") => 2,
        Some(word) if !word.starts_with('-') => 1,
        _ => return Reading::Unclear,
    };
    while let Some((name, value)) = words.get(at).and_then(|word| word.text.split_once('=')) {
        if !known::is_name(name) {
            return Reading::Unclear;
        }
        let value = Word { text: value.to_owned(), ..words[at].clone() };
        inner.assigns.push(Assign { name: name.to_owned(), value });
        at += 1;
    }
    match words.get(at) {
        Some(_) => {
            let Command { words, text, .. } = from(command, at);
            Reading::Runs(Command { words, text, is_derived: true, ..inner })
        }
        None => Reading::Itself,
    }
}

/// `xargs command`: with words nobody has seen yet at its end or in place of a mark.
fn xargs(command: &Command) -> Reading {
    const FLAGS: &[&str] =
        &["-0", "-r", "-t", "-x", "--null", "--no-run-if-empty", "--verbose", "-0r"];
    const VALUES: &[&str] = &[
        "-n",
        "-P",
        "-L",
        "-d",
        "-s",
        "-I",
        "--max-args",
        "--max-procs",
        "--max-lines",
        "--delimiter",
    ];
    let words = &command.words;
    let bare = words[1..].iter().all(|word| word.text.starts_with('-'));
    let Some(at) = (if bare { None } else { options(words, FLAGS, VALUES) }) else {
        return Reading::Unclear;
    };
    let mark = words[..at].iter().enumerate().find_map(|(i, word)| {
        let mark = word.text.strip_prefix("-I")?;
        Some(if mark.is_empty() { words[i + 1].text.clone() } else { mark.to_owned() })
    });
    let mut inner = from(command, at);
    if let Some(mark) = mark {
        hide(&mut inner.words, &mark);
    }
    inner.words.push(Word::hidden("…"));
    Reading::Runs(inner)
}

/// Words that hold `mark` become something else when it runs.
fn hide(words: &mut [Word], mark: &str) {
    for word in words.iter_mut().filter(|word| word.text.contains(mark)) {
        word.kind = Kind::Hidden;
    }
}

/// `sh -c 'text' name arguments…`.
fn script(words: &[Word], dialect: Dialect) -> Reading {
    let mut runs_text = false;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(option) = word.as_plain() else { break };
        let Some(letters) = option.strip_prefix(['-', '+']) else { break };
        match option {
            "--" | "-" => {
                at += 1;
                break;
            }
            "--norc" | "--noprofile" | "--login" | "--posix" => {}
            _ if !letters.is_empty() && letters.chars().all(|c| "ceulixfvo".contains(c)) => {
                runs_text |= letters.contains('c');
                at += letters.matches('o').count();
            }
            _ => return Reading::Unclear,
        }
        at += 1;
    }
    match words.get(at) {
        Some(word) if runs_text => match word.as_plain() {
            Some(text) => Reading::Script(text.to_owned(), dialect),
            None => Reading::Unclear,
        },
        Some(_) => Reading::Itself,
        // Reads from its input what to run.
        None => Reading::Unclear,
    }
}

/// `find … -exec command {} ;`: what is left of `find`, and the commands.
fn find(command: &Command) -> Reading {
    let mut left = Vec::new();
    let mut inner = Vec::new();
    let mut words = command.words.iter();
    while let Some(word) = words.next() {
        if !matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
            left.push(word.clone());
            continue;
        }
        let mut run: Vec<Word> = Vec::new();
        let closed = loop {
            match words.next() {
                Some(word) if word.text == ";" => break true,
                Some(word) if word.text == "+" && run.last().is_some_and(|w| w.text == "{}") => {
                    break true;
                }
                Some(word) => run.push(word.clone()),
                None => break false,
            }
        };
        if !closed || run.is_empty() {
            return Reading::Unclear;
        }
        hide(&mut run, "{}");
        let assigns = command.assigns.clone();
        inner.push(Command { assigns, text: text(&run), words: run, spelled: 0, is_derived: true });
    }
    if inner.is_empty() {
        return Reading::Itself;
    }
    let find = Command { words: left, is_derived: true, ..command.clone() };
    Reading::Find(find, inner)
}
