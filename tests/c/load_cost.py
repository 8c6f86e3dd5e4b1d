#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""load_cost.py LIBRARY READELF: what the loader has to write before a program that is linked with the library begins.
Each page of it is a page of memory in every process, and ten thousand instructions. A table with a pointer to a text
in each row is mostly what it is: base/text_rows.h."""
import os
import re
import subprocess
import sys

MOST_PAGES, MOST_RELATIVE, MOST_LOOKED_UP = 8, 900, 200
library, readelf = sys.argv[1:]


def tool(option):
    return subprocess.run([readelf, option, library], check=True, capture_output=True, text=True).stdout


relocations = re.findall(r"^([0-9a-f]{8,})  [0-9a-f]{8,} (R_\w+)", tool("-rW"), re.M)
page = 4096  # of every machine, or part of one
pages = {int(place, 16) // page for place, _ in relocations}
relative = sum("RELATIVE" in kind for _, kind in relocations)
looked_up = sum(re.search("JU?MP_SLOT|GLOB_DAT", kind) is not None for _, kind in relocations)
head = tool("-hW")
in_memory = 8 if re.search(r"Class: +ELF64", head) else 4
most_constructors = 2 if "AArch64" in head else 1  # libgcc asks there which atomic instructions there are
constructors = int(re.search(r"\(INIT_ARRAYSZ\) +(\d+)", tool("-dW"))[1]) // in_memory
print(f"{os.path.basename(library)}: {len(pages)} pages, {relative} pointers, {looked_up} symbols, {constructors} constructors")
said = [f"{n} {what}, at most {most}" for n, what, most in (
    (len(pages), "pages are written", MOST_PAGES), (relative, "pointers are made", MOST_RELATIVE),
    (looked_up, "symbols are looked up", MOST_LOOKED_UP), (constructors, "constructors run", most_constructors)) if n > most]
if looked_up == 0:  # the C library's
    said.append("no relocation was understood")
if said:
    sys.exit("load_cost.py: " + "; ".join(said))
