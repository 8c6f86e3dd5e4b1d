# SPDX-License-Identifier: BSD-3-Clause
"""Event sets as objects."""
import gc
import mmap
import os
import unittest

from case import CLOCK, FAULTS, main, python

import papi
from papi import event_set

PAGES = 2000


def touch(pages):
    """Writes to pages that nobody has touched."""
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(pages):
            memory[page * mmap.PAGESIZE] = 1


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class EventSets(unittest.TestCase):
    def setUp(self):
        touch(PAGES)  # what the interpreter needs for it, it has

    def test_with(self):
        with papi.EventSet(FAULTS, CLOCK) as events:
            touch(PAGES)
        self.assertEqual(list(events.counts), [FAULTS, CLOCK])
        self.assertTrue(PAGES <= events.counts[FAULTS] <= PAGES + 20, events.counts)
        self.assertGreater(events.seconds, 0)
        self.assertFalse(events.running)

    def test_error_inside(self):
        events = papi.EventSet(FAULTS)
        with self.assertRaises(KeyError):
            with events:
                touch(PAGES)
                raise KeyError("mine")
        self.assertGreaterEqual(events.counts[FAULTS], PAGES)
        with events:
            pass
        self.assertLess(events.counts[FAULTS], 20)

    def test_stopped_inside(self):
        with papi.EventSet(FAULTS) as events:
            touch(PAGES)
            counts = events.stop()
        self.assertEqual(events.counts, counts)

    def test_read_while_it_runs(self):
        with papi.EventSet(FAULTS) as events:
            touch(PAGES)
            first = events.read()[FAULTS]
            touch(PAGES)
            second = events.read()[FAULTS]
        self.assertTrue(PAGES <= second - first <= PAGES + 20)

    def test_reader(self):
        events = papi.EventSet(FAULTS)
        reader = events.reader()
        read = reader.function()
        events.start()
        touch(PAGES)
        self.assertEqual(read(), 0)
        first = reader.values[0]
        self.assertGreaterEqual(first, PAGES)
        touch(PAGES)
        reader()
        self.assertTrue(PAGES <= reader.values[0] - first <= PAGES + 20)
        events.close()
        with self.assertRaises(papi.PapiError):
            reader()
        self.assertLess(read(), 0)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        events = papi.EventSet(FAULTS, CLOCK)
        with events:
            touch(PAGES)
        self.assertEqual(events.array().tolist(), list(events.counts.values()))
        self.assertEqual(events.array().dtype, numpy.int64)

    def test_real_numbers(self):
        """Counts that are real numbers are not their bits."""
        self.assertEqual(event_set.CONVERSIONS[papi.PAPI_DATATYPE_FP64](0x3ff8000000000000), 1.5)
        self.assertEqual(event_set.CONVERSIONS[papi.PAPI_DATATYPE_UINT64](-1), 2 ** 64 - 1)

    def test_descriptors(self):
        papi.EventSet(FAULTS)
        gc.collect()
        before = descriptors()
        for _ in range(50):
            with papi.EventSet(FAULTS, CLOCK):
                pass
        for _ in range(50):
            with self.assertRaises(papi.PapiError):
                papi.EventSet(FAULTS, "no_such::EVENT")
        gc.collect()
        self.assertEqual(descriptors(), before)

    def test_names_and_codes(self):
        code = papi.low.event_name_to_code(FAULTS)
        events = papi.EventSet(code)
        self.assertEqual(events.names, [FAULTS])
        events.add(CLOCK)
        events.remove(FAULTS)
        with events:
            touch(10)
        self.assertEqual(list(events.counts), [CLOCK])
        self.assertEqual(len(events), 1)

    def test_inherit(self):
        code = ("import mmap, os, papi\n"
                "with papi.EventSet('%s', inherit=True) as e:\n"
                "    if os.fork() == 0:\n"
                "        m = mmap.mmap(-1, %d * mmap.PAGESIZE)\n"
                "        for i in range(%d): m[i * mmap.PAGESIZE] = 1\n"
                "        os._exit(0)\n"
                "    os.wait()\n"
                "print(e.counts['%s'])" % (FAULTS, PAGES, PAGES, FAULTS))
        self.assertGreaterEqual(int(python(code)), PAGES)

    def test_fork(self):
        """The child of a fork cannot read what its parent counts, and its end takes nothing from the parent."""
        code = ("import os, papi\n"
                "e = papi.EventSet('%s')\n"
                "e.start()\n"
                "if os.fork() == 0:\n"
                "    try: e.read()\n"
                "    except papi.errors.PapiCounterLostError: os._exit(7)\n"
                "    os._exit(1)\n"
                "print(os.waitstatus_to_exitcode(os.wait()[1]))\n"
                "x = bytearray(1 << 24)\n"
                "print(e.stop()['%s'] > 0)" % (FAULTS, FAULTS))
        self.assertEqual(python(code), "7\nTrue\n")

    def test_domain(self):
        with self.assertRaises(ValueError):
            papi.EventSet(FAULTS, domain="users")
        with papi.EventSet(CLOCK, domain="all") as events:
            touch(PAGES)
        self.assertGreater(events.counts[CLOCK], 0)

    def test_machine(self):
        self.assertIn("PAPI_TOT_INS", [p.symbol for p in papi.presets(all=True)])
        for preset in papi.presets():
            self.assertGreater(preset.count, 0)
        self.assertIn("perf_event", [c.name for c in papi.components()])
        self.assertGreater(papi.hardware().totalcpus, 0)
        self.assertTrue(any("PAGE-FAULTS" in e.symbol for e in papi.native_events()))


if __name__ == "__main__":
    main()
