#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares our tables of presets with PAPI's, and says whose definition is right where they differ.

Usage: compare_papi.py --verdicts FILE [--page PAGE.md] PAPI_EVENTS.csv TABLE...

PAPI_EVENTS.csv: PAPI's table; Debian's libpapi7.2 has it in /usr/share/papi/7.2. Compared are definitions of presets that
both tables have, for processors that libpfm4 knows on x86: what its encoding and the formula make of made-up counts. A
difference has the first verdict of FILE that fits (elsewhere/papi_verdicts.txt). Exit status 1: one has none, or a verdict
fits none; 77: libpfm4 is not here, or not x86's.
"""
import argparse
import collections
import csv
import fnmatch
import hashlib
import pathlib
import sys
import textwrap

import raw_rows
from page import Table
from rules import is_rule, read_titles

VERDICTS = {"same": "count the same", "ours": "PAPI's counts something else", "theirs": "ours counts something else",
            "both": "both can be defended", "unknown": "not to be decided without the machine"}


# ---- definitions

def papi_rows(path):
    """{processor: {preset: (kind, formula, natives)}} of PAPI's table."""
    found, cpus, in_cpus = collections.defaultdict(dict), [], False
    for line in path.read_text(encoding="latin1").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = [field.strip() for field in next(csv.reader([line], skipinitialspace=True))]
        if row[0] == "CPU":
            cpus = [*cpus, row[1]] if in_cpus else [row[1]]
        elif row[0] == "PRESET":
            end = min([row.index(word) for word in ("NOTE", "LDESC", "SDESC") if word in row] + [len(row)])
            formula = row[3] if row[2] == "DERIVED_POSTFIX" else ""
            for cpu in cpus:
                found[cpu][row[1]] = (row[2], formula, [name for name in row[4 if formula else 3:end] if name])
        in_cpus = row[0] == "CPU"
    return found


KIND = {"one": "NOT_DERIVED", "sum": "DERIVED_ADD", "difference": "DERIVED_SUB", "together": "DERIVED_CMPD",
        "formula": "DERIVED_POSTFIX"}


def own_rows(tables):
    found = collections.defaultdict(dict)
    for table in tables:
        for names, preset, what, _ in Table(table).rows:
            for name in names:
                if not is_rule(name):
                    found[name][preset] = None if what["kind"] == "none" else (KIND[what["kind"]], what["formula"], what["natives"])
    return found


class Values:
    def __init__(self):
        self.pfm, self.known = raw_rows.Pfm(), {}

    def count(self, cpu, native, run):
        """A made-up count that the encoding of an event alone decides; None: libpfm4 does not know it."""
        if (cpu, native) not in self.known:
            self.known[cpu, native] = self.encoding(cpu, native)
        code = self.known[cpu, native]
        text = f"{code} {run}".encode()
        return None if code is None else 1 + int.from_bytes(hashlib.sha256(text).digest()[:4], "big")

    def encoding(self, cpu, native):
        if native.startswith("cpu/"):
            terms = dict(term.partition("=")[::2] for term in native.split("/")[1].split(","))
            value = {name: int(number or "1", 0) for name, number in terms.items()}
            shifts = {"event": 0, "umask": 8, "edge": 18, "inv": 23, "cmask": 24}
            return (raw_rows.PERF_TYPE_RAW, sum(number << shifts[name] for name, number in value.items()), 0)
        try:
            found = self.pfm.encode(native if "::" in native else f"{cpu}::{native}")
        except ValueError:
            return None
        return found.type, found.config, found.config1

    def value(self, cpu, row, run):
        kind, formula, natives = row
        counts = [self.count(cpu, native, run) for native in natives]
        if not counts or None in counts:
            return None
        if kind in ("NOT_DERIVED", "DERIVED_CMPD"):
            return counts[0]
        if kind != "DERIVED_POSTFIX":
            return counts[0] + (1 if kind == "DERIVED_ADD" else -1) * sum(counts[1:])
        return postfix(formula, counts)


def postfix(formula, counts):
    stack = []
    for term in filter(None, formula.split("|")):
        if term in "+-*/":
            right, left = stack.pop(), stack.pop()
            stack.append(left + right if term == "+" else left - right if term == "-" else left * right if term == "*"
                         else left / right if right else 0)
        else:
            stack.append(counts[int(term[1:])] if term[0] == "N" else float(term))
    return stack[0]


# ---- verdicts

def read_verdicts(path):
    """[(verdict, presets, processors, why)]"""
    found = []
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        if not line or line[0] == "#":
            continue
        head, *fields = line.split(None, 1)
        parts = [part.strip() for part in (fields[0] if fields else "").split("  ") if part.strip()]
        if head not in VERDICTS or len(parts) != 3:
            raise SystemExit(f"{path}:{number}: not a verdict, presets, processors and why, with two blanks between them")
        found.append((head, parts[0].split(","), parts[1].split(), parts[2]))
    return found


def verdict_of(verdicts, preset, cpu):
    for number, (_, presets, cpus, _) in enumerate(verdicts):
        if preset[len("PAPI_"):] in presets and any(fnmatch.fnmatchcase(cpu, pattern) for pattern in cpus):
            return number
    return None


def differences(ours, theirs, values):
    """(processor, preset) of definitions that differ, and how many are compared."""
    found, n = [], 0
    for cpu in [cpu for cpu in ours if cpu in theirs]:
        for preset, row in ours[cpu].items():
            other = theirs[cpu].get(preset)
            if row is None or other is None:
                continue
            pairs = [(values.value(cpu, row, run), values.value(cpu, other, run)) for run in range(3)]
            if any(None in pair for pair in pairs):
                continue
            n += 1
            if any(abs(one - two) > 1e-9 * max(abs(one), 1) for one, two in pairs):
                found.append((cpu, preset))
    return found, n


# ---- the page

def table_by_processor(judged, titles):
    lines = ["| processor | " + " | ".join(VERDICTS.values()) + " |", "| --- " * (len(VERDICTS) + 1) + "|"]
    for cpu, by_verdict in judged.items():
        cells = [", ".join(sorted(preset[len("PAPI_"):] for preset in by_verdict.get(verdict, []))) for verdict in VERDICTS]
        lines.append(f"| {titles.get(cpu, cpu)} (`{cpu}`) | " + " | ".join(cells) + " |")
    return lines


def page_text(judged, verdicts, titles, sums):
    head = ("Who compares numbers across the two finds here which presets PAPI 7.2 defines otherwise on x86, processor by processor, and "
            "whose definition counts what the preset says, as far as makers' lists and the masks of events decide it. Definitions "
            "that count the same by their encoding are not here, nor are presets that one of the two does not define, nor processors "
            f"of other architectures. {sums}")
    made = ("This page is made: `presets/compare_papi.py --verdicts presets/elsewhere/papi_verdicts.txt --page docs/presets-papi.md "
            "/usr/share/papi/7.2/papi_events.csv presets/*.csv`.")
    lines = ["# Presets that differ from PAPI's", "", textwrap.fill(head, 140), "", textwrap.fill(made, 140, break_on_hyphens=False), "",
             "## By processor", "", *table_by_processor(judged, titles), "", "## Why", "", "The first line that has a preset and a processor holds. "
             "`*` stands for the rest of any name.", "", "| presets | processors | verdict | why |", "| --- | --- | --- | --- |"]
    for verdict, presets, cpus, why in verdicts:
        names = " ".join(f"`{cpu}`" for cpu in cpus)
        lines.append(f"| {', '.join(presets)} | {names} | {VERDICTS[verdict]} | {why} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--processors", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "processors.txt")
    parser.add_argument("papi", type=pathlib.Path)
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    verdicts = read_verdicts(arguments.verdicts)
    try:
        values = Values()
    except OSError:
        print("SKIP: libpfm4 is not here")
        return 77
    found, compared = differences(own_rows(arguments.tables), papi_rows(arguments.papi), values)
    if compared == 0:
        print("SKIP: this libpfm4 knows none of the processors")
        return 77
    judged, used, open_ones = collections.defaultdict(lambda: collections.defaultdict(list)), set(), []
    for cpu, preset in found:
        number = verdict_of(verdicts, preset, cpu)
        if number is None:
            open_ones.append(f"{preset} of {cpu}: no verdict")
            continue
        used.add(number)
        judged[cpu][verdicts[number][0]].append(preset)
    open_ones += [f"{presets} of {cpus}: no difference for this verdict" for number, (_, presets, cpus, _) in enumerate(verdicts)
                  if number not in used]
    by_verdict = collections.Counter(kind for cpu in judged.values() for kind, presets in cpu.items() for _ in presets)
    sums = (f"Of {compared} definitions that both have, {len(found)} differ: "
            + ", ".join(f"{by_verdict[kind]} {words}" for kind, words in VERDICTS.items()) + ".")
    print(*open_ones, sums, sep="\n")
    if arguments.page:
        arguments.page.write_text(page_text(judged, verdicts, read_titles(arguments.processors), sums), encoding="utf-8")
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
