# SPDX-License-Identifier: BSD-3-Clause
"""Regions and measured functions."""
import asyncio
import os
import tempfile
import unittest

from case import FAULTS, main, python
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
        self.assertEqual(Thing().work(1), 2)
        self.assertEqual(Thing.work.papi.calls, 1)

    def test_refused(self):
        async def later():
            await asyncio.sleep(0)

        def parts():
            yield 1
        for function in (later, parts):
            with self.assertRaisesRegex(TypeError, "runs in parts"):
                papi.measure(FAULTS)(function)

    def test_event_that_does_not_exist(self):
        @papi.measure("no_such::EVENT")
        def work():
            return 1
        for _ in range(2):
            self.assertRaises(papi.errors.PapiNoEventError, work)


if __name__ == "__main__":
    main()
