#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""received_columns.py program: without PAPI_MPI_RECEIVED, what ranks received is what the others sent them, as the program says;
no call has a number for what nobody counted, and the report says how to have it. Where a message was not counted at one of its
ends, or may have been cancelled, ranks have no such figure."""
import json
import sys

from mpirun import fail, run

CALLS = {"MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Mrecv", "MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome",
         "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome"}


def figures(level, env=None):
    outcome = run(None, 2, [sys.argv[1], level], env={"PAPI_MPI_REPORT": "stdout", **(env or {})})
    outcome.check(0)
    said = {one["rank"]: one for one in map(json.loads, (line for line in outcome.output.splitlines() if line.startswith('{"rank"')))}
    metrics = {one["key"]: one for one in outcome.result["metrics"]}
    unknown = {call["name"] for call in outcome.result["calls"] if "received_bytes" not in call}
    return " ".join(outcome.output.split()), said, [metrics[key] for key in ("received_messages", "received_bytes")], unknown


output, said, (messages, received), unknown = figures("2")
wanted = [sum(said[rank]["bytes"].values()) for rank in (0, 1)], [said[rank]["messages"] for rank in (0, 1)]
for metric, values in ((received, wanted[0]), (messages, wanted[1])):
    if sorted(metric["smallest"]) != sorted([value, rank] for rank, value in enumerate(values)) or metric["sum"] != str(sum(values)):
        fail(f"{metric}, not {values}")
if unknown != CALLS:
    fail(f"without what they received: {sorted(unknown)}, not {sorted(CALLS)}")
if "bytes received by call, and per second: with PAPI_MPI_RECEIVED=1;" not in output:
    fail(f"the report does not say it: {output}")
counted = figures("2", {"PAPI_MPI_RECEIVED": "1"})
if counted[2] != [messages, received] or counted[3] or "PAPI_MPI_RECEIVED=1" in counted[0]:
    fail(f"counted by call: {counted}")
for level in ("0", "3"):
    output, said, (messages, received), unknown = figures(level)
    if messages["count"] or received["count"]:
        fail(f"{level}: received, though messages were not counted, or cancelled: {received}")
print(f"{wanted[0]} bytes")
