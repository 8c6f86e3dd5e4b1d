# SPDX-License-Identifier: BSD-3-Clause
"""Usage: forms_test.py PROGRAM

A job that ran: what the library printed at its end is what papi_mpi_report prints from the file, and every form has
the figures of the file, which mpi.job.balance compares with what the job did."""
import csv
import io
import json
import re
import subprocess
import sys

import mpirun


def same(found, wanted, what):
    if found != wanted:
        mpirun.fail(f"{what}\n--- found\n{found}\n--- wanted\n{wanted}")


def tool(*arguments):
    return subprocess.run([mpirun.REPORT, *map(str, arguments)], stdout=subprocess.PIPE, timeout=600, check=True,
                          universal_newlines=True, encoding="utf-8").stdout


def table(name, path):
    return list(csv.DictReader(io.StringIO(tool(f"--csv={name}", path))))


def check_csv(result, path):
    for row in table("efficiency", path):
        wanted = result["efficiency"][row["name"]]
        same(row["value"] and round(float(row["value"]), 4), "" if wanted is None else round(wanted, 4), row["name"])
    rows = table("ranks", path)
    same(len(rows), 2, "lines of ranks")
    for row, wanted in zip(rows, result["rows"]):
        values = dict(zip(result["row_values"], wanted["values"]))
        same([int(row["useful"]), int(row["mpi"]), row["host"]], [values["useful"], values["mpi"], wanted["host"]], row)
    metrics = {row["key"]: row for row in table("metrics", path)}
    for metric in result["metrics"]:
        if metric["count"] > 0 and metric["key"] in metrics:
            same(metrics[metric["key"]]["sum"], metric["sum"], metric["key"])
            same(float(metrics[metric["key"]]["p50"]), metric["p50"], metric["key"])
    same({row["name"]: int(row["calls"]) for row in table("calls", path)},
         {call["name"]: call["calls"] for call in result["calls"]}, "MPI calls")


def main():
    if not mpirun.REPORT:
        mpirun.skip("papi_mpi_report is not built: no jansson")
    # Without counters both have room for all lines, though the library's own has one more, which names the file.
    outcome = mpirun.run(None, 2, [sys.argv[1], "0.5"], env={"PAPI_MPI_COUNTERS": "none"}).check()
    path, result = outcome.result_file, outcome.result
    if result is None:
        mpirun.fail(f"no result file\n{outcome.errors}")
    text = tool(path)
    printed = re.sub(r"^more in [^\n]*\n(  [^\n]*\n)?", "", outcome.errors, flags=re.M)
    if text not in printed:
        mpirun.fail(f"the library and papi_mpi_report differ\n--- library\n{outcome.errors}\n--- papi_mpi_report\n{text}")
    if f"load balance             {result['efficiency']['load_balance']:.3f}" not in text:
        mpirun.fail(f"load balance is not {result['efficiency']['load_balance']}\n{text}")
    written = json.loads(tool("--json", path))
    same(written, result, "the result, written once more")
    page = tool("--html", path)
    embedded = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S)
    same(json.loads(embedded[1]), result, "the result in the page")
    if text.splitlines()[0] not in page:
        mpirun.fail("the page has another verdict")
    check_csv(result, path)
    beside = tool("--reference", path, path)
    for name in ("computation efficiency", "parallel efficiency", "elapsed time"):
        line = next(line for line in beside.splitlines() if line.strip().startswith(name))
        if "1.000" not in line:
            mpirun.fail(f"a job beside itself: {line}")
    print(text, beside, sep="\n")


main()
