//! What is known about names: of variables, commands and their options.
//!
//! The tables lean one way: a name that is missing from a table of harmless things is asked about;
//! the tables of dangerous things only narrow what a `*` in a pattern stands for.

/// Variables that change how a program looks, not what it runs. A command pattern says nothing
/// about variables, so only these pass in front of a command without being named.
const HARMLESS: &[&str] = &[
    "CARGO_INCREMENTAL",
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "GIT_TERMINAL_PROMPT",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TZ",
];

/// Whether a variable may stand before a command that a pattern allows.
pub(crate) fn is_harmless_environment(name: &str) -> bool {
    HARMLESS.contains(&name)
}

/// Whether a variable of the script itself: lower case, and none of the few lower-case names that
/// programs or shells act upon.
pub(super) fn is_harmless_local(name: &str) -> bool {
    const TELLING: &[&str] =
        &["proxy", "path", "config", "opt", "argv", "prompt", "npm", "pip", "hist", "command"];
    let local = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(local)
        && !TELLING.iter().any(|telling| name.contains(telling))
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Signs and reserved words that need no more looking at than what stands between them.
pub(super) fn is_sign(kind: &str) -> bool {
    matches!(
        kind,
        ";" | "&"
            | "&&"
            | "||"
            | "|"
            | "|&"
            | "\n"
            | "("
            | ")"
            | "{"
            | "}"
            | "$("
            | "`"
            | "<("
            | ">("
            | ";;"
            | ";&"
            | ";;&"
            | "!"
            | "if"
            | "then"
            | "elif"
            | "else"
            | "fi"
            | "while"
            | "until"
            | "do"
            | "done"
            | "for"
            | "select"
            | "in"
            | "case"
            | "esac"
    )
}

/// Characters that a person reading the command does not see, or that shells and people read
/// differently.
pub(super) fn is_invisible(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || (c.is_whitespace() && !c.is_ascii())
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// The file name of a command.
pub(super) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether what follows may happen in another directory.
pub(super) fn may_move(name: &str) -> bool {
    matches!(base(name), "cd" | "pushd" | "popd" | "source" | "." | "z")
}

/// Commands that change what other commands mean, or run text later. A pattern must spell their
/// name; `*` as a name does not stand for them.
pub(crate) fn must_be_spelled(name: &str) -> bool {
    matches!(
        base(name),
        "." | "alias"
            | "bind"
            | "builtin"
            | "command"
            | "complete"
            | "compgen"
            | "coproc"
            | "enable"
            | "eval"
            | "exec"
            | "fc"
            | "hash"
            | "mapfile"
            | "readarray"
            | "repeat"
            | "set"
            | "shopt"
            | "source"
            | "trap"
            | "unalias"
            | "noglob"
            | "nocorrect"
            | "-"
            | "sudo"
            | "doas"
    )
}

/// Builtins that compute with their words: `test -v 'a[$(rm x)]'` runs what is in the quotes, and
/// so does comparing numbers where a variable holds the same.
pub(crate) fn is_code_word(name: &str, word: &str) -> bool {
    let computes = matches!(
        base(name),
        "[" | "test"
            | "declare"
            | "typeset"
            | "local"
            | "export"
            | "readonly"
            | "unset"
            | "printf"
            | "read"
            | "wait"
            | "mapfile"
            | "readarray"
            | "getopts"
            | "shift"
            | "exit"
            | "return"
            | "break"
            | "continue"
            | "ulimit"
            | "integer"
            | "float"
            | "print"
            | "vared"
    );
    let tests = matches!(base(name), "[" | "test") && is_numeric_test(word);
    base(name) == "let" || tests || (computes && word.contains(['$', '`', '[']))
}

/// Operators whose operands are computed, by bash in `[[` and by zsh everywhere.
pub(super) fn is_numeric_test(word: &str) -> bool {
    matches!(word, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R" | "-t")
}

/// Whether a word of a builtin sets a variable that programs or shells act upon, or may: all that
/// follows would see it.
pub(crate) fn is_declaration(name: &str, word: &str) -> bool {
    let set = word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or(word);
    let own = is_harmless_local(set) || is_harmless_environment(set);
    match base(name) {
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            // Options make numbers or references of variables.
            word.starts_with(['-', '+']) || (word.contains('=') && !is_harmless_environment(set))
        }
        "read" | "mapfile" | "readarray" | "getopts" | "unset" => !set.is_empty() && !own,
        "printf" => word.starts_with("-v"),
        _ => false,
    }
}

/// Options by which a program that reads becomes one that writes or runs. `*` does not stand for
/// them: `find *` does not allow `find . -delete`.
fn risky_options(command: &str) -> &'static [&'static str] {
    match command {
        "find" => &[
            "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf",
            "-fls",
        ],
        "fd" | "fdfind" => &["-x", "-X", "--exec", "--exec-batch"],
        "git" => &[
            "-c",
            "-C",
            "-O",
            "-x",
            "--config-env",
            "--exec-path",
            "--exec",
            "--output",
            "--upload-pack",
            "--receive-pack",
            "--ext-diff",
            "--textconv",
            "--open-files-in-pager",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--super-prefix",
            "--output-directory",
            "--extcmd",
            "--template",
        ],
        "rg" => &["--pre", "--hostname-bin", "--search-zip", "-z"],
        "grep" | "egrep" | "fgrep" | "ls" | "wc" | "cat" | "head" | "tail" => &[],
        "sort" => &["-o", "--output", "--compress-program", "-T", "--temporary-directory"],
        "sed" => &["-i", "--in-place"],
        "tar" => &[
            "-I",
            "-F",
            "--checkpoint-action",
            "--to-command",
            "--use-compress-program",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
        "tree" => &["-o"],
        "date" => &["-s", "--set"],
        "yq" => &["-i", "--inplace"],
        "man" => &["-P", "--pager", "-H", "--html"],
        "diff" => &["--to-file", "--from-file", "-l", "--paginate"],
        "less" | "more" => &["-o", "-O", "--log-file", "--LOG-FILE", "-k", "--lesskey-file"],
        "rsync" => &["-e", "--rsh", "--rsync-path"],
        "ssh" | "scp" | "sftp" => &["-o", "-S", "-F"],
        "go" => &["-exec", "-toolexec", "-overlay", "-modfile"],
        "cargo" => &["--config"],
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "fish" => {
            &["-c", "--init-file", "--rcfile", "--command", "--init-command"]
        }
        _ => &[],
    }
}

/// Whether `word` is an option of `name` that a `*` does not stand for. Long options may be
/// shortened and short ones bundled.
pub(crate) fn is_risky(name: &str, word: &str) -> bool {
    let long = |word: &str, option: &str| {
        let given = word.split('=').next().unwrap_or(word);
        given.len() > 2 && option.starts_with(given)
    };
    let bundle = |option: &str| {
        let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
        letter.is_some_and(|letter| !word.starts_with("--") && word[1..].contains(letter))
    };
    word.starts_with('-')
        && risky_options(base(name)).iter().any(|option| {
            word == *option
                || (option.starts_with("--") && word.starts_with("--") && long(word, option))
                || bundle(option)
        })
}

/// Whether `name` has options for which it matters that a word is none.
pub(crate) fn reads_options(name: &str) -> bool {
    !risky_options(base(name)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_seen_shortened_and_bundled() {
        assert!(is_risky("sort", "--out=x"));
        assert!(is_risky("sort", "-uo"));
        assert!(is_risky("/usr/bin/find", "-delete"));
        assert!(is_risky("git", "--output=x"));
        assert!(!is_risky("git", "--oneline"));
        assert!(!is_risky("git", "--stat"));
        assert!(!is_risky("find", "-name"));
        assert!(!is_risky("ls", "-la"));
        assert!(!is_risky("git", "--"));
    }

    #[test]
    fn only_plain_lower_case_variables_are_the_scripts_own() {
        for name in ["x", "file", "my_dir2"] {
            assert!(is_harmless_local(name), "{name}");
        }
        for name in ["PATH", "http_proxy", "path", "fpath", "npm_config_x", "_", "Ifs", ""] {
            assert!(!is_harmless_local(name), "{name}");
        }
    }
}
