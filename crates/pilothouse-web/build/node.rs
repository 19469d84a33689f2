//! Which Node can build the client: what Vite says it needs.

/// Whether one that calls itself this (`v20.19.0`) can.
pub(crate) fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim().trim_start_matches('v').split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => match major {
            20 => minor >= 19,
            22 => minor >= 12,
            _ => major > 22,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn old_ones_are_told_apart() {
        for version in ["v20.19.0\n", "v20.20.2", "v22.12.0", "v24.0.0", "v26.1.0-nightly"] {
            assert!(is_new_enough(version), "{version}");
        }
        for version in ["v18.19.0", "v20.18.3", "v21.7.3", "v22.11.0", "", "node", "v22"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }
}
