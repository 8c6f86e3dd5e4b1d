// SPDX-License-Identifier: BSD-3-Clause
//! No descriptor stays open: the only test of its process.
use papi::EventSet;

mod common;
use common::{CLOCK, FAULTS};

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn all_are_closed() -> papi::Result<()> {
    drop(EventSet::with_events([FAULTS])?);
    let before = descriptors();
    for _ in 0..20 {
        let mut running = EventSet::with_events([FAULTS, CLOCK])?;
        running.start()?;
        assert!(descriptors() > before);
        assert!(EventSet::with_events([FAULTS, "no_such::EVENT"]).is_err());
    }
    assert_eq!(descriptors(), before);
    Ok(())
}
