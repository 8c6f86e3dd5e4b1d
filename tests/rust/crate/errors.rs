// SPDX-License-Identifier: BSD-3-Clause
//! Errors have their code and the library's reason.
use papi::{sys, EventSet};

mod common;
use common::{CLOCK, FAULTS};

#[test]
fn reasons() -> papi::Result<()> {
    let error = EventSet::with_events([FAULTS, "PAPI_TOT_INX"]).unwrap_err();
    assert_eq!(error.code(), sys::PAPI_ENOTPRESET);
    assert!(error.reason().contains("the nearest is PAPI_TOT_INS"), "{error}");
    assert_eq!(error.to_string(), error.reason());
    let error = EventSet::new()?.add("no_such::EVENT").unwrap_err();
    assert_eq!(error.code(), sys::PAPI_ENOEVNT);
    Ok(())
}

#[test]
fn order_of_calls() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS])?;
    assert_eq!(events.stop().unwrap_err().code(), sys::PAPI_ENOTRUN);
    events.start()?;
    assert_eq!(events.start().unwrap_err().code(), sys::PAPI_EISRUN);
    assert_eq!(events.add(CLOCK).unwrap_err().code(), sys::PAPI_EISRUN);
    assert_eq!(events.set_inherit().unwrap_err().code(), sys::PAPI_EISRUN);
    assert_eq!(events.len(), 1);
    Ok(())
}

#[test]
fn wrong_arguments() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS])?;
    assert_eq!(events.add("a\0b").unwrap_err().code(), sys::PAPI_EINVAL);
    assert!(events.add_code(12345).is_err());
    assert!(events.remove(CLOCK).is_err());
    assert_eq!(events.names().collect::<Vec<_>>(), [FAULTS]);
    assert_eq!(papi::Region::enter("").unwrap_err().code(), sys::PAPI_EINVAL);
    assert_eq!(papi::native_events("no such").unwrap_err().code(), sys::PAPI_ENOCMP);
    // SAFETY: only a number goes in.
    assert_eq!(papi::check(unsafe { sys::PAPI_start(12345) }).unwrap_err().code(), sys::PAPI_ENOEVST);
    Ok(())
}
