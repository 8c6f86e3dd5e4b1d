// SPDX-License-Identifier: BSD-3-Clause
//! Regions, whose file is read at the end.
use papi::{sys, Region};
use std::env;
use std::fs;
use std::path::PathBuf;

mod common;
use common::touch;

fn nested() -> papi::Result<()> {
    let _outer = Region::enter("outer")?;
    let inner = Region::enter("inner")?;
    touch();
    inner.read()?;
    inner.leave()
}

/// The one that was begun last is the one to leave.
fn in_the_wrong_order() -> papi::Result<()> {
    let first = Region::enter("first")?;
    let second = Region::enter("second")?;
    assert_eq!(first.leave().unwrap_err().code(), sys::PAPI_EINVAL);
    second.leave()
}

#[test]
fn are_in_the_file() -> papi::Result<()> {
    nested()?;
    std::thread::spawn(in_the_wrong_order).join().unwrap()?;
    // SAFETY: the function takes nothing.
    papi::check(unsafe { sys::PAPI_hl_stop() })?;
    let folder = PathBuf::from(env::var_os("PAPI_OUTPUT_DIRECTORY").expect("set by the tests"));
    let file = fs::read_to_string(folder.join("papi_hl_output/rank_000000.json")).unwrap();
    for name in ["outer", "inner", "first", "second"] {
        assert!(file.contains(&format!("\"{name}\"")), "{name}: {file}");
    }
    Ok(())
}
