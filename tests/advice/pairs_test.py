#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pairs_test.py SETTINGS.json FOLDER TOOL|prepare: each tool that runs a program before each other one.

With a plain program, one of a counted build and an MPI program, a pair works, or is refused at once with the command that
does what was meant: which is run. prepare makes the programs and measures the machine, once, in FOLDER.

Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import pathlib
import re
import shutil
import sys
import time

from advice_test import Place

PROGRAMS = ("plain", "counted", "job")
TOOLS = {
    "papi_emulate": "papi_emulate --report --events=DP_OPS",
    "papi_profile": "papi_profile -o profile.json -n 3",
    "papi_roofline": "papi_roofline",
    "papi_mpirun": "papi_mpirun -n 2",
    "papi_command_line": "papi_command_line perf::TASK-CLOCK --",
    "papi_why": "papi_why --limit=0",
}
COUNT = r"^perf::TASK-CLOCK : \s*\d+$"
PROFILE = r"^\[1\] perf::CPU-CLOCK: [\d,]+ ns, by [\d,]+ samples"
EXACT = r"^\[1\] emu::INSTRUCTIONS: [\d,]+, counted exactly"
ROOFLINE = r"counted by the emulator:\n+ GFLOP/s .*\n.*\b(plain|counted|job|main)\n"
JOB = r"^parallel efficiency "
JOB_ROOFLINE = r" whole job$"
WHY = r"^papi_why: .*(plain|counted|job)$"
EMULATED = r"^  emu::DP_OPS +[2-9],\d{3}$"
# A pair works, as its output says; or it is refused: what the output of the command says that the refusal names.
WORKS = {
    ("papi_emulate", "papi_mpirun"): {"": EMULATED, "job": JOB},
    ("papi_emulate", "papi_command_line"): {"": r"^PAPI_DP_OPS : \s*2000$", "job": r"^PAPI_DP_OPS : \s*[2-9]\d{3}$"},
    ("papi_profile", "papi_mpirun"): {"": PROFILE, "job": JOB},
    ("papi_profile", "papi_command_line"): {"": COUNT},
    ("papi_mpirun", "papi_emulate"): {"": EMULATED, "job": JOB},
    ("papi_mpirun", "papi_profile"): {"": PROFILE, "job": JOB},
    ("papi_mpirun", "papi_command_line"): {"": COUNT, "job": JOB},
    ("papi_profile", "papi_why"): {"": PROFILE},
    ("papi_command_line", "papi_why"): {"": COUNT},
    ("papi_command_line", "papi_profile"): {"": COUNT},
    ("papi_command_line", "papi_roofline"): {"": COUNT},
    ("papi_command_line", "papi_mpirun"): {"": COUNT, "job": JOB},
}
REFUSED = {
    ("papi_emulate", "papi_profile"): EXACT,
    ("papi_emulate", "papi_roofline"): ROOFLINE,
    ("papi_profile", "papi_emulate"): EXACT,
    ("papi_profile", "papi_roofline"): PROFILE,
    ("papi_roofline", "papi_emulate"): ROOFLINE,
    ("papi_roofline", "papi_profile"): ROOFLINE,
    ("papi_roofline", "papi_command_line"): ROOFLINE,
    ("papi_roofline", "papi_mpirun"): JOB_ROOFLINE,
    ("papi_mpirun", "papi_roofline"): JOB_ROOFLINE,
    ("papi_why", "papi_emulate"): WHY,
    ("papi_why", "papi_profile"): WHY,
    ("papi_why", "papi_roofline"): WHY,
    ("papi_why", "papi_mpirun"): WHY,
    ("papi_why", "papi_command_line"): WHY,
    ("papi_emulate", "papi_why"): WHY,
    ("papi_roofline", "papi_why"): ROOFLINE,
    ("papi_mpirun", "papi_why"): WHY,
    ("papi_command_line", "papi_emulate"): r"^PAPI_DP_OPS : \s*[2-9]\d{3}$",
}
AT_ONCE = 5  # seconds, on a busy machine, before the program would have run
MPI_ONLY = (JOB_ROOFLINE,)


def words_of(first, second, program):
    """The command of a pair; inside the emulator and in its place, what can be counted there."""
    words = f"{TOOLS[first]} {TOOLS[second]} ./{program}"
    emulated = {"papi_emulate", "papi_command_line"} == {first, second}
    return words.replace("perf::TASK-CLOCK", "PAPI_DP_OPS") if emulated else words


def check_works(place, pair, program):
    wanted = WORKS[pair].get(program, WORKS[pair][""])
    status, output = place.run(words_of(*pair, program))
    if status != 0:
        yield f"status {status}"
    if not re.search(wanted, output, re.MULTILINE):
        yield f"the output does not have {wanted}"


def check_refused(place, pair, program):
    begin = time.monotonic()
    status, output = place.run(words_of(*pair, program))
    named = re.search(r' run "([^"]+)"', output)
    if status == 0 or named is None:
        yield f"it is not refused with a command: status {status}"
        return
    if time.monotonic() - begin > AT_ONCE:
        yield "it is not refused at once"
    if REFUSED[pair] in MPI_ONLY and program != "job":
        return  # the command is one for a job
    status, output = place.run(named[1])
    if status != 0:
        yield f"the command exits with {status}"
    if not re.search(REFUSED[pair], output, re.MULTILINE):
        yield f"the command's output does not have {REFUSED[pair]}"


def prepare(place):
    compiler = place.environment["CC"]
    commands = [f"{compiler} -O2 -g a.c -o plain", f"papi_counted {compiler} -O2 -g a.c -o counted",
                "mpicc.mpich -O2 -g mpi.c -o job", "papi_roofline --measure --rounds=1"]
    return [f"{command} failed" for command in commands if place.run(command)[0] != 0]


def check_tool(place, tool):
    found = []
    for second in TOOLS:
        for program in PROGRAMS if second != tool else ():
            pair = (tool, second)
            faults = check_works(place, pair, program) if pair in WORKS else check_refused(place, pair, program)
            found += [f"{words_of(*pair, program)}: {fault}" for fault in faults]
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[3] == "prepare":
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    place = Place(settings, folder)
    place.environment |= {"XDG_CACHE_HOME": str(folder), "PAPI_MPIRUN": "mpirun.mpich", "PAPI_MPI_OUTPUT": "result.json"}
    for need in ("no-pmu", "software-events", "emulator", "mpich"):
        reason = place.missing(need)
        if reason:
            print(f"SKIP: {reason}")
            return 77
    found = prepare(place) if sys.argv[3] == "prepare" else check_tool(place, sys.argv[3])
    for fault in found:
        print(f"FAILED: {fault}")
    return 1 if found else 0


sys.exit(main())
