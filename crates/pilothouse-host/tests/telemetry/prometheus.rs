//! Reads what Prometheus reads, by its rules, and knows nothing of how it was written.

use std::collections::{BTreeMap, HashMap, HashSet};

/// One sample.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

/// A whole page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) kinds: HashMap<String, String>,
    helps: HashMap<String, String>,
    pub(crate) samples: Vec<Sample>,
}

impl Page {
    /// Reads a page and checks everything that the format demands of it.
    pub(crate) fn read(text: &str) -> Self {
        assert!(text.ends_with('\n'), "the last line must end");
        let mut page = Self::default();
        let mut current = String::new();
        let mut seen = HashSet::new();
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, words) = help.split_once(' ').expect("a help text");
                assert!(page.helps.insert(name.to_owned(), words.to_owned()).is_none(), "{name}");
                name.clone_into(&mut current);
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect("a type");
                assert_eq!(name, current, "HELP and TYPE belong together");
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{kind}");
                assert!(page.kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "{name}");
            } else {
                let sample = sample(line);
                let is_of = |suffix: &str| sample.name == format!("{current}{suffix}");
                let is_histogram = page.kinds.get(&current).is_some_and(|kind| kind == "histogram");
                let fits = match is_histogram {
                    true => is_of("_bucket") || is_of("_sum") || is_of("_count"),
                    false => is_of(""),
                };
                assert!(fits, "{line:?} is not of {current}");
                let key = format!("{}{:?}", sample.name, sample.labels);
                assert!(seen.insert(key), "{line:?} is there twice");
                page.samples.push(sample);
            }
        }
        page.check_names();
        page.check_histograms();
        page
    }

    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let labels: BTreeMap<_, _> =
            labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let found = self.samples.iter().find(|one| one.name == name && one.labels == labels);
        found.unwrap_or_else(|| panic!("no {name} {labels:?}")).value
    }

    fn check_names(&self) {
        for (name, kind) in &self.kinds {
            assert!(name.starts_with("pilothouse_"), "{name}");
            let is_plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            assert!(name.bytes().all(is_plain), "{name}");
            assert_eq!(name.ends_with("_total"), kind == "counter", "{name} is a {kind}");
            let is_time = name.contains("duration") || name.starts_with("pilothouse_delivery");
            assert!(!is_time || name.ends_with("_seconds"), "{name} has no unit");
        }
    }

    fn check_histograms(&self) {
        for (name, _) in self.kinds.iter().filter(|(_, kind)| *kind == "histogram") {
            let buckets: Vec<(f64, f64)> = self
                .samples
                .iter()
                .filter(|sample| sample.name == format!("{name}_bucket"))
                .map(|sample| (number(&sample.labels["le"]), sample.value))
                .collect();
            assert!(buckets.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1));
            let last = buckets.last().expect("buckets");
            assert_eq!(last.0, f64::INFINITY);
            assert_eq!(last.1, self.value(&format!("{name}_count"), &[]));
            assert!(self.value(&format!("{name}_sum"), &[]) >= 0.0);
        }
    }
}

fn number(text: &str) -> f64 {
    match text {
        "+Inf" => f64::INFINITY,
        text => text.parse().expect("a number"),
    }
}

fn sample(line: &str) -> Sample {
    let mut letters = line.chars().peekable();
    let mut name = String::new();
    while let Some(letter) =
        letters.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
    {
        name.push(letter);
    }
    let mut labels = BTreeMap::new();
    if letters.next_if_eq(&'{').is_some() {
        while letters.next_if_eq(&'}').is_none() {
            letters.next_if_eq(&',');
            let mut key = String::new();
            while let Some(letter) = letters.next_if(|letter| *letter != '=') {
                key.push(letter);
            }
            assert_eq!((letters.next(), letters.next()), (Some('='), Some('"')), "{line}");
            let mut value = String::new();
            loop {
                match letters.next().expect("the end of the value") {
                    '"' => break,
                    '\\' => value.push(match letters.next() {
                        Some('n') => '\n',
                        Some(letter @ ('\\' | '"')) => letter,
                        other => panic!("{other:?} is not to be escaped"),
                    }),
                    letter => value.push(letter),
                }
            }
            assert!(labels.insert(key, value).is_none(), "{line}");
        }
    }
    assert_eq!(letters.next(), Some(' '), "{line}");
    Sample { name, labels, value: number(&letters.collect::<String>()) }
}
