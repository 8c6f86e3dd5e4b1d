#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The names that people know processors by (processors.txt), as rows of a C table, for the tools.

Usage: titles.py --processors FILE --out FILE TABLE...

A row has libpfm4's name of the processor, or what the kernel says of it; on x86 also of its other models, which are
those of the rules that mean it in the tables of presets."""

import argparse
import csv
import pathlib

from rules import BY_PROCESSOR, Core, is_rule, ranges, read_titles


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rules_of(tables):
    """The CPU rows that are rules, in order, each once."""
    found = {}
    for table in tables:
        with open(table, encoding="utf-8") as file:
            for row in csv.reader(file):
                if len(row) > 1 and row[0] == "CPU" and is_rule(row[1]):
                    found[row[1]] = None
    return list(found)


def own_row(core, models, title):
    if not core.vendor:
        return f"{{.code = {core.family:#x}, .low = {models[0]:#x}, .high = {models[1]:#x}, .title = {c_string(title)}}},"
    cores = f", .cores = {c_string(core.pmu)}" if core.pmu != core.usual else ""
    return (f"{{.vendor = {c_string(core.vendor)}, .family = {core.family}, .low = {models[0]:#x}, "
            f".high = {models[1]:#x}{cores}, .title = {c_string(title)}}},")


def wider_rows(core, rules, title):
    """The models that rules of the tables have beside this one, and how many such a rule has: the fewer, the closer."""
    for rule in rules:
        if core.rank(rule) != BY_PROCESSOR:
            continue
        models = list(ranges(rule.split(":")[3]))
        width = sum(high - low + 1 for low, high in models)
        for others in models:
            if others != (core.model, core.model):
                yield width, own_row(core, others, title)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--processors", type=pathlib.Path, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("tables", nargs="+")
    options = parser.parse_args()
    rules = [rule for rule in rules_of(options.tables) if rule.startswith("x86:") and rule.split(":")[3] != "*"]
    exact, wider = [], []
    for name, title in read_titles(options.processors).items():
        if not is_rule(name):
            exact.append(f"{{.pmu = {c_string(name)}, .title = {c_string(title)}}},")
            continue
        if name.startswith(("riscv64:", "ppc64:")):  # whose numbers the library does not show
            continue
        core = Core(name)
        exact.append(own_row(core, (core.model, core.model), title))
        wider += wider_rows(core, rules, title)
    rows = dict.fromkeys(exact + [row for _, row in sorted(wider, key=lambda pair: pair[0])])
    with open(options.out, "w", encoding="utf-8") as file:
        print("/* From presets/processors.txt: the first row that fits a core is the closest. */", file=file)
        print(*rows, sep="\n", file=file)


main()
