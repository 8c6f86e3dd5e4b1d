#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""active.py FUNCTIONS.TAB PAPI.H SOURCE...: which of the programs this library can build.

A program is active if the binding table has every PAPI_ and PAPIF_ function that it names and papi.h
every PAPI_ type. One line a program: "NAME active", or "NAME lacks ITEM...".
"""
import os
import re
import sys

C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
C_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FORTRAN_COMMENT = re.compile(r"^[Cc*][^\n]*|![^\n]*", re.M)
C_NAME = re.compile(r"\b(PAPI_[a-z][a-z0-9_]*)\b")
FORTRAN_NAME = re.compile(r"\bpapif_[a-z0-9_]+\b", re.I)


def offered(table, header):
    """The functions of the table, C and Fortran, the types of the header and its constants for Fortran."""
    names = set()
    with open(table) as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")]
            if line.startswith("#") or len(cells) != 6:
                continue
            names.add(cells[0])
            names.add(cells[3].split("(")[0].lower())
            names.update(flag[len("generic="):].lower() for flag in cells[4].split() if flag.startswith("generic="))
    with open(header) as file:
        text = C_COMMENT.sub(" ", file.read())
    names.update(name for name in C_NAME.findall(text) if name.endswith(("_t", "_e")))
    names.update(name.lower() for name in re.findall(r"#define (PAPIF_\w+)", text))
    return names


def wanted(source):
    with open(source) as file:
        text = file.read()
    if source.endswith(".c"):
        return set(C_NAME.findall(C_STRING.sub(" ", C_COMMENT.sub(" ", text))))
    return {name.lower() for name in FORTRAN_NAME.findall(FORTRAN_COMMENT.sub(" ", text))}


def main():
    table, header, *sources = sys.argv[1:]
    have = offered(table, header)
    for source in sources:
        missing = sorted(wanted(source) - have)
        name = os.path.basename(source).replace(".", "_")
        print(name, *(["lacks"] + missing if missing else ["active"]))


main()
