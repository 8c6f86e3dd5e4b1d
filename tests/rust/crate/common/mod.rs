// SPDX-License-Identifier: BSD-3-Clause
//! Work of a known number of events.
#![allow(dead_code)]
use std::os::raw::{c_int, c_long, c_void};
use std::ptr;

pub const FAULTS: &str = "perf::PAGE-FAULTS";
pub const CLOCK: &str = "perf::TASK-CLOCK";
pub const PAGES: i64 = 1000;

extern "C" {
    fn mmap(at: *mut c_void, size: usize, protection: c_int, flags: c_int, file: c_int, offset: c_long) -> *mut c_void;
    fn munmap(at: *mut c_void, size: usize) -> c_int;
    fn madvise(at: *mut c_void, size: usize, advice: c_int) -> c_int;
}

/// Writes to pages that nobody has touched.
pub fn touch() {
    const SIZE: usize = PAGES as usize * 4096;
    const READ_WRITE: c_int = 3;
    const PRIVATE_ANONYMOUS: c_int = 0x22;
    const NO_HUGE_PAGES: c_int = 15;
    // SAFETY: the memory is mapped before it is written, and unmapped afterwards.
    unsafe {
        let memory = mmap(ptr::null_mut(), SIZE, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
        assert_ne!(memory as isize, -1);
        madvise(memory, SIZE, NO_HUGE_PAGES);
        for page in 0..PAGES as usize {
            ptr::write_volatile(memory.cast::<u8>().add(page * 4096), 1);
        }
        munmap(memory, SIZE);
    }
}

pub fn is_right(faults: i64) -> bool {
    (PAGES..PAGES + 20).contains(&faults)
}
