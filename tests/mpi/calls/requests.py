#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""requests.py show_record program: of the messages of 10,000 persistent requests at a time none is missing."""
import sys

from mpirun import fail
from records import recorded

outcome, (record,) = recorded(sys.argv[1], 1, [sys.argv[2]])
if record["peers"] != [[0, 30000, 30000]] or record["calls"]["MPI_Startall"][:2] != [3, 30000]:
    fail(f"{record['peers']} {record['calls']['MPI_Startall']}, not 30,000 messages of 1 byte")
print("30,000 messages of 10,000 requests")
