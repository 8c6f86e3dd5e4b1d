# SPDX-License-Identifier: BSD-3-Clause
"""Event sets as objects, which count in a with statement."""
import ctypes
import struct
import threading

from . import _interface, low
from ._call import check, lib
from .errors import PapiError

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


class Reader:
    """Reads the counts of an event set into an array, without making an object: call it in a loop.

    values: an array of ctypes with one element for each event; numpy.frombuffer(values, dtype='int64') shares it.
    """

    def __init__(self, es, n):
        self.values = (ctypes.c_longlong * n)()
        self._arguments = ctypes.c_int(es), self.values
        self._function = ctypes.PyDLL(lib.path if lib.path != 'the program itself' else None).PAPI_read

    def function(self):
        """What is called: its result is 0, or an error code, which the caller looks at."""
        import functools
        return functools.partial(self._function, *self._arguments)

    def __call__(self):
        check(self._function(*self._arguments))


class EventSet:
    """Events that are counted together in the thread that made it.

        with papi.EventSet('PAPI_TOT_INS', 'PAPI_TOT_CYC') as events:
            work()
        print(events.counts)

    events      names, or codes; none: instructions and cycles
    multiplex   True: more events than there are counters take turns; the counts are estimates
    attach      number of another thread or process, which is counted instead
    cpu         number of a CPU, on which all is counted
    inherit     True: threads and processes that start later are counted, too
    domain      "user", "kernel" or "all"; by default "user"

    counts: {name: count} as it was last read or stopped; seconds: the time between start and stop.
    """

    DOMAINS = {'user': C['PAPI_DOM_USER'], 'kernel': C['PAPI_DOM_KERNEL'], 'all': C['PAPI_DOM_ALL']}

    def __init__(self, *events, multiplex=False, attach=None, cpu=None, inherit=False, domain=None):
        self.handle = C['PAPI_NULL']
        self.names, self._convert = [], []
        self.counts, self.seconds = {}, None
        self._begun = None
        start_library()
        self.handle = low.create_eventset()
        try:
            self._set_up(multiplex, attach, cpu, inherit, domain)
            for event in events or DEFAULT:
                self.add(event)
        except BaseException:
            self.close()
            raise

    def _set_up(self, multiplex, attach, cpu, inherit, domain):
        if domain is not None and domain not in self.DOMAINS:
            raise ValueError('domain is "user", "kernel" or "all", not %r' % (domain,))
        if multiplex or attach is not None or cpu is not None or inherit or domain is not None:
            low.assign_eventset_component(self.handle, 0)
        if domain is not None:
            low.set_opt(C['PAPI_DOMAIN'], eventset=self.handle, domain=self.DOMAINS[domain])
        if cpu is not None:
            low.set_opt(C['PAPI_CPU_ATTACH'], eventset=self.handle, cpu_num=cpu)
        if attach is not None:
            low.attach(self.handle, attach)
        if inherit:
            low.set_opt(C['PAPI_INHERIT'], eventset=self.handle, inherit=C['PAPI_INHERIT_ALL'])
        if multiplex:
            low.set_multiplex(self.handle)

    # ---- events

    def add(self, event):
        """Adds an event by its name or code."""
        if isinstance(event, (str, bytes)):
            low.add_named_event(self.handle, event)
        else:
            low.add_event(self.handle, event)
        code = low.list_events(self.handle)[-1]
        self.names.append(event if isinstance(event, str) else low.event_code_to_name(code))
        try:
            data_type = low.get_event_info(code).data_type
        except PapiError:
            data_type = C['PAPI_DATATYPE_INT64']
        self._convert.append(CONVERSIONS.get(data_type, int))

    def remove(self, event):
        """Takes an event out by its name."""
        low.remove_named_event(self.handle, event)
        place = self.names.index(event)
        del self.names[place], self._convert[place]

    def __len__(self):
        return len(self.names)

    # ---- counting

    def start(self):
        """Zeroes the counts and starts."""
        self.seconds = None
        begun = lib.PAPI_get_real_nsec()
        check(lib.PAPI_start(self.handle))
        self._begun = begun

    def stop(self):
        """Stops. Returns the counts, which are also in .counts."""
        values = (ctypes.c_longlong * len(self.names))()
        check(lib.PAPI_stop(self.handle, values))
        if self._begun is not None:
            self.seconds = (lib.PAPI_get_real_nsec() - self._begun) / 1e9
        return self._take(values)

    def read(self):
        """The counts so far, which are also in .counts."""
        values = (ctypes.c_longlong * len(self.names))()
        check(lib.PAPI_read(self.handle, values))
        return self._take(values)

    def reset(self):
        """Zeroes the counts."""
        check(lib.PAPI_reset(self.handle))

    def reader(self):
        """Reads in a loop at the least cost: see Reader."""
        return Reader(self.handle, len(self.names))

    def _take(self, values):
        self.counts = {name: convert(value) for name, convert, value in zip(self.names, self._convert, values)}
        self._values = list(values)
        return self.counts

    def array(self):
        """The counts as a NumPy array, in the order of .names; of float64 if one of them is a real number."""
        import numpy
        kind = 'float64' if any(c is _real for c in self._convert) else 'int64'
        return numpy.array([self.counts[name] for name in self.names], dtype=kind)

    def metric(self, name):
        """The value of a metric, such as "ipc" or "mflops", of the counts that were last taken."""
        nsec = round(self.seconds * 1e9) if self.seconds is not None else 0
        return low.metric(self.handle, name, self._values, nsec)

    @property
    def running(self):
        """True while it counts."""
        return bool(low.state(self.handle) & C['PAPI_RUNNING'])

    # ---- its life

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            if self.running:
                self.stop()
            return
        try:  # what went wrong inside is what is told
            self.stop()
        except PapiError:
            pass

    def close(self):
        """Frees the counters; also when the object goes. Harmless where it is repeated."""
        handle, self.handle = self.handle, C['PAPI_NULL']
        if handle == C['PAPI_NULL'] or lib is None:
            return
        try:
            if low.state(handle) & C['PAPI_RUNNING']:
                check(lib.PAPI_stop(handle, None))
            low.cleanup_eventset(handle)
            low.destroy_eventset(handle)
        except PapiError:
            pass  # another thread made it, or the library was shut down: it goes with them

    def __del__(self):
        try:
            self.close()
        except Exception:  # the interpreter is ending
            pass

    def __repr__(self):
        return 'EventSet(%s)' % ', '.join(repr(name) for name in self.names)


