//! The files that a command names.
//!
//! Greedy on purpose: a word that is no file costs a look, a file that is missed could be changed
//! without anybody being asked.

/// The most words of one command that are looked at.
const MOST_WORDS: usize = 512;
/// Longer words are no names of files.
const LONGEST_WORD: usize = 1024;

/// Variables by which commands name the project's directory.
const PROJECT: [&str; 4] = ["${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR", "${PWD}", "$PWD"];

/// Programs that read what to run from a file that they find by themselves.
const MANIFESTS: [(&str, &[&str]); 9] = [
    ("npm", &["package.json"]),
    ("npx", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("bun", &["package.json"]),
    ("deno", &["deno.json", "deno.jsonc"]),
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
];

/// Words of a command that may name files, without quotes; those of the project relative to it.
pub(super) fn names(command: &str) -> Vec<String> {
    let mut text = command.to_owned();
    for variable in PROJECT {
        text = text.replace(variable, ".");
    }
    let mut found = Vec::new();
    let apart = |c: char| c.is_whitespace() || "'\"`;|&<>(){}$=,:".contains(c);
    for word in text.split(apart).filter(|word| !word.is_empty()).take(MOST_WORDS) {
        if word.len() > LONGEST_WORD || word.contains('\0') {
            continue;
        }
        // A short flag may have its value attached: `-r./hook.js`.
        let word = if word.starts_with('-') { word.get(2..).unwrap_or_default() } else { word };
        if word.is_empty() {
            continue;
        }
        let program = word.rsplit('/').next().unwrap_or(word);
        if let Some((_, files)) = MANIFESTS.iter().find(|(name, _)| *name == program) {
            found.extend(files.iter().map(|file| (*file).to_owned()));
        }
        found.push(word.to_owned());
    }
    // A name with spaces stands between quotes.
    for quote in ['"', '\''] {
        let quoted = text.split(quote).skip(1).step_by(2).take(MOST_WORDS);
        let is_name = |text: &&str| text.contains(' ') && text.len() <= LONGEST_WORD;
        found.extend(quoted.filter(is_name).map(str::to_owned));
    }
    found.sort();
    found.dedup();
    found
}

/// Commands in a Markdown file: what `!` runs, and the whole front matter where that has hooks or
/// servers. YAML has too many ways to write a command to pick it out.
pub(super) fn commands_in_markdown(text: &str) -> Vec<&str> {
    let front = front_matter(text).filter(|front| {
        has_key(front, "hooks") || has_key(front, "mcpServers") || hides_keys(front)
    });
    let mut found: Vec<&str> = front.into_iter().map(str::trim).collect();
    for (begin, end) in [("!`", "`"), ("```!", "```")] {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(begin) {
            let (command, after) = after.split_once(end).unwrap_or((after, ""));
            found.push(command.trim());
            rest = after;
        }
    }
    found
}

/// Whether the front matter of a Markdown file has hooks, or could have some.
pub(super) fn has_hooks(text: &str) -> bool {
    front_matter(text).is_some_and(|front| has_key(front, "hooks") || hides_keys(front))
}

/// The values of a key of the front matter, where they stand on its line.
pub(super) fn front_values<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    let lines = front_matter(text).unwrap_or_default().lines();
    lines.filter_map(move |line| Some(line.trim().strip_prefix(key)?.strip_prefix(':')?.trim()))
}

fn front_matter(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix("---")?.split("\n---").next()
}

/// Whether YAML has this key anywhere: also quoted, and also within braces.
fn has_key(yaml: &str, key: &str) -> bool {
    yaml.match_indices(key).any(|(at, _)| {
        let after = yaml[at + key.len()..].trim_start_matches(['"', '\'']);
        after.trim_start().starts_with(':')
    })
}

/// Whether YAML has keys that do not stand there as they are: with escapes, or of the long form.
fn hides_keys(yaml: &str) -> bool {
    ["\\x", "\\u", "\\U"].iter().any(|escape| yaml.contains(escape))
        || yaml.lines().any(|line| line.trim_start().starts_with("? "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_files_however_they_are_written() {
        for (command, name) in [
            ("sh ./tools/a.sh", "./tools/a.sh"),
            ("\"$CLAUDE_PROJECT_DIR\"/hooks/a.py --x", "/hooks/a.py"),
            ("$CLAUDE_PROJECT_DIR/hooks/a.py", "./hooks/a.py"),
            ("node \"${CLAUDE_PROJECT_DIR}/a b.js\"", "./a b.js"),
            ("sh -c 'python tools/x.py;true'", "tools/x.py"),
            ("env X=1 ./run", "./run"),
            ("tool --config=conf.json", "conf.json"),
            ("cat<in>out", "in"),
            ("node -r./hook.js x", "./hook.js"),
            ("npm run hook", "package.json"),
            ("/usr/bin/make -s hook", "Makefile"),
            ("$PWD/hooks/a.sh", "./hooks/a.sh"),
            ("PATH=./bin:$PATH tool", "./bin"),
        ] {
            let found = names(command);
            assert!(found.iter().any(|found| found == name), "{command}: {found:?}");
        }
    }

    #[test]
    fn finds_commands_of_skills_and_slash_commands() {
        let front = "name: x\nhooks:\n  Stop:\n    - hooks:\n      - type: command\n        \
                     command: \"sh ./a.sh\"";
        let text = format!("---\n{front}\n---\nNow !`./b.sh x` and `./c.sh`.\n```!\n./d.sh\n```\n");
        assert_eq!(commands_in_markdown(&text), [front, "./b.sh x", "./d.sh"]);
        assert_eq!(commands_in_markdown("no front matter"), [""; 0]);
        let harmless = "---\nname: hooks\ndescription: Explains React hooks.\n---\n";
        assert_eq!(commands_in_markdown(harmless), [""; 0]);
    }

    #[test]
    fn finds_hooks_however_yaml_has_them() {
        for front in [
            "hooks:\n  Stop: x",
            "\"hooks\": {PreToolUse: [x]}",
            "'hooks' : {}",
            "a: {hooks: {Stop: []}}",
            "? hooks\n: {Stop: []}",
            "\"h\\x6foks\": {}",
            "\"\\u0068ooks\": {}",
        ] {
            assert!(has_hooks(&format!("---\n{front}\n---\n")), "{front}");
        }
        assert!(!has_hooks("---\nname: x\n---\nhooks: none"));
    }

    #[test]
    fn finds_values_of_the_front_matter() {
        let text = "---\nname: x\nallowed-tools: Bash(git:*), Read\n---\nallowed-tools: Write\n";
        let found: Vec<_> = front_values(text, "allowed-tools").collect();
        assert_eq!(found, ["Bash(git:*), Read"]);
    }
}
