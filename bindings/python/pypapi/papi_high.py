# SPDX-License-Identifier: BSD-3-Clause
"""The high-level interface: classic counters, rates and regions."""
import collections as _collections

from papi import low as _low
from papi.event_set import start_library as _start_library
from papi.low import (hl_read, hl_region_begin, hl_region_end, hl_stop, num_components, num_counters,  # noqa: F401
                      rate_stop)

Flips = _collections.namedtuple('Flips', 'rtime ptime flpins mflips')
Flops = _collections.namedtuple('Flops', 'rtime ptime flpops mflops')
IPC = _collections.namedtuple('IPC', 'rtime ptime ins ipc')
EPC = _collections.namedtuple('EPC', 'rtime ptime ref core evt epc')
FlipsRate, FlopsRate = Flips, Flops
_counting = []  # the events of start_counters


def start_counters(events):
    """Starts counting these events."""
    _start_library()
    _low.start_counters(events)
    _counting[:] = events


def read_counters():
    """The counts, which begin at 0 again."""
    return _low.read_counters(len(_counting))


def accum_counters(values):
    """The counts added to these values; they begin at 0 again."""
    if len(values) != len(_counting):
        raise ValueError('%d values for %d counters' % (len(values), len(_counting)))
    return _low.accum_counters(values)


def stop_counters():
    """Stops, and returns the counts."""
    values = _low.stop_counters(len(_counting))
    del _counting[:]
    return values


def flips():
    """Times in seconds, floating-point instructions, and millions of them a second since the first call."""
    return Flips(*_low.flips())


def flops():
    """Times in seconds, floating-point operations, and millions of them a second since the first call."""
    return Flops(*_low.flops())


def ipc():
    """Times in seconds, instructions, and instructions a cycle since the first call."""
    return IPC(*_low.ipc())


def epc(event=0):
    """Times in seconds, reference cycles, cycles, events, and events a cycle since the first call."""
    return EPC(*_low.epc(event))


def flips_rate(event):
    """As flips, by the event that is named."""
    return Flips(*_low.flips_rate(event))


def flops_rate(event):
    """As flops, by the event that is named."""
    return Flops(*_low.flops_rate(event))
