# SPDX-License-Identifier: BSD-3-Clause
"""Regions, which the library counts by name and writes into a file at the end, and measured functions."""
import contextlib
import functools
import inspect
import threading

from . import low
from .event_set import DEFAULT, EventSet, start_library
from .errors import PapiError


@contextlib.contextmanager
def region(name):
    """Counts what runs inside, as PAPI_hl_region_begin and PAPI_hl_region_end; works as a decorator, too.

        with papi.region('solve'):
            solve()

    The events are those of the variable PAPI_EVENTS; the library writes a file below papi_hl_output when the program
    ends. PAPI_REPORT=1 prints a table.
    """
    low.hl_region_begin(name)
    try:
        yield
    finally:
        low.hl_region_end(name)


class Measured:
    """What the calls of a function counted, in all threads: .calls, .counts, .seconds."""

    def __init__(self, function, events):
        self.function, self.events = function, tuple(events) or DEFAULT
        self.calls, self.counts, self.seconds = 0, {}, 0.0
        self._lock = threading.Lock()
        self._here = threading.local()

    def _enter(self):
        """The event set of this thread, or None where the function has called itself."""
        depth = getattr(self._here, 'depth', 0)
        if depth == 0:
            if not hasattr(self._here, 'events'):
                self._here.events = EventSet(*self.events)
            self._here.events.start()
        self._here.depth = depth + 1
        return self._here.events if depth == 0 else None

    def _leave(self, events):
        self._here.depth -= 1
        if events is None:
            return
        try:
            counts = events.stop()
        except PapiError:
            del self._here.events  # the next call makes another
            raise
        with self._lock:
            self.calls += 1
            self.seconds += events.seconds
            for name, count in counts.items():
                self.counts[name] = self.counts.get(name, 0) + count

    def __call__(self, *arguments, **named):
        events = self._enter()
        try:
            return self.function(*arguments, **named)
        finally:
            self._leave(events)

    def reset(self):
        """Forgets what was counted."""
        with self._lock:
            self.calls, self.counts, self.seconds = 0, {}, 0.0


def measure(*events):
    """A decorator: counts the calls of a function, those from within it left out.

        @papi.measure                                @papi.measure('PAPI_DP_OPS')
        def work(): ...                              def solve(): ...

        work(); print(work.papi.counts)

    work.papi: calls, counts (of all calls together) and seconds.
    """
    if len(events) == 1 and callable(events[0]):
        return measure()(events[0])

    def decorate(function):
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or \
                inspect.isasyncgenfunction(function):
            raise TypeError('%s runs in parts, and what runs between them would be counted, too: measure the functions '
                            'that it calls, or use papi.EventSet inside it' % function.__qualname__)
        measured = Measured(function, events)

        @functools.wraps(function)
        def wrapper(*arguments, **named):
            return measured(*arguments, **named)
        wrapper.papi = measured
        return wrapper
    return decorate


def stop_regions():
    """Stops this thread's counters of regions and writes the file of all threads."""
    start_library()
    low.hl_stop()
