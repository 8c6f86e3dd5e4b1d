#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""comparison_test.py MAKE_PAGES PAPI_MPI_REPORT [DIRECTORY]: the page of a job beside an earlier one has what the JSON of the
comparison has; names are text there too. DIRECTORY gets a screenshot."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from page_test import count, figure, texts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import browser  # noqa: E402 pylint: disable=wrong-import-position


def made(report, *arguments):
    return subprocess.run([report, *arguments], check=True, stdout=subprocess.PIPE, timeout=600).stdout


def check_figures(check, page, comparison):
    found = page.evaluate("Array.from(document.querySelectorAll('#comparison table')[0].tBodies[0].rows, "
                          "r => Array.from(r.cells, c => c.textContent))")
    check.equal("figures", len(found), len(comparison["figures"]))
    for wanted, (_, here, there, ratio) in zip(comparison["figures"], found):
        plain = wanted["unit"] == "" and wanted["key"] not in ("ranks", "nodes")
        for what, value, text in (("value", wanted["value"], here), ("reference", wanted["reference"], there)):
            shown = "n/a" if value is None else f"{value:.3f}" if plain else figure(value, wanted["unit"])
            check.equal(f"{wanted['key']}: {what}", text, shown)
        if wanted["ratio"] is not None and not wanted["key"].startswith("computation"):
            check.equal(f"{wanted['key']}: ratio {ratio}", abs(float(ratio) - wanted["ratio"]) < 6e-4, True)


def check_sites(check, page, comparison):
    found = page.evaluate("Array.from(document.querySelectorAll('#comparison table')[1].tBodies[0].rows, "
                          "r => Array.from(r.cells, c => c.textContent))")
    wanted = [[pair["call"], pair["routine"], *(figure(pair[side]["ns"], "ns") if pair[side] else "" for side in ("here", "reference")),
               "gone" if not pair["here"] else "" if pair["reference"] else "new"] for pair in comparison["sites"]]
    check.equal("call sites", [[row[i] for i in (0, 2, 3, 4, 7)] for row in found], wanted)


def main():
    path = browser.find()
    if path is None:
        print("SKIP: no Chromium (package chromium)")
        return 77
    make_pages, report = sys.argv[1:3]
    check = browser.Checks()
    with tempfile.TemporaryDirectory(prefix="papi-pages-") as directory:
        subprocess.run([make_pages, directory, "nodes", "two", "hundred"], check=True, timeout=600)
        jobs = {name: os.path.join(directory, f"{name}.json") for name in ("nodes", "two", "hundred")}
        page_file = os.path.join(directory, "page.html")
        with browser.Browser(path, 240) as chromium:
            for here, there in (("nodes", "two"), ("two", "hundred"), ("hundred", "hundred")):
                check.name = f"{here} beside {there}"
                comparison = json.loads(made(report, "--json", "--reference", jobs[there], jobs[here]))
                made(report, "--html", "-o", page_file, "--reference", jobs[there], jobs[here])
                page = browser.Page(chromium, page_file)
                check.equal("complaints", page.complaints(), [])
                check.equal("the verdict", texts(page, "#comparison > p"), [comparison["verdict"]])
                check.equal("remarks", texts(page, "#comparison li"), comparison["remarks"])
                check.equal("what names made of themselves", [page.evaluate("document.hacked"), count(page, "main img")], [None, 0])
                check_figures(check, page, comparison)
                check_sites(check, page, comparison)
                if len(sys.argv) > 3:
                    page.screenshot(os.path.join(sys.argv[3], f"{here}-{there}.png"))
                page.close()
            page = browser.Page(chromium, os.path.join(directory, "two.html"))
            check.equal("without a reference", page.evaluate("document.querySelector('#comparison').hidden"), True)
    return check.summary()


if __name__ == "__main__":
    sys.exit(main())
