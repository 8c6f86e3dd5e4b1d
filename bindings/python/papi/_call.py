# SPDX-License-Identifier: BSD-3-Clause
"""What values of Python become in C, and back."""
import ctypes
import operator
import os

from . import _interface
from ._library import Library
from .errors import BY_CODE, PapiError

lib = Library()


def error(code):
    """The exception for a code, with the library's reason."""
    reason = decoded(lib.PAPI_strerror(code)) or 'error %d' % code
    return BY_CODE.get(code, PapiError)(reason, code)


def check(result):
    """The result, unless it is an error."""
    if result < 0:
        raise error(result)
    return result


def decoded(value):
    return value.decode(errors='replace') if value is not None else ''


def _whole(value, least, most, what):
    number = operator.index(value)
    if not least <= number <= most:
        raise OverflowError('%d does not fit %s of C' % (number, what))
    return number


def int32(value):
    """An int of C; event codes may also be written without a sign."""
    number = _whole(value, -2 ** 31, 2 ** 32 - 1, 'an int')
    return number - 2 ** 32 if number >= 2 ** 31 else number


def int64(value):
    return _whole(value, -2 ** 63, 2 ** 63 - 1, 'a long long')


def uint32(value):
    return _whole(value, 0, 2 ** 32 - 1, 'an unsigned int')


def uint64(value):
    return _whole(value, 0, 2 ** (8 * ctypes.sizeof(ctypes.c_ulong)) - 1, 'an unsigned long')


def text(value):
    """A text of C, which ends at the first zero: one inside would cut it."""
    data = os.fspath(value)  # a path, too; None and numbers are no names
    data = data if isinstance(data, bytes) else data.encode(errors='surrogateescape')
    if b'\0' in data:
        raise ValueError('a name has a zero byte inside: %r' % value)
    return data


def counts(es, kind=ctypes.c_longlong):
    """Room for the counts of an event set."""
    return (kind * check(lib.PAPI_num_events(int32(es))))()


def measured(values, kind, es=None):
    """An array of C with these values; for an event set, one for each of its events."""
    convert = int32 if kind is ctypes.c_int else int64
    found = [convert(v) for v in values]
    if es is not None and len(found) != check(lib.PAPI_num_events(int32(es))):
        raise ValueError('%d values for an event set of %d events' % (len(found), lib.PAPI_num_events(int32(es))))
    return (kind * len(found))(*found)


class Info:
    """A structure of the library as it was when it was read: members as attributes, texts as str, arrays as lists."""

    def __init__(self, members):
        self.__dict__.update(members)

    def __repr__(self):
        return 'Info(%s)' % ', '.join('%s=%r' % pair for pair in self.__dict__.items())

    def __eq__(self, other):
        return isinstance(other, Info) and self.__dict__ == other.__dict__


def _names(value):
    """The texts of an array of pointers, which a null pointer ends."""
    found = []
    for pointer in value:
        if not pointer:
            break
        found.append(decoded(ctypes.c_char_p(pointer).value))
    return found


def _member(value):
    if isinstance(value, ctypes.Structure):
        return plain(value)
    if isinstance(value, bytes):
        return decoded(value)
    if isinstance(value, ctypes.Array) and value._type_ is ctypes.c_char:
        return decoded(value.value)  # an element of an array of texts
    if isinstance(value, ctypes.Array) and value._type_ is ctypes.c_void_p:
        return _names(value)
    return [_member(v) for v in value] if isinstance(value, ctypes.Array) else value


def plain(value, kind=None):
    """A structure, or what a pointer points to, in Python's own types; None for a null pointer."""
    if kind is not None:
        if not value:
            return None
        value = ctypes.cast(value, ctypes.POINTER(kind)).contents
    members = {name: _member(getattr(value, name)) for name in (f[0] for f in value._fields_)}
    if isinstance(value, _interface.PAPI_event_info_t):  # codes as the constants and the functions have them
        members.update(event_code=int32(value.event_code), code=[int32(code) for code in value.code])
    return Info(members)


__all__ = ['check', 'counts', 'decoded', 'error', 'int32', 'int64', 'lib', 'measured', 'plain', 'text', 'uint32', 'uint64',
           'Info', '_interface']
