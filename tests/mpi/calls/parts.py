#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""parts.py show_record program: partitioned messages and packing in C or Fortran, with exact counts and bytes; the critical path has a
chain for each message."""
import sys

from mpirun import fail
from records import compare, recorded

BOTH = {"MPI_Start": None, "MPI_Wait": (3, 0), "MPI_Request_free": (1, 0), "MPI_Pack": (1, 20), "MPI_Unpack": (1, 20), "MPI_Pcontrol": (1, 0)}
# Each start sends 4 partitions of 3 integers.
RANK_0 = {"MPI_Psend_init": (1, 0), "MPI_Start": (3, 3 * 48), "MPI_Pready": (4, 0), "MPI_Pready_range": (2, 0), "MPI_Pready_list": (1, 0)}
RANK_1 = {"MPI_Precv_init": (1, 0), "MPI_Start": (3, 0), "MPI_Parrived": (3, 0)}

show_record, program = sys.argv[1:]
for path in ("0", "1"):
    outcome, records = recorded(show_record, 2, [program], env={"PAPI_MPI_PATH": path})
    if outcome.output.count("all values right") != 2:
        fail(f"the program's own values:\n{outcome.output}{outcome.errors}")
    for rank, record in enumerate(records):
        found = {name: tuple(values[:2]) for name, values in record["calls"].items()}
        compare(f"rank {rank}", found, {**BOTH, **(RANK_0, RANK_1)[rank]})
        sent = [[[1, 3, 3 * 48]], []][rank]
        if record["peers"] != sent or record["other"] != [0, 0]:
            fail(f"rank {rank}: partners {record['peers']} {record['other']}, not {sent}")
    job = outcome.result["job"]
    if path == "1" and (job["path_ranks"], job["path_lost"], job["path_missed"]) != (2, 0, 0):
        fail(f"the critical path: {job['path_ranks']} ranks, lost on {job['path_lost']}, {job['path_missed']} not followed")
