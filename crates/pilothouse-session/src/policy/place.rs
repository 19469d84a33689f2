//! Where a call happens, and which file a path in it means.
//!
//! All of it is lexical: no link is followed, since nothing here may look at a disk. The host
//! resolves links and passes the result in as [`RealPaths`](super::RealPaths).

use super::glob::{Case, Segments, overlap};

/// Where a call happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The directory in which the tool runs; an absolute path.
    pub cwd: String,
    /// The home directory, for `~`.
    pub home: Option<String>,
    /// Other directories the session works in. Relative globs hold in them as in `cwd`.
    pub additional_dirs: Vec<String>,
    /// The directory that relative paths of a call start from, where it is not `cwd`: shells of the
    /// CLI keep the directory that the last command changed to.
    pub current_dir: Option<String>,
    /// `cwd` and `additional_dirs` with links resolved. Relative globs hold in them too.
    pub real_dirs: Vec<String>,
    /// The home directory with links resolved.
    pub real_home: Option<String>,
}

impl Place {
    /// A place with a working directory and nothing else.
    pub fn at(cwd: impl Into<String>) -> Self {
        Self { cwd: cwd.into(), ..Self::default() }
    }

    /// The file that `path` means, or `None` where that cannot be said for sure.
    pub(crate) fn locate(&self, path: &str) -> Option<Located> {
        let style = Style::of(&self.cwd)?;
        if path.is_empty() || path.chars().any(char::is_control) {
            return None;
        }
        let home = || self.home.as_deref();
        let text = match path.strip_prefix('~') {
            Some("") => home()?.to_owned(),
            Some(rest) if style.separates(rest) => format!("{}{rest}", home()?),
            Some(_) => return None,
            None if style.is_absolute(path) => path.to_owned(),
            None if style.is_ambiguous(path) => return None,
            None => format!("{}/{path}", self.current_dir.as_ref().unwrap_or(&self.cwd)),
        };
        style.normalise(&text)
    }

    /// The file that `path` in the input of a tool means. The CLI trims it before it expands `~`.
    pub(crate) fn locate_trimmed(&self, path: &str) -> Option<Located> {
        self.locate(trimmed(path))
    }

    /// The absolute path `path`, which the host has resolved.
    pub(crate) fn locate_real(&self, path: &str) -> Option<Located> {
        Style::of(path)?.normalise(path)
    }

    /// The working directories, as written and resolved.
    fn working(&self) -> impl Iterator<Item = Located> {
        let dirs = std::iter::once(&self.cwd).chain(&self.additional_dirs).chain(&self.real_dirs);
        dirs.filter_map(|dir| Style::of(dir)?.normalise(dir))
    }

    /// The home directory, as written and resolved.
    fn homes(&self) -> impl Iterator<Item = Located> {
        let homes = self.home.iter().chain(&self.real_home);
        homes.filter_map(|home| Style::of(home)?.normalise(home))
    }
}

/// The text without white space around it, as JavaScript trims it.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

/// An absolute path without `.` and `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    segments: Vec<String>,
    /// As it was before `.` and `..` were removed: the kernel follows links first.
    written: String,
}

impl Located {
    pub(crate) fn segments(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// Whether both are one path, however it is written.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.segments == other.segments
    }

    /// The absolute path for the host to resolve.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// Whether the kernel may make another file of it: `/proc/self/root/…`, `/dev/fd/3`.
    pub(crate) fn is_magic(&self) -> bool {
        matches!(self.segments.first().map(String::as_str), Some("proc" | "dev"))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Unix,
    Windows,
}

impl Style {
    fn of(dir: &str) -> Option<Self> {
        if dir.starts_with('/') {
            return Some(Self::Unix);
        }
        has_drive(dir).then_some(Self::Windows)
    }

    fn separates(self, rest: &str) -> bool {
        rest.starts_with('/') || (self == Self::Windows && rest.starts_with('\\'))
    }

    fn is_absolute(self, path: &str) -> bool {
        match self {
            Self::Unix => path.starts_with('/'),
            Self::Windows => has_drive(path),
        }
    }

    /// Neither plainly relative nor absolute: of the other system, or relative to a drive.
    fn is_ambiguous(self, path: &str) -> bool {
        let drive = path.as_bytes().get(1) == Some(&b':');
        match self {
            Self::Unix => path.contains('\\') || drive,
            Self::Windows => drive || path.starts_with(['/', '\\']),
        }
    }

    /// `..` at the root stays there, as in every kernel.
    fn normalise(self, text: &str) -> Option<Located> {
        let mut segments: Vec<String> = Vec::new();
        let separators: &[char] = if self == Self::Windows { &['/', '\\'] } else { &['/'] };
        for (at, segment) in text.split(separators).enumerate() {
            match segment {
                "" | "." => {}
                ".." if self == Self::Windows && segments.len() == 1 => {}
                ".." => {
                    segments.pop();
                }
                _ if self == Self::Windows && at > 0 && is_disguised(segment) => return None,
                _ if self == Self::Unix && segment.contains('\\') => return None,
                _ => segments.push(segment.to_owned()),
            }
        }
        Some(Located { segments, written: text.to_owned() })
    }
}

fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// Windows takes these for other names: streams, short names, trailing dots and blanks.
fn is_disguised(segment: &str) -> bool {
    segment.contains([':', '~']) || segment.ends_with(['.', ' '])
}

/// A path pattern of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PathGlob {
    root: Root,
    segments: Segments,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Root {
    /// Any working directory.
    Working,
    Home,
    Top,
}

/// Why a path pattern is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BadGlob {
    Empty,
    Parent,
    Braces,
    OtherHome,
    DoubleStar,
}

impl PathGlob {
    pub(crate) fn parse(text: &str) -> Result<Self, BadGlob> {
        let (root, rest) = match text {
            _ if text.starts_with('~') => match text[1..].strip_prefix('/') {
                Some(rest) => (Root::Home, rest),
                None if text == "~" => (Root::Home, ""),
                None => return Err(BadGlob::OtherHome),
            },
            _ if text.starts_with('/') || has_drive(text) => (Root::Top, text),
            _ => (Root::Working, text),
        };
        let mut segments = Vec::new();
        for segment in rest.split('/').filter(|s| !s.is_empty() && *s != ".") {
            match segment {
                ".." => return Err(BadGlob::Parent),
                "**" => {}
                _ if segment.contains("**") => return Err(BadGlob::DoubleStar),
                _ if segment.contains('{') && segment.contains(',') => return Err(BadGlob::Braces),
                _ => {}
            }
            segments.push(segment.to_owned());
        }
        if text.trim().is_empty() {
            return Err(BadGlob::Empty);
        }
        Ok(Self { root, segments: Segments(segments) })
    }

    /// The parts of `path` below each directory that this pattern starts from.
    fn below<'p>(&self, path: &'p [&'p str], place: &Place, case: Case) -> Vec<&'p [&'p str]> {
        let roots: Vec<Located> = match self.root {
            Root::Top => return vec![path],
            Root::Home => place.homes().collect(),
            Root::Working => place.working().collect(),
        };
        let inside = |root: &Located| {
            let root = &root.segments;
            let starts =
                root.len() <= path.len() && root.iter().zip(path).all(|(a, b)| case.same(a, b));
            starts.then(|| &path[root.len()..])
        };
        roots.iter().filter_map(inside).collect()
    }

    pub(crate) fn matches(&self, path: &Located, place: &Place, case: Case) -> bool {
        let path = path.segments();
        self.below(&path, place, case).iter().any(|rest| self.segments.matches(rest, case))
    }

    /// Whether all that is below `dir` matches.
    pub(crate) fn covers(&self, dir: &Located, place: &Place, case: Case) -> bool {
        let dir = dir.segments();
        self.below(&dir, place, case).iter().any(|rest| self.segments.covers(rest, case))
    }

    /// Whether something below `dir` could match; also where the pattern starts below `dir`.
    pub(crate) fn reaches_below(&self, dir: &Located, place: &Place, case: Case) -> bool {
        let segments = dir.segments();
        let inside = self.below(&segments, place, case);
        if !inside.is_empty() {
            return inside.iter().any(|rest| self.segments.reaches_below(rest, case));
        }
        let contains = |root: Located| {
            let (dir, root) = (&dir.segments, &root.segments);
            dir.len() <= root.len() && dir.iter().zip(root).all(|(a, b)| case.same(a, b))
        };
        match self.root {
            Root::Top => false,
            Root::Home => place.homes().any(contains),
            Root::Working => place.working().any(contains),
        }
    }

    /// Whether a file could match both this pattern and `glob`, a path with signs of the shell's:
    /// which files it stands for is only known when it runs.
    pub(crate) fn overlaps(&self, glob: &Located, place: &Place) -> bool {
        let roots: Vec<Located> = match self.root {
            Root::Top => return overlap(&self.segments.0, &glob.segments),
            Root::Home => place.homes().collect(),
            Root::Working => place.working().collect(),
        };
        roots.into_iter().any(|root| {
            let whole: Vec<String> =
                root.segments.into_iter().chain(self.segments.0.iter().cloned()).collect();
            overlap(&whole, &glob.segments)
        })
    }

    /// The texts by which a word can contain this path without being it: in quoted code, behind a
    /// variable. Empty for patterns whose start is not known.
    pub(crate) fn spellings(&self, place: &Place) -> Vec<Spelling> {
        let literal = |segment: &&String| !segment.contains(['*', '?']);
        let tail: Vec<&str> =
            self.segments.0.iter().take_while(literal).map(String::as_str).collect();
        if tail.is_empty() {
            return Vec::new();
        }
        let tail = tail.join("/");
        match self.root {
            Root::Working => Vec::new(),
            Root::Top => vec![Spelling::Whole(format!("/{tail}"))],
            Root::Home => {
                let homes = place.home.iter().chain(&place.real_home);
                let homes = homes.map(|home| format!("{}/{tail}", home.trim_end_matches('/')));
                let whole = homes.chain([format!("~/{tail}")]).map(Spelling::Whole);
                whole.chain([Spelling::BehindExpansion(format!("/{tail}"))]).collect()
            }
        }
    }
}

/// A text by which a word can contain a path.
#[derive(Clone, Debug)]
pub(crate) enum Spelling {
    /// The path itself.
    Whole(String),
    /// The path below the home directory, which a variable or the output of a command may be.
    BehindExpansion(String),
}

impl Spelling {
    pub(crate) fn is_in(&self, word: &str) -> bool {
        let (Self::Whole(text) | Self::BehindExpansion(text)) = self;
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let starts = |before: &str| match self {
            Self::Whole(_) => true,
            Self::BehindExpansion(_) => ends_in_expansion(before),
        };
        let mut found = word.match_indices(text.as_str());
        found.any(|(at, _)| starts(&word[..at]) && ends(&word[at + text.len()..]))
    }
}

/// Whether `text` ends with a variable or the output of a command, perhaps in quotes.
fn ends_in_expansion(text: &str) -> bool {
    let text = text.trim_end_matches(['"', '\'']);
    let name = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.ends_with([')', '}', '`']) || (name.len() < text.len() && name.ends_with('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            cwd: "/w/app".into(),
            home: Some("/home/u".into()),
            additional_dirs: vec!["/w/lib".into()],
            ..Place::default()
        }
    }

    fn fits(pattern: &str, path: &str) -> bool {
        let place = place();
        let glob = PathGlob::parse(pattern).unwrap();
        place.locate(path).is_some_and(|path| glob.matches(&path, &place, Case::Matters))
    }

    #[test]
    fn relative_globs_hold_in_every_working_directory_and_nowhere_else() {
        assert!(fits("src/**", "src/a.rs"));
        assert!(fits("src/**", "/w/app/src/a.rs"));
        assert!(fits("src/**", "/w/lib/src/a.rs"));
        assert!(!fits("src/**", "/w/other/src/a.rs"));
        assert!(!fits("**", "/w/application/x"));
        assert!(!fits("**", "../x"));
        assert!(!fits("src/**", "src/../../secret"));
        assert!(fits("src/**", "src/./x/../y"));
        assert!(!fits("**", "/etc/passwd"));
        assert!(!fits("**", "/../../etc/passwd"));
        assert!(fits("~/notes/*", "~/notes/a"));
        assert!(fits("~/notes/*", "/home/u/notes/a"));
        assert!(!fits("~/notes/*", "~root/notes/a"));
        assert!(fits("/etc/*", "../../etc/hosts"));
    }

    #[test]
    fn what_cannot_be_located_matches_nothing() {
        for path in ["", "a\0b", "a\nb", "C:\\x", "a\\..\\b", "~other/x"] {
            assert!(!fits("/**", path), "{path:?}");
        }
        assert_eq!(Place::at("relative").locate("x"), None);
        assert_eq!(Place::at("/w").locate("~/x"), None);
    }

    #[test]
    fn windows_paths_have_two_separators_and_many_disguises() {
        let place = Place::at(r"C:\work\app");
        let glob = PathGlob::parse("src/**").unwrap();
        let fits = |path: &str| {
            place.locate(path).is_some_and(|path| glob.matches(&path, &place, Case::Matters))
        };
        assert!(fits(r"src\a.rs"));
        assert!(fits("C:/work/app/src/a.rs"));
        assert!(!fits(r"src\..\..\x"));
        assert!(!fits(r"C:\..\..\x"));
        for path in [r"C:src\a.rs", r"src\a.rs:stream", r"src\a.rs.", r"src\LONGNA~1", r"\src\a"] {
            assert_eq!(place.locate(path), None, "{path}");
        }
    }

    #[test]
    fn globs_that_could_escape_are_refused() {
        assert_eq!(PathGlob::parse("../x"), Err(BadGlob::Parent));
        assert_eq!(PathGlob::parse("src/../../x"), Err(BadGlob::Parent));
        assert_eq!(PathGlob::parse("~root/x"), Err(BadGlob::OtherHome));
        assert_eq!(PathGlob::parse("src/**.rs"), Err(BadGlob::DoubleStar));
        assert_eq!(PathGlob::parse("src/*.{rs,ts}"), Err(BadGlob::Braces));
        assert_eq!(PathGlob::parse(" "), Err(BadGlob::Empty));
    }
}
