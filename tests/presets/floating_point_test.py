#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""floating_point_test.py SOURCE: docs/floating-point.md against the tables of presets.

Each processor of presets/processors.txt stands in one row of the document's tables, in `...` (with * at an end): by its
name, or, where rules choose its rows, by what people call it. A
cell says "impossible" where the tables have no definition, and nowhere else.
"""
import fnmatch
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "presets"))
import page  # noqa: E402

WORDS = ("exact", "approximate", "speculative", "impossible", "as ", "an estimate")


def document_rows(text):
    """[(line, names, {title: cell})] of the tables whose first title begins with "processors"."""
    rows, titles = [], None
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            titles = None
        elif titles is None:
            titles = cells
        elif titles[0].startswith("processors") and not set(cells[0]) <= set("-: "):
            rows.append((number, re.findall(r"`([^`]+)`", cells[0]), dict(zip(titles[1:], cells[1:]))))
    return rows


def definitions(titles):
    cpus, by_number = page.collect(sorted((SOURCE / "presets").glob("*.csv")), titles)
    return {cpu["name"]: {preset: by_number[number] for preset, (number, *_) in cpu["cells"].items()} for cpu in cpus}


def differences(title, cell, presets):
    """What a cell says of its presets (the title's) that is not so; presets: those of one processor."""
    kinds = [presets.get("PAPI_" + name, {"kind": "none", "note": ""}) for name in re.findall(r"\w+", title)]
    some, all_of_them = (test(what["kind"] != "none" for what in kinds) for test in (any, all))
    if not cell.startswith(WORDS) and not re.match(r"\w+_\w+ ", cell):
        yield f"\"{cell}\" begins with none of the words that the document explains"
    if cell.startswith("impossible") and some and "impossible;" not in cell:
        yield "is called impossible, and is defined"
    if "impossible" not in cell and not all_of_them and not cell.startswith("as "):
        yield "has no definition, and is not called impossible"
    if title == "FP_OPS" and "multiplex" in kinds[0]["note"] and "multiplex" not in cell and "counters" not in cell:
        yield "needs multiplexing, which is not said"


def main():
    text = (SOURCE / "docs/floating-point.md").read_text(encoding="utf-8")
    titles = page.read_titles(SOURCE / "presets/processors.txt")
    rows, tables, failed, checked = document_rows(text), definitions(titles), [], 0
    for name, title in titles.items():
        called = title if page.is_rule(name) else name
        here = [row for row in rows if any(fnmatch.fnmatchcase(called, pattern) for pattern in row[1])]
        if len(here) != 1:
            failed.append(f"{name}: in {len(here)} rows, not in one")
        for number, _, cells in here:
            for title, cell in cells.items():
                checked += 1
                failed += [f"docs/floating-point.md:{number}: {title} of {name} {words}"
                           for words in differences(title, cell, tables[name])]
    for words in failed:
        print(words)
    print(f"{checked} cells compared, {len(failed)} are not as the tables")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
