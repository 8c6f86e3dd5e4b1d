# SPDX-License-Identifier: BSD-3-Clause
"""The high-level interface: classic counters, rates and regions."""
import threading as _threading

from papi import low as _low
from papi.event_set import start_library as _start_library
from papi.low import (hl_read, hl_region_begin, hl_region_end, hl_stop, num_components, num_counters,  # noqa: F401
                      rate_stop)

from .types import EPC, IPC, Flips, FlipsRate, Flops, FlopsRate  # noqa: F401


class _Thread(_threading.local):
    """What each thread counts on its own."""

    n = 0  # events of start_counters


_counting = _Thread()


def start_counters(events):
    """Starts counting these events."""
    events = list(events)
    _start_library()
    _low.start_counters(events)
    _counting.n = len(events)


def read_counters():
    """The counts, which begin at 0 again."""
    return _low.read_counters(_counting.n)


def accum_counters(values):
    """The counts added to these values; they begin at 0 again."""
    if len(values) != _counting.n:
        raise ValueError('%d values for %d counters' % (len(values), _counting.n))
    return _low.accum_counters(values)


def stop_counters():
    """Stops, and returns the counts."""
    values = _low.stop_counters(_counting.n)
    _counting.n = 0
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
