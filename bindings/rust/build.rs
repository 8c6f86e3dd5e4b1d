// SPDX-License-Identifier: BSD-3-Clause
//! Finds libpapi: in the folder PAPI_LIB_DIR, or where pkg-config knows papi, or where the linker looks anyway.
//! Build scripts of crates that depend on this one get the folder as DEP_PAPI_LIBDIR.
use std::env;
use std::path::PathBuf;
use std::process::{exit, Command};

/// The folder that papi.pc names; None where there is no pkg-config or no papi.pc.
fn of_pkg_config() -> Option<PathBuf> {
    let program = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let done = Command::new(program).args(["--variable=libdir", "papi"]).output().ok()?;
    let folder = String::from_utf8(done.stdout).ok()?;
    let folder = folder.trim();
    (done.status.success() && !folder.is_empty()).then(|| PathBuf::from(folder))
}

fn folder() -> Result<Option<PathBuf>, String> {
    if let Some(folder) = env::var_os("PAPI_LIB_DIR").filter(|folder| !folder.is_empty()) {
        let folder = PathBuf::from(folder);
        if !folder.join("libpapi.so").is_file() {
            return Err(format!("PAPI_LIB_DIR is {}, which has no libpapi.so", folder.display()));
        }
        return Ok(Some(folder));
    }
    Ok(of_pkg_config())
}

fn main() {
    for variable in ["PAPI_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    match folder() {
        Ok(Some(folder)) => {
            println!("cargo:rustc-link-search=native={}", folder.display());
            println!("cargo:libdir={}", folder.display());
        }
        Ok(None) => println!(
            "cargo:warning=pkg-config does not know papi: libpapi is looked for where the linker looks. If it is elsewhere, \
             set PAPI_LIB_DIR to its folder, or PKG_CONFIG_PATH to that of papi.pc"
        ),
        Err(reason) => {
            eprintln!("{reason}");
            exit(1);
        }
    }
    println!("cargo:rustc-link-lib=papi");
}
