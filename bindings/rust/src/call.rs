// SPDX-License-Identifier: BSD-3-Clause
//! Texts of C.
use crate::error::{Error, Result};
use crate::sys;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;

/// A text for C, which has no zero byte.
pub(crate) fn text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| {
        Error::new(sys::PAPI_EINVAL, format!("{text:?} has a zero byte, which no name of an event, metric or region has"))
    })
}

/// The text in an array of C, which need not have a zero byte.
pub(crate) fn string(array: &[c_char]) -> String {
    let bytes: Vec<u8> = array.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// # Safety
/// The pointer is null, or that of a text of C.
pub(crate) unsafe fn string_at(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    Some(CStr::from_ptr(pointer).to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(text("a").unwrap().as_bytes_with_nul(), b"a\0");
        let error = text("a\0b").unwrap_err();
        assert_eq!(error.code(), sys::PAPI_EINVAL);
        assert!(error.reason().contains("zero byte"));
        assert_eq!(string(&[b'x' as c_char, 0, b'y' as c_char]), "x");
        assert_eq!(string(&[b'x' as c_char, b'y' as c_char]), "xy");
        assert_eq!(string(&[]), "");
        // SAFETY: null, and a literal that ends with a zero byte.
        unsafe {
            assert_eq!(string_at(std::ptr::null()), None);
            assert_eq!(string_at(b"z\0".as_ptr().cast()), Some("z".into()));
        }
    }
}
