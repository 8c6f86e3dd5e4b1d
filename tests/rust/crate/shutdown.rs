// SPDX-License-Identifier: BSD-3-Clause
//! Sets that are left when the library is shut down: the only test of its process.
use papi::{sys, EventSet};

mod common;
use common::{is_right, touch, FAULTS};

/// A set of before gives errors, and is not taken for one of the library that is initialised afterwards.
#[test]
fn sets_that_are_left() -> papi::Result<()> {
    let mut old = EventSet::with_events([FAULTS])?;
    let before = old.count(touch)?.1;
    old.start()?;
    // SAFETY: no other thread uses the library.
    unsafe { sys::PAPI_shutdown() };
    assert_eq!(old.read().unwrap_err().code(), sys::PAPI_ENOINIT);
    let mut new = EventSet::with_events([FAULTS])?;
    new.start()?;
    touch();
    assert_ne!(old.handle(), new.handle());
    assert_eq!(old.read().unwrap_err().code(), sys::PAPI_ENOEVST);
    assert_eq!(old.read_into(&mut [0; 1]).unwrap_err().code(), sys::PAPI_ENOEVST);
    assert_eq!(old.start().unwrap_err().code(), sys::PAPI_ENOEVST);
    assert_eq!(old.stop().unwrap_err().code(), sys::PAPI_ENOEVST);
    assert!(old.add("perf::TASK-CLOCK").is_err() && old.metric("ipc", &before).is_err());
    drop(old);
    assert!(new.is_running());
    let count = new.stop()?[FAULTS].as_i64().expect("an integer");
    assert!(is_right(count), "{count}");
    Ok(())
}
