#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""partners.py show_record program: partners whose ranks differ by the size of the table have places as others have;
those that do not fit, and those outside MPI_COMM_WORLD, are counted apart."""
import sys

from mpirun import fail
from records import recorded

show_record, program = sys.argv[1:]
wanted = {256 * i: 1 for i in range(199)} | {256 * 199: 2}
for more, others in ([], 0), (["more"], 44):
    outcome, (record,) = recorded(show_record, 1, [program, *more])
    found = {rank: messages for rank, messages, _ in record["peers"]}
    if more:  # the first ones of them found the last places
        wanted |= {256 * i + 1: 1 for i in range(56)}
    if found != wanted or record["other"] != [others, others] or record["outside"] != 3:
        fail(f"{len(found)} partners, others {record['other']}, outside {record['outside']}: {found}")
    (row,) = outcome.result["rows"]
    if row["partners"] != len(wanted) or row["busiest_peer"] != 256 * 199 or row["busiest_bytes"] != 2:
        fail(f"{row}")
    print(f"{row['partners']} partners, {others} messages to others, 3 outside")
