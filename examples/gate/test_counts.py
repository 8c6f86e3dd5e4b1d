# SPDX-License-Identifier: BSD-3-Clause
"""pytest: a test that fails where ./program does more than when gate.json was recorded, and says where."""
import subprocess


def test_counts():
    done = subprocess.run(["papi_gate", "check", "-b", "gate.json", "./program", "10"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
