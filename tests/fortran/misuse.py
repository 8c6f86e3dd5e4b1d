#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""misuse.py FC MODULE_DIR: calls that the compiler must refuse, each beside one that it must take."""
import os
import subprocess
import sys
import tempfile

PROGRAM = """program p
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use papi
  implicit none
  type(papi_event_set) :: set
  integer(int32) :: code, check, short(2)
  integer(int64) :: code8, check8, values(2), table(2, 2)
  real(real64) :: reals(2)
  code = 0
  code8 = 0
  values = 0
  %s
end program p
"""
PAIRS = [
    ("call set%add(code)", "call set%add(code8)"),
    ("call set%add([code])", "call set%add([code8])"),
    ("call set%add('PAPI_TOT_INS')", "call set%add(1.0)"),
    ("call set%remove(code)", "call set%remove(code8)"),
    ("call set%read(values)", "call set%read(short)"),
    ("call set%read(values)", "call set%read(reals)"),
    ("call set%read(values)", "call set%read(table)"),
    ("call set%read(code8)", "call set%read(code)"),
    ("call set%stop(code8, check)", "call set%stop(code, check)"),
    ("call set%accum(code8)", "call set%accum(reals(1))"),
    ("call set%write(code8)", "call set%write(code)"),
    ("call set%stop(values, check)", "call set%stop(values, check8)"),
    ("call set%start(check)", "call set%start(check8)"),
    ("call set%write(values)", "call set%write(short)"),
    ("call set%accum(values)", "call set%accum(short)"),
    ("code = set%count()", "code = set%es"),
    ("call PAPIF_start(code, check)", "call PAPIF_start(code8, check)"),
    ("call PAPIF_read(code, values, check)", "call PAPIF_read(code, short, check)"),
    ("call PAPIF_overflow(code, code, 1, 0, h, check)\ncontains\n  subroutine h(es, a, v, c) bind(C)\n"
     "    use, intrinsic :: iso_c_binding\n    integer(c_int), value :: es\n    type(c_ptr), value :: a, c\n"
     "    integer(c_long_long), value :: v\n  end subroutine h",
     "call PAPIF_overflow(code, code, 1, 0, h, check)\ncontains\n  subroutine h(es)\n    integer :: es\n"
     "  end subroutine h"),
    # What the modules under papi share with each other is not for programs.
    ("code = PAPI_OK", "code = library_ready()"),
]


def compiles(compiler, modules, folder, statement):
    source = os.path.join(folder, "p.f90")
    with open(source, "w") as out:
        out.write(PROGRAM % statement)
    done = subprocess.run([compiler, "-fsyntax-only", "-I", modules, source], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=folder)
    return done.returncode == 0, done.stdout.decode(errors="replace")


def main():
    compiler, modules = sys.argv[1:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for right, wrong in PAIRS:
            for statement, wanted in ((right, True), (wrong, False)):
                ok, said = compiles(compiler, modules, folder, statement)
                if ok != wanted:
                    failures += 1
                    print("FAIL: %s: %s\n%s" % ("refused" if wanted else "taken", statement, said))
    print("%d pairs, %d failures" % (len(PAIRS), failures))
    sys.exit(1 if failures else 0)


main()
