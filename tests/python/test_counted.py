# SPDX-License-Identifier: BSD-3-Clause
"""An extension that papi_counted has built counts in an ordinary interpreter, exactly."""
import os
import subprocess
import sys
import tempfile
import unittest

from case import SETTINGS, main, python

SOURCE = """
void scale(double *x, long n) { for (long i = 0; i < n; i++) x[i] = 2.5 * x[i] + 1.0; }
"""
PROGRAM = """
import ctypes, papi
scale = ctypes.CDLL({library!r}).scale
x = (ctypes.c_double * 1000)()
events = papi.EventSet('counted::DP_OPS')
for n in (1000, 0, 500):
    with events:
        scale(x, ctypes.c_long(n))
    print(events.counts['counted::DP_OPS'])
"""


class Counted(unittest.TestCase):
    def test_extension(self):
        if not SETTINGS["counted"]:
            self.skipTest("papi_counted is not built here")
        with tempfile.TemporaryDirectory() as folder:
            source, library = os.path.join(folder, "scale.c"), os.path.join(folder, "scale.so")
            with open(source, "w") as out:
                out.write(SOURCE)
            subprocess.run([SETTINGS["counted"], "--shared-by-threads", SETTINGS["C"], "-O2", "-fPIC", "-shared", source,
                            "-o", library], check=True)
            self.assertEqual(python(PROGRAM.format(library=library)), "2000\n0\n1000\n")


if __name__ == "__main__":
    sys.exit(main())
