#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: why_test.py SETTINGS FOLDER [PROGRAM...]

papi_why on programs with a known fault each, which their lines with the word "fault" have: it finds the reason and the
line of all but two, and is certain of no other.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SLOW_LOOPS = HERE.parents[1] / "examples" / "slow_loops.f90"
MAY_MISS = 2
SMALL = 0.2  # of the time: what else there is

# The program, its arguments, its compiler's options, and the reasons that name its fault.
PROGRAMS = {
    "strided": (["strided", "", "30"], ["strided accesses"]),
    "divided": (["divided", "", "1000"], ["division"]),
    "unvectorised": (["unvectorised", "", "1500"], ["dependent operations", "not vectorised"]),
    "scattered": (["scattered", "", "80000"], ["strided accesses", "scattered accesses"]),
    "shared": (["shared", "", "20"], ["false sharing"]),
    "chase.c": ([], ["memory latency"]),
    "triad.f90": ([], ["memory bandwidth"]),
    "gathers.c": ([], ["scattered accesses"]),
    "branches.c": ([], ["branch mispredictions"]),
    "conversions.f90": ([], ["conversions"]),
    "writes.c": ([], ["system calls"]),
    "sleeps.f90": ([], ["sleep"]),
    "locks.c": ([], ["lock", "sleep"]),
    "faults.c": ([], ["page faults"]),
    "balance.f90": ([], ["one thread of several"]),
    "unoptimised.f90": ([], ["not optimised"]),
    "powers.c": ([], ["library function"]),
    "roots.f90": ([], ["division"]),
    "growth.f90": ([], ["copies", "page faults"]),
    "strings.f90": ([], ["copies"]),
    "records.f90": ([], ["system calls"]),
    "elements.f90": ([], ["library function"]),
    "power.f90": ([], ["library function"]),
    "structures.f90": ([], ["strided accesses", "memory bandwidth"]),
    "imbalance.f90": ([], ["one thread of several"]),
    "critical.f90": ([], ["lock"]),
}
# What they show needs no counts, which would take minutes.
UNCOUNTED = {"growth.f90", "strings.f90", "elements.f90", "power.f90"}
# Beside what is wrong with them, these are certain of what is true, too.
ALSO_TRUE = {"scattered": ["dependent operations"], "balance.f90": ["dependent operations", "division", "not vectorised"], "triad.f90": ["page faults"],
             "records.f90": ["library function"], "imbalance.f90": ["division", "dependent operations"],
             "sleeps.f90": ["library function"], "writes.c": ["library function"]}


def build(settings, folder, name):
    source = HERE / name if "." in name else SLOW_LOOPS
    program = folder / source.stem
    if not program.exists():
        level = "-O0" if name.startswith("unoptimised.") else "-O3" if source == SLOW_LOOPS else "-O2"
        compiler = settings["C"] if source.suffix == ".c" else settings["Fortran"]
        parallel = "-pthread" if source.suffix == ".c" else "-fopenmp"
        subprocess.run([compiler, level, "-g", "-fno-inline", parallel, source, "-o", program, "-lm"], check=True,
                       cwd=folder)  # where Fortran leaves its modules
    return program, source


def ask(settings, program, arguments, limit):
    path = [str(pathlib.Path(settings[tool]).parent) for tool in ("papi_profile", "papi_roofline", "papi_emulate")]
    environment = dict(os.environ, PATH=":".join(path + [os.environ["PATH"]]), XDG_CACHE_HOME=str(program.parent))
    report = str(program) + ".json"
    subprocess.run([settings["papi_why"], "--json", f"--limit={limit}", "-o", report, "--", program, *arguments], check=True,
                   env=environment, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=program.parent)
    return json.loads(pathlib.Path(report).read_text())


def fault_lines(source, name):
    marks = ["fault"] if "." in name else [f"! {name}\n"]
    lines = source.read_text().splitlines(keepends=True)
    found = [i for i, line in enumerate(lines, 1) if any(mark in line for mark in marks)]
    # A loop's counter is on the line of its head.
    return {line for at in found for line in (at - 1, at)} if found else set()


def processor_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def costs_nothing(program, arguments):
    """Cores that share their first cache do not mind a line that two threads write to, nor many TLBs a thousand pages."""
    loop, _, turns = arguments
    least = {form: min(processor_time([program, loop, form, turns]) for _ in range(3)) for form in ("", "mended")}
    return least[""] < 1.6 * least["mended"]


def judge(name, report, lines):
    """Whether the fault is named, and the reasons that are certain and wrong."""
    found, wrong = False, []
    for reason in report["reasons"]:
        fits = reason["reason"] in PROGRAMS[name][1]
        found |= fits and reason["confidence"] != "not known" and reason["line"] in lines
        also = reason["reason"] in ALSO_TRUE.get(name, []) or reason["share"] < SMALL
        if reason["confidence"] == "certain" and not fits and not also:
            wrong.append(reason)
    return found, wrong


def main():
    settings, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        if file.is_file():
            file.unlink()
    missed, wrong, names = [], [], sys.argv[3:] or list(PROGRAMS)
    for name in names:
        program, source = build(settings, folder, name)
        arguments, _ = PROGRAMS[name]
        report = ask(settings, program, arguments, 0 if name in UNCOUNTED else 900)
        found, bad = judge(name, report, fault_lines(source, name))
        print(f"{name:16} {'found' if found else 'missed'}", *(
            f"{r['reason']} ({r['confidence']}, {100 * r['share']:.0f} %, line {r['line']})" for r in report["reasons"]),
              report["unknown"] or "", sep="; ", flush=True)
        if not found and not ("." not in name and costs_nothing(program, arguments)):
            missed.append(name)
        wrong += [(name, reason["sentence"]) for reason in bad]
    for name, sentence in wrong:
        print(f"{name}: certain, and wrong: {sentence}")
    if len(missed) > MAY_MISS:
        print(f"{len(missed)} of {len(names)} are missed: {', '.join(missed)}")
    return 1 if wrong or len(missed) > MAY_MISS else 0


if __name__ == "__main__":
    sys.exit(main())
