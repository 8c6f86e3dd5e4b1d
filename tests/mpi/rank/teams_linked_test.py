# SPDX-License-Identifier: BSD-3-Clause
"""Usage: teams_linked_test.py PROGRAM

A program of OpenMP that is linked with the wrapper library has its threads, asked for or not."""
import sys

from mpirun import fail, run

for wanted, teams in ((None, "off"), ("1", "libgomp")):
    outcome = run(None, 1, sys.argv[1:], env={"PAPI_MPI_THREADS": wanted}, preload=False).check()
    if "2 threads" not in outcome.output or outcome.result["job"]["teams"] != teams:
        fail(f"{wanted}: {outcome.output} {outcome.errors} {outcome.result['job']['teams']}")
