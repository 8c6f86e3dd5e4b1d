// SPDX-License-Identifier: BSD-3-Clause
//! Errors have their code and the library's reason.
use papi::{sys, EventSet};
use std::os::raw::c_int;

mod common;
use common::{is_right, touch, CLOCK, FAULTS, PAGES};

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

extern "C" {
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// In the child, the parent's set gives errors and no counts, whatever is called, and its own count; the parent's goes on.
#[test]
fn after_a_fork() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS])?;
    events.start()?;
    // SAFETY: the child calls the library, and ends without the test's own threads.
    let child = unsafe { fork() };
    assert!(child >= 0);
    if child == 0 {
        let lost = [events.read().is_err(), events.read_into(&mut [0; 1]).is_err(), events.stop().is_err()];
        drop(events);
        let own = papi::measure([FAULTS], touch).map(|(_, counts)| is_right(counts[FAULTS].as_i64().unwrap_or(0)));
        let failed = lost != [true; 3] || own != Ok(true);
        // SAFETY: it takes a number.
        unsafe { _exit(failed.into()) };
    }
    let mut status = -1;
    // SAFETY: the pointer is that of a variable.
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    touch();
    assert!(events.stop()?[FAULTS].as_i64() >= Some(PAGES));
    Ok(())
}
