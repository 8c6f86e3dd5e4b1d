#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tools that look at processes by /proc, where that shows those of another PID namespace: namespace_test.py PAPI_WHY PAPI_COMMAND_LINE."""
import subprocess
import sys


def main():
    why, command_line = sys.argv[1:]
    namespace = ["unshare", "--pid", "--fork"]
    try:
        made = subprocess.run([*namespace, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    except FileNotFoundError:
        made = False
    if not made:
        print("SKIP: a PID namespace cannot be made here (unshare --pid)")
        return 77
    for words in ([why, "--limit=0", "true"], [command_line, "--attach=1", "perf::PAGE-FAULTS"]):
        done = subprocess.run([*namespace, *words], capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 1 and "of this PID namespace" in " ".join(done.stderr.split()), (words, done)
        assert done.stdout == "", done
    return 0


sys.exit(main())
