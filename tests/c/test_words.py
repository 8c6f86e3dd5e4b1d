#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_words.py ROOT: the words of the sources and documents.

Phrases that docs/glossary.md has under "Words that are not used" are nowhere, and comments of C begin with a noun or a
verb: those that begin with one of OPENINGS are counted by room. A room may have as many as ALLOWED says, which only
falls: one that has ten fewer, or none, is to get a lower number. Status 1: a finding.
"""
import pathlib
import re
import sys

TEXTS = (".c", ".h", ".hpp", ".def", ".py", ".f90", ".md", ".sh", ".js", ".css", ".cmake", ".txt", ".ini", ".in")
OPENING = re.compile(r"^\s*(?:/\*|//)!? ?(What|Whether|Of|Where|One|In|Those|How)\b", re.M)
ALLOWED = {
    "mpi-wrappers/calls": 19, "mpi-wrappers/entry": 5, "mpi-wrappers/job": 14, "mpi-wrappers/rank": 24,
    "mpi-wrappers/record": 4, "mpi-wrappers/report": 23,
}


PARTS = ("src-c", "src-fortran", "fpapi", "presets", "mpi-wrappers", "web", "examples", "tests", "bench", "docs", "cmake")


def files(root):
    return [path for part in PARTS for path in sorted((root / part).rglob("*")) if path.is_file()] + sorted(root.glob("*.md"))


def room_of(path):
    parts = path.parts
    return "/".join(parts[:2]) if parts[0] in ("src-c", "mpi-wrappers", "tests") else parts[0]


def forbidden(root):
    table = (root / "docs/glossary.md").read_text(encoding="utf-8").split("## Words that are not used")[1]
    phrases = [phrase for row in re.findall(r"^\| (\".*?) \|", table, re.M) for phrase in re.findall(r'"(.*?)"', row)]
    assert len(phrases) > 10, phrases
    return re.compile(r"\b(?:" + "|".join(map(re.escape, phrases)) + r")\b", re.I)


def main():
    root = pathlib.Path(sys.argv[1])
    words, faults, counts = forbidden(root), [], {}
    own = {root / "docs/glossary.md", root / "tests/c/test_words.py"}
    for path in files(root):
        if path.suffix not in TEXTS or path in own or "vendor" in path.parts or not path.is_file():
            continue
        text, name = path.read_text(encoding="utf-8", errors="replace"), path.relative_to(root)
        faults += [f"{name}:{text.count(chr(10), 0, found.start()) + 1}: \"{found[0]}\": docs/glossary.md has a better word"
                   for found in words.finditer(text)]
        if path.suffix in (".c", ".h"):
            counts[room_of(name)] = counts.get(room_of(name), 0) + len(OPENING.findall(text))
    for room, count in sorted(counts.items()):
        allowed = ALLOWED.get(room, 0)
        if count > allowed:
            faults.append(f"{room}: {count} comments begin with What, Whether, Of, Where, One, In, Those or How, not {allowed}: "
                          "begin with a noun or a verb")
        elif count < allowed - 9 or (count == 0 and allowed > 0):
            faults.append(f"{room}: {count} comments begin so, {allowed} are allowed: lower the number in {sys.argv[0]}")
    if "--counts" in sys.argv:
        print({room: count for room, count in sorted(counts.items()) if count > 0})
    print("\n".join([*faults, f"{len(faults)} findings"]))
    return 1 if faults else 0


sys.exit(main())
