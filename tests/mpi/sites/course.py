#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""course.py program: the steps of a job's course say when its ranks were in which call."""
import sys

from mpirun import fail, run

PHASE = 400_000_000

result = run(None, 2, [sys.argv[1]]).check().result
course = result["course"]
step, elapsed = course["step_ns"], course["elapsed_ns"]
calls = {entry["call"]: entry["ns"] for entry in course["calls"]}
totals = {call["name"]: call for call in result["calls"]}
by_key = {metric["key"]: metric for metric in result["metrics"]}
if sum(elapsed) != int(by_key["elapsed"]["sum"]) or not 100 < len(elapsed) <= 200:
    fail(f"{len(elapsed)} steps with {sum(elapsed)} ns, not {by_key['elapsed']['sum']}")
for name in ("MPI_Barrier", "MPI_Recv", "MPI_Send"):
    if abs(sum(calls[name]) - totals[name]["main_ns"]) > 2 * len(elapsed) or len(calls[name]) != len(elapsed):
        fail(f"{name}: {sum(calls[name])} ns in {len(calls[name])} steps, not {totals[name]['main_ns']}")
for i, whole in enumerate(elapsed):
    if sum(ns[i] for ns in calls.values()) > whole + 1000:
        fail(f"step {i}: {[(name, ns[i]) for name, ns in calls.items()]} of {whole}")
first = next(i for i in range(len(elapsed)) if any(ns[i] for ns in calls.values()))
if (first + 3) * step < PHASE:
    fail(f"a call {first} steps of {step} ns after the beginning")
middle = {name: sum(i * ns for i, ns in enumerate(calls[name])) / sum(calls[name]) * step for name in ("MPI_Barrier", "MPI_Recv")}
if not PHASE < middle["MPI_Barrier"] < middle["MPI_Recv"]:
    fail(f"when the calls were: {middle}")
print(f"{len(elapsed)} steps of {step} ns; {middle}")
