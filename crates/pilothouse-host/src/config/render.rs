//! A configuration as it is: for people to read, with where everything comes from.

use std::fmt::Write;

use super::keys::Key;
use super::settings::Config;

impl Config {
    /// As TOML, with what each key is for and where its value comes from. Secrets are masked, so
    /// it is not fit to be read again as it is.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let mut table = "";
        for key in Key::all() {
            let (of, name) = key.name().rsplit_once('.').unwrap_or(("", key.name()));
            if of != table {
                let _ = writeln!(text, "\n[{of}]");
                table = of;
            }
            let _ = writeln!(text, "# {}", key.about());
            // A line break in a path or a flag must not end the comment.
            let source: String = self.source(key).to_string().escape_debug().collect();
            let _ = match key.show(self) {
                Some(value) => writeln!(text, "{name} = {value} # {source}"),
                None => writeln!(text, "# {name} is not set # {source}"),
            };
        }
        text
    }
}
