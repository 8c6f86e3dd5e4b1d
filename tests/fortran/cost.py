#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cost.py OBJDUMP LIBRARY: on arm64, PAPIF_read adds at most 15 instructions to PAPI_read, the jump
through the linkage table among them."""
import re
import subprocess
import sys

LIMIT = 15
LINKAGE = 4  # adrp, ldr, add, br


def instructions(said):
    body = re.search(r'^[0-9a-f]+ <papif_read_?_?(?:@[^>]*)?>:\n((?:\s+[0-9a-f]+:.*\n?)+)', said, re.M | re.I)
    if not body:
        sys.exit('no body of papif_read')
    lines = body.group(1).splitlines()
    ends = [i for i, line in enumerate(lines) if re.search(r'\tret\b', line)]
    return lines[:ends[0] + 1]


def main():
    objdump, library = sys.argv[1:]
    said = subprocess.run([objdump, '-d', '--no-show-raw-insn', library], stdout=subprocess.PIPE, check=True)
    text = said.stdout.decode()
    if 'aarch64' not in text:
        print('SKIP: counted on arm64')
        sys.exit(77)
    lines = instructions(text)
    n = len(lines) + (LINKAGE if any('@plt' in line for line in lines) else 0)
    print('%d instructions, %d allowed' % (n, LIMIT))
    sys.exit(1 if n > LIMIT else 0)


if __name__ == '__main__':
    main()
