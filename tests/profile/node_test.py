#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""node_test.py RESULTS CASE: what papi_profile found on an emulated node, whose counters interrupt node_shares: two routines with 70 and
30 parts of the instructions. Status: 0, 1, 77."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "node"))
from results import check, read

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS, TURNS, LENGTH = 400, 100000, 5  # of node_shares and its loop
LOOPS = ROUNDS * TURNS * LENGTH
MORE = 0.05  # what the program does besides: the dynamic linker, the library's start, at most
EVERY = 4  # as PAPI_L1_DCM the node counts every fourth instruction: 2 + 0x51 % 16 + 0x01 % 16 (README.md of tests/node)


def totals(made, event):
    """{routine: of an event what is in it and below it}, and the sum."""
    names, tree = made["strings"], made["tree"]
    below = [row[3 + event] for row in tree]
    for i in range(len(tree) - 1, -1, -1):
        if tree[i][0] >= 0:
            below[tree[i][0]] += below[i]
    found, own = {}, {}
    for i, row in enumerate(tree):
        name = names[made["routines"][made["places"][row[1]][0]][0]]
        found[name] = found.get(name, 0) + below[i]  # no routine of the program calls itself
        own[name] = own.get(name, 0) + row[3 + event]
    return found, own, sum(row[3 + event] for row in tree)


def check_shares(made, event, per_instruction, part):
    found, own, all_ = totals(made, event)
    name, period, samples = (made["events"][event][key] for key in ("name", "period", "samples"))
    check(period == 0 or samples * period == all_, f"{name}: {samples} samples of {period} are not {all_}")
    loops = found["heavy"] + found["light"]
    print(f"{name}: {samples} samples, {all_} in all, {loops} in the loops, {found['heavy'] / loops:.4f} of it in heavy")
    check(abs(found["heavy"] / loops - 0.7) < part, f"{name}: heavy has {found['heavy'] / loops} of both, not 0.7")
    check(own["counted_loop"] > 0.98 * loops, f"{name}: the loop has {own['counted_loop']} of {loops}")
    if per_instruction:
        wanted = LOOPS * per_instruction
        check(abs(loops / wanted - 1) < part, f"{name}: {loops} in the loops, not {wanted}")
        check(wanted * (1 - part) <= all_ <= wanted * (1 + MORE), f"{name}: {all_} in all, of {wanted}")


def case_period(made):
    check_shares(made, 0, 1, 0.02)


def case_cycles(made):
    """About 1,000 samples a second: in 200 ms of the node's time few."""
    check(made["events"][0]["name"] == "perf::CYCLES", made["events"])
    check(made["events"][0]["samples"] >= 100, made["events"])
    check(made["events"][0]["precise"] == 0, made["events"])  # the kernels of the nodes have no more
    check_shares(made, 0, 0, 0.1)


def case_two(made):
    check([event["name"] for event in made["events"]] == ["PAPI_L1_DCM", "PAPI_TOT_INS"], made["events"])
    check_shares(made, 0, 1 / EVERY, 0.02)
    check_shares(made, 1, 1, 0.02)


def case_often(made, said):
    """More than the kernel takes: it says so, and the report does."""
    check(made["throttled"] > 0 or made["lost"] > 0, made["events"])
    check(not made["throttled"] or "The kernel stopped sampling" in said, said)


def case_taken(made, said):
    """The program's own counters, for its regions, keep others out: a part of the time is not seen, and the report says so."""
    event = made["events"][0]
    check(0 < event["running"] < 0.9 * event["enabled"], event)
    check(f"had a counter for {100 * event['running'] / event['enabled']:.0f} % of the time" in " ".join(said.split()), said)


def case_loops(results):
    """docs/slow-loops.md has the instructions of a turn, by samples: the node counts them as any such processor does."""
    text = (HERE.parent.parent / "docs" / "slow-loops.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| PAPI_TOT_INS \| ([\d,]+) \| ([\d,]+) \|$", text, re.M)
    turns = {"divided": 200, "unvectorised": 400}  # where the program is not told
    check(sorted(loop for loop, *_ in rows) == sorted(turns), rows)
    for loop, *said in rows:
        for name, number in ((loop, said[0]), (f"{loop}_mended", said[1])):
            turn = totals(read(results, "profile." + name)[0], 0)[1][f"loops::{name}"] / turns[loop]
            number = int(number.replace(",", ""))
            check(abs(turn - number) < 0.02 * number, f"{name}: {turn} instructions a turn, and the document says {number}")


def main():
    results, case = pathlib.Path(sys.argv[1]), sys.argv[2]
    if case == "loops":
        case_loops(results)
        return 0
    made, said = read(results, "profile." + case)
    if case in ("often", "taken"):
        {"often": case_often, "taken": case_taken}[case](made, said)
        return 0
    check(made["lost"] == made["throttled"] == 0, f"{made['lost']} samples were lost, {made['throttled']} times throttled")
    check(all(event["running"] == event["enabled"] > 0 for event in made["events"]), made["events"])
    {"period": case_period, "cycles": case_cycles, "two": case_two}[case](made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
