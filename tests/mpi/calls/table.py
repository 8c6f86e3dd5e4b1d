#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""table.py calls.tab [mpi.i symbols.txt]...: every function that an mpi.h declares has a wrapper, its large-count form, too, or a
reason in the table why it has none; and the table names nothing else. A call that moves data has a rule for its bytes,
or for that they are not counted."""
import fnmatch
import re
import sys

from mpirun import fail

# Rows that no MPI here has.
NEWER = {"MPI_Buffer_flush", "MPI_Buffer_iflush", "MPI_Request_get_status_all", "MPI_Request_get_status_any", "MPI_Request_get_status_some",
         *(f"MPI_{of}_{what}_buffer" for of in ("Comm", "Session") for what in ("attach", "detach", "flush", "iflush"))}


def plain(name):
    return name[:-2] if name.endswith("_c") else name


# Rules that have to do with other things than a call's bytes.
WITHOUT_BYTES = {"met", "tested", "synchronized"}


def check_bytes(lines):
    """Calls with a buffer and a type: their bytes are counted, or said not to be; a receive's are the sender's."""
    known, checked = {}, 0
    for line in lines:
        left, _, right = line.partition("|")
        name, words = left.split()[1], left.split()[2:]
        kinds = [word.partition(":")[0] for word in words if not word.startswith("=")]
        rules = {rule.strip().split("(")[0] for rule in right.split("|")} - {""}
        for word in words:
            if word.startswith("="):
                kinds += known[word[1:]][0]
                rules = rules or known[word[1:]][1]
        known[name] = kinds, rules
        receives = "rank:source" in words or "message*" in kinds
        if {"in", "out"} & set(kinds) and {"type", "types"} & set(kinds) and not receives:
            checked += 1
            if not {rule for rule in rules if " " not in rule} - WITHOUT_BYTES:
                fail(f"{name} has no rule for its bytes")
    if checked < 110:
        fail(f"only {checked} calls that move data")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check(declared, made, left_out):
    """What an mpi.h declares, beside what has a wrapper for it."""
    if len(declared) < 400:
        fail(f"only {len(declared)} functions declared")
    excused = {name for name in declared if any(fnmatch.fnmatchcase(plain(name), one) for one in left_out)}
    if declared - made - excused:
        fail(f"neither wrapped nor left out with a reason: {sorted(declared - made - excused)}")
    if made & excused:
        fail(f"wrapped, and left out with a reason: {sorted(made & excused)}")
    return len(made & declared), len(excused)


table, *given = sys.argv[1:]
rows, left_out, calls = set(), {}, []
for line in (line.split("#")[0] for line in read(table).splitlines()):
    words = line.partition("|")
    if words[0].startswith("left-out"):
        left_out.update((name, words[2].strip()) for name in words[0].split()[1:])
    elif words[0].strip():
        rows.add(words[0].split()[1])
        calls.append(line)
check_bytes(calls)
if not all(left_out.values()):
    fail(f"left out without a reason: {[name for name, why in left_out.items() if not why]}")
seen = set()
for preprocessed, symbols in zip(given[::2], given[1::2]):
    declared = {name.lstrip("P") for name in re.findall(r"\b(?:int|double|MPI_\w+)\s+(P?MPIX?_\w+)(?=\s*\([^;{}]*\)[^;{}]*;)", read(preprocessed))}
    seen |= declared
    print(f"{preprocessed}: {'%d functions wrapped, %d left out' % check(declared, set(read(symbols).split()), left_out)}")
if not rows - NEWER <= seen:
    fail(f"rows that no mpi.h declares: {sorted(rows - NEWER - seen)}")
if len(given) > 2 and not all(fnmatch.filter(seen, name) for name in left_out):
    fail(f"left out, and not in any mpi.h: {[name for name in left_out if not fnmatch.filter(seen, name)]}")
