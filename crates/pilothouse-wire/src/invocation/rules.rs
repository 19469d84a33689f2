//! Permission rules on the command line.
//!
//! `--allowedTools` and `--disallowedTools` take rules separated by commas or spaces. The CLI's
//! reader knows only *inside* and *outside* of parentheses, not how deep: the first `)` closes all
//! of them. So `Bash(echo $(date) now)` falls apart into two rules that mean something else, and a
//! rule whose parenthesis stays open swallows the next. Neither is reported. Here both are errors.

use super::error::InvocationError;
use super::flags::Flag;

/// The rules as one value, from which the CLI reads exactly these rules again.
pub(super) fn join(flag: Flag, rules: &[String]) -> Result<String, InvocationError> {
    match rules.iter().find(|rule| !survives(rule)) {
        Some(rule) => Err(InvocationError::TornRule { flag, rule: rule.clone() }),
        None => Ok(rules.join(",")),
    }
}

/// Whether the CLI reads the rule as itself, whatever stands next to it.
fn survives(rule: &str) -> bool {
    let mut inside = false;
    for c in rule.chars() {
        match c {
            '(' => inside = true,
            ')' => inside = false,
            ',' | ' ' if !inside => return false,
            _ => {}
        }
    }
    // Each piece is trimmed of every kind of white space; JavaScript counts the BOM among them.
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    !inside && !rule.is_empty() && !rule.starts_with(blank) && !rule.ends_with(blank)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What the CLI does with the value of the flag.
    pub(in super::super) fn read_like_the_cli(value: &str) -> Vec<String> {
        let mut rules = vec![String::new()];
        let mut inside = false;
        for c in value.chars() {
            inside = (inside || c == '(') && c != ')';
            match rules.last_mut() {
                Some(rule) if inside || (c != ',' && c != ' ') => rule.push(c),
                _ => rules.push(String::new()),
            }
        }
        rules.iter().map(|rule| rule.trim().to_owned()).filter(|rule| !rule.is_empty()).collect()
    }

    #[test]
    fn rules_are_kept_or_refused() {
        for (rule, kept) in [
            ("Bash", true),
            ("Bash(git log *)", true),
            ("Bash(npm run test:*)", true),
            ("WebFetch(domain:example.com)", true),
            ("mcp__server__tool", true),
            ("Bash(a, b)", true),
            ("Bash(f(x))", true),
            ("Bash(echo $(date) now)", false),
            ("Bash(echo (a),b)", false),
            ("Bash(open", false),
            ("Bash Edit", false),
            ("Bash,Edit", false),
            (" Bash", false),
            ("Bash\n", false),
            ("", false),
        ] {
            assert_eq!(survives(rule), kept, "{rule:?}");
            let both = read_like_the_cli(&format!("{rule},Next"));
            assert_eq!(both == [rule, "Next"], kept, "{rule:?}");
        }
    }
}
