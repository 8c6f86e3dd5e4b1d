# SPDX-License-Identifier: BSD-3-Clause
"""Regions, which the library counts by name and writes into a file at the end, and measured functions."""
import contextlib
import functools
import inspect
import os
import threading

from . import low
from .event_set import DEFAULT, EventSet, start_library
from .errors import PapiError, PapiInvalidValueError


def _refuse_parts(function, instead):
    """Refuses functions that return before their work is done: the counts would be of the call alone."""
    inside = function
    while isinstance(inside, (functools.partial, staticmethod, classmethod)):
        inside = inside.func if isinstance(inside, functools.partial) else inside.__func__
    if any(kind(inside) for kind in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)):
        raise TypeError('%s runs in parts, and what runs between them would be counted, too: %s'
                        % (getattr(inside, '__qualname__', inside), instead))


class region(contextlib.ContextDecorator):
    """Counts what runs inside, as PAPI_hl_region_begin and PAPI_hl_region_end; works as a decorator, too.

        with papi.region('solve'):
            solve()

    The events are those of the variable PAPI_EVENTS; the library writes a file below papi_hl_output when the program
    ends. PAPI_REPORT=1 prints a table.
    """

    def __init__(self, name):
        if not isinstance(name, (str, bytes)):
            raise TypeError("the name of a region is a text, as in @papi.region('solve'), not %r" % (name,))
        self.name = name

    def __call__(self, function):
        _refuse_parts(function, 'use papi.region inside it, between those parts')
        return super().__call__(function)

    def __enter__(self):
        try:
            low.hl_region_begin(self.name)
        except PapiInvalidValueError:
            raise
        except BaseException:  # the region is open all the same, without counts, or its end is expected
            self._end_quietly()
            raise
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            low.hl_region_end(self.name)
        else:  # what went wrong inside is what is told
            self._end_quietly()

    def _end_quietly(self):
        try:
            low.hl_region_end(self.name)
        except PapiError:
            pass


class Measured:
    """What the calls of a function counted, in all threads: .calls, .counts, .seconds."""

    def __init__(self, function, events):
        self.function, self.events = function, tuple(events) or DEFAULT
        self.calls, self.counts, self.seconds = 0, {}, 0.0
        self._lock = threading.Lock()
        self._here = threading.local()

    def _of_thread(self):
        """What this thread has: its event set, and whether it is inside the function."""
        here = self._here
        if getattr(here, 'process', None) != os.getpid():  # the child of a fork makes its own
            here.process, here.inside, here.events = os.getpid(), False, None
        return here

    def _start(self, here):
        if here.events is not None:
            try:
                here.events.start()
                return here.events
            except PapiError:  # the library was shut down in between, or a signal came between a start and its stop
                here.events = None
        here.events = EventSet(*self.events)
        here.events.start()
        return here.events

    def _stop(self, here, events, process):
        try:
            counts = events.stop()
        except BaseException:
            if process != os.getpid():
                return  # the child of a fork inside: its parent counts
            here.events = None  # the next call makes another
            raise
        with self._lock:
            self.calls += 1
            self.seconds += events.seconds
            for name, count in counts.items():
                self.counts[name] = self.counts.get(name, 0) + count

    def __call__(self, *arguments, **named):
        here = self._of_thread()
        if here.inside:  # the function has called itself
            return self.function(*arguments, **named)
        here.inside = True
        try:
            process, events = here.process, self._start(here)
            try:
                result = self.function(*arguments, **named)
            except BaseException:
                with contextlib.suppress(PapiError):  # what went wrong inside is what is told
                    self._stop(here, events, process)
                raise
            self._stop(here, events, process)
            return result
        finally:
            here.inside = False

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
    if len(events) == 1 and (callable(events[0]) or isinstance(events[0], (staticmethod, classmethod))):
        return measure()(events[0])
    for event in events:
        if not isinstance(event, (str, bytes)) and not hasattr(event, '__index__'):
            raise TypeError('an event is a name or a code, not %r' % (event,))

    def decorate(function):
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(decorate(function.__func__))
        _refuse_parts(function, 'measure the functions that it calls, or use papi.EventSet inside it')
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
