#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: read_back.py PAPI_DECODE READ_BACK

What papi_decode prints, PAPI_encode_events takes, and every definition is then what it was: with presets made of
software events, which exist everywhere, read into a library that has them not.
"""
import csv
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import clean, run  # noqa: E402 pylint: disable=wrong-import-position

PRESETS = pathlib.Path(__file__).resolve().parent / "software_presets.csv"


def rows(text):
    """{name: fields} of the rows after the title and the empty line."""
    lines = list(csv.reader(text.splitlines()))
    assert lines[0][:3] == ["name", "derived", "postfix"] and not lines[1], lines[:2]
    return {row[0]: row for row in lines[2:]}


def main():
    decode, read_back = sys.argv[1:]
    printed = run(decode, status=0, env=clean(PAPI_CSV_EVENT_FILE=str(PRESETS)), errors="surrogateescape").stdout
    table = rows(printed)
    defined = {name: row for name, row in table.items() if row[1]}
    problems = [] if len(table) == 110 else [f"{len(table)} rows"]
    if not {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_FP_OPS", "PAPI_BR_INS"} <= set(defined):
        problems.append(f"defined are only {sorted(defined)}")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "presets.csv"
        file.write_text(printed, errors="surrogateescape")
        back = run(read_back, file, *defined, status=0).stdout
    for line in back.splitlines():
        name, derived, postfix, *natives = line.split("\t")
        row = defined.pop(name)
        if [derived, postfix, *natives] != [row[1], row[2], *row[6:]]:
            problems.append(f"{name}: printed {row}, read back {[derived, postfix, *natives]}")
    problems += [f"{name} was not read back" for name in defined]
    print(len(back.splitlines()), "definitions read back")
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
