// SPDX-License-Identifier: BSD-3-Clause
//! Event sets, by events that count everywhere.
use papi::{sys, Count, Domain, EventSet};
use std::panic::{catch_unwind, AssertUnwindSafe};

mod common;
use common::{is_right, touch, CLOCK, FAULTS, PAGES};

fn integer(count: Count) -> i64 {
    count.as_i64().expect("an integer")
}

#[test]
fn closures() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS, CLOCK])?;
    let (result, counts) = events.count(|| {
        touch();
        42
    })?;
    assert_eq!(result, 42);
    assert!(is_right(integer(counts[FAULTS])), "{counts:?}");
    assert!(integer(counts[CLOCK]) > 0);
    assert_eq!(counts.names().collect::<Vec<_>>(), [FAULTS, CLOCK]);
    assert_eq!(counts.values()[0], counts[FAULTS]);
    assert!(counts.elapsed().as_nanos() as i64 >= integer(counts[CLOCK]) / 2);
    assert!(!events.is_running());
    let ((), counts) = papi::measure([FAULTS], touch)?;
    assert!(is_right(integer(counts[FAULTS])), "{counts:?}");
    Ok(())
}

/// The same numbers as the function of C gives.
#[test]
fn as_in_c() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS, CLOCK])?;
    let (_, counts) = events.count(touch)?;
    let mut values = [0; 2];
    // SAFETY: there is room for both events.
    papi::check(unsafe { sys::PAPI_read(events.handle(), values.as_mut_ptr()) })?;
    assert!(is_right(values[0]));
    assert_eq!(counts.values().iter().map(|&c| integer(c)).collect::<Vec<_>>(), values);
    assert_eq!(events.read()?, counts);
    Ok(())
}

#[test]
fn steps() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS, CLOCK])?;
    let (mut before, mut after) = ([0; 2], [0; 3]);
    after[2] = -7;
    events.start()?;
    assert!(events.is_running());
    events.read_into(&mut before)?;
    touch();
    events.read_into(&mut after)?;
    assert!(is_right(after[0] - before[0]), "{before:?} {after:?}");
    assert_eq!(after[2], -7);
    let read = events.read()?;
    assert!(integer(read[FAULTS]) >= after[0]);
    assert_eq!(events.read_into(&mut [0; 1]).unwrap_err().code(), sys::PAPI_EBUF);
    assert_eq!(events.stop_into(&mut []).unwrap_err().code(), sys::PAPI_EBUF);
    assert!(events.is_running());
    events.reset()?;
    let counts = events.stop()?;
    assert!(integer(counts[FAULTS]) < PAGES);
    assert!(counts.elapsed() < read.elapsed());
    Ok(())
}

fn panic() {
    std::panic::resume_unwind(Box::new("mine"))
}

#[test]
fn panics() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS])?;
    let caught = catch_unwind(AssertUnwindSafe(|| events.count(panic)));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"mine"));
    assert!(!events.is_running());
    assert!(is_right(integer(events.count(touch)?.1[FAULTS])));
    Ok(())
}

/// Somebody else stopped it inside: not a count.
#[test]
fn stopped_inside() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS])?;
    let handle = events.handle();
    // SAFETY: no counts are wanted.
    let error = events.count(|| unsafe { sys::PAPI_stop(handle, std::ptr::null_mut()) }).unwrap_err();
    assert_eq!(error.code(), sys::PAPI_ENOTRUN);
    Ok(())
}

#[test]
fn events_of_a_set() -> papi::Result<()> {
    let mut events = EventSet::new()?;
    assert!(events.is_empty());
    events.add(FAULTS)?.add(CLOCK)?.add("perf::CONTEXT-SWITCHES")?;
    assert_eq!(events.len(), 3);
    // By another of its names.
    events.remove("PAGE-FAULTS").or_else(|_| events.remove(FAULTS))?;
    assert_eq!(events.names().collect::<Vec<_>>(), [CLOCK, "perf::CONTEXT-SWITCHES"]);
    events.remove("perf::CONTEXT-SWITCHES")?;
    let mut code = 0;
    let name = std::ffi::CString::new(FAULTS).unwrap();
    // SAFETY: the text ends with a zero byte, and the pointer is that of a variable.
    papi::check(unsafe { sys::PAPI_event_name_to_code(name.as_ptr(), &mut code) })?;
    events.add_code(code)?;
    assert_eq!(events.names().collect::<Vec<_>>(), [CLOCK, FAULTS]);
    let (_, counts) = events.count(touch)?;
    assert!(is_right(integer(counts[FAULTS])) && integer(counts[CLOCK]) > 0);
    Ok(())
}

/// What was added behind the set's back is neither written behind its memory nor read under another name.
#[test]
fn changed_by_the_handle() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS])?;
    let name = std::ffi::CString::new(CLOCK).unwrap();
    // SAFETY: the text ends with a zero byte.
    papi::check(unsafe { sys::PAPI_add_named_event(events.handle(), name.as_ptr()) })?;
    assert_eq!(events.read_into(&mut [0; 1]).unwrap_err().code(), sys::PAPI_EBUF);
    assert_eq!(events.count(touch).unwrap_err().code(), sys::PAPI_EBUF);
    assert!(!events.is_running());
    let mut values = [0; 2];
    events.start()?;
    touch();
    events.stop_into(&mut values)?;
    assert!(values[0] >= PAGES);
    let error = events.read().unwrap_err();
    assert!(error.reason().contains("changed by its handle"), "{error}");
    events.remove(CLOCK)?;
    assert_eq!(events.names().collect::<Vec<_>>(), [FAULTS]);
    assert!(is_right(integer(events.count(touch)?.1[FAULTS])));
    Ok(())
}

#[test]
fn of_a_component() -> papi::Result<()> {
    let mut events = EventSet::new()?;
    assert_eq!(events.set_component("no such").unwrap_err().code(), sys::PAPI_ENOCMP);
    events.set_component("perf_event")?.set_inherit()?.add(FAULTS)?;
    assert!(events.set_component("sde").is_err());
    Ok(())
}

#[test]
fn settings() -> papi::Result<()> {
    let mut kernel = EventSet::new()?;
    kernel.set_domain(Domain::All)?.add(CLOCK)?;
    assert!(integer(kernel.count(touch)?.1[CLOCK]) > 0);
    let mut all = EventSet::new()?;
    all.set_inherit()?.add(FAULTS)?;
    let (_, counts) = all.count(|| std::thread::spawn(touch).join().unwrap())?;
    assert!(integer(counts[FAULTS]) >= PAGES, "{counts:?}");
    let mut turns = EventSet::new()?;
    turns.set_multiplex()?.add(FAULTS)?;
    // SAFETY: only a number goes in.
    assert_eq!(papi::check(unsafe { sys::PAPI_get_multiplex(turns.handle()) }), Ok(1));
    Ok(())
}

#[test]
fn attached() -> papi::Result<()> {
    let mut other = EventSet::new()?;
    other.attach(std::process::id())?.add(CLOCK)?;
    let mut state = 0;
    // SAFETY: the pointer is that of a variable.
    papi::check(unsafe { sys::PAPI_state(other.handle(), &mut state) })?;
    assert_ne!(state & sys::PAPI_ATTACHED, 0);
    assert!(EventSet::new()?.attach(u32::MAX).is_err());
    Ok(())
}

#[test]
fn threads() -> papi::Result<()> {
    let mut mine = EventSet::with_events([FAULTS])?;
    mine.start()?;
    let other = std::thread::spawn(|| papi::measure([FAULTS], touch).map(|(_, counts)| integer(counts[FAULTS])));
    assert!(is_right(other.join().unwrap()?));
    assert!(integer(mine.stop()?[FAULTS]) < PAGES / 2);
    Ok(())
}

#[test]
fn metrics() -> papi::Result<()> {
    let mut events = EventSet::with_events([FAULTS, CLOCK])?;
    let (_, counts) = events.count(touch)?;
    let error = events.metric("ipc", &counts).unwrap_err();
    assert!([sys::PAPI_ENOEVNT, sys::PAPI_EINVAL].contains(&error.code()), "{error}");
    assert!(error.reason().contains("ipc"), "{error}");
    events.remove(CLOCK)?;
    let error = events.metric("ipc", &counts).unwrap_err();
    assert!(error.reason().contains("other events"), "{error}");
    Ok(())
}
