#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: natives.py --names TABLE.csv... [--compare CHECK_NATIVES]
       natives.py --out HEADER.h

The first prints the names of events that tables use and that programs count most, for check_natives --write, which
prints what natives.txt has; with that program, they are compared (status 1: natives.txt is to be made anew). The second writes that, and for which processors it is, for src-c/events/core_events.c.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parent / "libpfm4_models.txt"
# Two processors of one model, by their steppings
STEPPINGS = {"skx": (0, 4), "clx": (5, 7)}
COMMON = """PM_RUN_CYC PM_RUN_INST_CMPL PM_CYC PM_INST_CMPL PM_BR_CMPL PM_BR_MPRED_CMPL PM_LD_CMPL PM_ST_CMPL
    PM_LD_MISS_L1 PM_ST_MISS_L1 INST_RETIRED UNHALTED_CORE_CYCLES UNHALTED_REFERENCE_CYCLES INSTRUCTION_RETIRED INSTRUCTIONS_RETIRED
    BRANCH_INSTRUCTIONS_RETIRED MISPREDICTED_BRANCH_RETIRED LLC_MISSES LLC_REFERENCES CPU_CLK_UNHALTED BR_INST_RETIRED
    BR_MISP_RETIRED CYCLES_NOT_IN_HALT RETIRED_INSTRUCTIONS RETIRED_BRANCH_INSTRUCTIONS CPU_CYCLES INST_SPEC
    STALL_FRONTEND STALL_BACKEND BR_PRED BR_MIS_PRED LD_SPEC ST_SPEC VFP_SPEC ASE_SPEC MEM_ACCESS BUS_ACCESS BUS_CYCLES
    L1D_CACHE L1D_CACHE_REFILL L1I_CACHE L1I_CACHE_REFILL L2D_CACHE L2D_CACHE_REFILL LL_CACHE_RD LL_CACHE_MISS_RD
    L1D_TLB_REFILL L1I_TLB_REFILL DTLB_WALK ITLB_WALK""".split()
VENDOR = r"x86:(\w+):(\w+):(\S+)"
ARM = r"arm64():(\w+):(\S+)"
POWER = r"ppc64:(\S+):\*"


def lines_of(file):
    return [line for line in file.read_text(encoding="ascii").splitlines() if line and line[0] != "#"]


def models():
    """(name, vendor, family, first and last model) of each line and range of models, as struct core_id has them."""
    for line in lines_of(MODELS):
        names, rule = line.split()
        power = re.fullmatch(POWER, rule)
        vendor, family, ranges = (("POWER", "0", power[1]) if power
                                  else (re.fullmatch(VENDOR, rule) or re.fullmatch(ARM, rule)).groups())
        for name in names.split(","):
            for part in ranges.split("|"):
                low, _, high = part.partition("-")
                yield name, vendor, int(family, 0), int(low, 0), int(high or low, 0)


# ---- names

def natives_of(row):
    fields = row[4 if row[2] == "DERIVED_POSTFIX" else 3:]
    ends = [fields.index(word) for word in ("NOTE", "SDESC", "LDESC") if word in fields]
    return [] if row[2] == "NONE" else fields[:min(ends, default=len(fields))]


def names_of(tables):
    wanted = {name for name, *_ in models()}
    names = {f"{cpu}::{event}" for cpu in wanted for event in COMMON}
    for table in tables:
        cpus, before = [], ""
        for row in csv.reader(lines_of(table)):
            if row[0] == "CPU":
                cpus = (cpus if before == "CPU" else []) + [row[1]]
            elif row[0] == "PRESET":
                natives = [name for name in natives_of(row) if "/" not in name and "::" not in name]
                names |= {f"{cpu}::{name}" for cpu in wanted & set(cpus)
                          for native in natives for name in (native, native.split(":")[0])}
            before = row[0]
    return sorted(names)


def compare(names, program):
    """What the program writes of this architecture's processors is in natives.txt, line by line."""
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
        file.write("".join(name + "\n" for name in names))
        file.flush()
        done = subprocess.run([program, "--write", file.name], stdout=subprocess.PIPE, encoding="ascii", check=True)
    written = done.stdout.splitlines()
    pmus = {line.partition("::")[0] for line in written}
    there = [line for line in lines_of(HERE / "natives.txt") if line.partition("::")[0] in pmus]
    differ = sorted(set(written) ^ set(there))
    print("".join(line + "\n" for line in differ) + f"{len(there)} events of {len(pmus)} processors, {len(differ)} differences")
    return 1 if differ or not there else 0


# ---- the header

def header():
    """Offsets into one text in place of addresses, which would be relocated in each program that is linked with the
    library."""
    codes, events, place = {}, {}, {}
    for line in lines_of(HERE / "natives.txt"):
        name, code = line.split()
        pmu, _, event = name.partition("::")
        codes.setdefault(pmu, []).append((event, int(code, 16)))
    text = bytearray()
    for event in sorted({event for rows in codes.values() for event, _ in rows}):
        place[event] = len(text)
        text += event.encode("ascii") + b"\0"
    rows = []
    for pmu, events in codes.items():
        codes[pmu] = (len(rows), len(events))
        rows += [f"{{{place[event]}, 0x{code:x}}}," for event, code in events]
    cores = []
    for pmu, vendor, family, low, high in models():
        if pmu in codes:
            first, n = codes[pmu]
            stepping = STEPPINGS.get(pmu, (0, 15))
            cores.append(f'{{"{pmu}", "{vendor}", {family}, {low}, {high}, {stepping[0]}, {stepping[1]}, {first}, {n}}},')
    numbers = "\n".join("    " + " ".join(f"{byte}," for byte in text[i:i + 24]) for i in range(0, len(text), 24))
    return ("/* Generated by presets/natives/natives.py from natives.txt; do not edit. */\n"
            f"static const char event_text[{len(text)}] = {{\n{numbers}\n}};\n"
            "static const struct core_code core_codes[] = {\n    " + "\n    ".join(rows) + "\n};\n"
            "static const struct core_models core_models[] = {\n    " + "\n    ".join(cores) + "\n};\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=pathlib.Path, nargs="+")
    parser.add_argument("--compare", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.compare:
        return compare(names_of(arguments.names), arguments.compare)
    if arguments.names:
        print("\n".join(names_of(arguments.names)))
    else:
        arguments.out.write_text(header(), encoding="ascii")
    return 0


sys.exit(main())
