# SPDX-License-Identifier: BSD-3-Clause
"""The programs of docs/python.md run, with events that count here."""
import re
import tempfile
import unittest

from case import FAULTS, SETTINGS, main, python

HARDWARE = {"PAPI_TOT_INS": FAULTS, "PAPI_TOT_CYC": "perf::TASK-CLOCK"}


def programs():
    with open(SETTINGS["document"]) as text:
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


if __name__ == "__main__":
    main()
