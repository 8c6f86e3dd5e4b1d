// SPDX-License-Identifier: BSD-3-Clause
//! Regions: named parts of a program.
use crate::call;
use crate::error::{check, Result};
use crate::sys;
use std::ffi::CString;
use std::marker::PhantomData;

/// A region while it lives. What it counts, of the events of `PAPI_EVENTS`, is in the file that the library writes at the
/// program's end.
///
/// ```no_run
/// let _region = papi::Region::enter("solve")?;
/// # Ok::<(), papi::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a region ends where it is dropped"]
pub struct Region {
    name: CString,
    is_open: bool,
    of_one_thread: PhantomData<*mut ()>,
}

impl Region {
    /// Enters a region; regions may be nested and repeated.
    pub fn enter(name: &str) -> Result<Region> {
        let name = call::text(name)?;
        // SAFETY: the text ends with a zero byte.
        let result = check(unsafe { sys::PAPI_hl_region_begin(name.as_ptr()) });
        // Where its counters failed, with whatever code, it is open all the same, and drop ends it.
        let is_open = !name.as_bytes().is_empty();
        let region = Region { name, is_open, of_one_thread: PhantomData };
        result.map(|_| region)
    }

    /// Reads the counters inside the region: a reading is in the file, too.
    pub fn read(&self) -> Result<()> {
        // SAFETY: the text ends with a zero byte.
        check(unsafe { sys::PAPI_hl_read(self.name.as_ptr()) }).map(|_| ())
    }

    /// Leaves the region, as its end does, and says whether that went well.
    pub fn leave(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        self.is_open = false;
        // SAFETY: the text ends with a zero byte.
        check(unsafe { sys::PAPI_hl_region_end(self.name.as_ptr()) }).map(|_| ())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.is_open {
            // The library's file tells of calls that do not fit.
            let _ = self.end();
        }
    }
}
