# SPDX-License-Identifier: BSD-3-Clause
"""The programs of docs/python.md and docs/samples.md run, with events that count here."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from case import FAULTS, SETTINGS, main, python

HARDWARE = {"PAPI_TOT_INS": FAULTS, "PAPI_TOT_CYC": "perf::TASK-CLOCK"}


def programs(document="document"):
    with open(SETTINGS[document]) as text:
        return re.findall(r"^```python\n(.*?)^```", text.read(), re.S | re.M)


class Document(unittest.TestCase):
    def test_programs(self):
        found = programs()
        self.assertGreater(len(found), 2)
        for program in found:
            for name, other in HARDWARE.items():
                program = program.replace(name, other)
            program = re.sub(r", events.metric\('ipc'\)", "", program)
            with tempfile.TemporaryDirectory() as folder:
                python(program, folder, PAPI_EVENTS=FAULTS)

    def test_samples(self):
        """Each fault of 8 MB of new memory, or of its large pages, is a sample."""
        program, = programs("samples")
        said = python(program).split("\n")
        self.assertGreater(int(re.match(r"(\d+) faults, the first one at 0x[0-9a-f]+$", said[0])[1]), 2, said)
        self.assertEqual(said[1], "0 lost")

    def test_first_in_the_emulator(self):
        """The first program as it stands, by the command that the page gives for machines without counters."""
        if not SETTINGS["emulate"]:
            self.skipTest("no emulator")
        with open(SETTINGS["document"]) as text:
            option, = re.findall(r"`papi_emulate (\S+) python3 program.py`", text.read())
        done = subprocess.run([SETTINGS["emulate"], option, sys.executable, "-c", programs()[0]], stdout=subprocess.PIPE,
                              env={**os.environ, "PYTHONPATH": SETTINGS["packages"]}, universal_newlines=True, timeout=600)
        self.assertEqual(done.returncode, 0)
        counts = re.match(r"{'PAPI_TOT_INS': (\d+), 'PAPI_TOT_CYC': (\d+)}\n", done.stdout)
        self.assertGreater(int(counts[1]), 1000000, done.stdout)
        self.assertLess(abs(int(counts[1]) - int(counts[2])), 100, done.stdout)


if __name__ == "__main__":
    main()
