//! Changing a few members of a stored line and leaving everything else exactly as it is:
//! unknown fields, their order, numbers that no type can hold, lone surrogates.

use super::json::{Value, quoted};

/// What happens to one member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// It gets this JSON, at the end if it is not there.
    Set(String),
    /// It gets this JSON if it is there.
    Replace(String),
    /// It is left out.
    Drop,
}

impl Edit {
    pub(super) fn text(text: &str) -> Self {
        Self::Set(quoted(text))
    }
}

/// An object with some of its members edited. A member that repeats is edited once and then left
/// out.
pub(super) fn rewrite(object: Value<'_>, edits: &[(&str, Edit)]) -> String {
    let mut done = vec![false; edits.len()];
    let mut out = String::with_capacity(object.raw().len() + 256);
    out.push('{');
    let mut put = |key: &str, value: &str| {
        if out.len() > 1 {
            out.push(',');
        }
        out.push('"');
        out.push_str(key);
        out.push_str("\":");
        out.push_str(value);
    };
    for member in object.members() {
        let edit = edits.iter().position(|(key, _)| member.is(key));
        match edit.map(|at| (std::mem::replace(&mut done[at], true), &edits[at].1)) {
            None => put(member.raw_key(), member.value.raw()),
            Some((false, Edit::Set(json) | Edit::Replace(json))) => put(member.raw_key(), json),
            Some(_) => {}
        }
    }
    for ((key, edit), done) in edits.iter().zip(done) {
        if let (Edit::Set(json), false) = (edit, done) {
            put(key, json);
        }
    }
    out.push('}');
    out
}

/// An array with each item replaced by what `item` gives, or left out.
pub(super) fn rewrite_items<'a>(
    array: Value<'a>,
    item: impl Fn(Value<'a>) -> Option<String>,
) -> String {
    let items: Vec<String> = array.items().filter_map(item).collect();
    format!("[{}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_edited_changes() {
        let line = Value::new(r#"{ "a":"\ud83d", "b" : 1e999 ,"c":{"x": [1, 2]},"b":2,"d":null}"#);
        assert_eq!(
            rewrite(line, &[]),
            r#"{"a":"\ud83d","b":1e999,"c":{"x": [1, 2]},"b":2,"d":null}"#
        );
        let edits = [
            ("b", Edit::Set("3".to_owned())),
            ("d", Edit::Drop),
            ("new", Edit::text("\"")),
            ("absent", Edit::Replace("1".to_owned())),
            ("a", Edit::Replace("0".to_owned())),
        ];
        assert_eq!(rewrite(line, &edits), r#"{"a":0,"b":3,"c":{"x": [1, 2]},"new":"\""}"#);
    }

    #[test]
    fn items_are_mapped() {
        let array = Value::new(r#"["a", 1, "b"]"#);
        let upper = |item: Value<'_>| item.text().map(|text| quoted(&text.to_uppercase()));
        assert_eq!(rewrite_items(array, upper), r#"["A","B"]"#);
    }
}
