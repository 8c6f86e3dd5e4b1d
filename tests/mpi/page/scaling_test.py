#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scaling_test.py MAKE_PAGES PAPI_MPI_REPORT [DIRECTORY]: the page of runs on several numbers of ranks has what the JSON of
the table has. DIRECTORY gets a screenshot."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from page_test import count, figure, texts

for folder in ("support", "mpi/report"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
import browser  # noqa: E402 pylint: disable=wrong-import-position
import result  # noqa: E402 pylint: disable=wrong-import-position


def make_runs(directory, waiting):
    """A run for each number of ranks, whose ranks wait as said beside 10 s of work; one has a name that is markup."""
    files = []
    for ranks, part in waiting.items():
        useful = [20 * result.SECOND // ranks] * ranks
        job = result.result(useful, round(useful[0] * (1 + part)), program="/bin/<img src=x onerror=document.hacked=1>")
        files.append(result.write(os.path.join(directory, f"{ranks}.json"), job))
    return files


def check_table(check, page, table):
    found = page.evaluate("Array.from(document.querySelector('#scaling table').tBodies[0].rows, "
                          "r => Array.from(r.cells, c => c.textContent.trim()))")
    known = [row for row in table["rows"] if any(run[row["key"]] is not None for run in table["runs"])]
    check.equal("rows", [row[0] for row in found], [row["name"] for row in known])
    for row, cells in zip(known, found):
        for run, cell in zip(table["runs"], cells[1:]):
            value = run[row["key"]]
            check.equal(f"{row['key']} of {run['ranks']}", cell, figure(value, "ns") if row["unit"] == "ns" else f"{value:.3f}")
        for estimate, cell in zip(table["estimates"], cells[1 + len(table["runs"]):]):
            ends = estimate.get(row["key"])
            ends = ends and [figure(value, "ns") if row["unit"] == "ns" else f"{value:.2f}" for value in ends]
            check.equal(f"{row['key']} of {estimate['ranks']}", cell, "" if not ends else ends[0] if ends[0] == ends[1] else " to ".join(ends))


def main():
    path = browser.find()
    if path is None:
        print("SKIP: no Chromium (package chromium)")
        return 77
    report = sys.argv[2]
    check = browser.Checks()
    with tempfile.TemporaryDirectory(prefix="papi-pages-") as directory, browser.Browser(path, 240) as chromium:
        for name, waiting, bands in (("three", {2: 0.1, 4: 0.2, 8: 0.5}, 1), ("two", {2: 0, 8: 0.5}, 0)):
            check.name = name
            files = make_runs(directory, waiting)
            table = json.loads(subprocess.run([report, "--scaling", "--json", *files], check=True, stdout=subprocess.PIPE, timeout=600).stdout)
            page_file = os.path.join(directory, "page.html")
            subprocess.run([report, "--scaling", "--html", "-o", page_file, *files], check=True, timeout=600)
            page = browser.Page(chromium, page_file)
            check.equal("complaints", page.complaints(), [])
            check.equal("the verdict", texts(page, "#verdict"), [table["verdict"]])
            check.equal("remarks", texts(page, "#scaling li"), table["remarks"])
            check.equal("what names made of themselves", [page.evaluate("document.hacked"), count(page, "main img")], [None, 0])
            drawn = sum(run is not None for run in ("global", "parallel", "computation", table["factor"] if table["factor"] == "communication" else None))
            check.equal("lines and points", [count(page, "#scaling path.scaling"), count(page, "#scaling circle")], [drawn, drawn * len(waiting)])
            check.equal("bands of estimates", count(page, "#scaling .expected"), bands)
            check_table(check, page, table)
            if len(sys.argv) > 3:
                page.screenshot(os.path.join(sys.argv[3], f"scaling-{name}.png"))
            page.close()
        alone = os.path.join(directory, "alone.html")
        subprocess.run([report, "--html", "-o", alone, files[0]], check=True, timeout=600)
        check.equal("of one run", browser.Page(chromium, alone).evaluate("document.querySelector('#scaling').hidden"), True)
    return check.summary()


if __name__ == "__main__":
    sys.exit(main())
