//! Globs for names and paths, and the nearest name to a misspelt one.
//!
//! In a name `*` stands for any text. In a path `*` and `?` stay inside one segment and `**`, as a
//! whole segment, stands for any number of them. Nothing else is special: `[id]` is a directory.
//! Matching takes time proportional to pattern times text, whatever the pattern.

/// Whether letters of different case are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// They differ: what allows must match exactly.
    Matters,
    /// They are the same: what denies must also hold on file systems that ignore case.
    Ignored,
}

impl Case {
    pub(crate) fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::Matters => a == b,
            Self::Ignored => a.to_lowercase() == b.to_lowercase(),
        }
    }
}

/// Whether `text` matches `pattern`, in which `*` is any text and `?` is any one character.
pub(crate) fn wild(pattern: &str, text: &str, case: Case) -> bool {
    matches(pattern, text, case, Question::Wild)
}

/// Whether `text` matches `pattern`, in which only `*` is special.
pub(crate) fn star(pattern: &str, text: &str, case: Case) -> bool {
    matches(pattern, text, case, Question::Plain)
}

#[derive(Clone, Copy, PartialEq)]
enum Question {
    Wild,
    Plain,
}

fn matches(pattern: &str, text: &str, case: Case, question: Question) -> bool {
    let letters = |s: &str| -> Vec<char> {
        match case {
            Case::Matters => s.chars().collect(),
            Case::Ignored => s.to_lowercase().chars().collect(),
        }
    };
    let (pattern, text) = (letters(pattern), letters(text));
    let (mut p, mut t) = (0, 0);
    // Where to go on if what follows the last star does not fit: one character further.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p, t));
                p += 1;
            }
            Some(&c) if c == text[t] || (c == '?' && question == Question::Wild) => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((star, from)) => {
                    retry = Some((star, from + 1));
                    p = star + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// The segments of a path glob.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segments(pub(crate) Vec<String>);

impl Segments {
    /// Whether the whole path matches. `dir/**` matches `dir` too.
    pub(crate) fn matches(&self, path: &[&str], case: Case) -> bool {
        self.states(path, case)[self.0.len()]
    }

    /// Whether everything below the directory `path` matches.
    pub(crate) fn covers(&self, path: &[&str], case: Case) -> bool {
        self.0.last().is_some_and(|last| last == "**") && self.matches(path, case)
    }

    /// Whether something below the directory `path` could match.
    pub(crate) fn reaches_below(&self, path: &[&str], case: Case) -> bool {
        let states = self.states(path, case);
        let open = |at: usize| at < self.0.len() || self.0.last().is_some_and(|s| s == "**");
        states.iter().enumerate().any(|(at, &reached)| reached && open(at))
    }

    /// After all of `path`: which positions in the pattern can have been reached.
    fn states(&self, path: &[&str], case: Case) -> Vec<bool> {
        let mut now = vec![false; self.0.len() + 1];
        now[0] = true;
        self.skip_any(&mut now);
        for segment in path {
            let mut next = vec![false; self.0.len() + 1];
            for (at, pattern) in self.0.iter().enumerate().filter(|(at, _)| now[*at]) {
                if pattern == "**" {
                    next[at] = true;
                } else if wild(pattern, segment, case) {
                    next[at + 1] = true;
                }
            }
            self.skip_any(&mut next);
            now = next;
        }
        now
    }

    fn skip_any(&self, states: &mut [bool]) {
        for (at, pattern) in self.0.iter().enumerate() {
            if states[at] && pattern == "**" {
                states[at + 1] = true;
            }
        }
    }
}

/// Whether some path matches both the segments of a rule's pattern and those of a shell's: `**` is
/// any number of segments in both.
pub(crate) fn overlap(rule: &[String], shell: &[String]) -> bool {
    meet(
        rule,
        shell,
        |segment| segment == "**",
        |rule, shell| {
            // The shell's `*` and `?` do not stand for names that begin with a dot.
            let hidden = rule.starts_with('.') && shell.starts_with(['*', '?', '[']);
            !hidden && overlap_in_segment(rule, shell)
        },
    )
}

fn overlap_in_segment(rule: &str, shell: &str) -> bool {
    let rule: Vec<char> = rule.to_lowercase().chars().collect();
    let shell: Vec<char> = without_sets(&shell.to_lowercase()).chars().collect();
    let one = |a: &char, b: &char| a == b || *a == '?' || *b == '?';
    meet(&rule, &shell, |c| *c == '*', one)
}

/// The pattern with a `?` for every set of characters.
fn without_sets(shell: &str) -> String {
    let mut out = String::new();
    let mut rest = shell;
    while let Some((before, set)) = rest.split_once('[') {
        out.push_str(before);
        // A `]` that stands first is a character of the set.
        let from = set.char_indices().find(|(_, c)| !"!^]".contains(*c)).map_or(0, |(at, _)| at);
        let Some(end) = set[from..].find(']') else {
            out.push('*');
            return out;
        };
        out.push('?');
        rest = &set[from + end + 1..];
    }
    out + rest
}

/// Whether two patterns can stand for the same sequence: `is_any` are those of their items that
/// stand for any number of others.
fn meet<T>(a: &[T], b: &[T], is_any: impl Fn(&T) -> bool, is_one: impl Fn(&T, &T) -> bool) -> bool {
    // Whether the rests from `i` and from `j` on can be the same, for all `j`.
    let mut below = vec![false; b.len() + 1];
    for i in (0..=a.len()).rev() {
        let mut row = vec![false; b.len() + 1];
        for j in (0..=b.len()).rev() {
            row[j] = match (a.get(i), b.get(j)) {
                (None, None) => true,
                (Some(x), _) if is_any(x) => below[j] || (j < b.len() && row[j + 1]),
                (_, Some(y)) if is_any(y) => row[j + 1] || (i < a.len() && below[j]),
                (Some(x), Some(y)) => is_one(x, y) && below[j + 1],
                _ => false,
            };
        }
        below = row;
    }
    below[0]
}

/// The one of `known` that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = if word.chars().count() < 4 { 1 } else { 2 };
    let (distance, best) = known
        .into_iter()
        .map(|name| (distance(&word.to_lowercase(), &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= limit).then_some(best)
}

/// How many letters must be put in, left out or replaced to get from `a` to `b`.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(text: &str) -> Segments {
        Segments(text.split('/').map(str::to_owned).collect())
    }

    #[test]
    fn stars_stay_in_their_segment_and_double_stars_do_not() {
        let fits = |pattern: &str, path: &str| {
            segments(pattern).matches(&path.split('/').collect::<Vec<_>>(), Case::Matters)
        };
        assert!(fits("src/*.rs", "src/a.rs"));
        assert!(!fits("src/*.rs", "src/a/b.rs"));
        assert!(fits("src/**", "src/a/b.rs"));
        assert!(fits("src/**", "src"));
        assert!(!fits("src/**", "srcs/a"));
        assert!(fits("**/x/**/y", "a/x/b/c/y"));
        assert!(fits("**/x/**/y", "x/y"));
        assert!(fits("app/[id]/?.ts", "app/[id]/a.ts"));
        assert!(!fits("SRC/**", "src/a"));
    }

    #[test]
    fn a_directory_is_covered_reached_or_neither() {
        let secrets = segments("src/secrets/**");
        assert!(secrets.covers(&["src", "secrets", "a"], Case::Matters));
        assert!(!secrets.covers(&["src"], Case::Matters));
        assert!(secrets.reaches_below(&["src"], Case::Matters));
        assert!(!secrets.reaches_below(&["docs"], Case::Matters));
        assert!(segments("**/.env").reaches_below(&["a"], Case::Matters));
        assert!(!segments("a/.env").reaches_below(&["a", ".env"], Case::Matters));
    }

    #[test]
    fn patterns_of_rules_and_of_shells_overlap() {
        let fits = |rule: &str, shell: &str| {
            overlap(&segments(rule).0, &shell.split('/').map(str::to_owned).collect::<Vec<_>>())
        };
        assert!(fits("a/*.pem", "a/s*"));
        assert!(fits("a/prod.key", "a/*"));
        assert!(fits("a/prod.key", "*/p?od.[jk]ey"));
        assert!(fits("a/**", "*"));
        assert!(fits("a/**", "?/b/c"));
        assert!(fits("**/.env", "a/.e*"));
        assert!(fits("a/.ssh/**", "a/**/id"));
        assert!(fits("a/x", "a/[!]b]"));
        assert!(!fits("a/x", "b*/x"));
        assert!(!fits("a/.ssh/**", "a/*"));
        assert!(!fits("**/.env", "a/*"));
        assert!(!fits("a/*.pem", "a/*.rs"));
        assert!(!fits("a/b", "a/*/c"));
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        let pattern = "*a".repeat(200);
        assert!(!star(&pattern, &"a".repeat(199), Case::Matters));
        assert!(star(&pattern, &"a".repeat(400), Case::Matters));
    }

    #[test]
    fn misspelt_words_have_neighbours() {
        assert_eq!(nearest("comand", ["tool", "command"]), Some("command"));
        assert_eq!(nearest("bash", ["Bash", "Read"]), Some("Bash"));
        assert_eq!(nearest("colour", ["tool", "command"]), None);
    }
}
