#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""left_out.py LIST: names the programs that active.py found no functions for. Status 77 if there are any."""
import sys

with open(sys.argv[1]) as file:
    lines = [line.split() for line in file]
if not lines:
    sys.exit("active.py found no programs")
without = [words for words in lines if words[1] == "lacks"]
for name, _, *missing in without:
    print(f"{name}: no {', '.join(missing)}")
print(f"SKIP: left out: {len(without)} of {len(lines)}" if without else f"all {len(lines)} programs are built")
sys.exit(77 if without else 0)
