#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""received.py show_record program...: what came to each rank, at the calls that completed it, is what the program says; and all ranks
together have received what they have sent."""
import json
import sys

from mpirun import fail
from records import compare, recorded

show_record, *command = sys.argv[1:]
outcome, records = recorded(show_record, 2, command)
said = sorted((json.loads(line) for line in outcome.output.splitlines() if line.startswith("{")), key=lambda line: line["rank"])
if [line["rank"] for line in said] != [0, 1]:
    fail(f"the program's own figures: {outcome.output}")
for line, record in zip(said, records):
    wanted = {name: n for name, n in line["bytes"].items() if n}
    compare(f"received by rank {line['rank']}", record["received"], wanted)
    if record["received_messages"] != line["messages"]:
        fail(f"rank {line['rank']}: {record['received_messages']} messages, not {line['messages']}")
    compare("calls of which nothing is known", record["uncounted"], {"MPI_Request_free": 1, "MPI_Start": 1} if line["not"] else {})
result = outcome.result
column = {key: i for i, key in enumerate(result["row_values"])}
sent, received = (sum(row["values"][column[key]] for row in result["rows"]) for key in ("sent_bytes", "received_bytes"))
missing = sum(line["not"] for line in said)
if sent != received + missing or received != sum(n for line in said for n in line["bytes"].values()):
    fail(f"{sent} bytes sent, {received} received and {missing} that nobody could count")
sent, received = (sum(row["values"][column[key]] for row in result["rows"]) for key in ("sent_messages", "received_messages"))
if sent != received + (4 if missing else 0):
    fail(f"{sent} messages sent, and {received} received")
elapsed, sent_rate, received_rate = ([row["values"][column[key]] for row in result["rows"]] for key in ("elapsed", "sent_rate", "received_rate"))
if missing and (sent_rate, received_rate) != ([None, None], [None, None]):
    fail(f"rates of a part of the messages: {sent_rate}, {received_rate}")
if not missing:
    for line, ns, rate in zip(said, elapsed, received_rate):
        if abs(rate - 10**9 * sum(line["bytes"].values()) / ns) > 1:
            fail(f"rank {line['rank']} received {rate} B/s: {line['bytes']} in {ns} ns")
    if abs(result["rates"]["received_rate"] * max(elapsed) / 10**9 / sum(n for line in said for n in line["bytes"].values()) - 1) > 1e-9:
        fail(f"all ranks received {result['rates']} in {elapsed}")
found = {call["name"]: (call["received_bytes"], call["uncounted"]) for call in result["calls"]}
for name in {name for line in said for name in line["bytes"]}:
    if found[name][0] != sum(line["bytes"].get(name, 0) for line in said):
        fail(f"{name} of the job: {found[name]}")
if missing and (found["MPI_Start"][1], found["MPI_Request_free"][1]) != (2, 2):
    fail(f"uncounted calls of the job: {found}")
print(f"{received} messages")
