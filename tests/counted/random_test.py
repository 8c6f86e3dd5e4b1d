#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counted builds of programs that csmith writes count what papi_emulate counts of them.

  random_test.py [--compiler gcc] --build BUILD --source SOURCE --work FOLDER FIRST LAST    the seeds from FIRST to LAST

A seed chooses the compiler's flags, too. Programs that take longer than a minute are left out, for csmith's need not end.
Status: 0 passed, 1 failed, 77 skipped (no csmith, emulator or papi_counted).
"""
import argparse
import shutil
import subprocess
import sys

import counted_test

FLAGS = ["-O0", "-O1", "-O2", "-O3", "-Os", "-O3 {wide}", "-Ofast -funroll-loops", "-O2 -fPIC"]
WIDE = {"gcc": "-march=haswell", "aarch64-linux-gnu-gcc": "-march=armv8.2-a"}
SIZE = ["--max-funcs", "6", "--max-block-depth", "4"]


def equal(bench, compiler, seed):
    """Whether the program of a seed ended in time; its counts are equal then."""
    bench.run(["csmith", "--seed", str(seed), "--float" if seed % 2 else "--no-float", *SIZE,
               "--no-volatiles" if seed % 3 else "--volatiles", "-o", "random_program.c"])
    text = FLAGS[seed % len(FLAGS)].format(wide=WIDE[compiler])
    flags = ["-w", f"-I{bench.work}", "-I/usr/include/csmith", *counted_test.flags_of(compiler, text)]
    try:
        emulated = bench.emulated(compiler, "random.c", flags)
    except subprocess.TimeoutExpired:
        print(f"seed {seed}: does not end")
        return False
    counted_test.compare(f"seed {seed} {text}", emulated, bench.counted(compiler, "random.c", flags), least=5)
    return True


def main():
    parser = argparse.ArgumentParser()
    for option in ("--build", "--source", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--compiler", choices=WIDE, default="gcc")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    options = parser.parse_args()
    try:
        bench = counted_test.Bench(options)
        bench.seconds = 60
        if shutil.which("csmith") is None:
            raise counted_test.Skip("csmith is not installed")
        seeds = range(options.first, options.last + 1)
        ended = sum(equal(bench, options.compiler, seed) for seed in seeds)
        print(f"{ended} of {len(seeds)} programs compared, all equal")
        if ended == 0:
            raise counted_test.Failure("no program was compared")
    except counted_test.Skip as reason:
        print(f"SKIP: {reason}")
        return counted_test.SKIPPED
    except counted_test.Failure as failure:
        print(f"FAIL: {failure}")
        return 1
    return 0


sys.exit(main())
