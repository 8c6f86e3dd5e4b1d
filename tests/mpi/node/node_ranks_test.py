#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: node_ranks_test.py RESULTS CASE

What two ranks left on the emulated node (tests/node: program ranks.CASE).
  boundary, inside  the result file: the instructions of each rank are those of the loop that it ran, by the
                    node's own PMU, and the job's figures are those of its rows
  papi_avail        papi_avail --nodes: the node as it is
"""
import json
import pathlib
import re
import sys

EVENT, RANKS = "PAPI_TOT_INS", 2
# What a rank executes besides its loop, between the return of MPI_Init and the call of MPI_Finalize: regions, the
# library's own reads and its measurement of what it costs, the dynamic linker's search for a function that is called
# for the first time: 2 % at most. The second rank does the same around a loop twice as long.
MORE, SAME = 600000, 12000


def fail(text):
    sys.exit(f"FAILED: {text}")


def within(value, low, high, what):
    print(f"{what}: {value} ({low} to {high})")
    if not low <= value <= high:
        fail(f"{what}: {value} is not {low} to {high}")


def same(got, wanted, what):
    if got != wanted:
        fail(f"{what}: {got}, not {wanted}")


def read(results, name):
    skip = results / "skip"
    if skip.exists():
        print(skip.read_text(), end="")
        sys.exit(77)
    status, log = results / f"{name}.status", results / f"{name}.log"
    if not status.exists():
        fail(f"the node did not run {name}")
    text = log.read_text()
    if status.read_text().strip() == "77":
        print(text, end="")
        sys.exit(77)
    same(status.read_text().strip(), "0", f"status of {name}\n{text}")
    document = re.search(r"^\{$.*?^\}$", text, re.MULTILINE | re.DOTALL)
    if not document:
        fail(f"no result file in the log:\n{text}")
    print(text[:document.start()], end="")
    return json.loads(document[0]), text[:document.start()]


def values(result, key):
    place = result["row_values"].index(key)
    return [row["values"][place] for row in result["rows"]]


def check_metric(result, key, counted):
    """The job's figures are those of the rows."""
    metric = [metric for metric in result["metrics"] if metric["key"] == key][0]
    same((metric["name"], metric["count"]), (EVENT, RANKS), f"name and ranks of {key}")
    same(metric["sum"], str(sum(counted)), f"sum of {key}")
    same(metric["mean"], sum(counted) / RANKS, f"mean of {key}")
    by_value = sorted([value, rank] for rank, value in enumerate(counted))
    same(metric["smallest"], by_value, f"the smallest of {key}")
    same(metric["largest"], sorted(by_value, key=lambda pair: (-pair[0], pair[1])), f"the largest of {key}")


def check_loops(counted, loops, what):
    for rank, (value, loop) in enumerate(zip(counted, loops)):
        within(value, loop, loop + MORE, f"rank {rank}, {what}")
    more = [value - loop for value, loop in zip(counted, loops)]
    within(abs(more[1] - more[0]), 0, SAME, "what one rank has more than the other, besides the loop")


def check_result(result, said, inside):
    found = {int(rank): int(n) for rank, n in re.findall(r"^rank (\d): (\d+) instructions", said, re.MULTILINE)}
    same(sorted(found), list(range(RANKS)), "ranks that said what they did")
    loops = [found[rank] for rank in range(RANKS)]
    same([counter["name"] for counter in result["counters"]], [EVENT], "counters")
    same(result["job"]["counter_reason"], "", "why there are not all counters")
    same(result["job"]["counters_inside"], inside, "counted inside MPI too")
    same(result["job"]["multiplexed"], 0, "multiplexed")
    counted = values(result, "counter.0")
    check_metric(result, "counter.0", counted)
    if inside: # the first rank waits for the second, and a waiting rank executes instructions
        outside = values(result, "outside_mpi.0")
        check_metric(result, "outside_mpi.0", outside)
        check_loops(outside, loops, "outside MPI")
        for rank in range(RANKS):
            within(counted[rank], outside[rank], 10 ** 12, f"rank {rank}, with its MPI calls")
    else:
        check_loops(counted, loops, "from MPI_Init to MPI_Finalize")
    region = [region for region in result["regions"] if region["name"] == "loop"][0]
    same((region["ranks"], region["visits"]), (RANKS, 3 * RANKS), "ranks and visits of the region")
    within(region["counters"][0], sum(loops), sum(loops) + MORE // 20, "the region")


def check_node(table):
    same((table["nodes"], table["ranks"], table["differ_in"]), (1, RANKS, []), "nodes and ranks")
    kind = table["kinds"][0]
    same((kind["ranks"], kind["hosts"], kind["cpus"]), (RANKS, ["node"], 1), "the node")
    same("armv8_pmuv3" in kind["pmu"], True, f"an ARM PMU: {kind['pmu']}")
    within(kind["counters"], 6, 7, "counters")
    within(kind["available_presets"], 2, 108, "presets")


def main():
    results, case = pathlib.Path(sys.argv[1]), sys.argv[2]
    document, said = read(results, f"ranks.{case}")
    if case == "papi_avail":
        check_node(document)
    else:
        check_result(document, said, case == "inside")


main()
