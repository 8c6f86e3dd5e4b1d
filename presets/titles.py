#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The names that people know processors by (processors.txt), as rows of a C table, for the tools.

Usage: titles.py --processors FILE --out FILE TABLE...

A row has libpfm4's name of the processor, or what the kernel says of it; on x86 also of its other models, which are
those of the rules that mean it in the tables of presets."""

import argparse
import csv

from rules import is_rule


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


def parts(rule):
    """Vendor, family, ranges of models, PMU: None where any has it."""
    fields = rule.split(":")[1:]
    family = int(fields[1], 0) if rule.startswith("x86:") and fields[1] != "*" else None
    models = fields[2 if rule.startswith("x86:") else 1]
    rest = fields[3 if rule.startswith("x86:") else 2:]
    ranges = [] if models == "*" else [
        tuple(int(end, 0) for end in (item.partition("-")[0], item.partition("-")[2] or item.partition("-")[0]))
        for item in models.split("|")]
    return fields[0], family, ranges, rest[0] if rest else None


def own_row(rule, title):
    vendor, family, ((low, high),), pmu = parts(rule)
    if not rule.startswith("x86:"):
        return f"{{.code = {vendor}, .low = {low:#x}, .high = {high:#x}, .title = {c_string(title)}}},"
    cores = f", .cores = {c_string(pmu)}" if pmu else ""
    return (f"{{.vendor = {c_string(vendor)}, .family = {family}, .low = {low:#x}, .high = {high:#x}{cores}, "
            f".title = {c_string(title)}}},")


def others(rule, rules):
    """The models that rules of the tables have beside this one, and how many such a rule has: the fewer, the closer."""
    vendor, family, ((model, _),), pmu = parts(rule)
    for other in rules:
        its_vendor, its_family, ranges, its_pmu = parts(other)
        if (its_vendor, its_family, its_pmu) != (vendor, family, pmu):
            continue
        if any(low <= model <= high for low, high in ranges):
            width = sum(high - low + 1 for low, high in ranges)
            for low, high in ranges:
                if (low, high) != (model, model):
                    yield width, f"x86:{vendor}:{family:#x}:{low:#x}-{high:#x}" + (f":{pmu}" if pmu else "")


def read_processors(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, title = line.rstrip("\n").split(None, 2)
                yield name, title


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--processors", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("tables", nargs="+")
    options = parser.parse_args()
    rules = [rule for rule in rules_of(options.tables) if rule.startswith("x86:")]
    exact, wider = [], []
    for name, title in read_processors(options.processors):
        if not is_rule(name):
            exact.append(f"{{.pmu = {c_string(name)}, .title = {c_string(title)}}},")
            continue
        if name.startswith("riscv64:"):  # whose number of the vendor the library does not show
            continue
        exact.append(own_row(name, title))
        if name.startswith("x86:"):
            wider += [(width, own_row(other, title)) for width, other in others(name, rules)]
    rows = dict.fromkeys(exact + [row for _, row in sorted(wider, key=lambda pair: pair[0])])
    with open(options.out, "w", encoding="utf-8") as file:
        print("/* From presets/processors.txt: the first row that fits a core is the closest. */", file=file)
        print(*rows, sep="\n", file=file)


main()
