#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""left.py show_record program: a call that was left without an end swallows no other, and not the job's end."""
import sys

from mpirun import fail, run
from records import recorded

program = sys.argv[2]
if run(None, 2, [program], preload=False, timeout=600).check().output.count("left") != 2:
    fail("the error handler did not leave the calls")
outcome, records = recorded(sys.argv[1], 2, [program], timeout=600)
for rank, record in enumerate(records):
    calls = {name: values[0] for name, values in record["calls"].items()}
    if calls != {"MPI_Comm_dup": 1, "MPI_Barrier": 10}:
        fail(f"rank {rank}: {calls}")
if not outcome.result or len(outcome.result["rows"]) != 2:
    fail(f"no result of both ranks: {outcome.result}")
print("10 calls behind the one that was left, on both ranks; a result")
