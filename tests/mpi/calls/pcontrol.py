#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pcontrol.py program...: MPI_Pcontrol(1, name) to MPI_Pcontrol(-1, name) is a region, levels 0 and 1 switch counting
off and on, and no leftover in place of a name does any harm."""
import sys

from mpirun import fail, run

RANKS = 2
WANTED = {"solve": 3, "step 0": 1, "step 1": 1, "step 2": 1, "first": 1, "over pages": 1}

for program in sys.argv[1:]:
    for arguments in ([], ["wild"]):
        outcome = run(None, RANKS, [program, *arguments], timeout=600).check()
        regions = {region["name"]: (region["visits"], region["open"], region["ranks"])
                   for region in outcome.result["regions"]}
        wanted = {name: (visits * RANKS, 0, RANKS) for name, visits in WANTED.items()}
        if regions != wanted:
            fail(f"{program} {arguments}: {regions}, not {wanted}")
        calls = {call["name"]: call["calls"] for call in outcome.result["calls"]}
        if calls["MPI_Barrier"] != 6 * RANKS:  # but for the one between the levels 0 and 1
            fail(f"{program} {arguments}: {calls}")
        if not outcome.result["job"]["paused_ns"] > 0:
            fail(f"{program} {arguments}: nothing was left out")
        for row in outcome.result["rows"]:
            visits = {region["name"]: own[0] for region, own in zip(outcome.result["regions"], row["regions"])}
            if visits != WANTED:
                fail(f"{program} {arguments}: rank {row['rank']} {visits}")
print("regions and levels")
