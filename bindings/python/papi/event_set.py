# SPDX-License-Identifier: BSD-3-Clause
"""Event sets as objects, which count in a with statement."""
import collections
import ctypes
import functools
import os
import struct
import threading

from . import _interface, low
from ._call import check, error, lib
from .errors import PapiError, PapiNoEventSetError, PapiNotRunningError

C = _interface.CONSTANTS
DEFAULT = ('PAPI_TOT_INS', 'PAPI_TOT_CYC')
_starting = threading.Lock()


def start_library():
    """Initialises the library, unless somebody has."""
    if lib.PAPI_is_initialized() == C['PAPI_NOT_INITED']:
        with _starting:
            low.library_init()


def _real(value):
    return struct.unpack('d', struct.pack('q', value))[0]


def _unsigned(value):
    return value & 0xffffffffffffffff


# What the 64 bits of a count are, by the type of the event.
CONVERSIONS = {C['PAPI_DATATYPE_FP64']: _real, C['PAPI_DATATYPE_UINT64']: _unsigned, C['PAPI_DATATYPE_BIT64']: _unsigned}


# An overflow vector has a bit for each event: no event set has more, so that no count is written behind room for these.
MOST_EVENTS = 64
_Room = ctypes.c_longlong * MOST_EVENTS


class Reader:
    """Reads the counts of an event set into an array, without making an object: call it in a loop.

    values: an array of ctypes with one element for each event; numpy.frombuffer(values, dtype='int64') shares it. Real
    numbers are their bits there: dtype='float64' for these, or counts. Once events are added or removed, or the set is
    closed, the reader is of no use any more: its calls fail.
    """

    def __init__(self, events):
        room = _Room()
        self.values = (ctypes.c_longlong * len(events.names)).from_buffer(room)
        self._names, self._convert = list(events.names), list(events._convert)
        self._arguments = events._current, room
        self._function = ctypes.PyDLL(lib.path if lib.path != 'the program itself' else None).PAPI_read

    def function(self):
        """What is called: its result is 0, or an error code, which the caller looks at."""
        return functools.partial(self._function, *self._arguments)

    def __call__(self):
        check(self._function(*self._arguments))

    @property
    def counts(self):
        """{name: count} of what was read last, with real numbers as floats."""
        return {name: convert(value) for name, convert, value in zip(self._names, self._convert, self.values)}


class _Thread(threading.local):
    """left: handles of this thread's event sets whose objects have gone in other threads."""

    def __init__(self):
        self.left = collections.deque()


_thread = _Thread()


def _destroy(handle):
    """Frees an event set of this thread."""
    if low.state(handle) & C['PAPI_RUNNING']:
        check(lib.PAPI_stop(handle, None))
    low.cleanup_eventset(handle)
    low.destroy_eventset(handle)


def _destroy_left():
    """Frees what other threads could not."""
    while _thread.left:
        try:
            _destroy(_thread.left.popleft())
        except PapiError:
            pass  # the library was shut down, and begun anew


class EventSet:
    """Events that are counted together in the thread that made it.

        with papi.EventSet('PAPI_TOT_INS', 'PAPI_TOT_CYC') as events:
            work()
        print(events.counts)

    events      names, or codes; none: instructions and cycles
    multiplex   True: more events than there are counters take turns; the counts are estimates
    share       True: counts beside whatever else holds counters; the counts are estimates where .shares says so
    wait        seconds for which start() waits for counters, at most, where others have them
    attach      number of another thread, which is counted instead
    process     number of a process, of which all threads are counted, and what they start from then on
    tree        True: with the processes that it has started before
    cgroup      folder of a control group, or what /proc/PID/cgroup shows of it: all its tasks are counted
    cpu         number of a CPU, on which all is counted
    inherit     True: threads and processes that start later are counted, too
    domain      "user", "kernel" or "all"; by default "user"

    counts: {name: count} as it was last read or stopped; seconds: in which it was counted, since start or reset.
    """

    DOMAINS = {'user': C['PAPI_DOM_USER'], 'kernel': C['PAPI_DOM_KERNEL'], 'all': C['PAPI_DOM_ALL']}

    def __init__(self, *events, multiplex=False, attach=None, process=None, tree=False, cgroup=None, cpu=None,
                 inherit=False, domain=None, share=False, wait=0):
        self.handle = C['PAPI_NULL']
        self.names, self._convert, self._codes = [], [], []
        self._described = {}  # the names and conversions by code
        self._current = ctypes.c_int(C['PAPI_NULL'])  # what readers read
        self._forget()
        self._left = _thread.left
        start_library()
        _destroy_left()
        events = events or DEFAULT
        self.handle = low.create_eventset()
        try:
            self._set_up(events, multiplex, [attach, process, cgroup, cpu], inherit, domain)
            self._attach(attach, process, tree, cgroup, cpu)
            if inherit:
                low.set_opt(C['PAPI_INHERIT'], eventset=self.handle, inherit=C['PAPI_INHERIT_ALL'])
            if multiplex:
                low.set_multiplex(self.handle)
            self._get_on(share, wait)
            for event in events:
                self.add(event)
        except BaseException:
            self.close()
            raise

    def _get_on(self, share, wait):
        """With others that have counters."""
        if wait:
            low.set_opt(C['PAPI_WAIT'], eventset=self.handle, seconds=wait)
        if share:
            low.set_opt(C['PAPI_SHARE'], eventset=self.handle, on=1)

    def _set_up(self, events, multiplex, others, inherit, domain):
        """Gives the set its component, which whatever is counted in a special way needs first; and the domain."""
        if domain is not None and domain not in self.DOMAINS:
            raise ValueError('domain is "user", "kernel" or "all", not %r' % (domain,))
        if multiplex or inherit or domain is not None or any(other is not None for other in others):
            low.assign_eventset_component(self.handle, _component(events[0]))
        if domain is not None:
            low.set_opt(C['PAPI_DOMAIN'], eventset=self.handle, domain=self.DOMAINS[domain])

    def _attach(self, attach, process, tree, cgroup, cpu):
        if process is None and tree:
            raise ValueError('tree is for a process, which is not given')
        if cpu is not None:
            low.set_opt(C['PAPI_CPU_ATTACH'], eventset=self.handle, cpu_num=cpu)
        if attach is not None:
            low.attach(self.handle, attach)
        if process is not None:
            low.attach_process(self.handle, process, C['PAPI_PROCESS_TREE'] if tree else 0)
        if cgroup is not None:
            low.attach_cgroup(self.handle, os.fspath(cgroup))

    # ---- events

    def add(self, event):
        """Adds an event by its name or code."""
        self._changes()
        if isinstance(event, (str, bytes)):
            low.add_named_event(self.handle, event)
        else:
            low.add_event(self.handle, event)
        self._look(event if isinstance(event, str) else None)

    def remove(self, event):
        """Takes an event out by its name or code."""
        self._changes()
        if isinstance(event, (str, bytes)):
            low.remove_named_event(self.handle, event)
        else:
            low.remove_event(self.handle, event)
        self._look()

    def _changes(self):
        """Ends the readers: their array is not that of the events that will be."""
        self._current.value = C['PAPI_NULL']
        self._current = ctypes.c_int(self.handle)

    def _look(self, added=None):
        """Looks which events the set has: they may also be changed by its handle, or a call be interrupted.

        added: what the caller calls the last one.
        """
        codes = low.list_events(self.handle)
        if codes == self._codes:
            return
        for code in codes:
            if code not in self._described:
                name = added if added is not None and code == codes[-1] else low.event_code_to_name(code)
                self._described[code] = name, CONVERSIONS.get(low.get_event_info(code).data_type, int)
        self.names = [self._described[code][0] for code in codes]
        self._convert = [self._described[code][1] for code in codes]
        self._codes, self._values = codes, None

    def __len__(self):
        return len(self.names)

    # ---- counting

    def _forget(self):
        self.counts, self.seconds, self._values, self._begun = {}, None, None, None

    def start(self):
        """Zeroes the counts and starts."""
        before = self.counts, self.seconds, self._values, self._begun
        _destroy_left()
        self._forget()
        self._begun = lib.PAPI_get_real_nsec()
        result = lib.PAPI_start(self.handle)
        if result < 0:
            self.counts, self.seconds, self._values, self._begun = before
            raise error(result)

    def stop(self):
        """Stops. Returns the counts, which are also in .counts."""
        values = _Room()
        check(lib.PAPI_stop(self.handle, values))
        self.seconds = None if self._begun is None else (lib.PAPI_get_real_nsec() - self._begun) / 1e9
        self._begun = None
        return self._take(values)

    def read(self):
        """The counts so far, which are also in .counts."""
        values = _Room()
        check(lib.PAPI_read(self.handle, values))
        now = lib.PAPI_get_real_nsec()
        if self._begun is not None:  # stopped by its handle: nobody knows when
            self.seconds = (now - self._begun) / 1e9 if self.running else None
        return self._take(values)

    def reset(self):
        """Zeroes the counts, and seconds with them."""
        check(lib.PAPI_reset(self.handle))
        if self._begun is not None:
            self._begun = lib.PAPI_get_real_nsec()

    @property
    def shares(self):
        """{name: share}: for which part of the time each event was counted; 1: the count is exact."""
        self._look()
        return dict(zip(self.names, low.read_shares(self.handle)))

    def reader(self):
        """Reads in a loop at the least cost: see Reader."""
        self._look()
        return Reader(self)

    def _take(self, values):
        self._look()
        self._values = values[:len(self.names)]
        self.counts = {name: convert(value) for name, convert, value in zip(self.names, self._convert, self._values)}
        return self.counts

    def _taken(self):
        if self._values is None:
            raise PapiNotRunningError('there are no counts of these events yet: start the event set, and read or stop it',
                                      C['PAPI_ENOTRUN'])
        return self._values

    def array(self):
        """The counts as a NumPy array, in the order of .names; of float64 if one of them is a real number."""
        import numpy
        values = [convert(value) for convert, value in zip(self._convert, self._taken())]
        kind = 'float64' if _real in self._convert else 'uint64' if max(values, default=0) >= 2 ** 63 else 'int64'
        return numpy.array(values, dtype=kind)

    def metric(self, name):
        """The value of a metric, such as "ipc" or "mflops", of the counts that were last taken."""
        nsec = round(self.seconds * 1e9) if self.seconds is not None else 0
        return low.metric(self.handle, name, self._taken(), nsec)

    @property
    def running(self):
        """True while it counts."""
        return bool(low.state(self.handle) & C['PAPI_RUNNING'])

    # ---- its life

    def __enter__(self):
        try:
            self.start()
        except PapiError:
            raise
        except BaseException:  # a signal came after the start: there will be no __exit__
            lib.PAPI_stop(self.handle, None)
            self._forget()
            raise
        return self

    def __exit__(self, kind, value, trace):
        try:
            self._end()
        except PapiError:
            if kind is None:  # else what went wrong inside is what is told
                raise

    def _end(self):
        """Stops, unless that was done inside. The counts of a set that was stopped by its handle are in it."""
        if self.handle == C['PAPI_NULL'] or self._begun is None and not self.running:
            return
        try:
            self.stop()
        except PapiNotRunningError:
            self.read()

    def close(self):
        """Frees the counters; also when the object goes. Harmless where it is repeated.

        In another thread than that of the set, they are freed when that thread makes or starts its next event set.
        """
        handle, self.handle = self.handle, C['PAPI_NULL']
        if handle == C['PAPI_NULL'] or lib is None:
            return
        self._changes()
        try:
            _destroy(handle)
        except PapiNoEventSetError:
            if self._left is not _thread.left:
                self._left.append(handle)
        except PapiError:
            pass  # the library was shut down: it has gone with it

    def __del__(self):
        try:
            self.close()
        except Exception:  # the interpreter is ending
            pass

    def __reduce_ex__(self, protocol):
        raise TypeError('an event set cannot be copied, nor given to another process: its counters are of this one')

    def __repr__(self):
        return 'EventSet(%s)' % ', '.join(repr(name) for name in self.names)


def _component(event):
    """The component that counts an event; where none does, the first: to add the event fails, and says why."""
    try:
        return low.get_event_component(low.event_name_to_code(event) if isinstance(event, (str, bytes)) else event)
    except PapiError:
        return 0
