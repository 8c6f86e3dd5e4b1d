#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""node_test.py RESULTS CASE: what papi_roofline found on an emulated node. Status: 0, 1, 77.
  counters  the regions of node_shares by the counters of an x86-64 node, whose events count every n-th instruction
  roofs     what the arm64 node can do, on which each instruction takes a nanosecond"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "node"))
from results import check, read

ROUNDS, LENGTH, LINE = 1000, 5, 64
TURNS = {"heavy": 70000, "light": 30000}  # of a round of node_shares


def near(found, wanted, what, part=0.01):
    print(f"{what}: {found:.6g}, of {wanted:.6g}")
    check(abs(found - wanted) <= part * wanted, f"{what}: {found}, not {wanted}")


def each(event, *umasks):
    """Counts of an instruction, by the node's rule (tests/node/README.md)."""
    return [1 / (2 + event % 16 + umask % 16) for umask in umasks]


def case_counters(made):
    """PAPI_DP_OPS and PAPI_SP_OPS are FP_ARITH_INST_RETIRED by width, times the lanes; the misses are L1D:REPLACEMENT,
    L2_RQSTS:DEMAND_DATA_RD_MISS and :RFO_MISS, LONGEST_LAT_CACHE:MISS. These are more events than the node has counters."""
    double = sum(lanes * part for lanes, part in zip((1, 2, 4, 8), each(0xC7, 0x01, 0x04, 0x10, 0x40)))
    single = sum(lanes * part for lanes, part in zip((1, 4, 8, 16), each(0xC7, 0x02, 0x08, 0x20, 0x80)))
    lines = {"L2": sum(each(0x51, 0x01)), "L3": sum(each(0x24, 0x21, 0x22)), "memory": sum(each(0x2E, 0x41))}
    check(made["counted_by"] == "the processor's counters", made["counted_by"])
    points = {point["name"]: point for point in made["points"]}
    check(sorted(points) == sorted(TURNS), points)
    for name, turns in TURNS.items():
        point, instructions = points[name], ROUNDS * LENGTH * turns
        check(point["threads"] == point["entries"] == 1, point)
        near(point["double"], double * instructions, f"operations in double precision of {name}")
        near(point["single"], single * instructions, f"operations in single precision of {name}")
        for level in point["bytes"]:
            near(level["read"], lines[level["from"]] * LINE * instructions, f"bytes from {level['from']} of {name}")
        check(len(point["bytes"]) == len(lines), point["bytes"])
        check(point["seconds"] >= instructions * 1e-9, point)


def case_roofs(made):
    """A peak is its operations for each instruction, less what the loops around the chains take: the same part of each."""
    roofs = made["roofs"]
    near(roofs["clock"], 1e9, "cycles a second", 0.1)
    found = {(peak["name"], peak["precision"]): peak["one_core"] for peak in roofs["peaks"]}
    fused = {("scalar", "double"): 2, ("scalar", "single"): 2, ("NEON", "double"): 4, ("NEON", "single"): 8}
    check(found.keys() == fused.keys(), found)
    for key, operations in fused.items():
        check(0.8 * operations <= found[key] * 1e-9 <= operations, f"{key}: {found[key]} of {operations} an instruction")
        near(found[key] / found["scalar", "double"], operations / 2, f"{' '.join(key)} beside scalar")


def main():
    results, case = pathlib.Path(sys.argv[1]), sys.argv[2]
    {"counters": case_counters, "roofs": case_roofs}[case](read(results, "roofline." + case)[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
