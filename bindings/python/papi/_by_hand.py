# SPDX-License-Identifier: BSD-3-Clause
"""Functions of papi.h whose arguments have no plain form in Python; papi.low has them beside the others."""
import ctypes
from ctypes import byref, c_double, c_int, c_longlong, c_ulong, c_void_p

from . import _interface
from ._call import check, decoded, error, int32, int64, lib, measured, plain, text, uint32, uint64
from .errors import BY_CODE, PapiError, PapiNoEventError

C = _interface.CONSTANTS


def _refused(name, why):
    """The exception of a code by its name, with a reason of this package."""
    return BY_CODE[C[name]](why, C[name])


# ---- the library

def library_init(version=C['PAPI_VER_CURRENT']):
    """Initialises the library for the process; it may be called again. Returns the version.

    Errors: PAPI_EINVAL, PAPI_ENOMEM.
    """
    return check(lib.PAPI_library_init(int32(version)))


def perror_string(code):
    """The text of an error code, as strerror."""
    return decoded(lib.PAPI_strerror(int32(code)))


def perror(message=''):
    """Prints a message and the text of the thread's last error on stderr."""
    lib.PAPI_perror(text(message))


# ---- options

class PAPI_option_t(ctypes.Union):
    """What an option takes and gives: the member is named after it."""

    _fields_ = [
        ('preload', _interface.PAPI_preload_info_t),
        ('debug', _interface.PAPI_debug_option_t),
        ('inherit', _interface.PAPI_inherit_option_t),
        ('granularity', _interface.PAPI_granularity_option_t),
        ('defgranularity', _interface.PAPI_granularity_option_t),
        ('domain', _interface.PAPI_domain_option_t),
        ('defdomain', _interface.PAPI_domain_option_t),
        ('attach', _interface.PAPI_attach_option_t),
        ('cpu', _interface.PAPI_cpu_option_t),
        ('multiplex', _interface.PAPI_multiplex_option_t),
        ('itimer', _interface.PAPI_itimer_option_t),
        ('hw_info', c_void_p),
        ('shlib_info', c_void_p),
        ('exe_info', c_void_p),
        ('cmp_info', c_void_p),
        ('sub_info', c_void_p),
        ('ovf_info', _interface.PAPI_overflow_option_t),
        ('addr', _interface.PAPI_addr_range_option_t),
        ('events_file', c_void_p),
        ('precise', _interface.PAPI_precise_option_t),
        ('share', _interface.PAPI_share_option_t),
        ('wait', _interface.PAPI_wait_option_t),
    ]


MEMBERS = {  # of the union, by option
    'PAPI_DEBUG': 'debug', 'PAPI_INHERIT': 'inherit', 'PAPI_DOMAIN': 'domain', 'PAPI_DEFDOM': 'defdomain',
    'PAPI_GRANUL': 'granularity', 'PAPI_DEFGRN': 'defgranularity', 'PAPI_ATTACH': 'attach', 'PAPI_DETACH': 'attach',
    'PAPI_CPU_ATTACH': 'cpu', 'PAPI_MULTIPLEX': 'multiplex', 'PAPI_DEF_MPX_NS': 'multiplex', 'PAPI_DEF_ITIMER': 'itimer',
    'PAPI_DEF_ITIMER_NS': 'itimer', 'PAPI_PRELOAD': 'preload', 'PAPI_PRECISE': 'precise', 'PAPI_SHARE': 'share',
    'PAPI_WAIT': 'wait',
}
MEMBER_OF = {C[name]: member for name, member in MEMBERS.items()}
POINTERS = {
    'PAPI_HWINFO': ('hw_info', 'PAPI_hw_info_t'), 'PAPI_COMPONENTINFO': ('cmp_info', 'PAPI_component_info_t'),
    'PAPI_EXEINFO': ('exe_info', 'PAPI_exe_info_t'),
}
POINTER_OF = {C[name]: value for name, value in POINTERS.items()}


WIDE = {'tid': uint64, 'cpu_num': uint32, 'seconds': float}  # the members that are no int


def _option(option, values):
    found = PAPI_option_t()
    part = getattr(found, MEMBER_OF.get(option, 'debug'))
    for name, value in values.items():
        if name not in {field[0] for field in part._fields_}:
            raise TypeError('this option has no %s: it has %s' % (name, ', '.join(f[0] for f in part._fields_)))
        setattr(part, name, WIDE.get(name, int32)(value))
    return found


def _read_option(option, found, result):
    if option in POINTER_OF:
        member, kind = POINTER_OF[option]
        return plain(getattr(found, member), getattr(_interface, kind))
    if option in MEMBER_OF and result == 0 or option in (C['PAPI_MULTIPLEX'], C['PAPI_ATTACH'], C['PAPI_CPU_ATTACH']):
        found = plain(getattr(found, MEMBER_OF[option]))
        found.result = result
        return found
    return result


def get_opt(option, **values):
    """The value of an option: a number, or the members of its structure, with the result of C as "result".

    values: members to be set before, such as eventset=es.
    Errors: PAPI_EINVAL, PAPI_ENOEVST, PAPI_ECMP, PAPI_ENOMEM, PAPI_ESYS.
    """
    option = int32(option)
    found = _option(option, values)
    return _read_option(option, found, check(lib.PAPI_get_opt(option, byref(found))))


def get_cmp_opt(option, cidx, **values):
    """The value of an option of a component, as get_opt. Errors: as of get_opt, PAPI_ENOCMP."""
    option = int32(option)
    found = _option(option, values)
    return _read_option(option, found, check(lib.PAPI_get_cmp_opt(option, byref(found), int32(cidx))))


def set_opt(option, events_file=None, **values):
    """Changes an option.

    values: the members of its structure, such as eventset=es, tid=1234; events_file: for PAPI_USER_EVENTS_FILE.
    Errors: as of PAPI_set_opt.
    """
    option = int32(option)
    if 'handler' in values:
        raise _refused('PAPI_ENOSUPP', 'a handler of errors in Python is not supported: errors are exceptions here')
    found = _option(option, values)
    if option == C['PAPI_USER_EVENTS_FILE']:
        kept = ctypes.create_string_buffer(text(events_file or ''))
        found.events_file = ctypes.addressof(kept)
    check(lib.PAPI_set_opt(option, byref(found)))


# ---- threads

_ID_FUNCTION = ctypes.PYFUNCTYPE(c_ulong)


def thread_init(handle=None):
    """Numbers the threads by what the system calls them; a function of Python is not taken.

    The library calls the function in the thread that asks, also where the interpreter's lock is not held.
    Errors: PAPI_ENOSUPP.
    """
    if handle is not None:
        raise _refused('PAPI_ENOSUPP', 'a function of Python cannot number the threads: call thread_init() without one')
    function = ctypes.CDLL(None).pthread_self
    lib.PAPI_thread_init.argtypes = (c_void_p,)
    check(lib.PAPI_thread_init(ctypes.cast(function, c_void_p)))


def thread_id():
    """The number of the calling thread. Errors: PAPI_EMISC before thread_init."""
    number = lib.PAPI_thread_id()
    if number == c_ulong(C['PAPI_EMISC']).value:
        raise error(C['PAPI_EMISC'])
    return number


def list_threads():
    """The numbers of the threads that the library knows."""
    number = c_int(0)
    check(lib.PAPI_list_threads(None, byref(number)))
    room = number.value
    ids = (c_ulong * max(room, 1))()
    check(lib.PAPI_list_threads(ids, byref(number)))
    return list(ids[:min(room, number.value)])


_kept = {}  # objects of Python that threads have stored, by thread and place


def _tag(tag):
    """Objects of Python are stored for a thread in the places of programs; the library follows what is in its own."""
    tag = int32(tag)
    if tag not in (C['PAPI_TLS_USR1'], C['PAPI_TLS_USR2']):
        raise _refused('PAPI_EINVAL', 'tag %d is not PAPI_TLS_USR1 or PAPI_TLS_USR2' % tag)
    return tag


def set_thr_specific(tag, value):
    """Stores an object for the calling thread. Errors: PAPI_EINVAL, PAPI_ENOMEM."""
    number, tag = _ident(), _tag(tag)
    pointer = None if value is None else id(value)
    check(lib.PAPI_set_thr_specific(tag, pointer))
    _kept[number, tag] = value


def get_thr_specific(tag):
    """The object that the calling thread stored; None where there is none. Errors: PAPI_EINVAL."""
    found, tag = c_void_p(), _tag(tag)
    check(lib.PAPI_get_thr_specific(tag, byref(found)))
    value = _kept.get((_ident(), tag))
    return value if found.value == id(value) else None


def _ident():
    import threading
    return threading.get_ident()


# ---- event sets

def create_eventset(es=C['PAPI_NULL']):
    """Makes an empty event set and returns its handle. Errors: PAPI_EINVAL, PAPI_ENOMEM."""
    handle = c_int(int32(es))
    check(lib.PAPI_create_eventset(byref(handle)))
    return handle.value


def _each(function, es, codes, what):
    array = measured(codes, c_int)
    if not array:
        return
    result = check(function(int32(es), array, len(array)))
    if result > 0:
        code = array[result]
        one = {'added': lib.PAPI_add_event, 'taken out': lib.PAPI_remove_event}[what]
        check(one(int32(es), code))  # the error of the one that failed; it may have gone by now
        if result + 1 < len(array):
            _each(function, es, array[result + 1:], what)


def add_events(es, codes):
    """Adds events; where one fails, those before it stay in the set. Errors: as of add_event."""
    _each(lib.PAPI_add_events, es, codes, 'added')


def remove_events(es, codes):
    """Takes events out. Errors: as of remove_event."""
    _each(lib.PAPI_remove_events, es, codes, 'taken out')


def list_events(es):
    """The event codes of a set, in the order of its counts. Errors: PAPI_ENOEVST."""
    n = c_int(check(lib.PAPI_num_events(int32(es))))
    codes = (c_int * max(n.value, 1))()
    check(lib.PAPI_list_events(int32(es), codes, byref(n)))
    return list(codes[:n.value])


def read_threads(es):
    """What each thread of a process has counted: (tid, ended, counts) each, counts as those of read.

    The set is attached with PAPI_PROCESS_THREADS. Errors: as of PAPI_read_threads.
    """
    events = check(lib.PAPI_num_events(int32(es)))
    room = 64
    while True:
        tids, ended, values = (c_longlong * room)(), (c_longlong * room)(), (c_longlong * (room * max(events, 1)))()
        n = c_int(room)
        check(lib.PAPI_read_threads(int32(es), tids, ended, values, byref(n)))
        if n.value <= room:
            break
        room = 2 * n.value  # it may start more until the next read
    return [(tids[i], bool(ended[i]), values[i * events:(i + 1) * events]) for i in range(n.value)]


# ---- overflow and profiles

WHY_NO_HANDLER = ('a handler of overflows runs between any two instructions, where the interpreter cannot run. '
                  'profil() counts the addresses in a buffer; papi_profile python3 PROGRAM shows the lines')


def overflow(es, code, threshold, flags=0, handler=None):
    """Not possible in Python. Errors: PAPI_ENOSUPP.

    threshold 0 ends what another library has armed.
    """
    if threshold != 0:
        raise _refused('PAPI_ENOSUPP', WHY_NO_HANDLER)
    check(lib.PAPI_overflow(int32(es), int32(code), 0, int32(flags), None))


def get_overflow_event_index(es, vector):
    """The positions in the set of the events that an overflow vector names. Errors: PAPI_EINVAL, PAPI_ENOEVST."""
    n = c_int(check(lib.PAPI_num_events(int32(es))))
    places = (c_int * max(n.value, 1))()
    check(lib.PAPI_get_overflow_event_index(int32(es), int64(vector), places, byref(n)))
    return list(places[:n.value])


_buckets = {}  # memory of profiles by event set and event: samples go there until they end


def _sample_into(key, memory, call):
    """Begins a profile. Its memory is kept before samples can go there, and that of the one before until none do."""
    before = _buckets.get(key)
    _buckets[key] = before, memory
    try:
        check(call())
    except PapiError:
        _buckets[key] = before
        raise
    _buckets[key] = memory


def profil(buf, offset, scale, es, code, threshold, flags=0):
    """Counts the addresses at which an event passes its threshold.

    buf: a writable buffer, such as a NumPy array or ctypes array, of zeroes. Errors: as of PAPI_profil.
    """
    key = int32(es), int32(code)
    if threshold == 0:
        check(lib.PAPI_profil(None, 0, None, 0, *key, 0, int32(flags)))
        _buckets.pop(key, None)
        return
    view = memoryview(buf).cast('B')
    memory = (ctypes.c_char * len(view)).from_buffer(view)
    arguments = uint64(offset), int32(scale), *key, int32(threshold), int32(flags)
    _sample_into(key, memory, lambda: lib.PAPI_profil(ctypes.addressof(memory), len(view), *arguments))


def sprofil(regions, es, code, threshold, flags=0):
    """Histograms of several regions: (buffer, offset, scale) each. Errors: as of PAPI_sprofil."""
    key = int32(es), int32(code)
    parts = (_interface.PAPI_sprofil_t * max(len(regions), 1))()
    kept = []
    for part, (buf, offset, scale) in zip(parts, regions):
        view = memoryview(buf).cast('B')
        kept.append((ctypes.c_char * len(view)).from_buffer(view))
        part.pr_base, part.pr_size = ctypes.addressof(kept[-1]), len(view)
        part.pr_off, part.pr_scale = uint64(offset), int32(scale)
    arguments = int32(threshold), int32(flags)
    _sample_into(key, (kept, parts), lambda: lib.PAPI_sprofil(parts, len(regions), *key, *arguments))


def sample_handler(sampler, handler=None):
    """Not possible in Python but with None. Errors: PAPI_ENOSUPP."""
    if handler is not None:
        raise _refused('PAPI_ENOSUPP', WHY_NO_HANDLER)
    check(lib.PAPI_sample_handler(int32(sampler), None))


def sample_read(sampler, n=4096):
    """Takes at most n samples that wait. Errors: as of PAPI_sample_read."""
    samples = (_interface.PAPI_sample_t * max(n, 1))()
    got = c_int(int32(n))
    check(lib.PAPI_sample_read(int32(sampler), samples, byref(got)))
    return list(samples[:got.value])


def sample_branches(sampler, n=32768):
    """The branches of the samples that were read last. Errors: as of PAPI_sample_branches."""
    branches = (_interface.PAPI_branch_t * max(n, 1))()
    got = c_int(int32(n))
    check(lib.PAPI_sample_branches(int32(sampler), branches, byref(got)))
    return list(branches[:got.value])


# ---- events

def _step(function, code, *arguments):
    found = c_int(int32(code))
    check(function(byref(found), *arguments))
    return found.value


def enum_event(code, modifier=C['PAPI_ENUM_EVENTS']):
    """The code of the next event. Errors: PAPI_ENOEVNT after the last, PAPI_EINVAL."""
    return _step(lib.PAPI_enum_event, code, int32(modifier))


def enum_cmp_event(code, modifier, cidx):
    """The code of the next event of a component. Errors: as of enum_event, PAPI_ENOCMP."""
    return _step(lib.PAPI_enum_cmp_event, code, int32(modifier), int32(cidx))


def set_event_info(symbol, name, derived='NOT_DERIVED', postfix='', short_descr='', long_descr='', note='',
                   event_code=C['PAPI_UE_MASK'], replace=False):
    """Defines an event, until shutdown, and returns its code.

    name: the names of the events that it takes. Errors: as of PAPI_set_event_info.
    """
    name = [name] if isinstance(name, (str, bytes)) else list(name)
    info = _interface.PAPI_event_info_t(event_code=int32(event_code) & 0xffffffff)
    for member, value in (('symbol', symbol), ('derived', derived), ('postfix', postfix), ('short_descr', short_descr),
                          ('long_descr', long_descr), ('note', note)):
        _fill(info, member, text(value))
    if len(name) > len(info.name):
        raise ValueError('%d names: an event takes at most %d' % (len(name), len(info.name)))
    for place, one in enumerate(name):
        data = text(one)
        if len(data) >= ctypes.sizeof(info.name[place]):
            raise ValueError('a name of %d bytes is too long: %s' % (len(data), one))
        info.name[place].value = data
    code = c_int()
    check(lib.PAPI_set_event_info(byref(info), byref(code), int(bool(replace))))
    return code.value


def _fill(info, member, data):
    if len(data) >= getattr(type(info), member).size:
        raise ValueError('%s has %d bytes: at most %d' % (member, len(data), getattr(type(info), member).size - 1))
    setattr(info, member, data)


def get_shared_lib_info():
    """The libraries of the process: a list of their names and addresses. Errors: PAPI_ESYS, PAPI_ENOMEM."""
    pointer = lib.PAPI_get_shared_lib_info()
    if not pointer:
        raise error(C['PAPI_ESYS'])
    found = _interface.PAPI_shlib_info_t.from_address(pointer)
    maps = ctypes.cast(found.map, ctypes.POINTER(_interface.PAPI_address_map_t))
    return [plain(maps[i]) for i in range(found.count)]


# ---- devices

def enum_dev_type(modifier=C['PAPI_DEV_TYPE_ENUM__ALL']):
    """The handles of the kinds of devices, as a list. Errors: PAPI_EINVAL."""
    found, handle = [], c_void_p()
    while True:
        try:
            check(lib.PAPI_enum_dev_type(int32(modifier), byref(handle)))
        except PapiNoEventError:
            return found
        found.append(handle.value)


def _attribute(function, name, *arguments):
    kind = next((k for word, k in (('UINT_', ctypes.c_uint), ('ULONG_', c_ulong), ('INT_', c_int)) if word in name),
                ctypes.c_char_p)
    value = kind()
    check(function(*arguments, C[name], byref(value)))
    return decoded(value.value) if kind is ctypes.c_char_p else value.value


def _name_of(attr, beginning):
    """The name of an attribute, which tells what its value is."""
    names = [attr] if isinstance(attr, str) else [n for n, v in C.items() if n.startswith(beginning) and v == attr]
    if not names or not names[0].startswith(beginning) or names[0] not in C:
        raise ValueError('%r is not one of %s*' % (attr, beginning))
    return names[0]


def get_dev_type_attr(handle, attr):
    """A fact about a kind of devices; attr: PAPI_DEV_TYPE_ATTR__*, or its name. Errors: PAPI_EINVAL."""
    return _attribute(lib.PAPI_get_dev_type_attr, _name_of(attr, 'PAPI_DEV_TYPE_ATTR__'), handle)


def get_dev_attr(handle, id, attr):
    """A fact about a device; attr: PAPI_DEV_ATTR__*, or its name. Errors: PAPI_EINVAL, PAPI_ENOSUPP."""
    return _attribute(lib.PAPI_get_dev_attr, _name_of(attr, 'PAPI_DEV_ATTR__'), handle, int32(id))


# ---- metrics

def metric(es, name, values=None, nsec=0):
    """The value of a metric of the counts of a set. Errors: as of PAPI_metric.

    values: as read or stop gave them, or None for the present ones; nsec: in which they were counted, 0 if not known.
    """
    array = None if values is None else measured(values, c_longlong, es)
    value = c_double()
    check(lib.PAPI_metric(int32(es), text(name), array, int64(nsec), byref(value)))
    return value.value


def hl_efficiency(region='', scope=C['PAPI_EFF_JOB']):
    """The efficiencies of an MPI job so far, or of one of its regions. Errors: as of PAPI_hl_efficiency."""
    values = (c_double * 7)()
    check(lib.PAPI_hl_efficiency(text(region), int32(scope), values))
    return list(values)
