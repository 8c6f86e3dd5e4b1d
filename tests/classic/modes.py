#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""modes.py CC FORTRAN WORK HEADERS C-SOURCES FORTRAN-SOURCES MODE: compiles the programs as codes of each age are.

The headers are copied into one folder, as they are installed, and found by -I alone. Lists are separated
by commas. Status: 0 passed, 1 failed, 77 skipped (no such compiler).
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STRICT = ["-Wall", "-Wextra", "-Werror"]
C_MODES = {
    "c89": ["-std=c89", "-pedantic-errors", "-D_GNU_SOURCE"],  # long long by papi.h's name for it alone
    "gnu89": ["-std=gnu89"],
    "gnu99": ["-std=gnu99"],
    "c11": ["-std=c11", "-pedantic-errors", "-D_GNU_SOURCE"],
    "c23": ["-std=c2x", "-pedantic-errors", "-D_GNU_SOURCE"],
    "c++98": ["-x", "c++", "-std=c++98", "-pedantic-errors", "-Wno-long-long"],
    "c++17": ["-x", "c++", "-std=c++17", "-pedantic-errors"],
    "conversions": ["-std=gnu11", "-Wconversion", "-Wno-error=conversion", "-Werror=int-conversion",
                    "-Werror=incompatible-pointer-types"],
}
LOOSE = ("gnu89", "gnu99")  # for which old_loose.c is C, with warnings
FORTRAN_MODES = {
    "legacy": ["-std=legacy"],
    "real8": ["-std=legacy", "-fdefault-real-8"],
    "integer8": ["-std=legacy", "-fdefault-integer-8", "-Iinclude/integer8"],
    "second_underscore": ["-std=legacy", "-fsecond-underscore"],
    "f2008": [],
}
# What the headers of integer8 cannot take the compiler has to refuse: integers of both kinds in one call, EXTERNAL for
# routines that they declare.
REFUSED = {"integer8": ["old_counters.f", "old_events.f90"]}


def compiler_of(mode, cc, fortran):
    if mode in FORTRAN_MODES:
        return fortran
    if mode.startswith("c++"):
        return os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    return cc


def main():
    cc, fortran, work, headers, c_sources, fortran_sources, mode = sys.argv[1:]
    compiler = compiler_of(mode, cc, fortran)
    if not compiler:
        print(f"SKIP: no compiler for {mode}")
        return 77
    folder = os.path.join(work, mode)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "include"))
    for header in headers.split(","):
        shutil.copy(header, os.path.join(folder, "include"))
        wide = os.path.join(os.path.dirname(header), "integer8")
        if os.path.isdir(wide) and not os.path.exists(os.path.join(folder, "include/integer8")):
            shutil.copytree(wide, os.path.join(folder, "include/integer8"))
    sources = (fortran_sources if mode in FORTRAN_MODES else c_sources).split(",")
    if mode not in LOOSE:
        sources = [source for source in sources if not source.endswith("old_loose.c")]
    if mode == "c89":
        sources = [source for source in sources if os.path.basename(source).startswith("old_")]
    flags = FORTRAN_MODES[mode] if mode in FORTRAN_MODES else STRICT + C_MODES[mode]
    failures = 0
    for source in sources:
        loose = ["-w"] if source.endswith("old_loose.c") else []
        command = [compiler, *flags, *loose, "-fsyntax-only", "-Iinclude", source]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, timeout=600)
        refused = os.path.basename(source) in REFUSED.get(mode, [])
        if (done.returncode != 0) != refused:
            print("NOT REFUSED:" if refused else "FAILED:", " ".join(command), flush=True)
            failures += 1
    print(f"{mode}: {len(sources)} programs, {failures} failed")
    return 1 if failures or not sources else 0


sys.exit(main())
