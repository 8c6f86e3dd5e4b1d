# SPDX-License-Identifier: BSD-3-Clause
"""Finds libpapi and opens it."""
import ctypes
import os

from . import _interface

NAME = 'libpapi.so.7.3'
# Functions that may wait for other threads or processes: these must be able to go on.
WAITING = ('PAPI_lock', 'PAPI_hl_efficiency', 'PAPI_library_init', 'PAPI_shutdown', 'PAPI_hl_stop')


def candidates():
    """The names under which the library may be found, in the order in which they are tried."""
    chosen = os.environ.get('PAPI_PYTHON_LIBRARY')
    if chosen:
        return [chosen]
    # In a program that is linked with the library, or in which it is preloaded, it is that one.
    found = [None] if hasattr(ctypes.CDLL(None), 'PAPI_library_init') else []
    folder = os.path.dirname(os.path.abspath(__file__))
    # Installed below one prefix: PREFIX/share/papi/python/papi, or PREFIX/lib/python3.x/site-packages/papi.
    for up in ('../../../..', '../../../../..'):
        for libraries in ('lib', 'lib64'):
            path = os.path.normpath(os.path.join(folder, up, libraries, NAME))
            if os.path.exists(path):
                found.append(path)
    return found + [NAME]


def load():
    """Opens the library twice: for short calls, which keep the interpreter's lock, and for those that wait."""
    why = ''
    for name in candidates():
        try:
            return ctypes.PyDLL(name), ctypes.CDLL(name)
        except OSError as error:
            why = str(error)
    raise ImportError('libpapi cannot be loaded: %s. Install it (Debian: apt-get install libpapi7.3), or set '
                      'LD_LIBRARY_PATH to its folder, or PAPI_PYTHON_LIBRARY to its file.' % why)


class Library:
    """The functions of papi.h, with their types."""

    def __init__(self):
        short, waiting = load()
        self.path = short._name or 'the program itself'
        for name, (result, arguments) in _interface.PROTOTYPES.items():
            function = getattr(waiting if name in WAITING else short, name, None)
            if function is None:
                continue  # an older libpapi: the others work
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name):
        raise NotImplementedError('%s does not have %s: this package is of a newer version than the library'
                                  % (self.__dict__.get('path', 'libpapi'), name))
