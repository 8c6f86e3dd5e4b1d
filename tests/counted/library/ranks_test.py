# SPDX-License-Identifier: BSD-3-Clause
"""Counted programs under the MPI wrappers: each rank's operations, in the result and in the report.

  ranks_test.py PROGRAM
"""
import sys

from mpirun import fail, run

RANKS = 4


def main():
    env = {"PAPI_EVENTS": "PAPI_DP_OPS,counted::SP_OPS", "PAPI_DISABLE_COMPONENTS": "perf_event", "PAPI_REPORT": "1"}
    outcome = run(None, RANKS, [sys.argv[1]], env=env, timeout=600).check()
    metrics = {metric["name"]: metric for metric in outcome.result["metrics"]}
    got = sorted((rank, value) for value, rank in metrics["PAPI_DP_OPS"]["smallest"])
    if got != [(rank, 2000 * (rank + 1)) for rank in range(RANKS)]:
        fail(f"operations of ranks: {got}")
    if outcome.result["job"]["counted"] is not True:
        fail(f"not said in the result: {outcome.result['job']}")
    report = " ".join((outcome.output + outcome.errors).split())
    if "counted builds: exact counts, without libraries that were not rebuilt" not in report:
        fail(f"not said in the report:\n{report}")
    if metrics["counted::SP_OPS"]["sum"] != "0":
        fail(f"single precision: {metrics['counted::SP_OPS']}")
    lines = [line.split() for line in (outcome.output + outcome.errors).splitlines()]
    if not any(words[:2] == ["PAPI_DP_OPS", "20000"] for words in lines):
        fail(f"the report:\n{outcome.output}{outcome.errors}")


if __name__ == "__main__":
    main()
