# SPDX-License-Identifier: BSD-3-Clause
"""Scripts for pypapi and cypapi."""
import unittest

from case import CLOCK, FAULTS, main, python
from test_event_sets import PAGES, touch

LOW = """
from pypapi import papi_low as papi
from pypapi import events, consts
papi.library_init()
es = papi.create_eventset()
papi.add_event(es, papi.event_name_to_code('perf::PAGE-FAULTS'))
papi.start(es)
x = bytearray(1 << 24)
result = papi.stop(es)
assert isinstance(result, list) and result[0] > 0, result
papi.cleanup_eventset(es)
papi.destroy_eventset(es)
assert events.PAPI_TOT_INS == papi.PAPI_TOT_INS and consts.PAPI_OK == 0
assert not hasattr(events, 'PAPI_OK') and not hasattr(events, 'PAPI_NULL')
papi.shutdown()
print('done')
"""
HIGH = """
from pypapi import papi_high, papi_low
papi_low.library_init()
papi_high.start_counters([papi_low.event_name_to_code('perf::PAGE-FAULTS'), papi_low.event_name_to_code('perf::TASK-CLOCK')])
x = bytearray(1 << 24)
first = papi_high.read_counters()
y = bytearray(1 << 24)
more = papi_high.accum_counters(first)
assert more[1] > first[1] > 0, (first, more)
try:
    papi_high.accum_counters([1])
except ValueError:
    pass
else:
    raise SystemExit('a short list was taken')
last = papi_high.stop_counters()
assert len(last) == 2
print('done')
"""
THREADS = """
import threading
from pypapi import papi_high, papi_low
papi_low.library_init()
faults, clock = map(papi_low.event_name_to_code, ('perf::PAGE-FAULTS', 'perf::TASK-CLOCK'))
papi_high.start_counters(code for code in (faults, clock))
def work():
    papi_high.start_counters([clock])
    found.append(papi_high.read_counters())
    found.append(papi_high.stop_counters())
found = []
thread = threading.Thread(target=work)
thread.start()
thread.join()
print([len(values) for values in found], len(papi_high.read_counters()), len(papi_high.stop_counters()))
"""
TYPES = """
from pypapi.types import Flips, Flops, IPC, EPC
from pypapi import papi_high
assert papi_high.Flops is Flops and Flops(1, 2, 3, 4).mflops == 4 and IPC._fields[-1] == 'ipc'
assert Flips._fields[2] == 'flpins' and EPC._fields[-1] == 'epc'
print('done')
"""
EXCEPTIONS = """
from pypapi import papi_high
from pypapi.exceptions import PapiError, PapiNotRunningError
try:
    papi_high.stop_counters()
except PapiError as error:
    print(type(error).__name__)
"""


class Pypapi(unittest.TestCase):
    def test_low(self):
        self.assertEqual(python(LOW), "done\n")

    def test_high(self):
        self.assertEqual(python(HIGH), "done\n")

    def test_threads(self):
        """Each thread has its own counters."""
        self.assertEqual(python(THREADS), "[1, 1] 2 2\n")

    def test_types(self):
        self.assertEqual(python(TYPES), "done\n")

    def test_exceptions(self):
        self.assertIn(python(EXCEPTIONS), ("PapiNotRunningError\n", "PapiInvalidValueError\n", "PapiNotInitializedError\n"))


class Cypapi(unittest.TestCase):
    def test_event_set(self):
        import cypapi
        cypapi.cyPAPI_library_init(cypapi.PAPI_VER_CURRENT)
        self.assertEqual(cypapi.cyPAPI_is_initialized(), 1)
        events = cypapi.CypapiCreateEventset()
        events.add_named_event(FAULTS)
        events.add_event(cypapi.cyPAPI_event_name_to_code(CLOCK))
        touch(PAGES)
        events.start()
        touch(PAGES)
        counts = events.stop()
        self.assertTrue(PAGES <= counts[0] <= PAGES + 50, counts)
        self.assertEqual(events.num_events(), 2)
        events.cleanup_eventset()
        events.destroy_eventset()

    def test_enumeration(self):
        import cypapi
        cypapi.cyPAPI_library_init(cypapi.PAPI_VER_CURRENT)
        presets = [cypapi.cyPAPI_event_code_to_name(code) for code in cypapi.CypapiEnumPresetEvents()]
        self.assertIn("PAPI_TOT_CYC", presets)
        names = [cypapi.cyPAPI_event_code_to_name(code) for code in cypapi.CypapiEnumCmpEvent(0)]
        self.assertTrue(any("PAGE-FAULTS" in name for name in names))
        self.assertEqual(cypapi.CypapiGetComponentInfo(0).name, "perf_event")


if __name__ == "__main__":
    main()
