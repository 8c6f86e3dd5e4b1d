// SPDX-License-Identifier: BSD-3-Clause
//! Errors of the library.
use crate::{call, sys};
use std::fmt;
use std::os::raw::c_int;

/// The result of a call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the library: what happened, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: c_int,
    reason: String,
}

impl Error {
    pub(crate) fn new(code: c_int, reason: impl Into<String>) -> Error {
        Error { code, reason: reason.into() }
    }

    /// The code that a call in this thread has just returned, with the library's reason.
    fn of_call(code: c_int) -> Error {
        // SAFETY: the text is valid until the thread's next call that fails, and is copied before.
        let reason = unsafe { call::string_at(sys::PAPI_strerror(code)) };
        Error::new(code, reason.unwrap_or_else(|| format!("error {code}")))
    }

    /// Its number, one of [`sys::PAPI_EINVAL`] and so on.
    pub fn code(&self) -> c_int {
        self.code
    }

    /// The library's text: what happened, to what, and what to do.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}

/// The result of a function of [`sys`], which is an error where it is negative. Call it in the same thread, before the next
/// function of the library: the reason is that of the thread's last error.
pub fn check(result: c_int) -> Result<c_int> {
    if result < 0 {
        return Err(Error::of_call(result));
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results() {
        assert_eq!(check(0), Ok(0));
        assert_eq!(check(7), Ok(7));
        let error = check(sys::PAPI_EINVAL).unwrap_err();
        assert_eq!(error.code(), -1);
        assert_eq!(error.to_string(), error.reason());
        assert!(error.reason().starts_with("Invalid argument"), "{error}");
        assert_eq!(check(-12345).unwrap_err().reason(), "error -12345");
        let boxed: Box<dyn std::error::Error + Send + Sync> = error.into();
        assert!(boxed.to_string().starts_with("Invalid argument"));
    }
}
