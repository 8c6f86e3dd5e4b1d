# SPDX-License-Identifier: BSD-3-Clause
"""Performance counters: how many instructions, cycles and operations a part of a program takes.

    import papi

    with papi.EventSet('PAPI_TOT_INS', 'PAPI_TOT_CYC') as events:
        work()
    print(events.counts)

papi.low has the functions of papi.h, papi.errors its errors, papi.results reads the files of the tools.
"""
from . import errors, low
from ._call import Info
from ._interface import CONSTANTS as _CONSTANTS
from .errors import PapiError
from .event_set import EventSet, Reader
from .jupyter import load_ipython_extension
from .machine import components, hardware, native_events, presets
from .regions import Measured, measure, region, stop_regions

globals().update(_CONSTANTS)
__version__ = '.'.join(str(_CONSTANTS['PAPI_VERSION'] >> shift & 255) for shift in (24, 16, 8))
__all__ = ['EventSet', 'Info', 'Measured', 'PapiError', 'Reader', 'components', 'errors', 'hardware',
           'load_ipython_extension', 'low', 'measure', 'native_events', 'presets', 'region', 'stop_regions', *_CONSTANTS]
