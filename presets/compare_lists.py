#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the tables of presets with the lists of events that makers publish.

Usage: compare_lists.py --read FOLDER... --of TEXT > lists_read.txt
       compare_lists.py --compare lists_read.txt TABLE...

--read: each FOLDER has a mapfile.csv and lists beside it, as Intel's perfmon and tools/perf/pmu-events/arch/ARCHITECTURE of
Linux do, which has AMD's and Arm's, too. TEXT: what they are, and of when. Prints what is compared.

--compare: says of each model whether a rule or libpfm4 (--known) gives it a table, or there is a reason (--reasons); of
each reason in a table that there is no event for a preset, whether the maker's list has one by its name (--words); and of
each preset that a list has an event for by its name, whether the table has a definition or a reason. Exit status 1: a model
has neither, a list has what a table says it has not, or a table has no word of a preset.
"""
import argparse
import collections
import csv
import itertools
import json
import pathlib
import re
import sys

import page
from rules import BY_PROCESSOR, Core, is_rule, ranges

# A reason that says that there is no event, not that the events are not good enough.
NO_EVENT = re.compile(r"\blist\b.*\bha(s|ve) (no|not)\b|\b[Nn]o event (of|counts|tells)\b|\bhave no event\b|\bhas no event\b|"
                      r"\blist (of this core )?has not\b|no list of")


# ---- models of a mapfile

def expanded(pattern):
    """The texts that a pattern of digits and [classes] means; what is behind the first + or * is left out."""
    pattern = re.split(r"[+*]", pattern.replace("[[:xdigit:]]", "[0-9a-f]"))[0]
    parts = re.findall(r"\[([^]]+)\]|(.)", pattern)
    ways = [re.sub(r"(\w)-(\w)", lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))), group) if group else letter
            for group, letter in parts]
    return ["".join(way) for way in itertools.product(*ways)]


def ruled(start, numbers):
    """A rule that means models: "x86:GenuineIntel:6:0x97|0x9a-0x9c"."""
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return start + "|".join(f"{low:#x}" if low == high else f"{low:#x}-{high:#x}" for low, high in runs)


def x86_models(pattern, taken):
    """Models of "GenuineIntel-6-(97|9A)" and "GenuineIntel-6-55-[01234]" (steppings), and of "AuthenticAMD-25-[[:xdigit:]]+"
    those that no earlier line has."""
    vendor, family, model = pattern.replace("[[:xdigit:]]", "[0-9A-F]").split("-", 2)
    model = re.sub(r"(\w|[\])])-\[[^]]*\]$", r"\1", model)
    numbers = [number for number in range(256) if re.fullmatch(model, f"{number:X}")]
    if is_open(pattern):
        numbers = [number for number in numbers if (vendor, family, number) not in taken]
    taken.update((vendor, family, number) for number in numbers)
    return ruled(f"x86:{vendor}:{int(family)}:", numbers)


def is_open(pattern):
    """True for the line of what no other line of the family has: not each of its models exists."""
    return pattern.startswith("AuthenticAMD") and pattern.endswith("+")


def arm_model(pattern):
    midr = int(pattern, 16)
    return f"arm64:{midr >> 24 & 0xff:#04x}:{midr >> 4 & 0xfff:#05x}"


def riscv_models(pattern):
    vendor, core, _ = re.split(r"-(?=0x)", pattern, 2)
    return ruled(f"riscv64:{vendor}:", sorted({int(text, 16) & 0xffff for text in expanded(core.lower())}))


def models_of(pattern, taken):
    """A rule that means the models; None: of an architecture that rules do not know."""
    if re.match(r"(GenuineIntel|AuthenticAMD|HygonGenuine)-", pattern):
        return x86_models(pattern, taken)
    if re.fullmatch(r"0x0000[0-9a-f]{12}", pattern):
        return arm_model(pattern)
    if re.match(r"0x\w+-0x", pattern):
        return riscv_models(pattern)
    return None


# ---- lists

def events_of(place):
    """(events, date) of a list: a folder of Linux's, or a file of perfmon's."""
    files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
    found, date = [], ""
    for file in files:
        text = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(text, dict):
            date = text.get("Header", {}).get("DatePublished", date)
            text = text.get("Events", [])
        found += [entry for entry in text if "EventName" in entry or "ArchStdEvent" in entry]
    return found, date


def units_of(events, role):
    """{unit: names}; the unit is "" where the cores are of one kind."""
    found = collections.defaultdict(set)
    for event in events:
        unit = role or event.get("Unit", "")
        if unit in ("", "core") or unit.startswith("cpu_"):
            found["" if unit == "core" else unit].add(event.get("EventName") or event["ArchStdEvent"])
    return found


ROLES = {"Core": "cpu_core", "Atom": "cpu_atom"}


def read_words(path):
    return {preset: re.compile(words.strip(), re.IGNORECASE) for preset, words in read_lines(path)}


def map_rows(folder):
    """Lines of a mapfile: (pattern, version, list, cores)."""
    with open(folder / "mapfile.csv", encoding="utf-8") as file:
        for row in csv.reader(line for line in file if line.strip() and line[0] != "#"):
            if len(row) < 4 or row[0].lower().startswith("family") or row[3] not in ("core", "hybridcore"):
                continue
            yield row[0], row[1], folder / row[2].lstrip("/"), ROLES.get(row[6]) if row[3] == "hybridcore" and len(row) > 6 else None


def iso(date):
    """2026-05-19 for 05/19/2026; another date as it is."""
    return re.sub(r"^(\d\d)/(\d\d)/(\d{4})$", r"\3-\1-\2", date).replace(" ", "_")


def read(folders, words, made_of):
    print("# SPDX-License-Identifier: BSD-3-Clause\n"
          f"# Made by presets/compare_lists.py --read of {made_of}: a list, its version and date, cores, models (~: what no\n"
          "# other line of the family has), and the presets that it has events for.")
    for folder in folders:
        taken = set()
        for pattern, version, place, role in map_rows(folder):
            models = models_of(pattern, taken)
            if models is None:
                continue
            events, date = events_of(place)
            for unit, names in sorted(units_of(events, role).items()):
                presets = [preset for preset, word in words.items() if any(word.fullmatch(event) for event in names)]
                print(place.relative_to(folder).as_posix(), version or "-", iso(date) or "-", unit or "-",
                      "~" * is_open(pattern) + models, ",".join(presets) or "-")


# ---- the tables

def read_lines(path):
    return [line.split(None, 1) for line in path.read_text(encoding="ascii").splitlines() if line and line[0] != "#"]


def rules_of(tables):
    """The rules that mean models: neither those of PMUs alone nor those of all models of a maker."""
    return [name for table in tables for names, *_ in table.rows for name in names
            if is_rule(name) and not name.startswith("sysfs:") and ":*" not in name]


def singles(models):
    """Rules of one model each: of "x86:GenuineIntel:6:0x97|0x9a" two."""
    start, _, items = models.rpartition(":")
    return [f"{start}:{number:#x}" for low, high in ranges(items) for number in range(low, high + 1)]


class Comparison:
    def __init__(self, arguments):
        self.tables, self.cells = [page.Table(path) for path in arguments.tables], {}
        self.rules = rules_of(self.tables)
        self.known = [(names.split(","), rule) for names, rule in read_lines(arguments.known)]
        self.words = read_words(arguments.words)
        self.reasons = [rule for rule, _ in read_lines(arguments.reasons)]
        self.lists = self.models = self.ruled = self.explained = self.denied = self.worded = 0
        self.without, self.contradicted, self.silent = [], [], []

    def names_of(self, core_name):
        """libpfm4's names of a model, or its own if a rule means it; none: it has no table."""
        core = Core(core_name)
        for names, rule in self.known:
            if core.rank(rule) == BY_PROCESSOR:
                return names
        return [core_name] if any(core.rank(rule) == BY_PROCESSOR for rule in self.rules) else []

    def is_explained(self, core_name):
        return any(Core(core_name).rank(rule) == BY_PROCESSOR for rule in self.reasons)

    def cells_of(self, name):
        """{preset: definition}, looked for once."""
        if name not in self.cells:
            find = page.ruled_cells if is_rule(name) else page.named_cells
            self.cells[name] = {preset: what for preset, (what, *_) in find(self.tables, name).items()}
        return self.cells[name]

    def take(self, line):
        name, version, date, unit, models, presets = line.split()
        cores = [model + (":" + unit) * (unit != "-") for model in singles(models.lstrip("~"))]
        wanted = [core for core in cores if not self.is_explained(core)]
        found = {core: self.names_of(core) for core in wanted}
        missing = [core for core in wanted if not found[core]]
        self.lists += 1
        self.models += len(cores)
        self.explained += len(cores) - len(wanted)
        self.ruled += len(wanted) - len(missing)
        what = f"{name} {version}" + (f" of {date}" if date != "-" else "")
        self.without += [f"{what}: no table is for {core}" for core in missing]
        self.judge(what, sorted({cpu for names in found.values() for cpu in names}), presets.split(","))

    def judge(self, what, names, presets):
        said = set()
        for cpu in names:
            cells = self.cells_of(cpu)
            self.silent += [f"{what} has {preset}, of which {cpu} has no word" for preset in presets
                            if preset in self.words and preset not in cells]
            for preset, cell in cells.items():
                denies = cell["kind"] == "none" and NO_EVENT.search(cell["note"])
                self.denied += bool(denies)
                self.worded += bool(denies) and preset in self.words
                if denies and preset in presets and (preset, cell["note"]) not in said:
                    said.add((preset, cell["note"]))
                    self.contradicted.append(f"{what} has {preset}, of {cpu}: {cell['note']}")

    def print_sums(self):
        print("".join(line + "\n" for line in self.without + self.contradicted + self.silent), end="")
        print(f"{self.lists} lists of {self.models} models: {self.ruled} have a table, {self.explained} a reason, "
              f"{len(self.without)} neither")
        print(f"{self.denied} reasons that there is no event, {self.worded} of them of presets whose events have known names, "
              f"{len(self.contradicted)} contradicted; {len(self.silent)} presets without a word")


def compare(arguments):
    comparison = Comparison(arguments)
    for line in arguments.compare.read_text(encoding="ascii").splitlines():
        if line and line[0] != "#":
            comparison.take(line)
    comparison.print_sums()
    return 1 if comparison.without or comparison.contradicted or comparison.silent or not comparison.lists else 0


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--read", type=pathlib.Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--of", default="folders")
    parser.add_argument("--compare", type=pathlib.Path)
    parser.add_argument("--words", type=pathlib.Path, default=here / "list_words.txt")
    parser.add_argument("--known", type=pathlib.Path, default=here / "libpfm4_models.txt")
    parser.add_argument("--reasons", type=pathlib.Path, default=here / "no_table.txt")
    parser.add_argument("tables", type=pathlib.Path, nargs="*")
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read, read_words(arguments.words), arguments.of)
        return 0
    return compare(arguments)


if __name__ == "__main__":
    sys.exit(main())
