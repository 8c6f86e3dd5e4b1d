# SPDX-License-Identifier: BSD-3-Clause
"""%papi and %%papi in IPython."""
import contextlib
import io
import traceback
import unittest
import unittest.mock

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
        """Braces of a statement are a dict or a set, not a variable of IPython."""
        with unittest.mock.patch("papi.jupyter.DEFAULT", (FAULTS,)):
            self.shell.run_cell("x = 5")
            table = self.shell.run_line_magic("papi", "w = {x}, {'a': x}, '$x'")
        self.assertEqual(self.shell.user_ns["w"], ({5}, {"a": 5}, "$x"))
        self.assertEqual(list(table.counts), [FAULTS])

    def test_variables(self):
        self.shell.run_cell("wanted = %r" % CLOCK)
        self.assertEqual(list(self.shell.run_cell_magic("papi", "{wanted}", "pass\n").counts), [CLOCK])

    def test_value(self):
        """The value at the end of a cell is shown, as without the magic."""
        for cell, shown in (("v = 40\nv + 2\n", ["42"]), ("v + 3;\n", []), ("None\n", []), ("'a'\nv = 1\n", [])):
            with io.StringIO() as out, contextlib.redirect_stdout(out):
                self.shell.run_cell_magic("papi", FAULTS, cell)
                self.assertEqual(out.getvalue().split(), shown)

    def test_traceback(self):
        try:
            self.shell.run_cell_magic("papi", FAULTS, "first = 1\nsecond = first / 0\n")
        except ZeroDivisionError as error:
            self.assertIn("second = first / 0", "".join(traceback.format_tb(error.__traceback__)))
        else:
            self.fail("no error")


if __name__ == "__main__":
    main()
