#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counted builds count what papi_emulate counts of the same program between the same two calls.

  counted_test.py --build BUILD --source SOURCE --work FOLDER CASE...    some cases; all: every one

Status: 0 passed, 1 failed, 77 skipped (no emulator, compiler or papi_counted).
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
# Padding in front of loops is executed as NOPs. Counters move code, so that there is another number of them: they are
# not counted, and INSTRUCTIONS are compared without.
UNALIGNED = "-fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels".split()
ALIGNMENT = {"INSTRUCTIONS"}
# name: compiler, source, flags, events that may differ
KERNELS = "kernels.c"
CASES = {
    "O0": ("gcc", KERNELS, "-O0", ()),
    "O1": ("gcc", KERNELS, "-O1", ()),
    "O2": ("gcc", KERNELS, "-O2 -g", ()),
    "O3": ("gcc", KERNELS, "-O3", ()),
    "float": ("gcc", KERNELS, "-O2 -DREAL=float", ()),
    "haswell": ("gcc", KERNELS, "-O3 -march=haswell", ()),
    "fast": ("gcc", KERNELS, "-Ofast -funroll-loops -march=haswell", ()),
    "PIC": ("gcc", KERNELS, "-O2 -fPIC", ()),
    "lto": ("gcc", KERNELS, "-O2 -flto", ()),
    "size": ("gcc", KERNELS, "-Os", ()),
    "no-pie": ("gcc", KERNELS, "-O2 -fno-pie -no-pie", ()),
    "large": ("gcc", KERNELS, "-O2 -mcmodel=large -fno-pie -no-pie", ()),
    "sections": ("gcc", KERNELS, "-O2 -ffunction-sections -Wl,--gc-sections", ()),
    "stripped": ("gcc", KERNELS, "-O2 -s", ()),
    "aligned": ("gcc", KERNELS, "-O2 -falign-loops=32", ALIGNMENT),
    "clang-O0": ("clang", KERNELS, "-O0", ()),
    "clang-O2": ("clang", KERNELS, "-O2", ALIGNMENT),
    "clang-haswell": ("clang", KERNELS, "-O3 -march=haswell", ALIGNMENT),
}
# The counted program in another form than the one that is emulated.
FORMS = {
    "static": ("gcc", KERNELS, "-O2", "-static"),
    "static-pie": ("gcc", KERNELS, "-O2 -fPIE", "-static-pie"),
    "lld": ("gcc", KERNELS, "-O2", "-fuse-ld=lld"),
    "gold": ("gcc", KERNELS, "-O2", "-fuse-ld=gold"),
    "process": ("gcc", KERNELS, "-O2", "--shared-by-threads"),
    "blocks": ("gcc", KERNELS, "-O2", "LEVEL=blocks"),
}


class Skip(Exception):
    pass


class Failure(Exception):
    pass


class Bench:
    def __init__(self, options):
        self.build, self.source = pathlib.Path(options.build).resolve(), pathlib.Path(options.source).resolve()
        self.work = pathlib.Path(options.work).resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.tool = self.build / "src-c/components/counted/papi_counted"
        self.emulate = self.build / "src-c/components/emulated/launcher/papi_emulate"
        self.includes = [f"-I{self.source}/{folder}" for folder in ("src-c", "src-c/include", "tests/counted")]
        if not self.tool.exists():
            raise Skip("papi_counted is not built: no Capstone, or another processor")
        self.parts = {name: self.object(name) for name in ("counts", "marks_counted", "marks_emulated")}

    def run(self, command, **environment):
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.work, timeout=300,
                                env={**os.environ, "LC_ALL": "C", **environment})
        if result.returncode != 0:
            raise Failure(f"{command}: status {result.returncode}\n{result.stdout}{result.stderr}")
        return result

    def object(self, name):
        out = self.work / (name + ".o")
        self.run(["gcc", "-O1", "-fPIC", "-D_GNU_SOURCE", *self.includes, "-c", self.source / f"tests/counted/{name}.c", "-o", out])
        return out

    def file(self, name):
        return self.source / "tests/counted" / name

    def emulated(self, compiler, source, flags):
        if shutil.which(compiler) is None:
            raise Skip(f"no {compiler}")
        if shutil.which("qemu-x86_64") is None or not list(self.build.glob("plugin/libpapi_emulator.so")):
            raise Skip("no qemu-x86_64, or no plugin for it")
        libraries = self.build / "src-c"
        self.run([compiler, *self.includes, *flags, self.file(source), self.parts["marks_emulated"], "-o", "plain", f"-L{libraries}",
                  "-lpapi", f"-Wl,-rpath,{libraries}"])
        return self.run([self.emulate, "./plain"]).stdout

    def counted(self, compiler, source, flags, *options, **environment):
        result = self.run([self.tool, *options, compiler, *self.includes, *flags, self.file(source), self.parts["marks_counted"],
                           self.parts["counts"], "-o", "counted"], **environment)
        if "papi_counted" in result.stderr:
            raise Failure(f"not all is counted:\n{result.stderr}")
        return self.run(["./counted"]).stdout


def values(text):
    lines = [line.split() for line in text.splitlines()]
    return {(name, event): int(count) for name, event, count in lines}


def compare(name, emulated, counted, ignored=()):
    emulated, counted = values(emulated), values(counted)
    keys = [key for key in sorted({*emulated, *counted}) if key[1] not in ignored]
    differ = [key for key in keys if emulated.get(key, 0) != counted.get(key, 0)]
    print(f"{name}: {len(keys)} values, {len(differ)} differ")
    if len(emulated) < 20:
        raise Failure(f"{name}: the emulator counted nothing")
    for key in differ[:10]:
        print(f"  {key}: {counted.get(key, 0)}, not {emulated.get(key, 0)}")
    if differ:
        raise Failure(f"{name}: {len(differ)} counts differ")


def flags_of(compiler, text):
    return text.split() + ([] if compiler.startswith("clang") else UNALIGNED)


def equal(bench, name):
    compiler, source, text, ignored = CASES[name]
    flags = flags_of(compiler, text)
    compare(name, bench.emulated(compiler, source, flags), bench.counted(compiler, source, flags), ignored)


def form(bench, name):
    compiler, source, text, change = FORMS[name]
    flags = flags_of(compiler, text)
    emulated = bench.emulated(compiler, source, flags)
    if change.startswith("LEVEL="):
        counted = bench.counted(compiler, source, flags, PAPI_COUNTED_LEVEL=change[6:])
    elif change.startswith("--"):
        counted = bench.counted(compiler, source, flags, change)
    else:
        counted = bench.counted(compiler, source, [*flags, change])
    compare(name, emulated, counted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    runs = {**{name: equal for name in CASES}, **{name: form for name in FORMS}}
    wanted = list(runs) if options.cases == ["all"] else options.cases
    try:
        bench = Bench(options)
        for name in wanted:
            runs[name](bench, name)
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIPPED
    except Failure as failure:
        print(f"FAIL: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
