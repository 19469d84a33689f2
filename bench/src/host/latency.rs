//! Many durations, and what stands at a place among them.

/// Durations in microseconds.
#[derive(Clone, Debug, Default)]
pub struct Durations(Vec<u32>);

impl Durations {
    /// Adds one, in nanoseconds.
    pub fn add(&mut self, nanos: u64) {
        self.0.push(u32::try_from(nanos / 1000).unwrap_or(u32::MAX));
    }

    /// Adds all of another.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The mean, in milliseconds.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.0.iter().map(|micros| f64::from(*micros)).sum();
        sum / 1000.0 / (self.0.len().max(1) as f64)
    }

    /// The places, in milliseconds: 0.99 gives what 99 % do not exceed.
    #[must_use]
    pub fn at<const N: usize>(&self, places: [f64; N]) -> [f64; N] {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        places.map(|place| {
            let last = sorted.len().saturating_sub(1) as f64;
            let index = (last * place).round() as usize;
            sorted.get(index).map_or(f64::NAN, |micros| f64::from(*micros) / 1000.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found() {
        let mut durations = Durations::default();
        (0..=100).rev().for_each(|millis| durations.add(millis * 1_000_000));
        assert_eq!(durations.at([0.0, 0.5, 0.99, 1.0]), [0.0, 50.0, 99.0, 100.0]);
        assert!((durations.mean() - 50.0).abs() < 1e-9);
        assert!(Durations::default().at([0.5])[0].is_nan());
    }
}
