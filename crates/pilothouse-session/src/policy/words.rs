//! Files that the words of a command line may mean.
//!
//! Which files a program opens is not known here. So every word is taken for a path, in every
//! directory that the command line may have changed to, and rules that deny or ask compare it with
//! their patterns. All paths are located once per call, whatever the number of rules.

use super::place::{Located, Place};
use super::shell::{Kind, Move, Part, Script, Word};

/// More paths of one command line are not located; rules that deny may be about the rest.
const MAX_PATHS: usize = 4096;
/// More directories that a command line may change to are not followed.
const MAX_DIRS: usize = 32;
/// More words that one list in braces stands for are not written out.
const MAX_VARIANTS: usize = 64;

/// The words of one part of a command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) words: Vec<Named>,
    /// Whether there are words that were not looked at.
    pub(crate) is_cut: bool,
}

/// A word, and the files that it may mean.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) text: String,
    /// Whether it stands for all files that match it.
    pub(crate) is_glob: bool,
    pub(crate) paths: Vec<Meant>,
}

/// A file that a word may mean.
#[derive(Clone, Debug)]
pub(crate) struct Meant {
    pub(crate) path: Located,
    /// Whether the word certainly means this file, if it means one.
    pub(crate) is_sure: bool,
}

/// The words of each part of `script`, in order.
pub(crate) fn of_script(script: &Script, place: &Place) -> Vec<Words> {
    let dirs = Dirs::of(script, place);
    let mut left = MAX_PATHS;
    script.parts.iter().map(|part| of_part(part, &dirs, &mut left)).collect()
}

fn of_part(part: &Part, dirs: &Dirs<'_>, left: &mut usize) -> Words {
    let mut words = Words { is_cut: dirs.is_cut, ..Words::default() };
    // Returns whether there is room for more.
    let mut add = |word: &Word, is_name: bool| {
        let named = dirs.named(word, is_name);
        let cost = named.as_ref().map_or(1, |named| named.paths.len().max(1));
        let rest = left.checked_sub(cost);
        words.is_cut |= rest.is_none() || named.is_none();
        words.words.extend(named.filter(|_| rest.is_some()));
        *left = rest.unwrap_or_default();
        rest.is_some()
    };
    match part {
        Part::Run(command) | Part::Mention(command, _) if !command.is_derived => {
            let values = command.assigns.iter().map(|assign| &assign.value);
            let mut all = command.words.iter().chain(values).enumerate();
            let has_name = !command.words.is_empty();
            all.all(|(at, word)| add(word, has_name && at == 0));
        }
        Part::Words { words, .. } => {
            words.iter().all(|word| add(word, false));
        }
        Part::Opaque { text, is_covered: false, .. } => {
            split(text).all(|word| add(&Word::hidden(word), false));
        }
        Part::Run(_) | Part::Mention(..) | Part::Touch(_) | Part::Opaque { .. } => {}
    }
    words
}

/// The words of a text that is not understood.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "'\"`;|&<>(){}$".contains(c));
    words.filter(|word| !word.is_empty())
}

/// The directories that relative words start from.
struct Dirs<'a> {
    place: &'a Place,
    /// Those that the command line changes to by name.
    moved: Vec<(Located, Place)>,
    /// The home directory, where it may change to a directory that is not known.
    guessed: Option<Place>,
    /// Whether there are more than are followed.
    is_cut: bool,
}

impl<'a> Dirs<'a> {
    /// Folds every `cd` into the list: which of them run, and in which order, is not known.
    fn of(script: &Script, place: &'a Place) -> Self {
        let mut dirs = Self { place, moved: Vec::new(), guessed: None, is_cut: false };
        for part in &script.parts {
            match part.moves_to() {
                Some(Move::To(word)) => dirs.enter(&expanded(&word.text, place)),
                Some(Move::Home) => dirs.enter("~"),
                Some(Move::Unknown) => {
                    let home = place.home.clone();
                    dirs.guessed =
                        home.map(|home| Place { current_dir: Some(home), ..place.clone() });
                }
                None => {}
            }
        }
        dirs
    }

    fn enter(&mut self, target: &str) {
        let here = self.place.locate(".");
        let from = std::iter::once(self.place).chain(self.moved.iter().map(|(_, place)| place));
        let entered: Vec<Located> = from.filter_map(|place| place.locate(target)).collect();
        for dir in entered {
            let is_known = here.as_ref().is_some_and(|here| here.is_same(&dir))
                || self.moved.iter().any(|(known, _)| known.is_same(&dir));
            if is_known {
                continue;
            }
            if self.moved.len() >= MAX_DIRS {
                self.is_cut = true;
                return;
            }
            let current_dir = Some(dir.written().to_owned());
            self.moved.push((dir, Place { current_dir, ..self.place.clone() }));
        }
    }

    /// The files that a word may mean: as a whole, or by what follows a `=`, `:`, `@` or `,` in it.
    /// `None` where it stands for too many.
    fn named(&self, word: &Word, is_name: bool) -> Option<Named> {
        let is_live = word.kind != Kind::Plain;
        let variants = if is_live { braces(&word.text)? } else { vec![word.text.clone()] };
        let is_glob = is_live && variants.iter().any(|text| text.contains(['*', '?', '[']));
        let is_list = variants.len() > 1;
        let mut paths = Vec::new();
        for text in &variants {
            let pieces = text.split(['=', ':', '@', ',']).skip(1).filter(|piece| !piece.is_empty());
            for piece in std::iter::once(text.as_str()).chain(pieces) {
                self.locate(piece, is_name, !is_list, &mut paths);
            }
        }
        Some(Named { text: word.text.clone(), is_glob, paths })
    }

    fn locate(&self, text: &str, is_name: bool, is_sure: bool, paths: &mut Vec<Meant>) {
        let text = expanded(text, self.place);
        let mut add = |place: &Place, is_sure: bool| {
            if let Some(path) = place.locate(&text)
                && !paths.iter().any(|known: &Meant| known.path == path)
            {
                paths.push(Meant { path, is_sure });
            }
        };
        add(self.place, is_sure);
        // The shell looks the name of a command up elsewhere.
        if is_name && !text.contains('/') {
            return;
        }
        // A bare word is more often a name of something else than a file.
        let is_path = text.contains('/') || text.starts_with('.');
        self.moved.iter().for_each(|(_, place)| add(place, is_sure && is_path));
        self.guessed.iter().for_each(|place| add(place, false));
    }
}

/// A word with the home and the current directory in the place of what stands for them.
fn expanded(text: &str, place: &Place) -> String {
    let user = place.home.as_deref().and_then(|home| home.rsplit(['/', '\\']).next());
    let user = user.filter(|user| !user.is_empty()).map(|user| format!("~{user}"));
    let homes = ["$HOME", "${HOME}"].into_iter().chain(user.as_deref());
    let names = homes.map(|name| (name, "~")).chain([("$PWD", "."), ("${PWD}", ".")]);
    for (name, meaning) in names {
        if let Some(rest) = text.strip_prefix(name)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return format!("{meaning}{rest}");
        }
    }
    text.to_owned()
}

/// The words that the lists in braces of `text` stand for, or `None` if they are too many. A range
/// becomes a `*`.
fn braces(text: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        let Some((start, end)) = outer_braces(&text) else {
            done.push(text);
            continue;
        };
        let (before, inner, after) = (&text[..start], &text[start + 1..end], &text[end + 1..]);
        let items = items(inner);
        if done.len() + open.len() + items.len() > MAX_VARIANTS {
            return None;
        }
        if items.len() > 1 {
            open.extend(items.iter().map(|item| format!("{before}{item}{after}")));
        } else if inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') {
            open.push(format!("{before}*{after}"));
        } else {
            // A range between signs, such as `{-..0}`, has a dot and a slash in it.
            return None;
        }
    }
    Some(done)
}

/// The first brace that is closed, and where.
fn outer_braces(text: &str) -> Option<(usize, usize)> {
    let mut starts = Vec::new();
    let mut found: Option<(usize, usize)> = None;
    for (at, c) in text.char_indices() {
        match c {
            '{' => starts.push(at),
            '}' => {
                if let Some(start) = starts.pop()
                    && found.is_none_or(|(first, _)| start < first)
                    && !text[..start].ends_with('$')
                {
                    found = Some((start, at));
                }
            }
            _ => {}
        }
    }
    found
}

/// The parts of `inner` between commas that stand in no further braces.
fn items(inner: &str) -> Vec<&str> {
    let (mut items, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(&inner[from..]);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(command: &str) -> (usize, bool) {
        let place = Place { home: Some("/home/me".into()), ..Place::at("/srv/app") };
        let words = of_script(&Script::parse(command), &place);
        let paths = words.iter().flat_map(|words| &words.words).map(|word| word.paths.len());
        (paths.sum(), words.iter().any(|words| words.is_cut))
    }

    #[test]
    fn each_word_is_located_once_however_deep_it_stands() {
        let many = "a ".repeat(100);
        let plain = located(&format!("echo {many}")).0;
        assert_eq!(plain, 101);
        // What is guessed to run, and what a wrapper runs, has the words of the whole.
        assert_eq!(located(&format!("sudo -u x {many}")).0, plain + 2);
        assert_eq!(located(&format!("nice nohup timeout 5 {many}")).0, plain + 3);
        // Each of these is opaque, and so is all that is around it.
        let deep = |depth: usize| {
            let open: String = (0..depth).map(|_| "f() { ").collect();
            located(&format!("{open}echo ${{x:-y}} {many}; {}", "}; ".repeat(depth))).0
        };
        assert!(deep(20) < deep(1) + 20 * 4, "{} and {}", deep(20), deep(1));
    }

    #[test]
    fn words_past_the_limit_are_cut() {
        assert_eq!(located(&format!("echo {}", "a ".repeat(MAX_PATHS - 1))), (MAX_PATHS, false));
        assert_eq!(located(&format!("echo {}", "a ".repeat(MAX_PATHS))), (MAX_PATHS, true));
        assert_eq!(located(&"a b;".repeat(MAX_PATHS)).0, MAX_PATHS);
        assert!(located("echo {a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}").1, "too many variants");
        let (paths, is_cut) =
            located(&"(cd a; cd b; cd c; cd d; cd e; cd f; ls x y z);".repeat(20));
        assert!(paths <= MAX_PATHS && is_cut, "{paths}");
    }

    #[test]
    fn lists_in_braces_are_written_out() {
        let all = |text: &str| {
            let mut words = braces(text).unwrap();
            words.sort();
            words
        };
        assert_eq!(all("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        assert_eq!(all("{a,}"), ["", "a"]);
        assert_eq!(all("a{1..3}"), ["a*"]);
        assert_eq!(all("${HOME}/{a,b}"), ["${HOME}/a", "${HOME}/b"]);
        assert_eq!(all("a{b"), ["a{b"]);
        assert_eq!(braces("~/{-..0}ssh"), None);
    }
}
