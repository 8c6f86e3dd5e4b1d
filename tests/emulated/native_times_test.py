#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_emulate --native-times: the emulated run gets the very times of the native one.

  native_times_test.py PAPI_EMULATE PROGRAM    (native_times.c)

The program runs twice and appends a line with each clock that it read; the lines must be the same.
Status 77: there is no emulator here.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

EMULATE, PROGRAM = sys.argv[1:3]
READS = 25  # clocks that a thread of the program reads


class NativeTimes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = os.path.join(self.folder, "lines")

    def emulate(self, mode, options=(), **more):
        environment = {**os.environ, "TMPDIR": self.folder}
        done = subprocess.run([EMULATE, "--native-times", *options, PROGRAM, self.file, mode], text=True,
                              capture_output=True, env=environment, timeout=600, check=False, **more)
        left = [name for name in os.listdir(self.folder) if name.startswith("papi_emulate")]
        self.assertEqual(left, [], "temporary files are left")
        return done

    def lines(self):
        with open(self.file, encoding="ascii") as file:
            return [line.split() for line in file]

    def same_twice(self, mode, runs=2, reads=READS):
        done = self.emulate(mode, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = self.lines()
        self.assertEqual(len(lines), runs)
        for first, second in zip(lines[:runs // 2], lines[runs // 2:]):
            self.assertEqual(first, second)
            self.assertEqual(len(first) - (first[0] == "child"), reads)
        return lines

    def test_plain(self):
        first = [int(value) for value in self.same_twice("plain")[0]]
        self.assertEqual(first[0::5], sorted(first[0::5]))
        self.assertGreater(first[-1], 0)

    def test_threads(self):
        self.same_twice("threads", reads=3 * READS)

    def test_fork(self):
        lines = self.same_twice("fork", runs=4)
        self.assertEqual([line[0] == "child" for line in lines], [True, False, True, False])

    def test_another_clock(self):
        done = self.emulate("other")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"native times: in process x-\S*native_times-0, thread n0, call 26 of a PAPI "
                                      r"timer was for real time natively and for CPU time in the emulator")
        native, emulated = self.lines()
        self.assertEqual(native[:READS], emulated[:READS])
        # CPU time continues from where the recording ended.
        self.assertGreaterEqual(int(emulated[-1]), int(emulated[READS - 4]))

    def test_fewer_calls(self):
        done = self.emulate("fewer")
        self.assertIn("the native run called PAPI timers 26 times, the emulated one 25 times", done.stderr)

    def test_more_calls(self):
        done = self.emulate("more")
        self.assertIn("call 26 of a PAPI timer was missing natively and for real time in the emulator", done.stderr)
        native, emulated = self.lines()
        self.assertEqual(native, emulated[:READS])
        self.assertGreater(int(emulated[READS]), int(emulated[READS - 5]))

    def test_no_calls(self):
        done = self.emulate("none")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "papi_emulate: native times: the native run called no PAPI timer\n"))

    def test_status(self):
        done = self.emulate("status")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the native run ended with status 3", done.stderr)

    def test_input_from_a_file(self):
        with open(os.path.join(self.folder, "input"), "w+", encoding="ascii") as file:
            file.write("one\ntwo\n")
            file.flush()
            file.seek(0)
            done = self.emulate("echo", stdin=file)
        self.assertEqual((done.returncode, done.stdout), (0, "one\ntwo\n"))

    def test_input_from_a_pipe(self):
        done = self.emulate("echo", input="one\ntwo\n")
        self.assertEqual((done.returncode, done.stdout), (0, "one\ntwo\n"))

    def test_report(self):
        done = self.emulate("plain", ["--report", "--json"], stdin=subprocess.DEVNULL)
        native = json.loads(done.stderr)["native_run"]
        self.assertEqual((native["timer_calls"], native["threads"]), (READS, 1))
        self.assertGreater(native["cpu_seconds"], 0)
        self.assertGreaterEqual(native["real_seconds"] * 2 + 0.01, native["cpu_seconds"])


if __name__ == "__main__":
    if subprocess.run([EMULATE, "true"], capture_output=True, timeout=600, check=False).returncode != 0:
        print("papi_emulate does not run here: no emulator or no plugin")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
