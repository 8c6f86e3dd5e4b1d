#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""comms.py program: with PAPI_MPI_COMMUNICATORS=1, the calls on each communicator, their bytes, their ranks and the communicators
are those that the program makes, none is taken for another, and all together are all calls."""
import sys

from mpirun import fail, run

RANKS = 4
COLUMNS = ("kind", "name", "made_by", "communicators", "least_size", "most_size", "calls", "bytes", "ranks")
DUP, SPLIT = "MPI_Comm_dup", "MPI_Comm_split"
# Each communicator has its MPI_Comm_free, and those with a name MPI_Comm_set_name; each call that makes one is on another one.
C = [
    ("world", None, None, 1, 4, 4, 4 * 14 + 2 * 2, 4 * 50, 4),
    ("self", None, None, 4, 1, 1, 4 * 2, 4 * 2 * 8, 4),
    ("made", "pressure", DUP, 1, 4, 4, 4 * (1 + 5 + 1), 4 * 5 * 8, 4),
    ("made", "velocity", DUP, 1, 4, 4, 4 * (1 + 11 + 1), 4 * 11 * 8, 4),
    ("made", "even", SPLIT, 1, 2, 2, 2 * (1 + 2 + 1 + 1), 2 * 2 * 100, 2),
    ("made", "odd", SPLIT, 1, 2, 2, 2 * (1 + 4 + 1 + 1), 2 * 4 * 100, 2),
    ("made", None, "MPI_Intercomm_create", 1, 4, 4, 4 * (2 + 1), 0, 4),
    ("made", None, SPLIT, 2, 2, 2, 4 * (7 + 1), 2 * 7 * 40, 4),
    ("made", None, SPLIT, 1, 3, 3, 3 * (1 + 1), 0, 3),
    ("made", None, DUP, 1, 4, 4, 4 * (2 + 1), 0, 4),
    ("made", None, "MPI_Comm_create_group", 1, 2, 2, 2 * (3 + 1), 0, 2),
    ("made", None, "MPI_Comm_create_group", 1, 2, 2, 2 * (4 + 1), 0, 2),
    ("made", "last", DUP, 1, 4, 4, 4 * (1 + 1 + 1), 0, 4),
    ("made", "later", "MPI_Comm_idup", 1, 4, 4, 4 * (1 + 6 + 1), 0, 4),
    ("requests", None, None, 0, 0, 0, 4 * 2, 0, 4),
    ("windows", None, None, 0, 0, 0, 4 * 3, 0, 4),
]
FORTRAN = [
    ("world", None, None, 1, 4, 4, 4, 0, 4),
    ("made", "the grid", DUP, 1, 4, 4, 4 * (1 + 5 + 2 + 1), 0, 4),
    ("made", "pair", SPLIT, 2, 2, 2, 4 * (1 + 1 + 1), 0, 4),
    ("made", None, SPLIT, 2, 2, 2, 4 * (2 + 1), 0, 4),
]
# MPI_COMM_WORLD and MPI_COMM_SELF have the first two of 64 places; the others are not told apart.
MANY = [("world", None, None, 1, 4, 4, 4 * 80, 0, 4), *62 * [("made", None, DUP, 1, 4, 4, 4 * 2, 0, 4)],
        ("others", None, None, 0, 0, 0, 4 * 2 * 18, 0, 4)]


def order(row):
    return [str(value) for value in row]


def check(result, wanted):
    found = sorted((tuple(one[key] for key in COLUMNS) for one in result["communicators"]), key=order)
    if found != sorted(wanted, key=order):
        fail(f"wanted {[one for one in wanted if one not in found]}, found {[one for one in found if one not in wanted]} of {len(found)}")
    for key in ("calls", "bytes", "ns"):
        sums = [sum(one[key] for one in result[part]) for part in ("communicators", "calls")]
        rounded = 0 if key != "ns" else RANKS * (len(found) + len(result["calls"]))
        if abs(sums[0] - sums[1]) > rounded:
            fail(f"{key} on communicators and of all calls: {sums}")
    for one in result["communicators"]:
        if not one["ns"] / RANKS <= one["most_ns"] <= one["ns"] or one["most_rank"] not in range(RANKS):
            fail(f"most time: {one}")


def main():
    program, *mode = sys.argv[1:]
    env = {"PAPI_MPI_COMMUNICATORS": "1", "PAPI_MPI_REPORT": "stdout"}
    wanted = MANY if mode == ["many"] else FORTRAN if "comms_c" not in program else C
    outcome = run(None, RANKS, [program, *mode], env=env)
    outcome.check(0)
    check(outcome.result, wanted)
    text = " ".join(outcome.output.split())
    if "communicators" not in text or "number ranks calls time of MPI sent called by max @rank" not in text:
        fail(f"not in the report: {outcome.output}")
    without = run(None, RANKS, [program, *mode], env={"PAPI_MPI_REPORT": "stdout"})
    without.check(0)
    if "communicators" in without.result or "called by" in without.output:
        fail("communicators, though nobody asked for them")


main()
