// SPDX-License-Identifier: BSD-3-Clause
//! Counts with the names of their events.
use crate::sys;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Index;
use std::os::raw::c_int;
use std::sync::Arc;
use std::time::Duration;

/// What the 64 bits of a count are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataType {
    Integer,
    Unsigned,
    Real,
}

impl DataType {
    pub(crate) fn of(data_type: c_int) -> DataType {
        match data_type {
            sys::PAPI_DATATYPE_FP64 => DataType::Real,
            sys::PAPI_DATATYPE_UINT64 | sys::PAPI_DATATYPE_BIT64 => DataType::Unsigned,
            _ => DataType::Integer,
        }
    }

    fn count(self, bits: i64) -> Count {
        match self {
            DataType::Integer => Count::Integer(bits),
            DataType::Unsigned => Count::Unsigned(bits as u64),
            DataType::Real => Count::Real(f64::from_bits(bits as u64)),
        }
    }
}

/// One event of an event set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) code: c_int,
    pub(crate) name: String,
    pub(crate) data_type: DataType,
}

/// The count of an event. Most are integers; some components have events that are real numbers.
///
/// Counts are compared by their values, exactly, of whichever kind they are.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Count {
    /// A number of events.
    Integer(i64),
    /// One that uses all 64 bits, or bits that have a meaning of their own.
    Unsigned(u64),
    /// A real number, such as a temperature or an energy.
    Real(f64),
}

impl Count {
    /// The integer; None: it is a real number, or beyond an `i64`.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Count::Integer(value) => Some(value),
            Count::Unsigned(value) => i64::try_from(value).ok(),
            Count::Real(_) => None,
        }
    }

    /// As a real number, for rates and ratios: above 2<sup>53</sup>, an integer is rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Count::Integer(value) => value as f64,
            Count::Unsigned(value) => value as f64,
            Count::Real(value) => value,
        }
    }

    /// An integer of either kind.
    fn integer(self) -> Option<i128> {
        match self {
            Count::Integer(value) => Some(value.into()),
            Count::Unsigned(value) => Some(value.into()),
            Count::Real(_) => None,
        }
    }

    /// The 64 bits as the library gave them.
    pub(crate) fn bits(self) -> i64 {
        match self {
            Count::Integer(value) => value,
            Count::Unsigned(value) => value as i64,
            Count::Real(value) => value.to_bits() as i64,
        }
    }
}

impl PartialEq for Count {
    fn eq(&self, other: &Count) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Count) -> Option<Ordering> {
        match (self.integer(), other.integer()) {
            (Some(one), Some(two)) => Some(one.cmp(&two)),
            (Some(one), None) => compare(one, other.as_f64()),
            (None, Some(two)) => compare(two, self.as_f64()).map(Ordering::reverse),
            (None, None) => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

/// An integer beside a real number. Rounding does not change their order, and where it makes them equal, the real number is
/// an integer that 128 bits have room for.
fn compare(integer: i128, real: f64) -> Option<Ordering> {
    match (integer as f64).partial_cmp(&real) {
        Some(Ordering::Equal) => Some(integer.cmp(&(real as i128))),
        order => order,
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Integer(value) => value.fmt(formatter),
            Count::Unsigned(value) => value.fmt(formatter),
            Count::Real(value) => value.fmt(formatter),
        }
    }
}

/// The counts of an event set, in the order of its events, with their names and the time in which they were counted.
///
/// `counts["PAPI_TOT_INS"]` is the [`Count`] of this event, and panics where there is none, as a map does;
/// [`get`](Counts::get) does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    events: Arc<Vec<Event>>,
    values: Vec<Count>,
    elapsed: Duration,
}

impl Counts {
    pub(crate) fn new(events: Arc<Vec<Event>>, bits: &[i64], elapsed: Duration) -> Counts {
        let values = events.iter().zip(bits).map(|(event, &bits)| event.data_type.count(bits)).collect();
        Counts { events, values, elapsed }
    }

    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// The count of the event of this name.
    pub fn get(&self, name: &str) -> Option<Count> {
        self.place(name).map(|place| self.values[place])
    }

    /// The counts in the order of the events.
    pub fn values(&self) -> &[Count] {
        &self.values
    }

    /// The names of the events, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(|event| event.name.as_str())
    }

    /// Names and counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Count)> {
        self.names().zip(self.values.iter().copied())
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The time in which the events were counted.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|event| event.name == name)
    }
}

impl Index<&str> for Counts {
    type Output = Count;

    fn index(&self, name: &str) -> &Count {
        match self.place(name) {
            Some(place) => &self.values[place],
            None => panic!("{name} was not counted: the events are {}", self.names().collect::<Vec<_>>().join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> Counts {
        let event = |name: &str, data_type| Event { code: 1, name: name.into(), data_type: DataType::of(data_type) };
        let events = vec![
            event("integer", sys::PAPI_DATATYPE_INT64),
            event("real", sys::PAPI_DATATYPE_FP64),
            event("unsigned", sys::PAPI_DATATYPE_UINT64),
            event("bits", sys::PAPI_DATATYPE_BIT64),
        ];
        Counts::new(Arc::new(events), &[-5, 0x3ff8_0000_0000_0000, -1, 3], Duration::from_secs(2))
    }

    #[test]
    fn kinds_of_counts() {
        let counts = counts();
        assert_eq!(counts["integer"], Count::Integer(-5));
        assert_eq!(counts["real"], Count::Real(1.5));
        assert_eq!(counts["unsigned"], Count::Unsigned(u64::MAX));
        assert_eq!(counts.get("bits"), Some(Count::Unsigned(3)));
        assert_eq!(counts.get("no such"), None);
        let integers: Vec<_> = counts.values().iter().map(|count| count.as_i64()).collect();
        assert_eq!(integers, [Some(-5), None, None, Some(3)]);
        let bits: Vec<_> = counts.values().iter().map(|count| count.bits()).collect();
        assert_eq!(bits, [-5, 0x3ff8_0000_0000_0000, -1, 3]);
        assert_eq!(counts["real"].as_f64(), 1.5);
        assert_eq!(counts["integer"].as_f64(), -5.0);
    }

    #[test]
    fn order_of_counts() {
        let (integer, unsigned, real) = (Count::Integer, Count::Unsigned, Count::Real);
        assert!(integer(5) > unsigned(3) && integer(1000) > real(1.0) && unsigned(2) > real(1.5));
        assert!(integer(-1) < unsigned(0) && unsigned(u64::MAX) > integer(i64::MAX) && real(-0.5) < integer(0));
        assert!(integer(3) == unsigned(3) && real(3.0) == integer(3) && integer(i64::MIN) == real(-9_223_372_036_854_775_808.0));
        // 2^53 + 1, which is rounded to 2^53.
        assert!(integer(9_007_199_254_740_993) > real(9_007_199_254_740_992.0));
        assert!(integer(9_007_199_254_740_993) != real(9_007_199_254_740_992.0));
        assert!(unsigned(u64::MAX) < real(18_446_744_073_709_551_616.0));
        assert_eq!(integer(0).partial_cmp(&real(f64::NAN)), None);
        assert!(real(f64::NAN) != real(f64::NAN) && real(f64::INFINITY) > unsigned(u64::MAX));
    }

    #[test]
    fn as_a_map() {
        let counts = counts();
        assert_eq!(counts.len(), 4);
        assert!(!counts.is_empty());
        assert_eq!(counts.names().collect::<Vec<_>>(), ["integer", "real", "unsigned", "bits"]);
        assert_eq!(counts.iter().next(), Some(("integer", Count::Integer(-5))));
        assert_eq!(counts.elapsed().as_secs(), 2);
        assert_eq!(format!("{:>6}|{:.2}", counts["integer"], counts["real"]), "    -5|1.50");
    }

    #[test]
    #[should_panic(expected = "no such was not counted: the events are integer, real, unsigned, bits")]
    fn missing_event() {
        let _ = counts()["no such"];
    }
}
