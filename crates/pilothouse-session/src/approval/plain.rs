//! Text for people, of what was meant for a terminal.

/// `text` without the codes that colour it, move the cursor or set titles. Control characters go
/// too, but for line breaks and tabs: none of them may reach the screen of whoever decides.
pub(crate) fn without_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(char) = rest.next() {
        match char {
            '\u{1b}' => skip_code(&mut rest),
            '\n' | '\t' => plain.push(char),
            _ if char.is_control() => {}
            _ => plain.push(char),
        }
    }
    plain
}

/// Passes over what follows an escape.
fn skip_code(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        // A sequence of parameters, ended by a letter or the like.
        Some('[') => {
            rest.find(|char| ('@'..='~').contains(char));
        }
        // A string, ended by a bell or by an escape and a backslash.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let end = rest.find(|char| matches!(char, '\u{7}' | '\u{1b}'));
            if end == Some('\u{1b}') {
                rest.next();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_stays() {
        for (text, plain) in [
            ("plain, with\tä tab\nand a line", "plain, with\tä tab\nand a line"),
            ("\u{1b}[1;31mred\u{1b}[0m rag", "red rag"),
            ("\u{1b}]8;;https://x.example\u{7}link\u{1b}]8;;\u{1b}\\ and more", "link and more"),
            ("box\rover\u{8}\u{0}", "boxover"),
            ("cut \u{1b}[31", "cut "),
            ("cut \u{1b}", "cut "),
        ] {
            assert_eq!(without_codes(text), plain, "{text:?}");
        }
    }
}
