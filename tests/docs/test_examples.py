#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The programs in the documents, and the names that the documents use.

  test_examples.py run SETTINGS.json FILE.md    compiles and runs the blocks marked "complete"
  test_examples.py names SETTINGS.json          every PAPI name in the blocks and the text exists

A block is marked after its language: ```fortran complete [WORD...], ```c complete [WORD...]. The words:

  fixed                 Fortran of fixed form, through the preprocessor
  openmp, integer8      compiled with -fopenmp, with -fdefault-integer-8
  mpi                   compiled with mpif90 or mpicc and run as two ranks, MPICH's where they have a name of their own;
                        only compiled where there is no mpirun
  emulate               run under papi_emulate too, where that works, and there it must count
  sde                   linked with libsde
  compile               not run
  name=FILE             the source is called FILE; a later block may say with=FILE to be linked with it

A program passes with status 0, or with 77 where nothing of what it counts counts here. The block "```output"
after it is what it prints under papi_emulate (or, without that word, natively): "..." stands for anything.
"""
import json
import os
import re
import shutil
import subprocess
import sys

SETTINGS = json.load(open(sys.argv[2]))
SOURCE, WORK = SETTINGS["source"], SETTINGS["work"]
sys.path.insert(0, os.path.join(SOURCE, "fpapi"))
from generator import table  # noqa: E402

NOTHING_COUNTS = 77
EMULATOR_ERRORS = (125, 126, 127)
FENCE = re.compile(r"^```(.*)$")
# Calls and types of the interface: not the constants, which preprocessors and compilers find.
NAME = re.compile(r"\b(?:PAPIF?_|papif?_)\w+\b", re.I)
# In the text: functions as the reference spells them.
FUNCTION = re.compile(r"\b(PAPIF?_[a-z]\w*)\b")


class Failed(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


class Block:
    def __init__(self, document, line, info):
        words = info.split()
        self.document, self.line = document, line
        self.language = words[0] if words else ""
        self.words = set(words[1:])
        self.options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        self.lines, self.output = [], None

    @property
    def complete(self):
        return "complete" in self.words and self.language in ("c", "fortran")

    def text(self):
        return "\n".join(self.lines) + "\n"

    def __str__(self):
        return f"{os.path.relpath(self.document, SOURCE)}:{self.line}"


def blocks(document):
    """The fenced blocks of a document; what a block prints is with it. Each fence is closed."""
    found, inside = [], None
    for number, line in enumerate(read(document).split("\n"), 1):
        fence = FENCE.match(line)
        if inside is None and fence:
            inside = Block(document, number, fence.group(1))
        elif inside is not None and fence:
            if inside.language == "output":
                found[-1].output = inside.lines
            else:
                found.append(inside)
            inside = None
        elif inside is not None:
            inside.lines.append(line)
    if inside is not None:
        raise Failed(f"{inside}: the block does not end")
    return found


def functions_in(path):
    functions = table.read(path)
    return {f.name for f in functions.functions} | {f.fortran_name for f in functions.with_fortran()}


def known_names():
    """The constants, functions, routines, and what module papi or the headers declare."""
    text = read(os.path.join(SETTINGS["include"], "papi.h")) + read(os.path.join(SETTINGS["include"], "papiStdEventDefs.h"))
    text += read(os.path.join(SETTINGS["generated"], "papi_bindings.f90"))
    text += read(os.path.join(SETTINGS["sde_include"], "sde_lib.h"))
    text += read(os.path.join(SETTINGS["sde_include"], "papi_sde.f90"))
    folder = os.path.join(SOURCE, "src-fortran")
    text += "".join(read(os.path.join(folder, f)) for f in os.listdir(folder) if f.lower().endswith(("90", ".inc")))
    # What papi.h only mentions in a comment is not a declaration.
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(NAME.findall(text)) | functions_in(os.path.join(SOURCE, "fpapi", "functions.tab"))


def missing(block, known):
    """The names in the program, outside of texts and comments, that are not there."""
    if block.language == "c":
        text = re.sub(r'"[^"\n]*"|/\*.*?\*/', "", block.text(), flags=re.S)
        return sorted(set(NAME.findall(text)) - known)
    text = re.sub(r'"[^"\n]*"|\'[^\'\n]*\'|!.*', "", block.text())
    small = {name.lower() for name in known}
    return sorted({name for name in NAME.findall(text) if name.lower() not in small})


# ---- compiling and running

def call(command, folder, seconds=120, **environment):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=seconds)
    return done.returncode, done.stdout, done.stderr


def source_file(block, folder):
    suffix = ".c" if block.language == "c" else ".F" if "fixed" in block.words else ".f90"
    path = os.path.join(folder, block.options.get("name", f"line{block.line}{suffix}"))
    with open(path, "w") as out:
        out.write(block.text())
    return path


def compiler(block):
    if "mpi" not in block.words:
        return [SETTINGS["C" if block.language == "c" else "Fortran"]]
    wrapper = of_mpi("mpicc" if block.language == "c" else "mpif90")
    return [wrapper] if wrapper else None


def of_mpi(tool):
    """Of the MPIs that Debian installs beside each other the same one each time: the bare name is any one's."""
    return shutil.which(tool + ".mpich") or shutil.which(tool)


def flags(block):
    found = ["-O1", "-Wall", "-Werror", "-I" + SETTINGS["include"]]
    if block.language == "fortran":
        found = ["-O1", "-I" + SETTINGS["modules"], "-I" + SETTINGS["generated"]]
        if SETTINGS["Fortran_id"] == "GNU":
            found += ["-Wall", "-Werror", "-Wno-unused-parameter", "-Wno-unused-dummy-argument", "-fcheck=all"]
            found += ["-cpp"] if "fixed" in block.words else []
            found += ["-fdefault-integer-8"] if "integer8" in block.words else []
    if "sde" in block.words:
        found += ["-I" + SETTINGS["sde_include" if block.language == "c" else "sde_modules"]]
    found += ["-fopenmp"] if "openmp" in block.words else []
    return found + (["-fsanitize=" + SETTINGS["sanitize"]] if SETTINGS["sanitize"] else [])


def compiled(block, folder):
    """The program, or None where its compiler is not here."""
    command = compiler(block)
    if command is None:
        return None
    source = source_file(block, folder)
    program = os.path.splitext(source)[0]
    others = [os.path.join(folder, block.options["with"])] if "with" in block.options else []
    command += flags(block) + others + [source]
    if "name" in block.options and block.language == "fortran" and not re.search(r"^\s*program\b", block.text(), re.I | re.M):
        command, program = command + ["-fsyntax-only"], None  # a part for another block
    else:
        library = os.path.dirname(SETTINGS["library"])
        command += ["-o", program]
        command += [SETTINGS["fortran_library"]] if block.language == "fortran" else []
        command += [SETTINGS["library"], "-Wl,-rpath," + library, "-lm"]
        if "sde" in block.words:
            command += [SETTINGS["sde_library"], "-Wl,-rpath," + os.path.dirname(SETTINGS["sde_library"])]
    status, out, err = call(command, folder)
    if status != 0:
        raise Failed(f"{block} does not compile\n{' '.join(command)}\n{out}{err}")
    return program


def launcher(block):
    if "mpi" not in block.words:
        return []
    mpirun = of_mpi("mpirun")
    return [mpirun, "-n", "2"] if mpirun else None


def compare(block, printed):
    """Line by line, whatever the number of blanks; "..." and the blanks beside it stand for anything."""
    said = [" ".join(line.split()) for line in printed.strip().split("\n")]
    wanted = [r" ?.* ?".join(re.escape(" ".join(piece.split())) for piece in line.split("...")) for line in block.output]
    if len(said) != len(wanted) or not all(map(re.fullmatch, wanted, said)):
        raise Failed(f"{block} prints\n{printed}and the document says\n" + "\n".join(block.output))


def run(block, program, folder):
    """What came of it: counted, nothing counts, emulated, ... A program that fails is an exception."""
    start = launcher(block)
    if start is None or "compile" in block.words:
        return "compiled"
    environment = {"OMP_NUM_THREADS": "2", "ASAN_OPTIONS": "detect_leaks=0", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_orte_tmpdir_base": str(folder)}
    status, out, err = call(start + [program], folder, **environment)
    if status not in (0, NOTHING_COUNTS):
        raise Failed(f"{block} ends with status {status}\n{out}{err}")
    result = "counted" if status == 0 else "nothing counts here"
    if "emulate" in block.words and SETTINGS["emulate"]:
        status, out, err = call([SETTINGS["emulate"]] + start + [program], folder, **environment)
        if status in EMULATOR_ERRORS:
            return result + ", no emulator"
        if status != 0:
            raise Failed(f"{block} ends with status {status} under papi_emulate\n{out}{err}")
        result = "counted in the emulator"
    if block.output is not None and result.startswith("counted"):
        if "emulate" not in block.words or result.endswith("emulator"):
            compare(block, out)
    return result


def case_run(document):
    known, done = known_names(), 0
    name = os.path.splitext(os.path.basename(document))[0]
    folder = os.path.join(WORK, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for block in blocks(document):
        if not block.complete:
            continue
        lacking = missing(block, known)
        if lacking:
            raise Failed(f"{block} uses {', '.join(lacking)}")
        program = compiled(block, folder)
        print(f"{block}:", "compiled" if program is None else run(block, program, folder), flush=True)
        done += 1
    if done == 0:
        raise Failed("no program in " + document)
    print(f"{done} programs")
    return 0


# ---- names

def documents():
    for folder in ("", "docs", "docs/man"):
        path = os.path.join(SOURCE, folder)
        yield from (os.path.join(path, f) for f in sorted(os.listdir(path)) if f.endswith(".md"))


def case_names():
    """A name of a function in a document is one of the interface."""
    known, wrong, seen = known_names(), [], 0
    for document in documents():
        blocks(document)
        for number, line in enumerate(read(document).split("\n"), 1):
            for name in FUNCTION.findall(line):
                seen += 1
                # PAPI_x stands for any; a C function that shares its name with a constant ends in _c in the module.
                if name in known or name.endswith(("_", "PAPI_x", "PAPIF_x")) or re.sub("_c$", "", name) in known:
                    continue
                wrong.append(f"{os.path.relpath(document, SOURCE)}:{number}: {name}")
    if wrong:
        raise Failed("no such functions:\n" + "\n".join(wrong))
    if seen < 100:
        raise Failed(f"only {seen} names were found")
    print(f"{seen} names")
    return 0


def main():
    try:
        return globals()["case_" + sys.argv[1]](*sys.argv[3:])
    except Failed as reason:
        print(f"FAILED: {reason}")
        return 1


sys.exit(main())
