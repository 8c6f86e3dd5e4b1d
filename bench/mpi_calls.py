#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi_calls.py program arguments: one rank under mpirun; its table and its status. On a machine that is never at
rest one run may have no quiet moment: the fifth that is over the limit counts."""
import sys

from mpirun import run

for attempt in range(5):
    outcome = run(None, 1, sys.argv[1:], env={"PAPI_MPI_REPORT": "none"}, timeout=600)
    print(outcome.output, outcome.errors, sep="")
    if outcome.status != 1:
        break
sys.exit(outcome.status if outcome.status is not None else "FAILED: it took too long")
