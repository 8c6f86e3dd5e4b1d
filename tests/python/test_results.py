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

    def test_lists(self):
        """Lists have the names of what they follow, and no others; sums of more than 64 bits are integers."""
        job = dict(JOB, formulas=[{"name": "gflops"}],
                   regions=[{"name": "solve", "counters": [2 ** 62 + 1], "formulas": [None], "other": [7]},
                            {"name": "io", "counters": [1, 2]}],
                   metrics=[{"key": "counter.0", "sum": "170141183460469231731687303715884105727", "squares": "4"}])
        self.assertEqual(self.read(job).rows("regions"), [
            {"name": "solve", "PAPI_TOT_INS": 2 ** 62 + 1, "gflops": None, "other": [7]}, {"name": "io", "counters": [1, 2]}])
        self.assertEqual(self.read(job).rows("metrics"), [{"key": "counter.0", "sum": 2 ** 127 - 1, "squares": 4}])
        one = dict(PROFILE, events=[{"name": "cycles"}], listings=[{"depths": [3], "routine": 1}],
                   routines=[{"name": "f", "self": [1]}])
        self.assertEqual(self.read(one).rows("listings"), [{"depths": [3], "routine": 1}])
        self.assertEqual(self.read(one).rows("routines"), [{"name": "f", "self.cycles": 1}])

    def test_kept_profile(self):
        kept = self.read({"format": "papi_profile", "strings": [], "events": [{"name": "cycles"}], "routines": [[1, 2]]})
        with self.assertRaisesRegex(KeyError, "papi_profile --json --show=FILE"):
            kept.rows("routines")

    def test_command_line(self):
        counted = self.read({"machine": {"cpus": 2}, "seconds": 0.5, "command": None, "doubt": None,
                             "events": [{"name": "cycles", "added": True, "reason": None, "count": 2 ** 62 + 1}]})
        self.assertEqual((counted.kind, counted.tables), ("papi_command_line", {"events": 1}))
        self.assertEqual(counted.rows("events")[0]["count"], 2 ** 62 + 1)
        self.assertEqual(counted.facts["machine.cpus"], 2)

    def test_facts_of_regions(self):
        regions = self.read({"papi_version": "7.3.0.0", "max_cpu_rate_mhz": "2500", "event_definitions": {},
                             "threads": {"0": {"regions": {"0": {"name": "7", "cycles": "9007199254740993"}}}}})
        self.assertEqual(regions.facts, {"papi_version": "7.3.0.0", "max_cpu_rate_mhz": 2500})
        self.assertEqual(regions.rows("regions"), [{"thread": 0, "region": 0, "name": "7", "cycles": 9007199254740993}])

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
