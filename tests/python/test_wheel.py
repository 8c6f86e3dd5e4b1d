# SPDX-License-Identifier: BSD-3-Clause
"""The wheel: pip makes it and installs it, and what it installs counts."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

from case import FAULTS, SETTINGS, main

BUILD = sys.argv[2]


def has(*modules):
    return subprocess.run([sys.executable, "-c", "import " + ", ".join(modules)], stderr=subprocess.DEVNULL).returncode == 0


@unittest.skipUnless(has("setuptools", "pip", "wheel"), "no pip, setuptools or wheel")
class Wheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cp", "-r", SETTINGS["packages"], folder + "/source"], check=True)
            subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
                            "--disable-pip-version-check", "--wheel-dir", folder, folder + "/source"], check=True)
            wheel, = glob.glob(folder + "/fpapi-*-py3-none-any.whl")
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                            "--disable-pip-version-check", "--target", folder + "/target", wheel], check=True)
            for package in ("papi/low.py", "papi/_interface.py", "pypapi/papi_low.py", "cypapi.py"):
                self.assertTrue(os.path.exists(os.path.join(folder, "target", package)), package)
            code = "import papi\nwith papi.EventSet(%r) as e: x = bytearray(1 << 24)\nprint(e.counts)" % FAULTS
            done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": folder + "/target"},
                                  check=True, stdout=subprocess.PIPE, universal_newlines=True)
            self.assertIn(FAULTS, done.stdout)


if __name__ == "__main__":
    main()
