#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes programs that compare constants with tests/data/interface-constants.tsv.

    make_constants.py FACTS OUTDIR

One program for each way to have them: papi.h, the module, and the three Fortran headers. Each names
every constant of the facts, so that one that is missing does not compile.
"""
import os
import sys

INT_MIN = -2 ** 31
LONGEST_F95 = 31  # letters of a name; f77papi.h has no longer ones


def facts(path):
    with open(path) as lines:
        rows = [line.split('\t') for line in lines if not line.startswith('#')]
    found = [(name, int(value)) for name, value in rows]
    if not found:
        sys.exit(path + ': no fact')
    return found


def c_program(rows):
    lines = ['#include <papi.h>', '#include <stdio.h>', 'int main(void)', '{', '    int wrong = 0;']
    for name, value in rows:
        number = '(-2147483647 - 1)' if value == INT_MIN else str(value)
        lines.append('    if ((int)%s != %s) { wrong++; puts("%s"); }' % (name, number, name))
    return '\n'.join(lines + ['    return wrong > 0;', '}', ''])


def fortran_statements(rows):
    """Two short lines each, the same in fixed and in free form."""
    lines = []
    for name, value in rows:
        number = '(-2147483647-1)' if value == INT_MIN else str(value)
        lines.append('      MINE = %s' % name)
        lines.append('      IF (MINE .NE. %s) CALL WRONG(%s)' % (number, number))
    return lines


def fortran_program(top, rows):
    lines = ['      PROGRAM CONSTS'] + top + ['      INTEGER MINE'] + fortran_statements(rows)
    lines += ['      END', '      SUBROUTINE WRONG(N)', '      INTEGER N', '      PRINT *, N', '      STOP 1', '      END']
    return '\n'.join(lines) + '\n'


def programs(rows):
    none = ['      IMPLICIT NONE']
    return {
        'constants_c.c': c_program(rows),
        'constants_module.f90': fortran_program(['      USE PAPI'] + none, rows),
        'constants_fpapi.F': fortran_program(['#include "fpapi.h"'] + none, rows),
        'constants_f77.f': fortran_program(none + ["      INCLUDE 'f77papi.h'"],
                                           [row for row in rows if len(row[0]) <= LONGEST_F95]),
        'constants_f90.f90': fortran_program(none + ["      INCLUDE 'f90papi.h'"], rows),
    }


def main():
    path, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    for name, text in programs(facts(path)).items():
        with open(os.path.join(out, name), 'w') as source:
            source.write(text)


if __name__ == '__main__':
    main()
