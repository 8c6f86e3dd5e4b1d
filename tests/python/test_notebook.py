# SPDX-License-Identifier: BSD-3-Clause
"""%papi and %%papi in IPython."""
import unittest

from case import CLOCK, FAULTS, main

try:
    from IPython.core.interactiveshell import InteractiveShell
except ImportError:
    InteractiveShell = None


@unittest.skipIf(InteractiveShell is None, "no IPython")
class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = InteractiveShell.instance()
        cls.shell.run_line_magic("load_ext", "papi")

    def test_cell(self):
        table = self.shell.run_cell_magic("papi", "%s %s" % (FAULTS, CLOCK), "x = bytearray(1 << 24)\ny = len(x)\n")
        self.assertEqual(self.shell.user_ns["y"], 1 << 24)
        self.assertGreater(table.counts[FAULTS], 0)
        self.assertIn("<table>", table._repr_html_())
        self.assertIn(FAULTS, repr(table))
        self.assertIn("seconds", repr(table))

    def test_error_inside(self):
        with self.assertRaises(ZeroDivisionError):
            self.shell.run_cell_magic("papi", FAULTS, "1 / 0\n")
        table = self.shell.run_cell_magic("papi", FAULTS, "z = 1\n")
        self.assertGreaterEqual(table.counts[FAULTS], 0)

    def test_line(self):
        self.shell.run_cell("events = %r" % FAULTS)
        try:
            table = self.shell.run_line_magic("papi", "w = 3")
            self.assertIn("PAPI_TOT_INS", table.counts)
        except Exception as error:  # without counters, the reason
            self.assertIn("papi", type(error).__module__)


if __name__ == "__main__":
    main()
