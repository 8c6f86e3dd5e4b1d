# SPDX-License-Identifier: BSD-3-Clause
"""Regions and measured functions."""
import asyncio
import functools
import os
import tempfile
import unittest
import unittest.mock

from case import FAULTS, interrupting, main, python
from test_event_sets import PAGES, touch

import papi
import papi.results


class Regions(unittest.TestCase):
    def test_file(self):
        code = ("import papi, mmap\n"
                "def touch():\n"
                "    m = mmap.mmap(-1, 500 * mmap.PAGESIZE)\n"
                "    for i in range(500): m[i * mmap.PAGESIZE] = 1\n"
                "touch()\n"
                "for i in range(3):\n"
                "    with papi.region('outer'):\n"
                "        with papi.region('inner'):\n"
                "            touch()\n"
                "@papi.region('decorated')\n"
                "def work(): touch()\n"
                "work()\n"
                "try:\n"
                "    with papi.region('failed'): raise KeyError\n"
                "except KeyError: pass\n")
        with tempfile.TemporaryDirectory() as folder:
            python(code, folder, PAPI_EVENTS=FAULTS)
            result = papi.results.read(os.path.join(folder, "papi_hl_output", "rank_000000.json"))
        self.assertEqual(result.kind, "regions")
        rows = result.rows("regions")
        self.assertEqual([r["name"] for r in rows], ["outer", "inner"] * 3 + ["decorated", "failed"])
        for row in rows[:7]:
            self.assertTrue(500 <= row[FAULTS] <= 520, row)
        self.assertEqual(rows[1]["parent_region_id"], 0)

    def test_measure(self):
        @papi.measure(FAULTS)
        def fibonacci(n):
            """What it says."""
            return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
        self.assertEqual(fibonacci(10), 55)
        self.assertEqual(fibonacci.__doc__, "What it says.")
        self.assertEqual(fibonacci.papi.calls, 1)

        @papi.measure(FAULTS)
        def fails():
            touch(PAGES)
            raise KeyError
        for _ in range(2):
            self.assertRaises(KeyError, fails)
        self.assertEqual(fails.papi.calls, 2)
        self.assertTrue(2 * PAGES <= fails.papi.counts[FAULTS] <= 2 * PAGES + 500)
        fails.papi.reset()
        self.assertEqual((fails.papi.calls, fails.papi.counts), (0, {}))

    def test_methods(self):
        class Thing:
            @papi.measure(FAULTS)
            def work(self, x):
                return x + 1

            @papi.measure(FAULTS)
            @staticmethod
            def alone(x):
                return x + 2

            @papi.measure(FAULTS)
            @classmethod
            def of_class(cls, x):
                return cls, x
        self.assertEqual(Thing().work(1), 2)
        self.assertEqual(Thing.work.papi.calls, 1)
        self.assertEqual((Thing.alone(1), Thing().alone(2), Thing().of_class(3)), (3, 4, (Thing, 3)))
        self.assertEqual(Thing.alone.papi.calls, 2)

    def test_refused(self):
        async def later():
            await asyncio.sleep(0)

        def parts():
            yield 1
        for function in (later, parts):
            with self.assertRaisesRegex(TypeError, "runs in parts"):
                papi.measure(FAULTS)(function)
            with self.assertRaisesRegex(TypeError, "runs in parts"):
                papi.measure(FAULTS)(functools.partial(function))
            with self.assertRaisesRegex(TypeError, "runs in parts"):
                papi.region("parts")(function)
        for name in (None, 3, later):
            with self.assertRaisesRegex(TypeError, "the name of a region"):
                papi.region(name)
        with self.assertRaisesRegex(TypeError, "an event is a name or a code"):
            papi.measure([FAULTS])

    def test_event_that_does_not_exist(self):
        @papi.measure("no_such::EVENT")
        def work():
            return 1
        for _ in range(2):
            self.assertRaises(papi.errors.PapiNoEventError, work)


class Interrupted(unittest.TestCase):
    def test_errors_inside(self):
        """What went wrong inside is told, and not that the region or the counters could not be ended after it."""
        def wrong():
            papi.low.shutdown()
            raise KeyError("mine")
        with self.assertRaises(KeyError) as caught:
            papi.measure(FAULTS)(wrong)()
        self.assertEqual(caught.exception.args, ("mine",))
        with self.assertRaises(KeyError):
            with papi.region("outer"):
                papi.low.hl_region_begin("still open")
                raise KeyError("mine")

    def test_counters_that_fail(self):
        """PAPI_hl_region_begin says that counters have failed, and the region is open: it is ended."""
        begin = papi.low.hl_region_begin

        def fails(name):
            begin(name)
            raise papi.errors.PapiSystemCallError("the counters failed", papi.PAPI_ESYS)
        with papi.region("around"):
            with unittest.mock.patch.object(papi.low, "hl_region_begin", fails):
                with self.assertRaises(papi.errors.PapiSystemCallError):
                    with papi.region("within"):
                        self.fail("it went on")
            with self.assertRaises(papi.errors.PapiInvalidValueError):
                papi.low.hl_region_end("within")

    def test_after_shutdown(self):
        @papi.measure(FAULTS)
        def work():
            touch(PAGES)
        for calls in (1, 2):
            work()
            self.assertEqual(work.papi.calls, calls)
            papi.low.shutdown()
        self.assertTrue(2 * PAGES <= work.papi.counts[FAULTS] <= 2 * PAGES + 500)

    def test_signals(self):
        """A signal at any place leaves the function measured: no call is missed after it."""
        @papi.measure(FAULTS)
        def work():
            return sum(range(100))
        interrupted = 0
        with interrupting() as arm:
            for i in range(300):
                try:
                    arm(i)
                    for _ in range(20):
                        work()
                    arm()
                except KeyboardInterrupt:
                    interrupted += 1
                arm()
                calls = work.papi.calls
                work()
                self.assertEqual(work.papi.calls, calls + 1)
        self.assertGreater(interrupted, 0)

    def test_fork(self):
        """In the child of a fork the function goes on being measured, also where it is the function that forks."""
        code = ("import os, papi\n"
                "@papi.measure('%s')\n"
                "def work(): return bytearray(1 << 24) and 0\n"
                "@papi.measure('%s')\n"
                "def forks(): return os.fork() or work()\n"
                "work()\n"
                "child = os.fork()\n"
                "if child == 0:\n"
                "    work()\n"
                "    os._exit(work.papi.calls)\n"
                "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
                "child = forks()\n"
                "if child == 0: os._exit(10 * forks.papi.calls + work.papi.calls)\n"
                "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), forks.papi.calls, work.papi.calls)\n"
                % (FAULTS, FAULTS))
        self.assertEqual(python(code), "2\n2 1 1\n")


if __name__ == "__main__":
    main()
