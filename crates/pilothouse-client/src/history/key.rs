//! From a working directory to the name of the directory its sessions are kept in.
//!
//! The name is lossy and never read back. It also differed between CLI releases, so that one
//! directory has a list of names, the present one first:
//!
//! | CLI | Unicode form of the path | longer than 200 |
//! |---|---|---|
//! | 2.1.7 | as it is | not shortened (fails beyond what the file system takes) |
//! | 2.1.62 | NFC | cut at 200, then `-` and a hash |
//! | 2.1.325 | as it is, NFC on macOS | cut at 200, then `-` and a hash |
//!
//! All of them count UTF-16 units, so that a character outside the BMP becomes two dashes.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

/// Names longer than this are cut and given a hash.
pub(super) const LONGEST_KEY: usize = 200;

/// The longest file name common file systems take.
const LONGEST_FILE_NAME: usize = 255;

/// The name of the directory under `projects/` in which the present CLI keeps the sessions of
/// `directory`.
///
/// Symbolic links are resolved first, as far as the path exists.
///
/// ```
/// # use std::path::Path;
/// use pilothouse_client::history::project_key;
/// assert_eq!(project_key(Path::new("/no-such/My_Project v1.2")), "-no-such-My-Project-v1-2");
/// ```
#[must_use]
pub fn project_key(directory: &Path) -> String {
    key(&Spellings::of(&resolve(directory)).present)
}

/// The ways one path may have been written when its key was made.
pub(super) struct Spellings {
    present: String,
    other: Option<String>,
}

impl Spellings {
    pub(super) fn of(resolved: &Path) -> Self {
        let plain = without_verbatim_prefix(&resolved.to_string_lossy()).to_owned();
        let composed: String = plain.nfc().collect();
        let (present, other) =
            if cfg!(target_os = "macos") { (composed, plain) } else { (plain, composed) };
        Self { other: (other != present).then_some(other), present }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.present.as_str()).chain(self.other.as_deref())
    }

    /// Every name an older or the present CLI may have given, the present one first.
    pub(super) fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for path in self.iter() {
            let uncut = dashed(path);
            let shortened = uncut.len() > LONGEST_KEY;
            let also_uncut = (shortened && uncut.len() <= LONGEST_FILE_NAME).then_some(uncut);
            for candidate in std::iter::once(key(path)).chain(also_uncut) {
                if !keys.contains(&candidate) {
                    keys.push(candidate);
                }
            }
        }
        keys
    }

    /// The names before cutting, of those that are cut.
    pub(super) fn uncut_long_keys(&self) -> Vec<String> {
        self.iter().map(dashed).filter(|uncut| uncut.len() > LONGEST_KEY).collect()
    }

    /// Whether a path written in a transcript has the same uncut name as this one.
    pub(super) fn same_dashes(&self, recorded: &str) -> bool {
        let theirs = Self::of(Path::new(recorded));
        self.iter().any(|ours| theirs.iter().any(|theirs| dashed(ours) == dashed(theirs)))
    }

    /// Whether a path written in a transcript is this path.
    pub(super) fn same_path(&self, recorded: &str) -> bool {
        let theirs = Self::of(Path::new(recorded));
        self.iter().any(|ours| theirs.iter().any(|theirs| same_text(ours, theirs)))
    }
}

/// macOS and Windows do not tell `A` from `a`.
fn same_text(a: &str, b: &str) -> bool {
    if cfg!(any(target_os = "macos", windows)) {
        a.to_lowercase().replace('\\', "/") == b.to_lowercase().replace('\\', "/")
    } else {
        a == b
    }
}

fn key(path: &str) -> String {
    let mut name = dashed(path);
    if name.len() > LONGEST_KEY {
        name.truncate(LONGEST_KEY);
        name.push('-');
        name.push_str(&hash(path));
    }
    name
}

/// Every UTF-16 unit that is not an ASCII letter or digit becomes a dash.
fn dashed(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            _ => '-',
        })
        .collect()
}

/// `h * 31 + unit` in wrapping 32-bit arithmetic, its magnitude in base 36.
fn hash(path: &str) -> String {
    let sum = path
        .encode_utf16()
        .fold(0_i32, |sum, unit| sum.wrapping_mul(31).wrapping_add(i32::from(unit)));
    let mut rest = sum.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(rest % 36, 36).unwrap_or('0'));
        rest /= 36;
        if rest == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

/// Windows gives canonical paths as `\\?\C:\…`; the CLI leaves the prefix out.
fn without_verbatim_prefix(path: &str) -> &str {
    match path.strip_prefix(r"\\?\") {
        Some(rest) if cfg!(windows) && !rest.starts_with("UNC") => rest,
        _ => path,
    }
}

/// The canonical form of `path`; what does not exist is appended as it is written.
///
/// A deleted directory (a removed worktree, say) still has its sessions, so that failing is no
/// answer.
pub(super) fn resolve(path: &Path) -> PathBuf {
    let absolute = lexical(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = absolute.as_path();
    loop {
        if let Ok(mut canonical) = dunce::canonicalize(existing) {
            canonical.extend(missing.iter().rev());
            return canonical;
        }
        match (existing.parent(), existing.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name.to_owned());
                existing = parent;
            }
            _ => return absolute,
        }
    }
}

/// Resolves `..` only where the path as written does not exist; `canonicalize` does it better
/// where it does.
fn lexical(path: &Path) -> PathBuf {
    if path.exists() {
        return path.to_owned();
    }
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that the CLI (2.1.325 and 2.1.62) gave to these directories on Linux.
    #[test]
    fn keys_are_those_of_the_cli() {
        let decomposed = "/tmp/hist-live/cafe\u{301} \u{1F600}x";
        assert_eq!(key(decomposed), "-tmp-hist-live-cafe----x");
        let composed: String = decomposed.nfc().collect();
        assert_eq!(key(&composed), "-tmp-hist-live-caf----x");

        let long = format!(
            "/tmp/hist-live/{}/{}{}",
            "l".repeat(120),
            "\u{1F600}".repeat(20),
            "m".repeat(100)
        );
        let expected = format!(
            "-tmp-hist-live-{}-{}{}-ud9yno",
            "l".repeat(120),
            "-".repeat(40),
            "m".repeat(24)
        );
        assert_eq!(key(&long), expected);
    }

    #[test]
    fn hash_is_the_magnitude_in_base_36() {
        assert_eq!(hash(""), "0");
        assert_eq!(hash("a"), "2p");
        // The sum is i32::MIN here, whose magnitude does not fit an i32.
        assert_eq!(hash("polygenelubricants"), "zik0zk");
    }

    #[test]
    fn exactly_200_is_not_cut() {
        let path = format!("/{}", "a".repeat(199));
        assert_eq!(key(&path).len(), 200);
        assert_eq!(Spellings::of(Path::new(&path)).keys().len(), 1);
        let longer = format!("{path}a");
        assert!(key(&longer).starts_with(&format!("-{}-", "a".repeat(199))));
    }

    #[test]
    fn older_names_are_tried_too() {
        let path = format!("/e\u{301}{}", "a".repeat(210));
        let keys = Spellings::of(Path::new(&path)).keys();
        assert_eq!(keys.len(), 4, "{keys:?}");
        assert!(keys.contains(&format!("-e-{}", "a".repeat(210))));
        assert!(keys.contains(&format!("--{}", "a".repeat(210))));
    }

    #[test]
    fn missing_directories_resolve_as_far_as_they_exist() {
        let home = tempfile::tempdir().unwrap();
        let real = home.path().canonicalize().unwrap();
        assert_eq!(resolve(&home.path().join("gone/deeper")), real.join("gone/deeper"));
        assert_eq!(resolve(&home.path().join("gone/../other")), real.join("other"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_resolved() {
        let home = tempfile::tempdir().unwrap();
        let real = home.path().canonicalize().unwrap();
        std::fs::create_dir(real.join("there")).unwrap();
        std::os::unix::fs::symlink(real.join("there"), real.join("link")).unwrap();
        assert_eq!(project_key(&real.join("link")), project_key(&real.join("there")));
        assert_eq!(resolve(&real.join("link/gone")), real.join("there/gone"));
    }
}
