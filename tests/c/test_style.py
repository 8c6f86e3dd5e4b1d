#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_style.py SOURCE [--mend]: what every C file of the tree has in common, as far as a script can hold it.

- clang-format leaves the file as it is (where it is installed, in the version that CONTRIBUTING.md names);
- no blank line between a function's first declarations and what follows them;
- a header begins with #pragma once, unless it is installed;
- a ruler before a section is "/* ---- what it has */";
With --mend it writes the files as they should be.
"""
import pathlib
import re
import shutil
import subprocess
import sys

PARTS = ["src-c", "fpapi", "src-fortran", "mpi-wrappers", "presets", "examples", "bench", "tests", "sde"]
INSTALLED = {"papi.h", "papiStdEventDefs.h", "papi_bench.h", "sde_lib.h"}
FORMAT_VERSION = "14."
GUARD = re.compile(r"(\A(?:/\*.*?\*/\n)?)#ifndef (\w+)\n#define \2\n(.*)\n+#endif[^\n]*\n*\Z", re.S)
RULER = re.compile(r"^/\* -(?:-{1,2}|-{4,}) (?=\S)", re.M)
PRAGMA = re.compile(r"(?:/\*.*?\*/\n)?#pragma once\n", re.S)
DECLARATION = re.compile(
    r"    (?!return\b|goto\b|else\b|case\b|break\b|continue\b|typedef\b)"
    r"(?:[A-Za-z_]\w*\s+)+[\s*]*\w+(?:\[[^\]]*\])*(?: = [^;]*)?(?:, \**\w+(?:\[[^\]]*\])*(?: = [^;,]*)?)*;")
# A list in a comment whose rows were folded into a paragraph: "all the same PAPI_PRECISE     how near".
FOLDED = re.compile(r"^ \* \S.*\w {2,}\S", re.M)


def sources(root):
    return sorted(path for part in PARTS for path in pathlib.Path(root, part).rglob("*.[ch]"))


def without_blank_lines(text):
    """The text without the blank lines that follow the first declarations of a function."""
    lines, out, i = text.split("\n"), [], 0
    while i < len(lines):
        out.append(lines[i])
        i += 1
        if out[-1] != "{":
            continue
        first = i
        while i < len(lines) and DECLARATION.match(lines[i]):
            out.append(lines[i])
            i += 1
        if i > first and i < len(lines) and lines[i] == "":
            i += 1
    return "\n".join(out)


def badly_formatted(files, mend):
    format_command = shutil.which("clang-format")
    if format_command is None:
        return None
    version = subprocess.run([format_command, "--version"], text=True, stdout=subprocess.PIPE, check=True).stdout
    if f"version {FORMAT_VERSION}" not in version:
        return None
    if mend:
        subprocess.run([format_command, "-i", *files], check=True)
    said = subprocess.run([format_command, "--dry-run", *files], text=True, stderr=subprocess.PIPE, check=True).stderr
    return sorted({line.split(":")[0] for line in said.splitlines() if "[-Wclang-format-violations]" in line})


def main():
    root, mend = sys.argv[1], "--mend" in sys.argv
    files = sources(root)
    problems = []
    for path in files:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        header = path.suffix == ".h" and path.name not in INSTALLED
        mended = without_blank_lines(RULER.sub("/* ---- ", text))
        if header and mend:
            mended = GUARD.sub(r"\1#pragma once\n\3", mended)
        if mended != text and mend:
            path.write_text(mended, encoding="utf-8", errors="surrogateescape")
        elif mended != text:
            problems.append(f"{path}: a blank line after the first declarations of a function, or another ruler than /* ---- */")
        if header and not PRAGMA.match(mended):
            problems.append(f"{path}: no #pragma once after the licence")
    unformatted = badly_formatted(files, mend)
    if unformatted is None:
        print(f"skipped: the form of the files: clang-format {FORMAT_VERSION}x is not installed")
    problems += [f"{path}: clang-format would change it" for path in unformatted or []]
    for path in files:  # clang-format may have folded them
        for folded in FOLDED.findall(path.read_text(encoding="utf-8", errors="surrogateescape")):
            problems.append(f"{path}: rows of a list run into each other: {folded[3:]}")
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    if problems:
        print(f"{sys.argv[0]} {root} --mend mends them")
    return 1 if problems or not files else 0


sys.exit(main())
