#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""asked.py program: what the wrapper library has asked MPI once, it knows from then on."""
import sys

from mpirun import fail, run

# At least one: otherwise it asked some other function, and nothing was measured.
MOST = {"groups": 2}

lines = run(None, 1, [sys.argv[1]]).check().output.split("\n")
asked = {words[0]: int(words[1]) for words in map(str.split, lines) if len(words) == 2 and words[0] in MOST}
if asked.keys() != MOST.keys() or any(not 1 <= asked[what] <= most for what, most in MOST.items()):
    fail(f"asked {asked} times in 1000 calls, at most {MOST}")
print(asked)
