#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""job_page_test.py BALANCE: a real job in which rank 0 does twice the work, from mpirun to the browser: the page
of its result has all that the JSON has, and its efficiencies are those of the text."""
import pathlib
import re
import subprocess
import sys

import page_test
from mpirun import REPORT, fail, run, skip

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import browser  # noqa: E402 pylint: disable=wrong-import-position

EXPECTED = {"load_balance": 0.75, "parallel": 0.75, "in_nodes": 0.75, "across_nodes": 1, "communication": 1}
NAMES = {"parallel": "parallel efficiency", "load_balance": "load balance", "in_nodes": "in nodes",
         "across_nodes": "across nodes", "communication": "communication"}


def balanced(program):
    """Its outcome. Where a busy machine keeps a rank from working, longer attempts are hit less."""
    for seconds in (1.2, 2.4, 4.8, 9.6):
        outcome = run(None, 2, [program, seconds]).check()
        found = outcome.result["efficiency"]
        if all(abs(found[key] - value) <= 0.01 for key, value in EXPECTED.items()):
            return outcome
        print(f"{seconds} s: {found}")
    return fail(found)


def report(result_file, *options):
    return subprocess.run([REPORT, *options, result_file], check=True, stdout=subprocess.PIPE, timeout=600).stdout


def check_text(check, text, efficiency):
    for key, name in NAMES.items():
        shown = re.search(rf"^ *{name} +([0-9.]+)", text, re.M)
        check.equal(f"{name} of the text", shown and shown[1], f"{efficiency[key]:.3f}")


def main():
    path = browser.find()
    if path is None:
        skip("no Chromium (package chromium)")
    if not REPORT:
        skip("no papi_mpi_report")
    outcome = balanced(sys.argv[1])
    folder = pathlib.Path(outcome.folder)
    text = report(outcome.result_file).decode()
    # The verdict stands first, in sentences of which all lines but the first are indented; then the job's line.
    head = text[:re.search(r"^[^ ].*: 2 ranks on ", text, re.M).start()]
    sentences = "\n".join(" ".join(line.split()) for line in re.sub(r"\n  +", " ", head).splitlines())
    (folder / "result.txt").write_text(sentences, encoding="utf-8")
    (folder / "result.html").write_bytes(report(outcome.result_file, "--html"))
    check = browser.Checks()
    with browser.Browser(path, 120) as chromium:
        page_test.check_page(check, chromium, str(folder), "result", None)
    check_text(check, text, outcome.result["efficiency"])
    check.equal("the verdict of the result", outcome.result["verdict"], sentences)
    return check.summary()


if __name__ == "__main__":
    sys.exit(main())
