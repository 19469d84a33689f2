//! Times and sizes as people write them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A time: `250ms`, `30s`, `5m`, `1h30m`, `7d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

/// A number of bytes: `512`, `64 KiB`, `1.5 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

const TIMES: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

const SIZES: [(&str, u64); 10] = [
    ("", 1),
    ("b", 1),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
];

impl FromStr for Span {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut rest = text.trim();
        if rest == "0" {
            return Ok(Self(Duration::ZERO));
        }
        let mut millis = 0_u64;
        let mut smallest = u64::MAX;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or(())?;
            let (number, after) = rest.split_at(digits);
            let after = after.trim_start();
            let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            let (unit, after) = after.split_at(letters);
            let (_, each) = TIMES.iter().find(|(name, _)| *name == unit).ok_or(())?;
            // Each unit once, the larger first: `30s5m` is more likely a slip.
            if *each >= smallest {
                return Err(());
            }
            smallest = *each;
            let part = number.parse::<u64>().map_err(drop)?.checked_mul(*each).ok_or(())?;
            millis = millis.checked_add(part).ok_or(())?;
            rest = after.trim_start();
        }
        if smallest == u64::MAX { Err(()) } else { Ok(Self(Duration::from_millis(millis))) }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut millis = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        if millis == 0 {
            return f.write_str("0s");
        }
        for (unit, each) in TIMES {
            if millis >= each {
                write!(f, "{}{unit}", millis / each)?;
                millis %= each;
            }
        }
        Ok(())
    }
}

impl FromStr for Size {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim();
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit = unit.trim().to_ascii_lowercase();
        let (_, each) = SIZES.iter().find(|(name, _)| *name == unit).ok_or(())?;
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(*each).map(Self).ok_or(());
        }
        // `1.5 GiB`, but not half a byte.
        let (whole, part) = number.split_once('.').ok_or(())?;
        let scale = 10_u64.checked_pow(u32::try_from(part.len()).map_err(drop)?).ok_or(())?;
        let whole = whole.parse::<u64>().map_err(drop)?.checked_mul(*each).ok_or(())?;
        let part = part.parse::<u64>().map_err(drop)?.checked_mul(*each).ok_or(())?;
        if part % scale != 0 {
            return Err(());
        }
        whole.checked_add(part / scale).map(Self).ok_or(())
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("TiB", 1_u64 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        match units.iter().find(|(_, each)| self.0 >= *each && self.0.is_multiple_of(*each)) {
            Some((unit, each)) => write!(f, "{} {unit}", self.0 / each),
            None => write!(f, "{} B", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times() {
        let table = [
            ("250ms", Some(250)),
            ("30s", Some(30_000)),
            ("5m", Some(300_000)),
            ("1h30m", Some(5_400_000)),
            ("1h 30m", Some(5_400_000)),
            ("5 m", Some(300_000)),
            ("7d", Some(604_800_000)),
            ("0", Some(0)),
            ("0s", Some(0)),
            ("", None),
            ("30", None),
            ("s", None),
            ("-5s", None),
            ("1.5h", None),
            ("30s5m", None),
            ("5m5m", None),
            ("5 minutes", None),
            ("99999999999999999999s", None),
            ("9999999999999999999d", None),
        ];
        for (text, millis) in table {
            let read = text.parse::<Span>().ok();
            assert_eq!(read, millis.map(|millis| Span(Duration::from_millis(millis))), "{text:?}");
        }
    }

    #[test]
    fn sizes() {
        let table = [
            ("0", Some(0)),
            ("512", Some(512)),
            ("512 B", Some(512)),
            ("16 MiB", Some(16 << 20)),
            ("16MiB", Some(16 << 20)),
            ("16 mib", Some(16 << 20)),
            ("1.5 KiB", Some(1536)),
            ("2 MB", Some(2_000_000)),
            ("", None),
            ("MiB", None),
            ("1.5", None),
            ("0.3 KiB", None),
            ("-1", None),
            ("16 M", None),
            ("1..5 KiB", None),
            ("99999999 TiB", None),
        ];
        for (text, bytes) in table {
            assert_eq!(text.parse::<Size>().ok(), bytes.map(Size), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(number in any::<u64>(), text in ".{0,12}") {
            let (size, span) = (Size(number), Span(Duration::from_millis(number)));
            prop_assert_eq!(size.to_string().parse(), Ok(size));
            prop_assert_eq!(span.to_string().parse(), Ok(span));
            let _ = (text.parse::<Size>(), text.parse::<Span>());
        }
    }
}
