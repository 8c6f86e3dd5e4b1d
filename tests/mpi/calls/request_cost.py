#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""request_cost.py program: a persistent request costs the wrapper about as much beside 200,000 others as beside 1,000:
caches make some difference, and a search would make one of ten times and more."""
import sys

from mpirun import fail, run

outcome = run(None, 1, [sys.argv[1]], env={"PAPI_MPI_REPORT": "none"}, timeout=600).check()
few, many, own_few, own_many = map(float, outcome.output.split())
if many > 5 * (few + own_few) + max(0, own_many - own_few):
    fail(f"made and freed beside 1,000 others a request costs {few} ns more, beside 200,000 {many} ns")
print(f"beside 1,000 others {few:.0f} ns, beside 200,000 {many:.0f} ns")
