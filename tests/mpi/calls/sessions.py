#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sessions.py program...: programs of MPI 4's sessions are measured from the first communicator of all ranks to the
end of the last session; one without such a communicator is told that it is not."""
import sys

from mpirun import fail, run

RANKS = 2

for program in sys.argv[1:]:
    outcome = run(None, RANKS, [program, "all"], timeout=300)
    if outcome.status != 0 or outcome.output.count("right") != RANKS or outcome.result is None:
        fail(f"{program}: {outcome.status} {outcome.output}{outcome.errors}")
    job = outcome.result["job"]
    if (job["ranks"], job["present"], job["unfinished"]) != (RANKS, RANKS, 0):
        fail(f"{program}: {job}")
    calls = {call["name"]: (call["calls"], call["bytes"]) for call in outcome.result["calls"]}
    if (calls["MPI_Sendrecv"], calls["MPI_Allreduce"]) != ((10 * RANKS, 40 * RANKS), (RANKS, 4 * RANKS)):
        fail(f"{program}: {calls}")
    peers = [(row["rank"], row["partners"], row["busiest_peer"]) for row in outcome.result["rows"]]
    if peers != [(0, 1, 1), (1, 1, 0)]:
        fail(f"{program}: {peers}")
    if "papi_mpi: " in outcome.errors or "parallel efficiency" not in outcome.errors or any(outcome.records.iterdir()):
        fail(f"{program}: {outcome.errors}")
outcome = run(None, RANKS, [sys.argv[1], "alone"], timeout=300).check()
if outcome.result or outcome.errors.count("nothing was measured") != 1 or "no communicator of all ranks" not in outcome.errors:
    fail(outcome.errors)
print("sessions are measured")
