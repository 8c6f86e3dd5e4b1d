#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""threads.py show_record program: of 400,000 calls of 4 threads none is lost."""
import sys

from mpirun import fail
from records import compare, recorded

outcome, (record,) = recorded(sys.argv[1], 1, [sys.argv[2]], timeout=600)
each = 100000
compare("calls", {name: tuple(values[:2]) for name, values in record["calls"].items()},
        {"MPI_Irecv": (each, 0), "MPI_Send": (each, 4 * each), "MPI_Wait": (each, 0), "MPI_Iprobe": (each, 0)})
messages = [sum(peer[i] for peer in record["peers"]) for i in (1, 2)]
if record["all_calls"] != 4 * each or messages != [each, 4 * each] or {peer[0] for peer in record["peers"]} != {0}:
    fail(f"{record['all_calls']} calls, messages and bytes {messages}")
print("400,000 calls of 4 threads:", record["all_calls"])
