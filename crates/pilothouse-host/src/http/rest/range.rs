//! A part of something, by the header `Range` or by `offset` and `length`.

use crate::http::problem::{Fault, Kind, Problem};

/// Bytes from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
    /// It was asked for by the header.
    pub(super) is_part: bool,
}

impl Span {
    /// What is asked for, of `whole` bytes. Several ranges, and units other than bytes, are not
    /// known here, which means all.
    pub(super) fn of(
        header: Option<&str>,
        (offset, length): (Option<u64>, Option<u64>),
        whole: u64,
    ) -> Result<Self, Problem> {
        let all = (offset.is_none() && length.is_none()).then_some(header).flatten();
        if let Some(asked) = all.and_then(|header| header.trim().strip_prefix("bytes="))
            && !asked.contains(',')
        {
            return Self::ranged(asked, whole);
        }
        let start = offset.unwrap_or(0);
        if start > whole {
            let detail = format!("it has {whole} bytes: `offset` must not be beyond");
            return Err(Problem::new(Kind::RangeNotSatisfiable, detail));
        }
        let end = length.map_or(whole, |length| start.saturating_add(length).min(whole));
        Ok(Self { start, end, is_part: false })
    }

    fn ranged(asked: &str, whole: u64) -> Result<Self, Problem> {
        let bad = || Problem::invalid(Fault::header("range", "write it like `bytes=0-1023`"));
        let (from, to) = asked.trim().split_once('-').ok_or_else(bad)?;
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse::<u64>().map(Some).map_err(|_| bad()),
        };
        let (start, end) = match (number(from)?, number(to)?) {
            (None, None) => return Err(bad()),
            (Some(from), Some(to)) if to < from => return Err(bad()),
            (Some(from), to) => (from, to.map_or(whole, |to| to.saturating_add(1).min(whole))),
            (None, Some(last)) => (whole.saturating_sub(last), whole),
        };
        if start >= whole || start >= end {
            let detail = format!("it has {whole} bytes: ask for a part of these");
            return Err(Problem::new(Kind::RangeNotSatisfiable, detail));
        }
        Ok(Self { start, end, is_part: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_what_the_standard_says() {
        let table = [
            ("bytes=0-9", Some((0, 10))),
            ("bytes=90-", Some((90, 100))),
            ("bytes=90-200", Some((90, 100))),
            ("bytes=-10", Some((90, 100))),
            ("bytes=-200", Some((0, 100))),
            ("bytes=100-", None),
            ("bytes=-0", None),
            ("bytes=5-4", None),
            ("bytes=a-b", None),
            ("bytes=-", None),
            ("bytes=18446744073709551616-", None),
        ];
        for (header, wanted) in table {
            let span = Span::of(Some(header), (None, None), 100).ok();
            assert_eq!(span.map(|span| (span.start, span.end)), wanted, "{header}");
        }
        for header in ["items=1-2", "bytes=0-1,3-4", "nonsense"] {
            let span = Span::of(Some(header), (None, None), 100).unwrap();
            assert_eq!((span.start, span.end, span.is_part), (0, 100, false), "{header}");
        }
    }

    #[test]
    fn offset_and_length_stay_inside() {
        let span = |offset, length| Span::of(None, (offset, length), 100).ok();
        assert_eq!(span(Some(10), Some(5)).map(|span| (span.start, span.end)), Some((10, 15)));
        assert_eq!(span(Some(100), None).map(|span| (span.start, span.end)), Some((100, 100)));
        let most = span(Some(10), Some(u64::MAX));
        assert_eq!(most.map(|span| (span.start, span.end)), Some((10, 100)));
        assert_eq!(span(Some(101), None), None);
    }
}
