#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""asked.py program: what the wrapper library has asked MPI once, it knows from then on."""
import sys

from mpirun import fail, run

# At least one: otherwise it asked some other function, and nothing was measured.
MOST = {"groups": 2, "shifts": 6}

outcome = run(None, 1, [sys.argv[1]]).check()
lines = outcome.output.split("\n")
asked = {words[0]: int(words[1]) for words in map(str.split, lines) if len(words) == 2 and words[0] in MOST}
if asked.keys() != MOST.keys() or any(not 1 <= asked[what] <= most for what, most in MOST.items()):
    fail(f"asked {asked} times in 1000 calls, at most {MOST}")
call = next(call for call in outcome.result["calls"] if call["name"] == "MPI_Neighbor_alltoall")
if call["bytes"] != 1000 * 4 * 4:  # two of six places have nobody
    fail(f"{call}")
print(asked)
