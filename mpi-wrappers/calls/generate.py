#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the C sources of the MPI calls from calls.tab.

  generate.py calls.tab calls.h FILE    enum call, enum call_class
  generate.py calls.tab calls.c FILE    their names
  generate.py mpi.i mpi_now.h FILE      mpi.h whose PMPI_ functions are looked up when they are called;
                                        mpi.i is mpi.h behind the preprocessor
"""
import re
import sys

LICENSE = "/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by generate.py from calls.tab. */\n"


def rows(path):
    found = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 2 or not words[1].startswith("MPI_"):
                sys.exit(f"{path}:{number}: not a class and a name: {line.strip()}")
            found.append((words[0], words[1]))
    if not found:
        sys.exit(f"{path}: no row matched")
    return found


def identifier(text):
    return text.replace("-", "_").upper()


def classes(table):
    return list(dict.fromkeys(kind for kind, _ in table))


def header(table):
    lines = [LICENSE, "#ifndef PAPI_MPI_CALLS_H", "#define PAPI_MPI_CALLS_H", "",
             "/* Which calls there are, in the order of the table; CALL_COUNT is how many. */", "enum call {"]
    lines += [f"    CALL_{identifier(name[4:])}," for _, name in table]
    lines += ["    CALL_COUNT", "};", "", "enum call_class {"]
    lines += [f"    CALLS_{identifier(kind)}," for kind in classes(table)]
    lines += ["    CLASS_COUNT", "};", "", "extern const char *const call_name[CALL_COUNT]; /* \"MPI_Send\" */",
              "extern const unsigned char call_class[CALL_COUNT];",
              "extern const char *const class_name[CLASS_COUNT]; /* \"point-to-point\" */", "", "#endif", ""]
    return "\n".join(lines)


def source(table):
    lines = [LICENSE, '#include "calls/calls.h"', "", "const char *const call_name[CALL_COUNT] = {"]
    lines += [f'    "{name}",' for _, name in table]
    lines += ["};", "", "const unsigned char call_class[CALL_COUNT] = {"]
    lines += [f"    CALLS_{identifier(kind)}," for kind, _ in table]
    lines += ["};", "", "const char *const class_name[CLASS_COUNT] = {"]
    lines += [f'    "{kind}",' for kind in classes(table)]
    lines += ["};", ""]
    return "\n".join(lines)


def late(path):
    """Nothing of MPI is referenced by name: see calls/symbols.h."""
    with open(path, encoding="utf-8") as file:
        found = sorted(set(re.findall(r"\bPMPI_\w+(?=\s*\()", file.read())))
    if not found:
        sys.exit(f"{path}: declares no function PMPI_x")
    lines = [LICENSE, "#ifndef PAPI_MPI_NOW_H", "#define PAPI_MPI_NOW_H", "", '#include "calls/symbols.h"', "",
             "#include <mpi.h>", "",
             "/* Open MPI's predefined handles are addresses of objects. */", "#ifdef OMPI_PREDEFINED_GLOBAL",
             "#undef OMPI_PREDEFINED_GLOBAL",
             "#define OMPI_PREDEFINED_GLOBAL(type, object) ((type)mpi_symbol(#object))", "#endif", ""]
    lines += [f'#define {name} ((__typeof__(&{name}))mpi_symbol("{name}"))' for name in found]
    return "\n".join(lines + ["", "#endif", ""])


def main():
    table, kind, path = sys.argv[1:]
    text = late(table) if kind == "mpi_now.h" else {"calls.h": header, "calls.c": source}[kind](rows(table))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


main()
