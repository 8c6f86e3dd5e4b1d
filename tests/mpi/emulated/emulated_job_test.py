#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: emulated_job_test.py TOOL PLUGIN PROGRAM FORM

Two ranks under papi_emulate, counted by the wrapper library: their double-precision operations are those of the
program, to the last one, in the rows, in the figures of the job and in the region.
  each     mpirun -n 2 papi_emulate PROGRAM
  whole    papi_emulate mpirun -n 2 PROGRAM
  default  as each, and nobody says what to count
  wait     as each, and the faster rank waits for the slower: what MPI calculates meanwhile is not the program's
  threads  as each, and the work is that of three threads
  linked   as each, and the wrapper library is not preloaded but linked with the program
"""
import os
import re
import shutil
import sys

import mpirun

TURNS, EACH, RANKS = 30000, 3, 2
EVENT = "PAPI_DP_OPS"


def same(got, wanted, what):
    if got != wanted:
        mpirun.fail(f"{what}: {got}, not {wanted}")


def only(things, **wanted):
    found = [thing for thing in things if all(thing[key] == value for key, value in wanted.items())]
    same(len(found), 1, f"how many have {wanted}")
    return found[0]


def check_result(result, operations, key):
    names = [counter["name"] for counter in result["counters"]]
    same(EVENT in names, True, f"{EVENT} among {names}")
    n = names.index(EVENT)
    key = f"{key}.{n}"
    place = result["row_values"].index(key)
    same([row["values"][place] for row in result["rows"]], operations, "operations of each rank")
    metric = only(result["metrics"], key=key)
    mean = sum(operations) / len(operations)
    same((metric["name"], metric["count"]), (EVENT, RANKS), "name and ranks")
    same(metric["sum"], str(sum(operations)), "sum")
    same(metric["squares"], str(sum(value * value for value in operations)), "squares")
    same(metric["mean"], mean, "mean")
    by_value = [[value, rank] for rank, value in enumerate(operations)]
    same(metric["smallest"], by_value, "the smallest")
    same(metric["largest"], by_value[::-1], "the largest")
    same(metric["imbalance"], max(operations) / mean - 1, "imbalance")
    region = only(result["regions"], name="loop")
    same((region["ranks"], region["visits"]), (RANKS, RANKS), "ranks and visits of the region")
    same(region["counters"][n], sum(operations), "operations in the region")
    return names


def check_report(text, operations):
    """Everybody can read it there, in full: numbers below a million are."""
    line = rf"^{EVENT}(, \D+)? +{sum(operations)} +{operations[0]} @0 .* {operations[1]} @1 "
    if not re.search(line, text, re.MULTILINE):
        mpirun.fail(f"no line of the report that matches {line}")


def main():
    tool, plugin, program, form = sys.argv[1:]
    emulator = f"qemu-{os.uname().machine}"
    if not os.path.isfile(plugin):
        mpirun.skip("the plugin is not built: no Capstone (libcapstone-dev)")
    if shutil.which(emulator) is None:
        mpirun.skip(f"no {emulator} (qemu-user)")
    env = {} if form == "default" else {"PAPI_EVENTS": f"{EVENT},PAPI_TOT_INS"}
    before, command = ([tool], [program]) if form == "whole" else ([], [tool, program])
    more = [form] if form in ("wait", "threads") else []
    threads = 3 if form == "threads" else 1
    operations = [EACH * TURNS * (rank + 1) * threads for rank in range(RANKS)]
    outcome = mpirun.run(None, RANKS, [*command, TURNS, *more], env=env, before=before,
                         preload=form != "linked", timeout=600).check()
    print(outcome.output, outcome.errors, sep="")
    said = sorted(re.findall(r"rank \d: (\d+) operations", outcome.output))
    same(sorted(map(int, said)), operations, "what the program did")
    if outcome.result is None:
        mpirun.fail("there is no result file: the wrapper library was not in the program")
    same(outcome.result["job"]["counters_inside"], True, "the emulator's counters are read inside MPI calls too")
    names = check_result(outcome.result, operations, "outside_mpi" if form == "wait" else "counter")
    check_report(outcome.errors, operations)
    print(f"{form}: {', '.join(names)}; {EVENT} {operations}")


main()
