#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi_calls.py program arguments: one rank under mpirun; its table and its status."""
import sys

from mpirun import run

outcome = run(None, 1, sys.argv[1:], env={"PAPI_MPI_REPORT": "none"}, timeout=250)
print(outcome.output, outcome.errors, sep="")
sys.exit(outcome.status if outcome.status is not None else "FAILED: it took too long")
