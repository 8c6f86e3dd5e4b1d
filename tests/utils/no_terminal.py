#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: no_terminal.py SCRIPT TOOL

A test that needs a terminal is skipped, and says why, where none can be made: the script is run on the tool in a namespace
whose /dev/pts is empty.

Exit status: 0, 1 where it is not skipped, 77 where no such namespace can be made.
"""
import subprocess
import sys

HIDE = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /dev/pts && exec "$@"', "sh"]


def main():
    try:
        hidden = subprocess.run([*HIDE, "true"], stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        hidden = None
    if hidden is None or hidden.returncode != 0:
        print("SKIP: nothing can be mounted here", hidden.stderr if hidden else "without unshare")
        return 77
    result = subprocess.run([*HIDE, sys.executable, "-B", *sys.argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            universal_newlines=True, check=False)
    print(result.stdout, end="")
    return result.returncode != 77 or not result.stdout.startswith("SKIP: ")


if __name__ == "__main__":
    sys.exit(main())
