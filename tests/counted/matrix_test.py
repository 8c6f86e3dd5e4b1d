#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compilers and their flags: the kernels of numeric.c (30 of C) and kernels.F90 (11 of Fortran), counted and under
papi_emulate, in every event.

  matrix_test.py --build BUILD --source SOURCE --work FOLDER [--compiler NAME]... [--all]

Without --all some levels of optimisation and some ways to build, which every compiler has its own code for. A difference that is documented is a set of
events in the tables below, with the reason; every other value is equal. Status: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import re
import sys

from counted_test import (ALIGNMENT, CROSS, FORTRAN, INTEGERS, LOOPS, NUMERIC, SKIPPED, UNALIGNED, Bench, Failure, Skip, compare, need)

# LLVM aligns some blocks by NOPs all the same: counters move them.
COMPILERS = {
    "gcc": (NUMERIC, ()), "clang": (NUMERIC, ALIGNMENT), "gfortran": (FORTRAN, ()),
    "flang-new-19": (FORTRAN, INTEGERS),  # its allocations are its library's
    CROSS + "gcc": (NUMERIC, ()), CROSS + "gfortran": (FORTRAN, ()),
}
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Ofast"]
# Flags: events that differ, because libraries do work that is not counted. Others must not.
HERE = ["-O3 -mavx2 -mfma", "-O2 -march=native -mno-avx512f"]
COMMON = ["-O2 -flto", "-O2 -static", "-O2 -fPIC", "-O2 -g -fno-omit-frame-pointer", "-O3 -funroll-loops"]
GNU = {"-O2 -pg": INTEGERS, "-O1 --coverage": (), "-O2 -fopenmp": INTEGERS, "-O1 -fsanitize=undefined": ()}
FEW, GNU_FEW = ["-Os", "-Ofast", "-O3 -mavx2 -mfma"], ["-O2 -pg", "-O1 -fsanitize=undefined"]
MORE_HERE = {"-O3 -mavx": (), "-O2 -ftree-vectorize -msse4.2": (), "-O3 -march=haswell -mno-fma": (), "-O3 -march=znver3": (),
             "-O2 -mno-red-zone": (), "-O2 -mfpmath=387": (), "-O3 -mfpmath=both": (), "-O2 -fcf-protection=full": (),
             "-O2 -mcmodel=large -fno-pie -no-pie": (), "-O2 -mtune=atom": ()}
MORE = {"-Og": (), "-O2 -fno-pie -no-pie": (), "-O2 -static-pie -fPIE": (), "-O3 -flto -static": (), "-O3 -fno-inline": (),
        "-O2 -fstack-protector-all": (), "-O2 -ffunction-sections -Wl,--gc-sections": (), "-O3 -ffast-math -fno-signed-zeros": (),
        "-O3 -fno-tree-vectorize": (), "-O2 -fprofile-generate": INTEGERS, "-O3 -fprofile-arcs -ftest-coverage": (), "-O2 -fwrapv": (),
        "-O2 -ftrapping-math -frounding-math": (), "-O3 -fgraphite-identity": (), "-O2 -fno-jump-tables": (), "-O2 -gdwarf-4 -s": (),
        "-O0 -pg": INTEGERS, "-O3 -fopenmp -flto": INTEGERS, "-O3 -fopenmp-simd": ()}
# What differs in one kernel besides: flang's library adds up, which docs/counted.md says.
LIBRARY = {("flang-new-19", "-O0"): "types"}
# Their checks are integers, in the program and in a library: floating point is that of the program without, where both
# are not optimised (checks keep loops from becoming vectors, and what is invariant inside them).
SANITIZERS = ["address", "thread"]


def is_cross(compiler):
    return compiler.startswith(CROSS)


def words_of(compiler, flags):
    gnu = not compiler.startswith(("clang", "flang"))
    loops = LOOPS.get("gcc" if gnu else "clang", []) if "flang" not in compiler else []
    return [*flags.split(), *loops, *(UNALIGNED if gnu else [])]


def chosen(compiler, everything):
    """Flags and the events that differ with any compiler."""
    cross, gnu = is_cross(compiler), compiler.endswith(("gcc", "gfortran"))
    if compiler.startswith("flang"):
        return {flags: () for flags in ([*LEVELS[:4], "-Ofast", "-O3 -march=haswell"] if everything else ["-O0", "-O3 -march=haswell"])}
    if not everything:
        few = FEW[:2] if cross else FEW
        return {**dict.fromkeys(few, ()), **({flags: GNU[flags] for flags in GNU_FEW} if gnu else {})}
    found = dict.fromkeys([*LEVELS, *([] if cross else HERE), *COMMON], ())
    if compiler == "clang":
        found.pop("-O2 -flto")  # the linker makes its code: refused
    if gnu:
        found.update(GNU)
        found.update({**MORE, **({} if cross else MORE_HERE)})
    return found


def flags_of(compiler, everything):
    """{flags: events that differ}"""
    source, always = COMPILERS[compiler]
    found = chosen(compiler, everything)
    for flags, events in found.items():
        if source == NUMERIC and "-fopenmp" in flags:
            events = ()  # it has nothing parallel
        if source == FORTRAN and "undefined" in flags:
            events = INTEGERS  # what it finds to say, in a library
        found[flags] = {*always, *events}
    return found


class Matrix(Bench):
    """All marks are those without a library, so that each program can be linked statically."""

    def marks(self, compiler, *names):
        maker = CROSS + "gcc" if is_cross(compiler) else "gcc"
        return [self.object(name, maker) for name in names]

    def emulated_program(self, compiler, flags):
        source, _ = COMPILERS[compiler]
        self.run([compiler, *self.includes, *words_of(compiler, flags), self.file(source), *self.marks(compiler, "marks_page"),
                  "-o", "plain"])
        return self.run([self.emulate, "./plain"], OMP_NUM_THREADS="1").stdout

    def counted_program(self, compiler, flags):
        source, _ = COMPILERS[compiler]
        result = self.run([self.tool, compiler, *self.includes, *words_of(compiler, flags), self.file(source),
                           *self.marks(compiler, "marks_counted", "counts"), "-o", "counted"])
        # Which functions of flang's library, and of a sanitizer's that clang links statically, it may say.
        if "papi_counted:" in result.stderr and (compiler, flags) not in LIBRARY and not re.search("sanitize=(address|thread)", flags):
            raise Failure(f"not all is counted:\n{result.stderr}")
        return self.execute("counted", is_cross(compiler))

    def same(self, compiler, flags, ignored):
        emulated, counted = self.emulated_program(compiler, flags), self.counted_program(compiler, flags)
        library = LIBRARY.get((compiler, flags))
        if library is not None:
            emulated, counted = (re.sub(rf"^{library} .*\n", "", text, flags=re.M) for text in (emulated, counted))
        compare(f"{compiler} {flags}", emulated, counted, ignored)

    def sanitized(self, compiler, kind):
        plain, checked = "-O0", f"-O0 -g -fsanitize={kind}"
        compare(f"{compiler} {checked}", self.emulated_program(compiler, plain), self.counted_program(compiler, checked), INTEGERS)


def check(bench, compiler, everything):
    need(compiler)
    wrong = 0
    sanitizers = SANITIZERS if everything and compiler in ("gcc", "gfortran", "clang") else []
    work = [lambda flags=flags, events=events: bench.same(compiler, flags, events) for flags, events in flags_of(compiler, everything).items()]
    work += [lambda kind=kind: bench.sanitized(compiler, kind) for kind in sanitizers]
    for one in work:
        try:
            one()
        except Failure as failure:
            print(f"FAIL: {failure}", flush=True)
            wrong += 1
    print(f"{compiler}: {len(work)} sets of flags, {wrong} wrong", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "source", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--compiler", action="append", choices=COMPILERS)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    wrong, done = 0, 0
    try:
        bench = Matrix(options)
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIPPED
    for compiler in options.compiler or COMPILERS:
        try:
            wrong += check(bench, compiler, options.all)
            done += 1
        except Skip as reason:
            print(f"SKIP: {reason}")
    return 1 if wrong else 0 if done else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
