#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_words.py ROOT: the words of the sources and documents.

Phrases that docs/glossary.md has under "Words that are not used" are nowhere, and comments of C can be read alone: they
begin with a noun or a verb, never with one of the words of OPENING. Status 1: a finding.
"""
import pathlib
import re
import sys

TEXTS = (".c", ".h", ".hpp", ".def", ".py", ".f90", ".md", ".sh", ".js", ".css", ".cmake", ".txt", ".ini", ".in")
OPENING = re.compile(r"(?:^\s*(?:/\*|//)!? ?|\A/\* SPDX[^\n]*\n \*\n \* )(What|Whether|Which|Who|Of|Where|One|In|Those|How)\b", re.M)
PARTS = ("src-c", "src-fortran", "fpapi", "presets", "mpi-wrappers", "web", "examples", "tests", "bench", "docs", "cmake")


def files(root):
    return [path for part in PARTS for path in sorted((root / part).rglob("*")) if path.is_file()] + sorted(root.glob("*.md"))


def forbidden(root):
    table = (root / "docs/glossary.md").read_text(encoding="utf-8").split("## Words that are not used")[1]
    phrases = [phrase for row in re.findall(r"^\| (\".*?) \|", table, re.M) for phrase in re.findall(r'"(.*?)"', row)]
    assert len(phrases) > 10, phrases
    return re.compile(r"\b(?:" + "|".join(map(re.escape, phrases)) + r")\b", re.I)


def main():
    root = pathlib.Path(sys.argv[1])
    words, faults = forbidden(root), []
    own = {root / "docs/glossary.md", root / "tests/c/test_words.py"}
    for path in files(root):
        if path.suffix not in TEXTS or path in own or "vendor" in path.parts or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        places = [(found.start(), found[0], "docs/glossary.md has a better word") for found in words.finditer(text)]
        if path.suffix in (".c", ".h"):
            places += [(found.start(1), found[1], "a comment begins with a noun or a verb") for found in OPENING.finditer(text)]
        faults += [f"{path.relative_to(root)}:{text.count(chr(10), 0, at) + 1}: \"{word}\": {why}" for at, word, why in places]
    print("\n".join([*faults, f"{len(faults)} findings"]))
    return 1 if faults else 0


sys.exit(main())
