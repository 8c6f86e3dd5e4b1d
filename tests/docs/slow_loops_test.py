#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""slow_loops_test.py DOCUMENT SOURCE COMPILER PAPI_EMULATE [PAPI_PROFILE]: the figures of docs/slow-loops.md are what its program
does, built by the document's own command.

A row "| `LOOP` | EVENT[, CACHE] | N | M |" is the count of a turn, as it is
and mended: the difference between runs of two turns and of one. A row "| `... ! LOOP` | WORDS | WORDS |" is what papi_profile says of the line."""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import clean, run  # noqa: E402 pylint: disable=wrong-import-position

TURNS = (1, 2)


def runs(*words, **more):
    return run(*words, status=0, timeout=1200, env=clean(LC_ALL="C"), **more)


def counted(emulate, program, loop, form, event, caches):
    """Of a turn."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for turns in TURNS:
            report = os.path.join(folder, "report.json")
            runs(emulate, f"--report={report}", "--json", "--events=" + event, *([f"--caches={caches}"] if caches else []),
                 program, loop, form, str(turns))
            with open(report, encoding="utf-8") as file:
                found.append(json.load(file)["sum"]["emu::" + event])
    return (found[1] - found[0]) / (TURNS[1] - TURNS[0])


def check_counts(emulate, program, text):
    faults, rows = [], re.findall(r"^\| `(\w+)` \| (?!PAPI_)(?:emu::)?(\w+)(?:, (\S+))? \| ([\d,]+) \| ([\d,]+) \|$", text, re.M)
    for loop, event, caches, plain, mended in rows:
        for form, said in (("", plain), ("mended", mended)):
            number, said = counted(emulate, program, loop, form, event, caches), int(said.replace(",", ""))
            # Of a cache it is about so many: the stack and the ends of arrays are in it, too.
            if abs(number - said) > (max(20, said / 50) if caches else 0):
                faults.append(f"{loop} {form}: {number} {event} {caches} a turn, and the document says {said}")
    if len(rows) != 7:
        faults.append(f"the document has {len(rows)} rows of counts, not 7")
    return faults


def check_words(profile, program, text):
    faults, rows = [], re.findall(r"^\| `[^`|]* ! (\w+)` \| ([\w ]+) \| ([\w ]+) \|$", text, re.M)
    with tempfile.TemporaryDirectory() as folder:
        for loop, plain, mended in rows:
            for form, said in ((loop, plain), (f"{loop} mended", mended)):
                words = [loop] + (["mended"] if form != loop else [])
                file = os.path.join(folder, "profile.json")
                runs(profile, "--exact", "-o", file, "-e", "emu::FP_INSTRUCTIONS", program, *words, *([] if len(words) > 1 else [""]), "1")
                shown = runs(profile, "--show=" + file).stdout
                if not re.search(rf"  {said} +slow_loops.f90:\d+  .* ! {form}$", shown, re.M):
                    faults.append(f"{form}: not \"{said}\":\n{shown}")
    if len(rows) != 2:
        faults.append(f"the document has {len(rows)} rows of lines, not 2")
    return faults


def main():
    document, source, compiler, emulate, *profile = sys.argv[1:]
    if not shutil.which("qemu-" + os.uname().machine):
        print("SKIP: papi_emulate has no emulator here (package qemu-user)")
        return 77
    if os.uname().machine != "x86_64":
        print("SKIP: the document has the figures of an x86-64 program")
        return 77
    os.environ["PATH"] = os.path.dirname(emulate) + os.pathsep + os.environ["PATH"]
    with open(document, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "slow_loops")
        flags = re.search(r"^    gfortran (-.*) slow_loops.f90 -o slow_loops$", text, re.M)[1].split()
        runs(compiler, *flags, source, "-o", program, cwd=folder)
        faults = check_counts(emulate, program, text)
        if profile:
            faults += check_words(profile[0], program, text)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
