#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counted builds count what papi_emulate counts of the same program between the same two calls.

  counted_test.py --build BUILD --source SOURCE --work FOLDER CASE...    some cases; all: every one

Status: 0 passed, 1 failed, 77 skipped (no emulator, compiler or papi_counted).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import Failure, Skip, run  # noqa: E402 pylint: disable=wrong-import-position

SKIPPED = 77
# Padding in front of loops is executed as NOPs. Counters move code, so that there is another number of them: they are
# not counted, and INSTRUCTIONS are compared without.
UNALIGNED = "-fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels".split()
ALIGNMENT = {"INSTRUCTIONS"}
# Loops that are made calls of memcpy are not the program's any more.
LOOPS = {"gcc": ["-fno-tree-loop-distribute-patterns"], "aarch64-linux-gnu-gcc": ["-fno-tree-loop-distribute-patterns"], "clang": ["-fno-builtin-memcpy", "-fno-builtin-memset", "-fno-builtin-memmove"]}
# name: compiler, source, flags, events that may differ
KERNELS, NUMERIC, FORTRAN, SMALL, ARM64 = "kernels.c", "numeric.c", "kernels.F90", "loops.c", "arm64.c"
# Where the cross compiler's libraries are.
CROSS, CROSS_ROOT = "aarch64-linux-gnu-", "/usr/aarch64-linux-gnu"
# Of OpenMP's library, which is not counted, the emulator sees the integers.
INTEGERS = {"INSTRUCTIONS", "INTEGER_INSTRUCTIONS", "LOADS", "STORES", "BRANCHES", "CONDITIONAL_BRANCHES", "UNCONDITIONAL_BRANCHES",
            "TAKEN_BRANCHES", "NOT_TAKEN_BRANCHES", "CALLS", "RETURNS", "SYSTEM_CALLS", "VECTOR_INSTRUCTIONS",
            "INTEGER_VECTOR_INSTRUCTIONS", "UNKNOWN_INSTRUCTIONS"}
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
for name, compiler, text, ignored in (
        ("O0", "gcc", "-O0", ()), ("O1", "gcc", "-O1", ()), ("O2", "gcc", "-O2", ()), ("O3", "gcc", "-O3", ()),
        ("native", "gcc", "-O3 -march=native -mno-avx512f", ()), ("fast", "gcc", "-Ofast -funroll-loops -march=haswell", ()),
        ("PIC", "gcc", "-O2 -fPIC", ()), ("size", "gcc", "-Os", ()), ("lto", "gcc", "-O3 -flto", ()),
        ("clang", "clang", "-O2", ALIGNMENT), ("clang-native", "clang", "-O3 -march=native -mno-avx512f", ALIGNMENT)):
    CASES["numeric-" + name] = (compiler, NUMERIC, text, ignored)
for name, text, ignored in (
        ("O0", "-O0", ()), ("O1", "-O1", ()), ("O2", "-O2 -g", ()), ("O3", "-O3", ()), ("haswell", "-O3 -march=haswell", ()),
        ("fast", "-Ofast -funroll-loops -march=haswell", ()), ("real32", "-O2 -DKIND=real32", ()),
        ("real32-fast", "-Ofast -march=haswell -DKIND=real32", ()), ("PIC", "-O2 -fPIC", ()), ("lto", "-O2 -flto", ()),
        ("check", "-O1 -fcheck=all -g", ()), ("openmp", "-O2 -fopenmp", INTEGERS)):
    CASES["fortran-" + name] = ("gfortran", FORTRAN, text, ignored)
for name, text in (("O2", "-O2"), ("O3", "-O3 -march=haswell"), ("real32", "-O2 -DKIND=real32")):
    CASES["flang-fortran-" + name] = ("flang-new-19", FORTRAN, text, INTEGERS)  # its allocations are a library's
for name, compiler, text, ignored in (
        ("O0", "gcc", "-O0", ()), ("O1", "gcc", "-O1", ()), ("O2", "gcc", "-O2", ()), ("O3", "gcc", "-O3", ()),
        ("haswell", "gcc", "-O3 -march=haswell", ()), ("PIC", "gcc", "-O2 -fPIC", ()), ("size", "gcc", "-Os", ()),
        ("lto", "gcc", "-O2 -flto", ()), ("no-sse", "gcc", "-O2 -fno-tree-vectorize", ()), ("clang", "clang", "-O2", ALIGNMENT)):
    CASES["loops-" + name] = (compiler, SMALL, text, ignored)
# For 64-bit Arm, by a cross compiler and QEMU. The C library has memset, which -Os calls for an array.
for name, source, text in (
        ("arm64-O0", ARM64, "-O0 -mno-outline-atomics -DNEAR"), ("arm64-O2", ARM64, "-O2 -mno-outline-atomics"), ("arm64-O3", ARM64, "-O3 -g -mno-outline-atomics -DNEAR"),
        ("arm64-PIC", ARM64, "-O2 -fPIC -mno-outline-atomics -DNEAR"), ("arm64-size", ARM64, "-Os -mno-outline-atomics -DNEAR"),
        ("arm64-lse", ARM64, "-O2 -march=armv8.2-a -DNEAR"), ("arm64-lto", ARM64, "-O2 -flto -mno-outline-atomics -DNEAR"),
        ("arm64-protected", ARM64, "-O2 -mbranch-protection=standard -mno-outline-atomics -DNEAR"),
        ("arm64-traditional", ARM64, "-O2 -fPIC -mtls-dialect=trad -mno-outline-atomics -DNEAR"),
        ("arm64-kernels-O0", KERNELS, "-O0"), ("arm64-kernels-O2", KERNELS, "-O2 -g"), ("arm64-kernels-O3", KERNELS, "-O3"),
        ("arm64-kernels-PIC", KERNELS, "-O2 -fPIC"), ("arm64-kernels-lto", KERNELS, "-O2 -flto"),
        ("arm64-kernels-float", KERNELS, "-Ofast -funroll-loops -DREAL=float"), ("arm64-kernels-size", KERNELS, "-Os"),
        ("arm64-kernels-no-pie", KERNELS, "-O2 -fno-pie -no-pie"), ("arm64-kernels-large", KERNELS, "-O2 -mcmodel=large -fno-pie -no-pie"),
        ("arm64-numeric-O2", NUMERIC, "-O2"), ("arm64-numeric-fast", NUMERIC, "-Ofast -funroll-loops"),
        ("arm64-numeric-PIC", NUMERIC, "-O2 -fPIC"), ("arm64-loops-O0", SMALL, "-O0"), ("arm64-loops-O2", SMALL, "-O2"),
        ("arm64-loops-O3", SMALL, "-O3"), ("arm64-loops-PIC", SMALL, "-O2 -fPIC")):
    CASES[name] = (CROSS + "gcc", source, text, ())
for name, text, ignored in (("O0", "-O0", ()), ("O2", "-O2 -g", ()), ("O3", "-O3", ()), ("fast", "-Ofast -funroll-loops", ()),
                            ("real32", "-O2 -DKIND=real32", ()), ("PIC", "-O2 -fPIC", ()), ("lto", "-O2 -flto", ()),
                            ("check", "-O1 -fcheck=all -g", ()), ("openmp", "-O2 -fopenmp", INTEGERS)):
    CASES["arm64-fortran-" + name] = (CROSS + "gfortran", FORTRAN, text, ignored)
for name, source, text in (("", ARM64, "-O2 -DNEAR"), ("-kernels", NUMERIC, "-O2"), ("-loops", SMALL, "-O2")):
    CASES[f"arm64-clang{name}"] = ("clang", source, text + " --target=aarch64-linux-gnu -mno-outline-atomics", ALIGNMENT)
# What compilers leave to functions. Those that count do the same operations as the compiler's, with other instructions around them:
# which number is infinite is a conversion by gcc, and a choice of two constants by clang.
LEFT = "complex.c"
for name, compiler, text in (
        ("O0", "gcc", "-O0"), ("O2", "gcc", "-O2"), ("lto", "gcc", "-O2 -flto"), ("PIC", "gcc", "-O2 -fPIC"), ("older", "gcc-11", "-O2"),
        ("clang", "clang", "-O0"), ("arm64", CROSS + "gcc", "-O0"), ("arm64-O2", CROSS + "gcc", "-O2"),
        ("arm64-clang", "clang", "-O0 --target=aarch64-linux-gnu")):
    CASES["complex-" + name] = (compiler, LEFT, text + " -lm", INTEGERS | {"FP_COMPARISONS", "FP_CONVERSIONS"})
# The same functions' results, in programs and in a library.
RESULTS = {
    "results-O0": "gcc -O0",
    "results-O2": "gcc -O2",
    "results-lto": "gcc -O2 -flto",
    "results-static": "gcc -O0 -static",
    "results-static-pie": "gcc -O0 -static-pie -fPIE",
    "results-process": "gcc -O0 --shared-by-threads",
    "results-library": "gcc -O0 -fPIC -shared",
    "results-older": "gcc-11 -O0",
    "results-clang": "clang -O0",
    "results-lld": "gcc -O0 -fuse-ld=lld",
    "results-gold": "gcc -O0 -fuse-ld=gold",
    "results-arm64": CROSS + "gcc -O0",
    "results-arm64-static": CROSS + "gcc -O2 -static",
    "results-arm64-process": CROSS + "gcc -O0 --shared-by-threads",
}
# Programs that call what is not counted: compiler, program, libraries, what is said.
USES = {
    "maths": "#include <math.h>\nvolatile double x = 2;\nint main(void) { x = pow(x, 1.5) + fmod(x, 0.3) + sqrt(x) + floor(x); return 0; }\n",
    "output": '#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) { return printf("%g %Lf\\n", c / 3.0, c / 7.0L) < 0 || strtod("1.5", 0) < 1; }\n',
    "own": "volatile double x = 2;\ndouble exp(double y) { return y * x; }\nint main(void) { return exp(x) != 4; }\n",
    "wide": "volatile __int128 i = 3;\nvolatile long double x;\nint main(void) { x = (double)i; return (int)(i / 3 - 1); }\n",
    "quad": "volatile _Float128 x = 3;\nint main(void) { x = x * x - 9; return x != 0; }\n",
    "matmul": "program p\nreal(8) :: a(9, 9), b(9, 9)\na = 1\nb = matmul(a, a)\nif (b(1, 1) /= 9) stop 1\nend program\n",
    "real16": "program p\nreal(16) :: x\nread (*, *, iostat=i) x\nx = exp(real(i, 16))\nif (x < 0) print *, x\nend program\n",
    "writes": "program p\nprint *, command_argument_count() * 1.5d0\nend program\n",
}
OUTSIDE = {
    "outside-maths": ("gcc -O0", "maths", "-lm", ["fmod, pow of libm"]),
    "outside-maths-static": ("gcc -O0 -static", "maths", "-lm", ["fmod, pow (linked in)"]),
    "outside-library": ("gcc -O2 -shared -fPIC", "maths", "-lm", ["fmod, pow of libm"]),
    "outside-output": ("gcc -O2", "output", "", []),
    "outside-output-static": ("gcc -O2 -static", "output", "", []),
    "outside-own": ("gcc -O0 -fno-builtin", "own", "-lm", []),
    "outside-wide": ("gcc -O0", "wide", "", ["__floattidf (linked in)"]),
    "outside-quad": ("gcc -O0", "quad", "", ["__multf3, __subtf3 (linked in)"]),
    "outside-matmul": ("gfortran -O0", "matmul", "", ["_gfortran_matmul_r8 of libgfortran"]),
    "outside-real16": ("gfortran -O0", "real16", "", ["expq of libquadmath"]),
    "outside-writes": ("gfortran -O2", "writes", "", []),
    "outside-writes-static": ("gfortran -O2 -static", "writes", "", []),
    "outside-writes-flang": ("flang-new-19 -O2", "writes", "", []),
    "outside-blas": ("gcc -O2", "output", "-Wl,--no-as-needed -lblas", ["all of libblas"]),
    "outside-arm64": (CROSS + "gcc -O0", "maths", "-lm", ["fmod, pow of libm"]),
    "outside-arm64-static": (CROSS + "gcc -O2 -static", "output", "", ["__divtf3 (linked in)"]), # its long double
}
# The counted program in another form than the one that is emulated.
FORMS = {
    "static": ("gcc", KERNELS, "-O2", "-static"),
    "static-pie": ("gcc", KERNELS, "-O2 -fPIE", "-static-pie"),
    "lld": ("gcc", KERNELS, "-O2", "-fuse-ld=lld"),
    "gold": ("gcc", KERNELS, "-O2", "-fuse-ld=gold"),
    "process": ("gcc", KERNELS, "-O2", "--shared-by-threads"),
    "blocks": ("gcc", KERNELS, "-O2", "LEVEL=blocks"),
    "loops-process": ("gcc", SMALL, "-O2", "--shared-by-threads"),
    "loops-process-haswell": ("gcc", SMALL, "-O3 -march=haswell", "--shared-by-threads"),
    "loops-trips": ("gcc", SMALL, "-O2", "LEVEL=trips"),
    "arm64-static": (CROSS + "gcc", KERNELS, "-O2", "-static"),
    "arm64-static-pie": (CROSS + "gcc", KERNELS, "-O2 -fPIE", "-static-pie"),
    "arm64-gold": (CROSS + "gcc", KERNELS, "-O2", "-fuse-ld=gold"),
    "arm64-process": (CROSS + "gcc", ARM64, "-O2 -mno-outline-atomics -DNEAR", "--shared-by-threads"),
    "arm64-loops-process": (CROSS + "gcc", SMALL, "-O2", "--shared-by-threads"),
    "arm64-blocks": (CROSS + "gcc", ARM64, "-O2 -mno-outline-atomics -DNEAR", "LEVEL=blocks"),
    "arm64-tree": (CROSS + "gcc", ARM64, "-O2 -mno-outline-atomics -DNEAR", "LEVEL=tree"),
    "arm64-trips": (CROSS + "gcc", SMALL, "-O2", "LEVEL=trips"),
}

# Programs that compare what is counted with what analysis says: compiler and flags.
WAYS = {
    "ways-O0": "g++ -O0",
    "ways-O2": "g++ -O2",
    "ways-haswell": "g++ -O3 -march=haswell",
    "ways-PIC": "g++ -O2 -fPIC",
    "ways-lto": "g++ -O2 -flto",
    "ways-profiled": "g++ -O2 -pg",
    "ways-address": "g++ -O1 -g -fsanitize=address",
    "ways-clang": "clang++ -O2",
    "ways-undefined": "g++ -O1 -fsanitize=undefined",
    "ways-size": "g++ -Os -fno-plt",
    "ways-sections": "g++ -O2 -ffunction-sections -Wl,--gc-sections",
    "ways-sections-lld": "g++ -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections",
    "ways-static": "g++ -O2 -static",
    "arm64-ways-O0": CROSS + "g++ -O0",
    "arm64-ways-O2": CROSS + "g++ -O2",
    "arm64-ways-PIC": CROSS + "g++ -O2 -fPIC",
    "arm64-ways-clang": "clang++ -O2 --target=aarch64-linux-gnu",
}
# Assembly whose counts are known, in the emulator and counted: compiler and flags.
BLOCKS = {"hand-made": ("gcc", "-O2"), "hand-made-PIC": ("gcc", "-O2 -fPIC"), "hand-made-clang": ("clang", "-O1 -fno-integrated-as"),
          "arm64-hand-made": (CROSS + "gcc", "-O2")}
# Code that cannot be counted, or not as a whole, is named: text of a file, its suffix, what is said. It works.
MAIN = "int main(void) { return 0; }\n"
REFUSED = {
    "by-hand": ('\t.globl main\nmain:\txorl %eax, %eax\n\tret\n.section .note.GNU-stack,"",@progbits\n', "S", "program.S: not counted: assembly that no compiler wrote"),
    "intel": (MAIN, "c -masm=intel", "Intel's syntax"),
    "expression": ('int main(void) { __asm__("jmp .+2"); return 0; }\n', "c", "a jump to an expression (line"),
    "macro": ('int main(void) {\n__asm__(".macro skip\\njmp 7f\\nnop\\n7:\\n.endm\\nskip");\nreturn 0; }\n', "c -g",
              "program.c:2: in main: a jump that its assembly does not show"),
    "bytes": ('int main(void) {\n__asm__ volatile("jmp 1f\\n.byte 0x0f, 0xff, 0xff\\n1: nop");\nreturn 0; }\n', "c", ""),
    "split-stack": ("void f(char *); int main(void) { char a[9]; f(a); return 0; } void f(char *a) { *a = 0; }\n", "c -fsplit-stack",
                    "-fsplit-stack"),
    "subsection": ('int main(void) { __asm__(".subsection 1\\nnop\\n.previous"); return 0; }\n', "c", ".subsection"),
    "arm64-expression": ('int main(void) { __asm__("b . + 4"); return 0; }\n', "c", "a jump to an expression (line"),
    "arm64-table": ('int main(void) { __asm__(".pushsection .rodata\\n.byte (.Lb - .La) / 4\\n.popsection\\n.La: nop\\n.Lb: nop"); return 0; }\n',
                    "c", "a jump table whose entries have one or two bytes: -fno-jump-tables makes none (line"),
    "arm64-exclusive": ('int main(void) { int x = 1; __asm__ volatile("1: ldxr w1, [%0]\\n\\ttbz w1, #0, 2f\\n\\tadd w1, w1, #1\\n2: stxr w2, w1, [%0]\\n'
                        '\\tcbnz w2, 1b" : : "r"(&x) : "w1", "w2", "memory"); return x != 2; }\n', "c",
                        "an exclusive access of memory in which several ways meet"),
    "arm64-macro": ('int main(void) {\n__asm__(".macro skip\\nb 7f\\nnop\\n7:\\n.endm\\nskip");\nreturn 0; }\n', "c -g",
                    "program.c:2: in main: a jump that its assembly does not show"),
    "arm64-unknown": ('int main(void) {\n__asm__(".inst 0x04200000");\nreturn 0; }\n', "c -g", "program.c:2: in main: an unknown instruction"),
}

# A loop of which a turn takes one cycle: no counter in memory inside, and one line of the cache, whatever is before it.
TIGHT = """
void tight(int *keys, int n) {
    for (int i = 1; i < n; i++) {
        int key = keys[i], j = i - 1;
        for (; j >= 0 && keys[j] > key; j--)
            keys[j + 1] = keys[j];
        keys[j + 1] = key;
    }
}
"""
# Of this one the turns are known before it begins: nothing counts inside.
BOUNDED = """
int bounded(int i, int n) {
    int sum = 1;
    do
        sum = sum * 16777619 ^ i;
    while (++i < n);
    return sum;
}
"""
# Larger than a line: what is jumped to inside begins before the end of one, and ends there, too.
FORKED = """
extern int table[150][150], keys[150];
void forked(int i, int j) {
    for (int k = i + 1; k < j; k++)
        if (table[i][j] < table[i][k] + table[k + 1][j])
            table[i][j] = table[i][k] + table[k + 1][j] - keys[k] % 3;
}
"""
FAST = {"forked": "-O3", "forked-haswell": "-O2 -march=haswell", "bounded": "-O2", "bounded-PIC": "-O2 -fPIC", "tight": "-O2",
        "tight-O3": "-O3", "tight-haswell": "-O3 -march=haswell", "tight-PIC": "-O2 -fPIC"}

PROGRAM = "double x = 1; int main(void) { for (int i = 0; i < 9; i++) x = x * 0.5; return x > 9; }\n"
# Command lines of build systems: arguments, input, what is said; the last file is run, and has counters.
LINES = {
    "plain": ("gcc program.c -o out", "", ""),
    "input": ("gcc -xc - -o out", PROGRAM, ""),
    "pipe": ("gcc -pipe -O2 program.c -o out", "", ""),
    "two-steps": ("gcc -c program.c -o part.o; gcc part.o -o out", "", ""),
    "through-assembly": ("gcc -S program.c -o part.s; gcc -c part.s -o part.o; gcc part.o -o out", "", ""),
    "temporaries": ("gcc -save-temps program.c -o out", "", ""),
    "response": ("gcc @response -o out", "", ""),
    "launcher": ("env gcc program.c -o out", "", ""),
    "protected": ("gcc -O2 -fcf-protection=full -fstack-protector-all program.c -o out", "", ""),
    "mpicc": ("mpicc.openmpi -O2 program.c -o out", "", ""),
    "mpicc-mpich": ("mpicc.mpich -O2 program.c -o out", "", ""),
    "cc": ("cc -O2 program.c -o out", "", ""),
    "large-blocks": ("gcc -O2 long.c -o out", "", ""),
    "header": ("gcc -O2 header.h; gcc -O2 program.c -o out", "", ""),
    "group": ("g++ -O0 -c one.cc; g++ -O0 -c two.cc; g++ one.o two.o -o out", "", ""),
    "preprocessed": ("gcc -E program.c -o part.i; gcc part.i -o out", "", ""),
    "resolver": ("gcc -O2 -static resolver.c -o out", "", ""),
    "thread-local": ("gcc -O2 -fPIC thread.c -o out -pthread", "", ""),
    "flang": ("flang-new-19 -O2 program.f90 -o out", "", ""),
    "flang-steps": ("flang-new-19 -O2 -c program.f90 -o part.o; flang-new-19 part.o -o out", "", ""),
    "flang-16": ("flang-new-16 -flang-experimental-exec -O2 program.f90 -o out", "", ""),
    "other-processor": ("./riscv64-linux-gnu-gcc -c program.c -o out", "", "it compiles for another processor"),
    "other-order": ("./aarch64-linux-gnu-gcc -mbig-endian -c program.c -o out", "", "its bytes the other way round"),
    "linkers-code": ("clang -flto -c program.c -o out", "", "clang's -flto"),
}


def need(program):
    if shutil.which(program) is None:
        raise Skip(f"no {program}")


def is_cross(compiler, flags):
    return compiler.startswith(CROSS) or any(flag.startswith("--target=") for flag in flags)


def libraries_in(flags):
    """Behind what needs them, too."""
    return [flag for flag in flags if flag.startswith("-l")]


class Bench:
    seconds = 300  # that a program may take

    def __init__(self, options):
        self.build, self.source = pathlib.Path(options.build).resolve(), pathlib.Path(options.source).resolve()
        self.work = pathlib.Path(options.work).resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.tool = self.build / "src-c/counted/papi_counted"
        self.emulate = self.build / "src-c/emulator/launcher/papi_emulate"
        self.includes = [f"-I{self.source}/{folder}" for folder in ("src-c", "src-c/include", "tests/counted")]
        if not self.tool.exists():
            raise Skip("papi_counted is not built: no Capstone, or another processor")
        self.parts = {name: self.object(name) for name in ("counts", "marks_counted", "marks_emulated")}

    def run(self, command, **environment):
        return run(*command, status=0, cwd=self.work, timeout=self.seconds, env={**os.environ, "LC_ALL": "C", **environment})

    def object(self, name, compiler="gcc"):
        out = self.work / f"{compiler}.{name}.o"
        if not out.exists():
            self.run([compiler, "-O1", "-fPIC", "-D_GNU_SOURCE", *self.includes, "-c", self.file(name + ".c"), "-o", out])
        return out

    def part(self, name, cross):
        """A part of a program, for 64-bit Arm or this machine."""
        return self.object(name, CROSS + "gcc") if cross else self.parts[name]

    def execution(self, command, cross):
        emulator = ["qemu-aarch64", "-L", CROSS_ROOT] if cross else []
        return self.run([*emulator, *command], OMP_NUM_THREADS="1")

    def execute(self, program, cross):
        return self.execution([f"./{program}"], cross).stdout

    def file(self, name):
        return self.source / "tests/counted" / name

    def emulated(self, compiler, source, flags):
        need(compiler)
        cross = is_cross(compiler, flags)
        if cross:
            need(CROSS + "gcc")
        emulator = "qemu-aarch64" if cross else "qemu-x86_64"
        if shutil.which(emulator) is None or not list(self.build.glob("plugin/libpapi_emulator.so")):
            raise Skip(f"no {emulator}, or no plugin for it")
        libraries = self.build / "src-c"
        marks = [self.part("marks_page", cross)] if cross else [
            self.parts["marks_emulated"], f"-L{libraries}", "-lpapi", f"-Wl,-rpath,{libraries}"]
        self.run([compiler, *self.includes, *flags, self.file(source), *marks, *libraries_in(flags), "-o", "plain"])
        return self.run([self.emulate, "./plain"], OMP_NUM_THREADS="1").stdout

    def counted(self, compiler, source, flags, *options, **environment):
        cross = is_cross(compiler, flags)
        result = self.run([self.tool, *options, compiler, *self.includes, *flags, self.file(source), self.part("marks_counted", cross),
                           self.part("counts", cross), *libraries_in(flags), "-o", "counted"], **environment)
        if "papi_counted" in result.stderr:
            raise Failure(f"not all is counted:\n{result.stderr}")
        return self.execute("counted", cross)


def values(text):
    lines = [line.split() for line in text.splitlines()]
    return {(name, event): int(count) for name, event, count in lines}


def compare(name, emulated, counted, ignored=(), least=20):
    emulated, counted = values(emulated), values(counted)
    keys = [key for key in sorted({*emulated, *counted}) if key[1] not in ignored]
    differ = [key for key in keys if emulated.get(key, 0) != counted.get(key, 0)]
    print(f"{name}: {len(keys)} values, {len(differ)} differ")
    if len(emulated) < least:
        raise Failure(f"{name}: the emulator counted nothing")
    for key in differ[:10]:
        print(f"  {key}: {counted.get(key, 0)}, not {emulated.get(key, 0)}")
    if differ:
        raise Failure(f"{name}: {len(differ)} counts differ")


def flags_of(compiler, text):
    return text.split() + LOOPS.get(compiler, []) + ([] if compiler.startswith(("clang", "flang")) else UNALIGNED)


def check_exclusive(bench, name):
    """Between an exclusive load and its store nothing else is stored, as the compiler has it."""
    code = bench.run([CROSS + "objdump", "-d", "--no-show-raw-insn", "--disassemble=exclusive", "counted"]).stdout
    begun = pairs = 0
    for word in re.findall(r"^ *[0-9a-f]+:\t(\S+)", code, re.M):
        if begun and word.startswith(("str", "stp", "stur")):
            raise Failure(f"{name}: {word} between an exclusive load and its store")
        pairs += bool(re.match(r"stl?xr", word))
        begun = bool(re.match(r"lda?xr", word)) or (begun and not re.match(r"stl?xr|b$|ret", word))
    if pairs < 4:
        raise Failure(f"{name}: no exclusive stores")


def equal(bench, name):
    compiler, source, text, ignored = CASES[name]
    flags = flags_of(compiler, text)
    compare(name, bench.emulated(compiler, source, flags), bench.counted(compiler, source, flags), ignored)
    if source == ARM64 and "no-outline" in text and "lto" not in text:
        check_exclusive(bench, name)


def lacking():
    """Of what the plain blocks need, what this processor has not."""
    if os.uname().machine != "x86_64":
        return set()
    found = re.search(r"^flags\s*:(.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return {"avx2", "fma", "f16c", "bmi2", "adx", "movbe", "cx16"} - set(found[1].split())


def hand_made(bench, name):
    """What it counts is in a table beside each block. SVE is known to nobody, and counted as that."""
    compiler, text = BLOCKS[name]
    cross = compiler.startswith(CROSS)
    unknown = ["-DUNKNOWN_TOO"] if cross else []
    got = bench.emulated(compiler, "blocks.c", [*text.split(), *unknown])
    compare(f"{name}, emulated", bench.run([bench.emulate, "./plain", "wanted"]).stdout, got, least=600)
    if cross:
        got = bench.run([bench.emulate, "--cpu=max", "./plain"]).stdout
        compare(f"{name}, emulated with SVE", bench.run([bench.emulate, "--cpu=max", "./plain", "wanted"]).stdout, got, least=600)
        if "scalable UNKNOWN_INSTRUCTIONS" not in got:
            raise Failure(f"{name}: no SVE")
    elif lacking():
        print(f"SKIP: counted blocks need {' '.join(sorted(lacking()))}, which this processor has not")
        return
    got = bench.counted(compiler, "blocks.c", text.split())
    result = bench.execution(["./counted", "wanted"], cross)
    compare(f"{name}, counted", result.stdout, got, least=600)
    without = re.findall(r"no processor for (\S+)", result.stderr)
    if without:
        print(f"SKIP: this processor has not what these blocks need: {' '.join(without)}")


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


def results(bench, name):
    """Counted functions in the place of the compiler's library have its results; all of them are there."""
    compiler, *flags = RESULTS[name].split()
    need(compiler)
    options = [flag for flag in flags if flag.startswith("--")]
    flags = [flag for flag in flags if not flag.startswith("--")]
    cross, library = compiler.startswith(CROSS), "-shared" in flags
    source = [bench.file("arithmetic.c"), "-lm"]
    printed = []
    for out, tool in (("plain", []), ("counted", [bench.tool, *options])):
        if library:
            bench.run([*tool, compiler, *flags, "-Dmain=results", *source, "-o", f"{out}.so"])
            (bench.work / "main.c").write_text("int results(void); int main(void) { return results(); }\n")
            bench.run([compiler, "main.c", f"./{out}.so", "-o", out])
        else:
            bench.run([*tool, compiler, *flags, *source, "-o", out])
        printed.append(bench.execute(out, cross))
    print(name, printed[1])
    if printed[0] != printed[1] or len(printed[0].splitlines()) != 4:
        raise Failure(f"{name}: other results:\n{printed[0]}{printed[1]}")
    symbols = bench.run(["nm", "counted.so" if library else "counted"]).stdout
    if " recovered_of_doubles" not in symbols or re.search(r" U (__(mul|div)[sdx]c3|__powi[sdx]f2|sqrt[fl]?)\b", symbols):
        raise Failure(f"{name}: not the counted functions:\n{symbols}")


def outside(bench, name):
    """What does arithmetic and is not counted is named at the link, once, and by --report; else nothing is said."""
    command, kind, libraries, wanted = OUTSIDE[name]
    compiler, *flags = command.split()
    need(compiler)
    (bench.work / "program.c").write_text(USES[kind] if kind in USES else MAIN)
    (bench.work / "program.f90").write_text(USES[kind] if kind in USES else MAIN)
    source = "program.f90" if "fortran" in compiler or "flang" in compiler else "program.c"
    said = bench.run([bench.tool, compiler, *flags, source, *libraries.split(), "-o", "program"]).stderr
    print(name, said)
    expected = "".join(f"papi_counted: program calls functions whose arithmetic is not counted: {text}\n" for text in wanted[:1])
    if re.sub(r"(lib\w+)[.]so[.][0-9]+", r"\1", said) != expected:
        raise Failure(f"{name}: said {said!r}, not {expected!r}")
    report = bench.run([bench.tool, "--report", "program"]).stdout.splitlines()
    print("\n".join(report))
    listed = [re.sub(r"(lib\w+)[.]so[.][0-9]+", r"\1", line) for line in report[1:]]
    heading = "functions whose arithmetic is not counted:" + ("" if wanted else " none that are known")
    if not re.fullmatch("blocks that count themselves: [1-9][0-9]*", report[0]) or listed != [
            heading, *(f"  {text}" for line in wanted for text in line.split("; "))]:
        raise Failure(f"{name}: reported {report}")


def libraries_of(bench, compiler):
    """One with slots of threads, one with slots of the process, and one whose link does not say that it is one."""
    source = bench.file("library.c")
    bench.run([bench.tool, compiler, "-O2", "-fPIC", "-shared", source, "-o", "library.so"])
    bench.run([bench.tool, "--shared-by-threads", compiler, "-O2", "-fPIC", "-shared", source, "-o", "library_process.so"])
    bench.run([bench.tool, compiler, "-O2", "-fPIC", "-c", source, "-o", "library.o"])
    bench.run([bench.tool, compiler, "library.o", "-Wl,-shared", "-no-pie", "-nostartfiles", "-o", "library_unsaid.so"])
    if shutil.which("ld.lld") and not compiler.startswith(CROSS): # which lacks what Arm's tables need
        bench.run([bench.tool, compiler, "-O2", "-fPIC", "-shared", "-fuse-ld=lld", source, "-o", "library_lld.so"])
    for library in map(str, bench.work.glob("library*.so")):
        if "NODELETE" not in bench.run(["readelf", "-d", library]).stdout:
            raise Failure(f"{library} would be unloaded, and its counts with it")
    return "./library.so", "./library_process.so", "./library_unsaid.so"


def clangs_library():
    """clang's options for the C++ library of 64-bit Arm, whose headers are those of this machine."""
    library = pathlib.Path(CROSS_ROOT, "lib/libstdc++.so.6")
    searched = subprocess.run(["g++", "-xc++", "-E", "-v", "/dev/null"], capture_output=True, text=True, check=False).stderr
    headers = re.findall(r"^ (/\S*c\+\+\S*)$", searched, re.M)
    if not library.exists() or not headers:
        raise Skip("no C++ library of 64-bit Arm")
    system = [f"-isystem{header}" for header in [*headers, f"{CROSS_ROOT}/include"]]
    return ["-nostdinc++", *system, "-nostdlib++", "-Wno-unused-command-line-argument"], [library, "-lm"]


def ways(bench, name):
    compiler, *flags = WAYS[name].split()
    need(compiler)
    cross = name.startswith("arm64")
    options, added = clangs_library() if cross and compiler.startswith("clang") else ([], [])
    counts = bench.part("counts", cross)
    result = bench.run([bench.tool, compiler, *flags, *options, *bench.includes, bench.file("ways.cc"), "-xnone", counts, "-o", "ways",
                        *added, "-pthread", "-ldl"])
    if "papi_counted:" in result.stderr:
        raise Failure(f"not all is counted:\n{result.stderr}")
    static = "-static" in flags  # loads no libraries
    plain = CROSS + "gcc" if cross else compiler.replace("++", "cc" if compiler == "g++" else "")
    libraries = () if static else libraries_of(bench, plain)
    executes = () if cross else ("executes",)
    emulator = ["qemu-aarch64", "-L", CROSS_ROOT] if cross else []
    print(name, bench.run([*emulator, "./ways", "exceptions", "jumps", "contexts", "threads", "forks", "signals", *executes,
                           *libraries]).stdout)
    for _ in range(20 if name == "ways-O2" else 0):
        bench.run(["./ways", "threads"])


def refused(bench, name):
    text, suffix, said = REFUSED[name]
    suffix, *flags = suffix.split()
    (bench.work / f"program.{suffix}").write_text(text)
    cross = name.startswith("arm64")
    compiler = CROSS + "gcc" if cross else "gcc"
    need(compiler)
    result = bench.run([bench.tool, compiler, "-O1", *flags, f"program.{suffix}", "-o", "program"])
    print(name, result.stderr)
    if said not in result.stderr or (result.stderr != "") != (said != ""):
        raise Failure(f"{name}: not said: {said}")
    if name != "arm64-unknown":  # which QEMU does not know either
        bench.execute("program", cross)


def innermost(code):
    """The smallest loop of a function's disassembly: addresses and texts."""
    lines = [(int(match[1], 16), match[2]) for match in re.finditer(r"^ *([0-9a-f]+):\t([^\n]*)", code, re.M)]
    loops = []
    for address, text in lines:
        jump = re.match(r"j\S+ +([0-9a-f]+)", text)
        if jump and int(jump[1], 16) <= address:
            loops.append([(at, what) for at, what in lines if int(jump[1], 16) <= at <= address])
    return min(loops, key=len)


def check_targets(name, loop):
    for _, text in loop:
        jump = re.match(r"j\S+ +([0-9a-f]+)", text)
        for (at, what), (behind, _) in zip(loop, loop[1:]):
            if jump and int(jump[1], 16) == at and at // 64 != (behind - 1) // 64:
                raise Failure(f"{name}: {what}, which is jumped to, is in two lines of the cache")


def tight(bench, name):
    function = name.split("-")[0]
    program = {"bounded": BOUNDED, "forked": FORKED}.get(function, TIGHT)
    for shift in range(0, 64, 8):
        (bench.work / "program.c").write_text(f'__asm__(".p2align 6\\n.skip {shift}");' + program)
        bench.run([bench.tool, "gcc", *FAST[name].split(), "-fno-toplevel-reorder", "-c", "program.c", "-o", "program.o"])
        loop = innermost(bench.run(["objdump", "-d", "--no-show-raw-insn", "program.o"]).stdout)
        text = "\n".join(f"{at:x} {what}" for at, what in loop)
        print(f"{name}, {shift} bytes on:\n{text}")
        if "%fs" in text or "gottpoff" in text:
            raise Failure(f"{name}: a counter in memory")
        if function == "bounded" and re.search(r"paddq|lea +0x1\(", text):
            raise Failure(f"{name}: a counter in a register")
        check_targets(name, loop)
        if function != "forked" and loop[0][0] // 64 != loop[-1][0] // 64:
            raise Failure(f"{name}: two lines of the cache")


def line(bench, name):
    commands, given, said = LINES[name]
    (bench.work / "program.c").write_text(PROGRAM)
    (bench.work / "long.c").write_text("double x; int main(void) { " + "x = x * 0.5;\n" * 5000 + "return x > 9; }\n")
    (bench.work / "resolver.c").write_text('__attribute__((target_clones("default", "avx2"))) int twice(int x) { return 2 * x; }\n'
                                           "int main(void) { return twice(21) != 42; }\n")
    (bench.work / "thread.c").write_text("__thread double x, y; __attribute__((noinline)) void f(void) { x += 1; }\n"
                                         "int main(void) { f(); y = x; f(); y += x; f(); return y != 3 || x != 3; }\n")
    (bench.work / "program.f90").write_text("program p\nreal(8) :: x(99), s\ninteger :: i\nx = 1.5d0\ns = 0\ndo i = 1, 99\n"
                                            "if (s > 40) s = s - 7\ns = s + x(i) * 0.5d0\nend do\nif (s < 1) stop 1\nend program\n")
    (bench.work / "header.h").write_text("int f(void);\n")
    (bench.work / "inline.h").write_text("template <class T> T sum(T n) { T s = 0; for (T i = 0; i < n; i++) s += i; return s; }\n"
                                         "inline int twice(int n) { static int calls; for (int i = 0; i < n; i++) calls++; return calls; }\n")
    (bench.work / "one.cc").write_text('#include "inline.h"\nint two(); int main() { return sum(4) + twice(3) + two() != 6 + 3 + 6 + 8; }\n')
    (bench.work / "two.cc").write_text('#include "inline.h"\nint two() { return sum(4) + twice(5); }\n')
    (bench.work / "response").write_text("-O2 'program.c'\n")
    for other in ("riscv64", "aarch64"): # which only have to be there
        compiler = bench.work / f"{other}-linux-gnu-gcc"
        compiler.write_text("#!/bin/sh\nexit 0\n")
        compiler.chmod(0o755)
    if not commands.startswith("./"):
        need(commands.split()[0])
    errors = ""
    for command in commands.split("; "):
        result = subprocess.run([bench.tool, *command.split()], cwd=bench.work, input=given, capture_output=True, text=True,
                                env={**os.environ, "LC_ALL": "C"}, check=False)
        errors += result.stderr
        if result.returncode != 0:
            raise Failure(f"{name}: status {result.returncode}: {result.stderr}")
    print(name, errors)
    if said not in errors or (errors != "") != (said != ""):
        raise Failure(f"{name}: said {errors!r}")
    if said == "":
        bench.run(["./out"])
        bench.run([bench.build / "src-c/libexec/papi/counted/papi_counted_weigh", "out"])
        tables = re.search(r" papi_counted_units +PROGBITS +\S+ +\S+ +(\S+)", bench.run(["readelf", "-SW", "out"]).stdout)
        if tables is None or int(tables[1], 16) < 100:
            raise Failure(f"{name}: no counters")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    runs = {**{name: equal for name in CASES}, **{name: form for name in FORMS}, **{name: ways for name in WAYS}, **{name: hand_made for name in BLOCKS},
            **{name: refused for name in REFUSED}, **{name: tight for name in FAST}, **{name: results for name in RESULTS}, **{name: outside for name in OUTSIDE}, **{name: line for name in LINES}}
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
