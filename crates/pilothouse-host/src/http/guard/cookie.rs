//! Parses `Cookie` headers.

/// More cookies of one name than this are ignored.
const MOST: usize = 4;

/// The values of the cookies called `name` in one `Cookie` header, in their order.
///
/// Several cookies may have one name: servers on other ports of the same host can set it too.
pub fn values<'h>(header: &'h str, name: &str) -> impl Iterator<Item = &'h str> {
    header
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='))
        .filter_map(move |(key, value)| (key == name).then_some(value))
        .take(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_values_of_one_name() {
        let table: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("p", &[]),
            ("p=1", &["1"]),
            ("a=2; p=1;p=3 ; q=4", &["1", "3"]),
            ("P=1; pp=2; xp=3", &[]),
            ("p==;p=a=b", &["=", "a=b"]),
            (";;p=;", &[""]),
            ("p=1;p=2;p=3;p=4;p=5", &["1", "2", "3", "4"]),
        ];
        for (header, expected) in table {
            assert_eq!(values(header, "p").collect::<Vec<_>>(), expected, "{header:?}");
        }
    }
}
