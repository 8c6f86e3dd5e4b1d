#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""node_test.py RESULTS: what papi_why found on an emulated node by its counters. There every n-th instruction is a misprediction or a miss of
the last cache, and takes a cycle: that is impossible, and shows that the reason is made of the counts. Status: 0, 1, 77."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "node"))
from results import check, read

# 2 + event % 16 + unit mask % 16 (tests/node/README.md): BR_MISP_RETIRED:CONDITIONAL is 0xc5 and 1, LONGEST_LAT_CACHE:MISS 0x2e and 0x41.
EVERY = {"mispredictions": 2 + 0xC5 % 16 + 0x01, "last_misses": 2 + 0x2E % 16 + 0x41 % 16}


def main():
    made = read(pathlib.Path(sys.argv[1]), "why.counters")[0]
    check(made["measured"] is True and made["counted"] is False, made)
    reason = made["reasons"][0]
    print(reason)
    check((reason["reason"], reason["confidence"]) == ("branch mispredictions", "certain"), reason)
    check(reason["routine"] == "counted_loop", reason)
    figures = reason["figures"]
    check(abs(figures["instructions_a_cycle"] - 1) < 0.05, figures)
    for key, every in EVERY.items():
        check(abs(figures[key] * every / 1000 - 1) < 0.05, f"{key}: {figures[key]} in 1000, not one in {every}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
