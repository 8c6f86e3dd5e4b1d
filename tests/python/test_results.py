# SPDX-License-Identifier: BSD-3-Clause
"""Files of the tools become tables with every figure as it stands in the file."""
import json
import os
import tempfile
import unittest

from case import SETTINGS, main

import papi.results

JOB = {
    "format": "papi_mpi result", "version": 1,
    "job": {"name": "a.1", "ranks": 2}, "efficiency": {"parallel": 0.5, "load_balance": None},
    "counters": [{"name": "PAPI_TOT_INS", "unit": ""}],
    "calls": [{"name": "MPI_Send", "calls": 3, "times": {"least": 1}}],
    "regions": [{"name": "solve", "calls": [{"name": "MPI_Recv", "calls": 2}]}, {"name": "io", "calls": []}],
    "row_values": ["elapsed", "useful", "counter.0", "outside_mpi.0"],
    "rows": [{"rank": 0, "host": "x", "values": [10, 5, 2 ** 62 + 1, 7]}, {"rank": 1, "host": "y", "values": [11, 6, None, 8]}],
}
PROFILE = {"command": ["./a"], "events": [{"name": "cycles"}, {"name": "perf::PAGE-FAULTS"}],
           "routines": [{"name": "f", "self": [1, 2], "total": [3, 4]}], "lines": []}


class Results(unittest.TestCase):
    def read(self, content):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
            file.flush()
            return papi.results.read(file.name)

    def test_job(self):
        job = self.read(JOB)
        self.assertEqual(job.tables, {"counters": 1, "calls": 1, "regions": 2, "regions.calls": 1, "ranks": 2})
        self.assertEqual(job.rows("ranks")[0], {"rank": 0, "host": "x", "elapsed": 10, "useful": 5,
                                                "PAPI_TOT_INS": 2 ** 62 + 1, "outside_mpi.PAPI_TOT_INS": 7})
        self.assertEqual(job.rows("regions.calls"), [{"of": 0, "name": "MPI_Recv", "calls": 2}])
        self.assertEqual(job.facts["efficiency.parallel"], 0.5)
        self.assertEqual(job.rows("calls")[0]["times.least"], 1)

    def test_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = self.read(JOB).frame("ranks")
        self.assertEqual(frame["PAPI_TOT_INS"][0], 2 ** 62 + 1)  # with all digits, although a value is missing
        self.assertTrue(pandas.isna(frame["PAPI_TOT_INS"][1]))
        self.assertEqual(list(frame["host"]), ["x", "y"])

    def test_profile(self):
        profile = self.read(PROFILE)
        self.assertEqual(profile.rows("routines"), [{"name": "f", "self.cycles": 1, "self.perf::PAGE-FAULTS": 2,
                                                     "total.cycles": 3, "total.perf::PAGE-FAULTS": 4}])

    def test_others(self):
        for wrong in ("", "[1]", "{}", '{"format": 3}', '{"format": "other"}', "no JSON"):
            with self.assertRaises(ValueError):
                self.read(wrong)
        with self.assertRaises(OSError):
            papi.results.read("/nonexistent")
        with self.assertRaisesRegex(KeyError, "there are calls, counters"):
            self.read(JOB).rows("rank")

    def test_kept_results(self):
        """Every result that the tests of the tools keep can be read, if only as facts."""
        tests, seen = os.path.join(os.path.dirname(SETTINGS["table"]), "..", "tests"), 0
        for folder, _, files in os.walk(tests):
            for name in files:
                path = os.path.join(folder, name)
                if name.endswith(".json"):
                    try:
                        result = papi.results.read(path)
                    except ValueError:
                        continue  # not of a tool
                    seen += 1
                    for table, n in result.tables.items():
                        self.assertEqual(len(result.rows(table)), n)
        print("%d kept results" % seen)


if __name__ == "__main__":
    main()
