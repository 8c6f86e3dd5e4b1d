# SPDX-License-Identifier: BSD-3-Clause
"""pytest: a test that fails where ./program does more than when gate.json was recorded, and says where."""
import subprocess


def test_counts():
    subprocess.run(["make", "CC=papi_counted gcc -g"], check=True)
    done = subprocess.run(["papi_gate", "check", "./program", "10"], check=False)
    assert done.returncode == 0  # pytest shows what papi_gate printed
