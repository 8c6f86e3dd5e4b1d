#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi_path.py program: what a call of two ranks takes without the wrapper library, with it, and with the critical path
(PAPI_MPI_PATH=1). The three take turns; of each the run with the least is shown."""
import sys

from mpirun import run

NAMES = ["message of 8 B", "message of 64 KiB", "Allreduce", "Barrier"]
WAYS = [("no wrapper", False, {}), ("papi_mpi", True, {}), ("with the path", True, {"PAPI_MPI_PATH": "1"})]
taken = {name: [] for name, _, _ in WAYS}
for turn in range(3):
    for name, preload, env in WAYS:
        outcome = run(None, 2, sys.argv[1:], env={"PAPI_MPI_REPORT": "none", "PAPI_MPI_COUNTERS": "none", **env}, preload=preload).check()
        taken[name].append([float(word) for word in outcome.output.split()])
least = {name: [min(column) for column in zip(*runs)] for name, runs in taken.items()}
print(f"{'nanoseconds, two ranks':24}" + "".join(f"{name:>15}" for name in least) + f"{'the path adds':>15}")
for i, kind in enumerate(NAMES):
    values = [least[name][i] for name in least]
    print(f"{kind:24}" + "".join(f"{value:15.0f}" for value in values) + f"{values[2] - values[1]:15.0f}")
