#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi_calls.py program arguments: one rank under mpirun; its table and its status. Then what PAPI_MPI_TIMELINE=1M adds to a
call, by the quickest turns of runs with and without it, one after the other: at most 40 ns, or as long as 40
multiplications. On a machine that is never at rest one run may have no quiet moment: the fifth that is over the limit counts."""
import re
import sys

from mpirun import run

TRIES, ADDED, MULTIPLICATIONS = 5, 40, 40
WITHOUT, WITH = "", "1M"


def calls(timeline):
    return run(None, 1, sys.argv[1:], env={"PAPI_MPI_REPORT": "none", "PAPI_MPI_TIMELINE": timeline or None}, timeout=600)


def least_of(output):
    """Nanoseconds that the wrapper adds to a call of each kind, and those of a multiplication."""
    rows = re.findall(r"^(\S.*?) +(?:-?[\d.]+ +){4}(-?[\d.]+) +[\d.]+(?: +OVER)?$", output, re.M)
    return {name: float(least) for name, least in rows}, float(re.search(r"a multiplication: ([\d.]+)", output)[1])


def timeline():
    """What it adds, by kind; True if that is too much."""
    least = {WITHOUT: {}, WITH: {}}
    for _ in range(TRIES):
        for size, known in least.items():
            rows, product = least_of(calls(size).output)
            known.update({name: min(ns, known.get(name, ns)) for name, ns in rows.items()})
        limit = max(ADDED, MULTIPLICATIONS * product)
        added = {name: ns - least[WITHOUT][name] for name, ns in least[WITH].items()}
        if added and max(added.values()) <= limit:
            break
    print(f"PAPI_MPI_TIMELINE=1M adds, at most {limit:.0f} ns:")
    for name, ns in added.items():
        print(f"{name:18} {ns:10.1f}{'  OVER' if ns > limit else ''}")
    return not added or max(added.values()) > limit


for attempt in range(TRIES):
    outcome = calls(WITHOUT)
    print(outcome.output, outcome.errors, sep="")
    if outcome.status != 1:
        break
if outcome.status is None:
    sys.exit("FAILED: it took too long")
sys.exit(outcome.status or timeline())
