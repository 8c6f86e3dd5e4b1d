#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""errors.py show_record program: the same answers with and without the wrapper library; a call that failed is
counted and has no bytes."""
import sys

from mpirun import fail, run
from records import recorded

without = run(None, 1, [sys.argv[2]], preload=False).check().output
outcome, (record,) = recorded(sys.argv[1], 1, [sys.argv[2]])
if outcome.output != without:
    fail(f"without:\n{without}with:\n{outcome.output}")
if without.count("\n") != 16 or without.count(" 0 1\n") == 16:
    fail(f"not the answers of 16 calls, some of them wrong:\n{without}")
calls = {name: values[:2] for name, values in record["calls"].items()}
if calls["MPI_Send"] != [5, 0] or calls["MPI_Allreduce"] != [3, 4] or calls["MPI_Bcast"] != [2, 0]:
    fail(f"{calls}")
if record["peers"] or record["inside"]:
    fail(f"messages that were never sent: {record['peers']}; inside of {record['inside']}")
print(without)
