#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: progress.py PAPI_NATIVE_AVAIL

Where a check takes long and standard error is a terminal, it says there how far it is, and takes that away at the end;
elsewhere it says nothing. The tool is made slow by a reader that waits.
"""
import os
import pathlib
import re
import select
import subprocess
import sys
import time

from terminal import open_terminal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

ENVIRONMENT = running.clean("LIBPFM_")


def run(tool, stderr):
    # One component's events are more than a pipe holds: the tool waits in the middle of its list.
    with subprocess.Popen([tool, "--check", "--json"], stdout=subprocess.PIPE, stderr=stderr, env=ENVIRONMENT) as tool_run:
        length = len(tool_run.stdout.read(1))
        time.sleep(3)
        return length + len(tool_run.stdout.read())


def what_was_said(terminal):
    """What is written to a terminal comes out at its other side a little later."""
    said = b""
    while select.select([terminal], [], [], 2)[0]:
        said += os.read(terminal, 1 << 16)
        if re.search(rb"\r +\r$", said):
            break
    return said.decode()


def main():
    tool = sys.argv[1]
    terminal, its_end = open_terminal()
    length = run(tool, its_end)
    if length < 1 << 16:
        print(f"SKIP: the list of this machine's events has only {length} bytes")
        sys.exit(77)
    said = what_was_said(terminal)
    print(repr(said))
    if "nothing can be counted here" in said:
        print("SKIP: this machine refuses all counters")
        sys.exit(77)
    reports, _, end = said.rpartition("\r")
    if "events" not in reports or "count" not in reports or reports.split("\r")[-1].strip():
        sys.exit("no progress on the terminal, or it was left there")
    result = subprocess.run([tool, "--check", "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=ENVIRONMENT, check=False)
    if result.stderr and result.returncode == 0 or end:
        sys.exit(f"said without a terminal, or behind the progress: {result.stderr} {end!r}")


if __name__ == "__main__":
    main()
