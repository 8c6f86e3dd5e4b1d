#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: tool_start.py DIRECTORY

How long papi_avail and papi_native_avail of DIRECTORY take on this machine from start to end, beside those of the
distribution's PAPI (package papi-tools), turn by turn. The listings are thrown away. Each figure is the least of many
runs: what the tool takes, and not what the machine does besides.

Status 1: papi_native_avail takes more of the processor's time than the other one, or papi_avail, which asks hwloc and the
kernel where the other does not, three times as much. Status 77: there is no other PAPI.
"""
import os
import resource
import subprocess
import sys
import time

RUNS = 25
THEIRS = "/usr/bin"
LIMITS = {"papi_avail": 3, "papi_native_avail": 1}


def is_theirs(path):
    """Not one of this project that was installed there."""
    if not os.access(path, os.X_OK):
        return False
    result = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return b"fpapi" not in result.stdout


def run(path):
    """Seconds of real time, and of the processor's."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    elapsed = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(paths):
    """For each path the least real time, and the processor's in the mean: that is counted in steps where the kernel samples it."""
    figures = {path: [] for path in paths}
    for _ in range(RUNS):
        for path in paths:
            figures[path].append(run(path))
    return {path: (min(real for real, _ in runs), sum(cpu for _, cpu in runs) / RUNS) for path, runs in figures.items()}


def main():
    ours = os.path.abspath(sys.argv[1])
    if not all(is_theirs(os.path.join(THEIRS, tool)) for tool in LIMITS):
        print("Skipped: there are no utilities of another PAPI in", THEIRS, "(package papi-tools)")
        sys.exit(77)
    status = 0
    print(f"Milliseconds from start to end, {RUNS} runs  real (least)      processor (mean)")
    print("                                           here    theirs    here    theirs")
    for tool, limit in LIMITS.items():
        mine, other = os.path.join(ours, tool), os.path.join(THEIRS, tool)
        figures = least([mine, other])
        (real, cpu), (their_real, their_cpu) = figures[mine], figures[other]
        over = cpu > limit * their_cpu
        print(f"{tool:40}{real * 1e3:7.1f}{their_real * 1e3:10.1f}{cpu * 1e3:8.1f}{their_cpu * 1e3:10.1f}"
              + (f"   more than {limit} times theirs" if over else ""))
        status |= over
    sys.exit(status)


if __name__ == "__main__":
    main()
