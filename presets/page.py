#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: page.py --presets PRESET_LIST.c --processors PROCESSORS.txt --out PAGE.html TABLE.csv...

Writes what the tables define for which processor as one HTML page that needs nothing else.
"""
import argparse
import csv
import json
import pathlib
import re
import sys

from rules import Core, is_rule, read_titles

WEB = pathlib.Path(__file__).resolve().parent.parent / "web"
sys.path.insert(0, str(WEB))
from generate import head_and_scripts, template_of  # noqa: E402

# In the order of the page; the keys are the first words of the kinds of preset_list.c.
TOPICS = {"OTHER": "Cycles", "INSTRUCTION": "Instructions", "BRANCH": "Branches", "FLOAT": "Floating point",
          "L1": "Level 1 caches", "L2": "Level 2 cache", "L3": "Level 3 cache", "TLB": "Address translation",
          "MEMORY": "Memory", "STALL": "Stalls and idle units", "COHERENCE": "Coherence", "STORE": "Conditional stores"}
VENDORS = ("intel", "amd", "arm", "ibm", "mips", "sparc", "riscv", "loongson")
# Of processors that rules choose rows of, by how their names begin
RULED_VENDORS = {"x86:GenuineIntel": "intel", "x86:": "amd", "arm64:": "arm", "riscv64:": "riscv", "ppc64:": "ibm",
                 "loongarch64:": "loongson"}
WHOLE = {"generic": "Any other processor: the kernel's generic events", "emulated": "The emulated processor of papi_emulate",
         "counted": "Programs that papi_counted built"}
KINDS = {"NOT_DERIVED": "one", "DERIVED_ADD": "sum", "DERIVED_SUB": "difference", "DERIVED_CMPD": "together",
         "DERIVED_POSTFIX": "formula", "NONE": "none"}
OPERATORS = {"+": "+", "-": "\u2212", "*": "\u00d7", "/": "/"}


# ---- the presets

def topics(preset_list):
    """[[topic, [{name, short, long}, ...]], ...] from the source."""
    text = preset_list.read_text(encoding="ascii")
    string = r'"((?:[^"\\]|\\.)*)"'
    found = re.findall(rf"PRESET\(\s*(\w+),\s*(\w+),\s*{string},\s*{string}\)", text)
    by_topic = {key: [] for key in TOPICS}
    for name, topic, short, long in found:
        by_topic[topic.split("_")[0]].append({"name": "PAPI_" + name, "short": short, "long": long})
    if sum(map(len, by_topic.values())) < 100:
        raise SystemExit(f"{preset_list}: the presets are not found in it")
    return [[TOPICS[key], presets] for key, presets in by_topic.items() if presets]


# ---- the tables

def infix(formula, natives):
    """A formula as people write it; the weakest operator of each part decides about brackets."""
    stack = []
    for term in filter(None, formula.split("|")):
        if term in OPERATORS:
            (right, strength), (left, left_strength) = stack.pop(), stack.pop()
            level = 1 if term in "+-" else 2
            left = f"({left})" if left_strength < level else left
            right = f"({right})" if strength < level or (strength == level and term in "-/") else right
            stack.append((f"{left} {OPERATORS[term]} {right}", level))
        else:
            operand = re.fullmatch(r"N(\d+)", term)
            stack.append((natives[int(operand[1])] if operand else term, 3))
    return stack[0][0]


def definition(row):
    """A PRESET row for the page."""
    kind, fields = KINDS[row[2]], row[3:]
    formula = fields.pop(0) if kind == "formula" else ""
    end = fields.index("NOTE") if "NOTE" in fields else len(fields)
    natives, note = fields[:end], " ".join(fields[end + 1:])
    value = {"formula": lambda: infix(formula, natives), "sum": lambda: " + ".join(natives),
             "difference": lambda: " \u2212 ".join(natives)}.get(kind, lambda: natives[0] if natives else "")()
    return {"kind": kind, "value": value, "formula": formula, "natives": natives, "note": note}


class Table:
    """A file's rows: (CPU rows, preset, definition, what it says it differs by)."""

    def __init__(self, path):
        self.name, self.rows, self.current, self.in_cpu_rows = path.stem, [], [], False
        self.differs, self.before = "", ""
        for line in path.read_text(encoding="ascii").splitlines():
            self.take(line)

    def take(self, line):
        if line.startswith("#"):
            self.comment(line)
            kind = "comment"
        elif line:
            row = next(csv.reader([line], skipinitialspace=True))
            kind = row[0]
            self.cpu(row[1]) if kind == "CPU" else self.preset(row)
        else:
            return
        self.before = kind

    def comment(self, line):
        if self.before != "comment":
            self.differs = ""
        if line.startswith("# differs:"):
            self.differs = line[len("# differs:"):].strip()

    def cpu(self, name):
        if not self.in_cpu_rows:
            self.current = []
        if self.before == "PRESET":
            self.differs = ""
        self.in_cpu_rows = True
        self.current = [*self.current, name]

    def preset(self, row):
        self.in_cpu_rows = False
        self.rows.append((self.current, row[1], definition(row), self.differs))


def named_cells(tables, name):
    """{preset: (definition, differs, file)} of a processor that CPU rows name."""
    return {preset: (what, differs, table.name) for table in tables for names, preset, what, differs in table.rows
            if name in names}


def ruled_cells(tables, name):
    """The same of one that rules choose rows of: of rows that mean it equally closely the last one holds."""
    core, chosen = Core(name), {}
    for table in tables:
        for names, preset, what, differs in table.rows:
            ranks = [rank for rank in map(core.rank, names) if rank is not None]
            if ranks and max(ranks) >= chosen.get(preset, (0,))[0]:
                chosen[preset] = (max(ranks), what, differs, table.name)
    return {preset: rest for preset, (_, *rest) in chosen.items()}


def vendor_of(name, tables):
    if is_rule(name):
        return next(vendor for begin, vendor in RULED_VENDORS.items() if name.startswith(begin))
    return next(table.name for table in tables for names, *_ in table.rows if name in names).split("_")[0]


def collect(files, titles):
    """The processors, the vendors together, and the definitions that they point to by number."""
    tables, numbers = [Table(path) for path in files], {}
    cpus = []
    for name in [*titles, *WHOLE]:
        cells = ruled_cells(tables, name) if is_rule(name) else named_cells(tables, name)
        numbered = {preset: [numbers.setdefault(json.dumps(what), len(numbers)), differs, file]
                    for preset, (what, differs, file) in cells.items()}
        if numbered:
            cpus.append({"name": name, "title": titles.get(name) or WHOLE[name], "vendor": vendor_of(name, tables),
                         "cells": numbered})
    order = [*VENDORS, *sorted({cpu["vendor"] for cpu in cpus} - set(VENDORS))]
    cpus.sort(key=lambda cpu: order.index(cpu["vendor"]))  # and as processors.txt has them
    return cpus, [json.loads(text) for text in numbers]


def summary(cpus, definitions, titles):
    named = [cpu for cpu in cpus if cpu["name"] in titles]
    kinds = [definitions[number]["kind"] for cpu in named for number, *_ in cpu["cells"].values()]
    none = kinds.count("none")
    return f"{len(kinds) - none:,} definitions for {len(named)} processors, {none:,} reasons why there is none"


# ---- the page

def embed(text):
    """JSON that cannot end the script element it is in."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--presets", "--processors", "--out"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    titles = read_titles(arguments.processors)
    cpus, definitions = collect(arguments.tables, titles)
    data = {"topics": topics(arguments.presets), "cpus": cpus, "definitions": definitions,
            "summary": summary(cpus, definitions, titles)}
    here = pathlib.Path(__file__).resolve().parent / "page"
    page = template_of(here / "page.html", ("@HEAD@", "@SCRIPTS@", "@DATA@"))
    head, scripts = head_and_scripts([WEB / "page.css", here / "page.css"], [here / "page.js"])
    page = page.replace("@HEAD@", head).replace("@SCRIPTS@", scripts)
    page = page.replace("@DATA@", embed(json.dumps(data, separators=(",", ":"))))
    arguments.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
