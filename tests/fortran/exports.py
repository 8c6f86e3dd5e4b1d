#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""exports.py NM LIBRARY SYMBOLS TEST...: the library exports what the list names and nothing else, and
the tests call every Fortran routine of the list."""
import re
import subprocess
import sys


def exported(nm, library):
    said = subprocess.run([nm, '-D', '--defined-only', library], stdout=subprocess.PIPE, check=True).stdout.decode()
    rows = [line.split() for line in said.splitlines()]
    # A symbol's own version follows an @; the node of the version script is itself a symbol (type A).
    return {row[-1].split('@')[0] for row in rows if row[-2] != 'A'}


def main():
    nm, library, symbols, *tests = sys.argv[1:]
    with open(symbols) as lines:
        listed = set(lines.read().split())
    called = set()
    for test in tests:
        with open(test) as source:
            called |= set(re.findall(r'\bcall (papif_\w+)', source.read().lower()))
    found = exported(nm, library)
    routines = {name for name in listed if name.startswith('papif_') and not name.endswith('_')}
    problems = ['not exported: ' + name for name in sorted(listed - found)]
    problems += ['exported, not in the table: ' + name for name in sorted(found - listed)]
    problems += ['not called by the tests: ' + name for name in sorted(routines - called)]
    if not routines:
        problems.append('no routine in ' + symbols)
    print('\n'.join(problems + ['%d exported, %d routines called' % (len(found), len(routines & called))]))
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
