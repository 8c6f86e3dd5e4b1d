# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the library as exceptions, one class a code."""


class PapiError(Exception):
    """An error of the library. code: its number, as of papi.h; reason: what happened, and what to do."""

    code = None

    def __init__(self, reason, code=None):
        super().__init__(reason)
        self.reason = reason
        if code is not None:
            self.code = code


class PapiInvalidValueError(PapiError, ValueError):
    """PAPI_EINVAL: an argument is not valid."""


class PapiNoMemoryError(PapiError, MemoryError):
    """PAPI_ENOMEM: there is no memory."""


class PapiSystemCallError(PapiError):
    """PAPI_ESYS: a call of the system failed."""


class PapiComponentError(PapiError):
    """PAPI_ECMP: the component cannot do it."""


class PapiCounterLostError(PapiError):
    """PAPI_ECLOST: the counters belong to the process before a fork, or were lost."""


class PapiBugError(PapiError):
    """PAPI_EBUG: an internal error."""


class PapiNoEventError(PapiError, LookupError):
    """PAPI_ENOEVNT: this machine has no such event."""


class PapiConflictError(PapiError):
    """PAPI_ECNFLCT: these events cannot be counted together."""


class PapiNotRunningError(PapiError):
    """PAPI_ENOTRUN: nothing is counting."""


class PapiIsRunningError(PapiError):
    """PAPI_EISRUN: an event set is counting already."""


class PapiNoEventSetError(PapiError):
    """PAPI_ENOEVST: the event set does not exist, or another thread made it."""


class PapiNotPresetError(PapiError):
    """PAPI_ENOTPRESET: there is no such preset."""


class PapiNoCounterError(PapiError):
    """PAPI_ENOCNTR: there are no hardware counters here."""


class PapiMiscellaneousError(PapiError):
    """PAPI_EMISC: any other error."""


class PapiPermissionError(PapiError):
    """PAPI_EPERM: a permission is missing."""


class PapiNotInitializedError(PapiError):
    """PAPI_ENOINIT: the library is not initialised."""


class PapiNoComponentError(PapiError):
    """PAPI_ENOCMP: there is no such component."""


class PapiNotSupportedError(PapiError):
    """PAPI_ENOSUPP: it is not supported."""


class PapiNotImplementedError(PapiError, NotImplementedError):
    """PAPI_ENOIMPL: it is not implemented."""


class PapiBufferError(PapiError):
    """PAPI_EBUF: a buffer is too small."""


class PapiInvalidDomainError(PapiError):
    """PAPI_EINVAL_DOM: the domain cannot be counted."""


class PapiAttributeError(PapiError):
    """PAPI_EATTR: an attribute of the event is wrong or missing."""


class PapiCountError(PapiError):
    """PAPI_ECOUNT: there are too many events or attributes."""


class PapiCombinationError(PapiError):
    """PAPI_ECOMBO: these features do not go together."""


class PapiDisabledError(PapiError):
    """PAPI_ECMP_DISABLED: the component is off."""


class PapiDelayedError(PapiError):
    """PAPI_EDELAY_INIT: the component is not initialised yet."""


class PapiPassesError(PapiError):
    """PAPI_EMULPASS: the event needs several passes."""


class PapiPartialError(PapiError):
    """PAPI_PARTIAL: the component is partly off."""


def _by_code():
    """The classes by their codes, which are the words their descriptions begin with."""
    from ._interface import CONSTANTS
    found = {}
    for kind in PapiError.__subclasses__():
        kind.code = CONSTANTS[kind.__doc__.partition(':')[0]]
        found[kind.code] = kind
    return found


BY_CODE = _by_code()
