# SPDX-License-Identifier: BSD-3-Clause
"""What counted ranks do not count: of two ranks one works in a library. In the result, in the report of the job, and
in that which papi_mpi_report makes of the result.

  share_ranks_test.py PROGRAM LIBRARY [off|taken]
"""
import os
import subprocess
import sys

from mpirun import REPORT, fail, run


def report_of(outcome):
    again = subprocess.run([REPORT, outcome.result_file], capture_output=True, text=True, check=True).stdout if REPORT else ""
    return [" ".join(text.split()) for text in (outcome.output + outcome.errors, again) if text]


def has(reports, *wanted):
    for report in reports:
        for text in wanted:
            if text not in report:
                fail(f"no {text!r} in:\n{report}")


def check_shares(share, library):
    samples, counted = share["samples"], share["counted"]
    if (share["ranks"], share["unknown"]) != (2, 0) or samples < 50:
        fail(f"ranks and samples: {share}")
    if not 0.25 < counted / samples < 0.75 or share["least_rank"] != 1 or share["least"] > 3000:
        fail(f"half of the time is counted, the least on rank 1: {share}")
    if share["mpi"] == 0:
        fail(f"rank 0 has waited inside MPI: {share}")
    rows = share["routines"]
    if library not in os.path.basename(rows[0]["library"]) or sum(row["samples"] for row in rows) > samples - counted:
        fail(f"most of the rest is in {library}: {rows}")


def main():
    program, library, *case = sys.argv[1:]
    env = {"PAPI_EVENTS": "PAPI_DP_OPS", "PAPI_DISABLE_COMPONENTS": "perf_event", "PAPI_MPI_REPORT": "stderr"}
    if case == ["off"]:
        env["PAPI_COUNTED_SHARE"] = "0"
    outcome = run(None, 2, [program, *[word for word in case if word == "taken"]], env=env, timeout=600).check()
    share, reports = outcome.result.get("share"), report_of(outcome)
    if outcome.result["job"]["counted"] is not True:
        fail(f"not a counted build: {outcome.result['job']}")
    if case == ["off"]:
        if share is not None or any("counted code:" in report for report in reports):
            fail(f"PAPI_COUNTED_SHARE=0: {share}, {reports}")
    elif case == ["taken"]:
        if share["unknown"] != 2 or share["samples"] != 0:
            fail(f"both ranks have SIGPROF for themselves: {share}")
        has(reports, "counted code: its share of the processor time is not known of 2 ranks")
    else:
        check_shares(share, library)
        has(reports, "counted code: ", "outside MPI", "on rank 1; not counted:", library, "papi_emulate")


if __name__ == "__main__":
    main()
