#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_options.py SOURCE: what ./check says without building anything: its help, and what it refuses."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import run  # noqa: E402 pylint: disable=wrong-import-position

CHECK = str(pathlib.Path(sys.argv.pop(1)) / "check")



class Options(unittest.TestCase):
    def test_help_is_one_screen(self):
        for option in ("-h", "--help"):
            done = run(CHECK, option)
            lines = done.stdout.splitlines()
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(lines[0], r"^Usage: \./check ")
            self.assertLessEqual(len(lines), 24)
            self.assertLessEqual(max(map(len, lines)), 120)
            self.assertRegex(lines[-1], r"[.]$")

    def test_help_has_every_option(self):
        text = run(CHECK, "--help").stdout
        options = re.findall(r"^ +(--\w+)\)", pathlib.Path(CHECK).read_text(), re.MULTILINE)
        self.assertEqual(options, ["--full", "--all"])
        for option in options:
            self.assertRegex(text, rf"(?m)^{option}: ")

    def test_refused(self):
        for arguments, reason in ((["--ful"], "--ful is not an option"), (["-x"], "-x is not an option"),
                                  (["--full", "c.eventset"], "do not go together: c.eventset"),
                                  (["--all", "--full"], "do not go together: --full")):
            done = run(CHECK, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(reason, done.stderr)

    def test_bad_expression(self):
        self.assertEqual(run(CHECK, "c[").returncode, 2)


unittest.main()
