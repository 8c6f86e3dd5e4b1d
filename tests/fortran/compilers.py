#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compilers.py CASE FC MODULE HEADERS LIBDIR CC INCLUDE: the module and the headers with other options and compilers.

CASE is "standards": FC, of GNU, with the standards and with other default kinds; or "other": each other
Fortran compiler that is installed, the tests of the module among what it compiles and runs.
MODULE is the source of the module, HEADERS the folder of the three headers, LIBDIR that of libpapi.so,
INCLUDE that of papi.h.
Status: 0 passed, 1 failed, 77 skipped.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import header_calls

HERE = os.path.dirname(os.path.abspath(__file__))
# The header, the line that brings in its constants, and the file's name.
FIXED = [("fpapi.h", '#include "fpapi.h"', "f.F"), ("f77papi.h", "      INCLUDE 'f77papi.h'", "f.f"),
         ("f77papi.h", "      INCLUDE 'f77papi.h'", "f.F")]
FREE = [("fpapi.h", '#include "fpapi.h"', "f.F90"), ("f77papi.h", "      INCLUDE 'f77papi.h'", "f.f90"),
        ("f90papi.h", "      INCLUDE 'f90papi.h'", "f.f90"), ("f90papi.h", "      INCLUDE 'f90papi.h'", "f.F90")]
HEADER_PROGRAM = """%s
      PROGRAM P
      IMPLICIT NONE
%s
      INTEGER ES, CHECK, CODES(2)
      DATA CODES /PAPI_TOT_INS, PAPI_TOT_CYC/
      INTEGER*8 VALUES(2)
      ES = PAPI_NULL
      CHECK = PAPI_VER_CURRENT
      CALL PAPIF_LIBRARY_INIT(CHECK)
      IF (CHECK .NE. PAPI_VER_CURRENT) STOP 1
      CALL PAPIF_CREATE_EVENTSET(ES, CHECK)
      IF (CHECK .NE. PAPI_OK) STOP 2
      IF (CODES(1) .NE. PAPI_TOT_INS) STOP 3
      CALL PAPIF_READ(ES, VALUES, CHECK)
      IF (IAND(CODES(2), PAPI_L1_DCM) .NE. PAPI_PRESET_MASK) STOP 4
      CALL PAPIF_DESTROY_EVENTSET(ES, CHECK)
      IF (CHECK .NE. PAPI_OK) STOP 5
      END
"""
F95_PROGRAM = """      PROGRAM P
      IMPLICIT NONE
      INCLUDE 'f77papi.h'
      INTEGER CHECK
      CHECK = PAPI_VER_CURRENT
      CALL PAPIF_LIBRARY_INIT(CHECK)
      IF (CHECK .NE. PAPI_VER_CURRENT) STOP 1
      END
"""
# The smallest integer of a kind is outside what the standard promises; preset codes need it.
SMALLEST = re.compile(r"Integer outside symmetric range")
EXPERIMENTAL = "-flang-experimental-exec"
failures = []


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return done.returncode, done.stdout.decode(errors="replace")


def check(ok, what, said=""):
    print(("ok: " if ok else "FAIL: ") + what)
    if not ok:
        failures.append(what)
        print(said)


def compiles(what, *command):
    status, said = run(*command)
    check(status == 0, what, said)
    return status == 0


def header_source(folder, line, name):
    path = os.path.join(folder, name)
    first, inside = (line, "") if line.startswith("#") else ("", line)
    with open(path, "w") as out:
        out.write(HEADER_PROGRAM % (first, inside))
    return path


def headers(compiler, include, folder, options, link):
    """Each header in both forms; what is linked is run, too."""
    for form, cases in (("fixed", FIXED), ("free", FREE)):
        for header, line, name in cases:
            source = header_source(folder, line, name)
            what = "%s %s: %s in %s form (%s)" % (os.path.basename(compiler), " ".join(options), header, form, name)
            program = os.path.join(folder, "program")
            if compiles(what, compiler, *options, "-I", include, source, *(link or ["-fsyntax-only"]),
                        *(["-o", program] if link else [])) and link:
                status, said = run(program)
                check(status == 0, what + ", run: status %d" % status, said)


def linked(folder):
    return ["-L" + folder, "-lpapi", "-Wl,-rpath," + folder]


def standards(compiler, module, include, library, *_):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where modules go
        for standard in ("f2008", "f2018"):  # of GNU is the build
            status, said = run(compiler, "-std=" + standard, "-pedantic", "-Wall", "-Wextra", "-Wc-binding-type", "-J",
                               folder, "-c", module, "-o", os.path.join(folder, "papi.o"))
            found = [line for line in re.findall(r"^(?:Warning|Error): .*", said, re.M) if not SMALLEST.search(line)]
            check(status == 0 and not found, "the module with -std=%s -pedantic" % standard, said)
        headers(compiler, include, folder, ["-Wall", "-Wno-unused-parameter", "-Werror"], linked(library))
        headers(compiler, include, folder, ["-fdefault-real-8"], None)
        kinds(compiler, module, folder, library)
        fortran_95(compiler, include, folder)
        interfaces(compiler, include, folder, "-fdefault-real-8")
        integer8(compiler, include, folder, library, os.path.join(folder, "papi.o"))


INTEGER8 = "-fdefault-integer-8"


def integer8(compiler, include, folder, library, module=None):
    """With default integers of 8 bytes the headers refuse, those of the folder integer8 and the module fit. module: the
    object of the module, which was made in the folder."""
    name = os.path.basename(compiler)
    for header, line, file in FIXED + FREE:
        if header == "fpapi.h":
            continue  # test integer8_refused
        source = header_source(folder, line, file)
        status, said = run(compiler, INTEGER8, "-I", include, "-fsyntax-only", source)
        check(status != 0 and "integer8" in said.lower(), "%s: %s of the wrong folder is refused in %s" % (name, header, file), said)
    source = os.path.join(folder, "calls.F")
    for declared, wanted in (("INTEGER", True), ("INTEGER*4", False)):
        with open(source, "w") as out:
            out.write(header_calls.CHECK_DECLARED % declared)
        status, said = run(compiler, INTEGER8, "-DPAPI_I8", "-DPAPI_INTERFACES", "-I", include, "-fsyntax-only", source)
        check((status == 0) == wanted, "%s: PAPI_I8 and PAPI_INTERFACES, %s CHECK" % (name, declared), said)
    source, program = os.path.join(HERE, "old_integer8.F"), os.path.join(folder, "program")
    cases = [(source, ["-DUSE_" + way, "-I", os.path.join(include, "integer8")]) for way in ("cpp", "f77", "f90")]
    cases.append((source, ["-DUSE_cpp", "-DPAPI_I8", "-I", include]))
    if module:
        cases.append((os.path.join(HERE, "integer8.f90"), ["-I", folder, module]))
    for source, options in cases:
        what = "%s: integers of 8 bytes, %s %s" % (name, os.path.basename(source), options[0])
        if compiles(what, compiler, INTEGER8, source, *options, *linked(library), "-o", program):
            status, said = run(program)
            check(status in (0, 77), what + ", run: status %d" % status, said)


def interfaces(compiler, include, folder, *options):
    """The headers refuse wrong calls where they have interfaces, and take what they always took."""
    for line, suffix, below, defined, n_wrong in header_calls.WAYS:
        wrong = []
        source = os.path.join(folder, "calls" + suffix)
        for name, text, refused in header_calls.programs(line, n_wrong):
            with open(source, "w") as out:
                out.write(text)
            status, said = run(compiler, *options, *defined, "-fsyntax-only", "-I", os.path.join(include, below), source)
            if (status != 0) != refused:
                wrong.append("%s: %s\n%s" % ("taken" if refused else "refused", name, said))
        what = " ".join([os.path.basename(compiler), *options, line.strip(), suffix, *defined, below])
        check(not wrong, "calls: " + what, "\n".join(wrong))


def fortran_95(compiler, include, folder):
    for name in ("n.f", "n.f90"):
        source = os.path.join(folder, name)
        with open(source, "w") as out:
            out.write(F95_PROGRAM)
        status, said = run(compiler, "-std=f95", "-pedantic", "-Wall", "-Wno-unused-parameter", "-fsyntax-only", "-I", include,
                           source)
        found = [line for line in re.findall(r"^(?:Warning|Error): .*", said, re.M) if not SMALLEST.search(line)]
        check(status == 0 and not found, "f77papi.h in %s with -std=f95 -pedantic" % name, said)


KINDS = """program p
  use papi
  implicit none
  type(papi_event_set) :: set
  %s :: check
  call set%%start(check)
  if (check /= PAPI_ENOEVST .and. check /= PAPI_ENOINIT) stop 1
  call PAPIF_start(PAPI_NULL, check)
  if (check /= PAPI_ENOINIT) stop 2
end program p
"""


def kinds(compiler, module, folder, library):
    """With -fdefault-integer-8 the module's objects keep the kinds of C: programs that declare those still work, the
    default integer is refused by the compiler, never taken for another."""
    source, program = os.path.join(folder, "k.f90"), os.path.join(folder, "k")
    every = (["-fdefault-integer-8"], ["-fdefault-real-8"], ["-fdefault-integer-8", "-fdefault-real-8"])
    objects = os.path.join(folder, "papi.o")
    for module_options in ([], *every):
        if not compiles("the module with %s" % " ".join(module_options or ["its own kinds"]), compiler,
                        *module_options, "-J", folder, "-c", module, "-o", objects):
            continue
        for options in [module_options] if module_options else every:
            for kind, wanted in (("integer(kind(PAPI_OK))", True), ("integer", "-fdefault-integer-8" not in options)):
                with open(source, "w") as out:
                    out.write(KINDS % kind)
                status, said = run(compiler, *options, "-I", folder, source, objects, *linked(library), "-o", program)
                what = "%s :: check with %s" % (kind, " ".join(options))
                check((status == 0) == wanted, what + (" is taken" if wanted else " is refused"), said)
                if status == 0:
                    check(run(program)[0] == 0, what + ", run")


def other_compilers():
    """Names under which other compilers are installed, one for each program."""
    names = ["flang", "flang-new", "lfortran", "nagfor", "ifx", "nvfortran"]
    found = [shutil.which(name) for name in names]
    found += sorted(f for d in os.get_exec_path() for f in glob.glob(d + "/flang-new-[0-9]*") + glob.glob(d + "/flang-[0-9]*")
                    if re.search(r"-[0-9]+$", f))
    programs = {os.path.realpath(f): f for f in found if f}
    return list(programs.values())


def can_link(compiler, folder, *options):
    """Not all make programs: flang-new of LLVM 16 does so only when asked, and knows no polymorphism then."""
    source = os.path.join(folder, "e.f90")
    with open(source, "w") as out:
        out.write("print *, 'x'\nend\n")
    status, _ = run(compiler, *options, source, "-o", os.path.join(folder, "e"))
    return status == 0 and run(os.path.join(folder, "e"))[0] == 0


def one_other(compiler, module, include, library, cc, c_include):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where every compiler puts and finds modules
        link = can_link(compiler, folder)
        name = os.path.basename(compiler)
        print("-- %s %s" % (compiler, "" if link else "(the module's syntax only: it links no program here)"))
        tests = [os.path.join(HERE, f + ".f90") for f in ("event_sets", "information", "strings")]
        structures = os.path.join(HERE, "structures.c")
        compiles(name + ": C's part of information.f90", cc, "-I" + c_include, "-c", structures, "-o", "structures.o")
        if not link:
            for source in [module, os.path.join(HERE, "checks.f90")] + tests:
                compiles("%s: %s" % (name, os.path.basename(source)), compiler, "-fsyntax-only", source)
        elif compiles(name + ": the module", compiler, "-c", module, "-o", "papi.o"):
            for source in tests:
                if compiles("%s: %s" % (name, os.path.basename(source)), compiler, os.path.join(HERE, "checks.f90"),
                            source, "structures.o", "papi.o", *linked(library), "-o", "program"):
                    status, said = run("./program")
                    check(status in (0, 77), "%s: %s, run" % (name, os.path.basename(source)), said)
            integer8(compiler, include, folder, library, "papi.o")
        interfaces(compiler, include, folder)
        options = [] if link or not can_link(compiler, folder, EXPERIMENTAL) else [EXPERIMENTAL]
        headers(compiler, include, folder, options, linked(library) if link or options else [])


def main():
    case, *settings = sys.argv[1:]
    if case == "standards":
        standards(*settings)
    else:
        found = other_compilers()
        if not found:
            print("SKIP: no other Fortran compiler is installed (Debian: flang-19)")
            sys.exit(77)
        for compiler in found:
            one_other(compiler, *settings[1:])
    print("%d failures" % len(failures))
    sys.exit(1 if failures else 0)


main()
