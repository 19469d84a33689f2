//! Metrics in the text that Prometheus reads, version 0.0.4.

use std::fmt::Write;

use super::label::{Family, Label};
use super::number::{Counter, Gauge, Histogram, Unit};

/// The text while it grows.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn finish(self) -> String {
        self.0
    }

    /// Begins a metric.
    pub(super) fn head(&mut self, name: &str, kind: &str, help: &str) {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} {kind}"));
    }

    /// One sample.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Shown) {
        self.0.push_str(name);
        for (index, (label, word)) in labels.iter().enumerate() {
            self.0.push(if index == 0 { '{' } else { ',' });
            self.0.push_str(label);
            self.0.push_str("=\"");
            for letter in word.chars() {
                match letter {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    letter => self.0.push(letter),
                }
            }
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        self.0.push(' ');
        value.show(&mut self.0);
        self.0.push('\n');
    }

    pub(super) fn counter(&mut self, name: &str, help: &str, counter: &Counter) {
        self.head(name, "counter", help);
        self.sample(name, &[], counter.get());
    }

    pub(super) fn gauge(&mut self, name: &str, help: &str, gauge: &Gauge) {
        self.head(name, "gauge", help);
        self.sample(name, &[], gauge.get());
    }

    pub(super) fn counters<L: Label>(&mut self, name: &str, help: &str, of: &Family<L, Counter>) {
        self.head(name, "counter", help);
        for (word, counter) in of.all() {
            self.sample(name, &[(L::NAME, word)], counter.get());
        }
    }

    pub(super) fn gauges<L: Label>(&mut self, name: &str, help: &str, of: &Family<L, Gauge>) {
        self.head(name, "gauge", help);
        for (word, gauge) in of.all() {
            self.sample(name, &[(L::NAME, word)], gauge.get());
        }
    }

    pub(super) fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.head(name, "histogram", help);
        let scale = match histogram.unit {
            Unit::Time => 1e9,
            Unit::Count => 1.0,
        };
        let reading = histogram.read();
        let bucket = format!("{name}_bucket");
        for (limit, count) in reading.buckets {
            self.sample(&bucket, &[("le", &format!("{}", limit as f64 / scale))], count);
        }
        self.sample(&bucket, &[("le", "+Inf")], reading.count);
        self.sample(&format!("{name}_sum"), &[], reading.sum as f64 / scale);
        self.sample(&format!("{name}_count"), &[], reading.count);
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _strings_take_everything = self.0.write_fmt(line);
        self.0.push('\n');
    }
}

/// A number that can be shown.
pub(super) trait Shown {
    fn show(&self, out: &mut String);
}

macro_rules! shown {
    ($($number:ty),*) => {$(
        impl Shown for $number {
            fn show(&self, out: &mut String) {
                let _strings_take_everything = write!(out, "{self}");
            }
        }
    )*};
}
shown!(u64, i64, f64);
