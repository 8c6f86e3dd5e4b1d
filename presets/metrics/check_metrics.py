#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: check_metrics.py --presets preset_list.c TABLE.csv
          check_metrics.py --presets preset_list.c --self-test

Checks a table of metrics: that each formula has the unit that its row states (a rate has a time in it), that its
events exist, and that the alternatives of a name belong together. Faults are printed as file:line: text.
"""
import argparse
import csv
import fractions
import itertools
import pathlib
import re
import sys

NUMBER = fractions.Fraction
LONGEST_NAME, LONGEST_DESCRIPTION = 17, 100
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
# Words of units, in the singular; "misses" and "cycles" are read as these. A watt is a joule a second.
WORDS = {"ins", "cycle", "FLOP", "miss", "access", "B", "s", "J", "fault", "switch"}
PLURALS = {"misses": "miss", "cycles": "cycle", "faults": "fault", "switches": "switch"}

# What is counted, by the event's name: a load is an instruction and an access, a miss is an access that misses, a
# mispredicted branch an instruction. The first pattern that fits holds.
EVENTS = [(re.compile(pattern), kinds, NUMBER(scale)) for pattern, kinds, scale in [
    (r"PAPI_(FP|SP|DP|HP)_OPS$", ("FLOP",), 1),
    (r"PAPI_(LD|SR|LST)_INS$", ("ins", "access"), 1),
    (r"PAPI_BR_MSP$", ("ins", "miss"), 1),
    (r"PAPI_(\w+_INS|BR_\w+)$", ("ins",), 1),
    (r"PAPI_(\w+_CYC)$", ("cycle",), 1),
    (r"PAPI_(L[123]_[DIT]CM|TLB_[DIT][ML])$", ("miss", "access"), 1),
    (r"PAPI_L[123]_[DIT]C[ARW]$", ("access",), 1),
    (r"perf::PAGE-FAULTS$", ("fault",), 1),
    (r"perf::CONTEXT-SWITCHES$", ("switch",), 1),
    (r"perf::TASK-CLOCK$", ("s",), NUMBER(1, 10**9)),
    (r"powercap:::ENERGY_UJ:ZONE#$", ("J",), NUMBER(1, 10**6)),
    (r"rapl:::PACKAGE_ENERGY:PACKAGE#$", ("J",), NUMBER(1, 10**9)),
    (r"topdown:::TOPDOWN_\w+_PERC$", ("",), NUMBER(1, 100)),
    (r"(cpu_)?time$", ("s",), 1),
    (r"cache_line$", ("B/access",), 1),  # that a miss moves
]]
TOKEN = re.compile(r"\s*(?:(\d+(?:e\d+)?)|([A-Za-z_][\w:.]*#?)|\{([^}]*)\}|([-+*/()]))")


class Fault(Exception):
    """What is wrong with a row."""


class Quantity:
    """A factor of a unit: powers of words. A literal has a factor alone."""

    def __init__(self, scale=1, powers=None):
        self.scale = NUMBER(scale)
        self.powers = {word: power for word, power in (powers or {}).items() if power != 0}

    def times(self, other, sign):
        powers = dict(self.powers)
        for word, power in other.powers.items():
            powers[word] = powers.get(word, 0) + sign * power
        return Quantity(self.scale * other.scale ** sign, powers)


def word_of(text):
    """ "Mins": a million instructions."""
    for word in sorted(WORDS | set(PLURALS), key=len, reverse=True):
        prefix = text[:len(text) - len(word)]
        if text.endswith(word) and prefix in PREFIXES:
            return Quantity(PREFIXES[prefix], {PLURALS.get(word, word): 1})
    raise Fault(f'"{text}" is not a unit')


def unit_of(text):
    if text == "%":
        return Quantity(NUMBER(1, 100))
    if text == "CPUs":  # seconds of processors in a second
        return Quantity()
    if text == "W":
        return Quantity(1, {"J": 1, "s": -1})
    above, _, below = text.partition("/")
    return word_of(above).times(word_of(below), -1) if below else word_of(above)


def tokens_of(formula):
    at, found = 0, []
    while formula[at:].strip():
        match = TOKEN.match(formula, at)
        if not match:
            raise Fault(f'"{formula[at:]}" cannot be read')
        number, name, braced, operator = match.groups()
        found.append(("number", number) if number else ("name", name or braced) if name or braced else ("", operator))
        at = match.end()
    return found


class Formula:
    """One reading of a formula: each name stands for one kind of what it can count."""

    def __init__(self, tokens, kinds):
        self.tokens, self.kinds, self.at = tokens, kinds, 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ("end", "")

    def factor(self):
        kind, text = self.next()
        if kind == "number":
            return Quantity(NUMBER(int(float(text))))
        if kind == "name":
            return self.kinds[text]
        if text != "(":
            raise Fault("a number or a name is missing in the formula")
        inner = self.sum()
        if self.next()[1] != ")":
            raise Fault('a ")" is missing in the formula')
        return inner

    def product(self):
        left = self.factor()
        while self.peek()[1] in ("*", "/") and self.peek()[0] == "":
            sign = 1 if self.next()[1] == "*" else -1
            left = left.times(self.factor(), sign)
        return left

    def sum(self):
        left = self.product()
        while self.peek()[1] in ("+", "-") and self.peek()[0] == "":
            self.next()
            right = self.product()
            if (left.scale, left.powers) != (right.scale, right.powers):
                raise Fault("the formula adds what has different units")
        return left

    def whole(self):
        quantity = self.sum()
        if self.peek()[0] != "end":
            raise Fault(f'more follows the formula: "{self.peek()[1]}"')
        return quantity


def kinds_of(name, presets):
    if name.startswith("PAPI_") and name not in presets:
        raise Fault(f"{name} is not a preset")
    for pattern, kinds, scale in EVENTS:
        if pattern.match(name):
            # A count of n stands for n times scale of the unit: the literal must make up for it.
            words = [[part for part in kind.split("/") if part] for kind in kinds]
            return [Quantity(1 / scale, {word: (-1 if i else 1) for i, word in enumerate(parts)}) for parts in words]
    raise Fault(f"what {name} counts is not known here: add it to EVENTS")


def check_units(formula, unit, presets):
    """The literals of the formula times the unit are what the events count."""
    tokens = tokens_of(formula)
    names = sorted({text for kind, text in tokens if kind == "name"})
    wanted = unit_of(unit)
    reasons = []
    for kinds in itertools.product(*(kinds_of(name, presets) for name in names)):
        try:
            got = Formula(tokens, dict(zip(names, kinds))).whole()
        except Fault as fault:
            reasons.append(str(fault))
            continue
        if got.powers == wanted.powers and got.scale * wanted.scale == 1:
            return
        factor = "" if got.powers != wanted.powers else f", but {float(got.scale * wanted.scale):g} times that"
        reasons.append(f'the formula "{formula}" is not in {unit}{factor}')
    raise Fault(reasons[0])


def check_metric(row, group, known, presets):
    if len(row) != 5:
        raise Fault(f"{len(row)} fields, not METRIC,name,unit,formula,description")
    _, name, unit, formula, description = row
    if group is None:
        raise Fault("no GROUP row is above it")
    if not re.fullmatch(r"[a-z]\w*", name) or len(name) > LONGEST_NAME:
        raise Fault(f'"{name}" is not a name of at most {LONGEST_NAME} letters, digits and _')
    if not description or len(description) > LONGEST_DESCRIPTION or description.endswith("."):
        raise Fault(f"the description is not a phrase of at most {LONGEST_DESCRIPTION} characters")
    if known.setdefault(name, (group, unit)) != (group, unit):
        raise Fault(f"{name} has another unit, or another group, in an earlier row")
    check_units(formula, unit, presets)


def faults(file, text, presets):
    group, known, groups = None, {}, {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        row = next(csv.reader([line]))
        try:
            if row[0] == "GROUP":
                if len(row) != 3 or row[1] in groups:
                    raise Fault("a GROUP has a name of its own and a description")
                group = row[1]
                groups[group] = 0
            elif row[0] == "METRIC":
                check_metric(row, group, known, presets)
                groups[group] += 1
            else:
                raise Fault(f'"{row[0]}" is neither GROUP nor METRIC')
        except Fault as fault:
            yield f"{file}:{number}: {fault}"
    for name, metrics in groups.items():
        if metrics == 0 or known.get(name, (name,))[0] != name:
            yield f"{file}: the group {name} has no metric, or a metric of another group has its name"
    if not groups:
        yield f"{file}: no group"


WRONG = [
    ("METRIC,x,MFLOP/s,PAPI_FP_OPS / 1e6,d", "not in MFLOP/s"),
    ("METRIC,x,MFLOP/s,PAPI_FP_OPS / time,d", "but 1e+06 times that"),
    ("METRIC,x,ins/cycle,PAPI_TOT_CYC / PAPI_TOT_INS,d", "not in ins/cycle"),
    ("METRIC,x,%,PAPI_BR_MSP / PAPI_BR_INS,d", "but 0.01 times that"),
    ("METRIC,x,misses/kins,PAPI_L1_DCM / PAPI_TOT_INS,d", "but 0.001 times that"),
    ("METRIC,x,J,powercap:::ENERGY_UJ:ZONE# / 1e9,d", "but 0.001 times that"),
    ("METRIC,x,W,powercap:::ENERGY_UJ:ZONE# / 1e6,d", "not in W"),
    ("METRIC,x,GB/s,PAPI_L3_TCM / time / 1e9,d", "not in GB/s"),
    ("METRIC,x,ins,PAPI_TOT_INS + PAPI_TOT_CYC,d", "different units"),
    ("METRIC,x,ins/cycle,PAPI_TOT_INS / PAPI_NO_CYC,d", "PAPI_NO_CYC is not a preset"),
    ("METRIC,x,ins,skx::FOO,d", "what skx::FOO counts is not known"),
    ("METRIC,x,furlongs,PAPI_TOT_INS,d", '"furlongs" is not a unit'),
    ("METRIC,x,ins,(PAPI_TOT_INS,d", 'a ")" is missing'),
    ("METRIC,x,ins,PAPI_TOT_INS PAPI_TOT_INS,d", "more follows the formula"),
    ("METRIC,x,ins,PAPI_TOT_INS", "4 fields"),
    ("METRIC,x,ins,PAPI_TOT_INS,", "the description is not a phrase"),
    ("METRIC,an_exceedingly_long_name,ins,PAPI_TOT_INS,d", "is not a name"),
    ("METRIC,x,ins,PAPI_TOT_INS,d\nMETRIC,x,cycle,PAPI_TOT_CYC,d", "another unit"),
    ("FORMULA,x", "neither GROUP nor METRIC"),
    ("GROUP,g,again", "a name of its own"),
]
RIGHT = "METRIC,x,Mins/s,(PAPI_LD_INS + PAPI_SR_INS) / 1e6 / time,d\nMETRIC,y,s,{perf::TASK-CLOCK} / 1e9,d\n"


def self_test(presets):
    for text, expected in WRONG:
        found = list(faults("t", "GROUP,g,d\nMETRIC,other,s,time,d\n" + text + "\n", presets))
        if len(found) != 1 or expected not in found[0]:
            yield f"{text}: {found}, not {expected}"
    for text in ("METRIC,x,s,time,d\n", "", "GROUP,g,d\n"):
        if not list(faults("t", text, presets)):
            yield f"nothing is wrong with: {text!r}"
    yield from faults("t", "GROUP,g,d\n" + RIGHT, presets)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presets", type=pathlib.Path, required=True)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("table", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    rows = re.findall(r"PRESET\((\w+),", arguments.presets.read_text(encoding="utf-8"))
    presets = {"PAPI_" + name for name in rows}
    if not presets:
        raise SystemExit(f"{arguments.presets}: no presets")
    found = list(self_test(presets) if arguments.self_test else
                 faults(arguments.table, arguments.table.read_text(encoding="ascii"), presets))
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
