//! What a shell command would do, judged by its words. Good enough to ask the right questions, no
//! parser.

/// A line split into its simple commands.
pub(in crate::sim) fn simple_commands(line: &str) -> Vec<String> {
    let mut commands = vec![String::new()];
    let mut quote = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, '>') if characters.peek() == Some(&'&') => {
                // `>&2` joins streams, it does not begin a command.
                push(&mut commands, character);
                push(&mut commands, '&');
                characters.next();
                continue;
            }
            (None, ';' | '|' | '&' | '\n') => {
                commands.push(String::new());
                continue;
            }
            _ => {}
        }
        push(&mut commands, character);
    }
    let commands = commands.iter().map(|command| command.trim().to_owned());
    commands.filter(|command| !command.is_empty()).collect()
}

fn push(commands: &mut [String], character: char) {
    if let Some(command) = commands.last_mut() {
        command.push(character);
    }
}

/// Whether a simple command only looks.
pub(in crate::sim) fn only_reads(command: &str) -> bool {
    if redirects_to_file(command) {
        return false;
    }
    let mut words = command.split_whitespace();
    match words.next() {
        Some("echo" | "pwd" | "ls" | "cat" | "head" | "wc" | "grep" | "rg" | "true" | "false") => {
            true
        }
        Some(
            "which" | "whoami" | "date" | "uname" | "stat" | "sort" | "uniq" | "cut" | "printf",
        ) => true,
        Some("tail") => !command.contains(" -f"),
        Some("git") => matches!(words.next(), Some("status" | "log" | "diff" | "show" | "branch")),
        _ => false,
    }
}

/// Whether a simple command changes files and nothing else, as editing tools do.
pub(in crate::sim) fn only_edits(command: &str) -> bool {
    let word = command.split_whitespace().next();
    matches!(word, Some("touch" | "mkdir" | "rm" | "rmdir" | "mv" | "cp" | "sed"))
}

/// The file that a simple command would change, if its words tell.
pub(in crate::sim) fn changed_file(command: &str) -> Option<&str> {
    if let Some((_, file)) = command.rsplit_once('>')
        && redirects_to_file(command)
    {
        return file.split_whitespace().next();
    }
    if matches!(command.split_whitespace().next(), Some("touch" | "rm" | "mv" | "cp")) {
        return command.split_whitespace().skip(1).find(|word| !word.starts_with('-'));
    }
    None
}

fn redirects_to_file(command: &str) -> bool {
    command.match_indices('>').any(|(at, _)| !command[at + 1..].starts_with('&'))
}

/// The rule that would allow this command from now on: its first two words if the second looks like
/// a subcommand, otherwise exactly this.
pub(in crate::sim) fn rule_for(command: &str) -> String {
    let mut words = command.split_whitespace();
    match (words.next(), words.next()) {
        (Some(program), Some(sub)) if is_subcommand(sub) => format!("{program} {sub} *"),
        _ => command.to_owned(),
    }
}

fn is_subcommand(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.chars().all(|character| character.is_ascii_lowercase() || character == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_falls_apart_at_operators() {
        assert_eq!(
            simple_commands("echo 'a; b' && c | d; echo x >&2"),
            ["echo 'a; b'", "c", "d", "echo x >&2"]
        );
        assert_eq!(simple_commands(" ; "), Vec::<String>::new());
    }

    #[test]
    fn reading_and_editing() {
        assert!(only_reads("echo err >&2") && only_reads("git status"));
        assert!(!only_reads("echo x > a") && !only_reads("git push") && !only_reads("tail -f x"));
        assert!(only_edits("mkdir d") && !only_edits("npm run x"));
        assert_eq!(changed_file("echo x > made.txt"), Some("made.txt"));
        assert_eq!(changed_file("touch -c a"), Some("a"));
        assert_eq!(changed_file("npm run x"), None);
    }

    #[test]
    fn rules_that_are_offered() {
        assert_eq!(rule_for("npm run build"), "npm run *");
        assert_eq!(rule_for("touch made.txt"), "touch made.txt");
        assert_eq!(rule_for("exit 3"), "exit 3");
    }
}
