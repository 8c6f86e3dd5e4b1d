// SPDX-License-Identifier: BSD-3-Clause
//! Performance counters: event sets, regions and metrics of libpapi.
//!
//! ```no_run
//! let mut events = papi::EventSet::with_events(["PAPI_TOT_INS", "PAPI_TOT_CYC"])?;
//! let (sum, counts) = events.count(|| (1..1_000_000).map(|i| 1.0 / f64::from(i)).sum::<f64>())?;
//! println!("{} instructions for {sum}", counts["PAPI_TOT_INS"]);
//! # Ok::<(), papi::Error>(())
//! ```
//!
//! The library is initialised when the first object is made. An event set counts in, and is used by, the thread that
//! made it: other threads make their own. Every function of `papi.h` is in [`sys`], and [`check`] makes an [`Error`] of
//! what it returns.
#![warn(missing_docs)]

mod call;
mod counts;
mod error;
mod event_set;
mod machine;
mod region;
pub mod sys;

pub use counts::{Count, Counts};
pub use error::{check, Error, Result};
pub use event_set::{Domain, EventSet};
pub use machine::{all_presets, components, hardware, native_events, presets, Component, EventInfo, Hardware};
pub use region::Region;

/// Initialises the library, which the objects of this crate do themselves.
pub fn init() -> Result<()> {
    // SAFETY: these functions take numbers, and may be called in any thread at any time.
    unsafe {
        if sys::PAPI_is_initialized() == sys::PAPI_NOT_INITED {
            check(sys::PAPI_library_init(sys::PAPI_VER_CURRENT))?;
        }
    }
    Ok(())
}

/// What a closure counts, with an event set of its own: its result, and the counts.
pub fn measure<R, I>(events: I, what: impl FnOnce() -> R) -> Result<(R, Counts)>
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    EventSet::with_events(events)?.count(what)
}

/// The programs of README.md are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Document;
