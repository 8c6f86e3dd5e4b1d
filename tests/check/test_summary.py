#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_summary.py SOURCE: what .ci/summary.py makes of JUnit files that are written here."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUMMARY = pathlib.Path(sys.argv.pop(1)) / ".ci/summary.py"
CASES = {
    "pass": '<testcase name="{}" status="run"><system-out>fine\n</system-out></testcase>',
    "fail": '<testcase name="{}" status="fail"><failure message="Failed"/><system-out>4 seconds\nlate</system-out></testcase>',
    "skip": '<testcase name="{}" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
            '<system-out>SKIP: no counters\n</system-out></testcase>',
    "lost": '<testcase name="{}" status="notrun"><skipped message="Unable to find executable"/></testcase>',
    "part": '<testcase name="{}" status="run"><system-out>SKIP: no second processor\nfine\n</system-out></testcase>',
}


class Summary(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, cases):
        """{test: what became of it}"""
        path = pathlib.Path(self.folder.name, name + ".xml")
        path.write_text("<testsuite>" + "".join(CASES[end].format(test) for test, end in cases.items()) + "</testsuite>")
        return str(path)

    def summary(self, *arguments):
        done = subprocess.run([sys.executable, "-B", SUMMARY, *arguments], stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def check(self, arguments, status, *last):
        found, lines = self.summary(*arguments)
        self.assertEqual((found, lines[-len(last):]), (status, list(last)), lines)
        return lines

    def test_passed(self):
        lines = self.check([self.write("here", {"a.one": "pass", "a.two": "pass"})], 0, "2 passed, 0 failed, 0 skipped")
        self.assertEqual(len(lines), 1)

    def test_failed(self):
        lines = self.check([self.write("here", {"a.one": "pass", "a.two": "fail"})], 1, "1 passed, 1 failed, 0 skipped")
        self.assertEqual(lines[:3], ["FAILED: here: a.two: Failed", "    4 seconds", "    late"])

    def test_failed_twice(self):
        here = self.write("here", {"a.one": "pass", "a.two": "fail"})
        self.write("here.again", {"a.two": "fail"})
        self.check([here], 1, "1 passed, 1 failed, 0 skipped")

    def unstable(self):
        here = self.write("here", {"a.one": "pass", "a.two": "fail", "a.three": "fail", "a.four": "skip"})
        self.write("here.again", {"a.two": "pass", "a.three": "pass"})
        return here

    def test_unstable(self):
        """Neither passed nor failed, and named with what failed first."""
        lines = self.check([self.unstable()], 0, "2 unstable", "1 passed, 0 failed, 1 skipped")
        self.assertEqual([line for line in lines if line.startswith("UNSTABLE")],
                         [f"UNSTABLE: here: a.{name}: failed beside other tests, passed when run again by itself: late"
                          for name in ("two", "three")])

    def test_unstable_is_failed_where_strict(self):
        self.check(["--strict", self.unstable()], 1, "2 unstable, counted as failed", "1 passed, 2 failed, 1 skipped")

    def test_strict_without_unstable(self):
        self.check(["--strict", self.write("here", {"a.one": "pass"})], 0, "1 passed, 0 failed, 0 skipped")

    def test_unstable_beside_a_failure(self):
        valgrind = self.write("valgrind", {"a.one": "fail"})
        self.check([self.unstable(), valgrind], 1, "2 unstable", "1 passed, 1 failed, 1 skipped")

    def test_skipped_again_is_no_pass(self):
        here = self.write("here", {"a.one": "pass", "a.two": "fail"})
        self.write("here.again", {"a.two": "skip"})
        self.check([here], 1, "1 passed, 1 failed, 0 skipped")

    def test_nothing_but_unstable(self):
        here = self.write("here", {"a.one": "fail"})
        self.write("here.again", {"a.one": "pass"})
        self.check([here], 1, "no test passed", "1 unstable", "0 passed, 0 failed, 0 skipped")

    def test_could_not_be_started(self):
        self.check([self.write("here", {"a.one": "pass", "a.two": "lost"})], 1, "1 passed, 1 failed, 0 skipped")

    def test_skips_by_reason(self):
        lines = self.check([self.write("here", {"a.one": "part", "a.two": "skip", "a.three": "skip"})], 0,
                           "1 passed, 0 failed, 2 skipped")
        self.assertEqual(lines[:2], ["skipped: here: a.two and 1 more: no counters",
                                     "skipped in a test that passed: here: a.one: no second processor"])

    def test_no_results(self):
        lines = self.check([self.write("here", {"a.one": "pass"}), self.folder.name + "/asan.xml"], 1,
                           "1 passed, 1 failed, 0 skipped")
        self.assertTrue(lines[0].startswith("FAILED: asan: no results: "), lines)

    def test_ran_nothing(self):
        self.check([self.write("here", {})], 1, "no test passed", "0 passed, 1 failed, 0 skipped")


unittest.main()
