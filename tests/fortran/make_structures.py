#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program that compares the structures of module papi_structures with those of papi.h.

    make_structures.py STRUCTURES OUTDIR

STRUCTURES: lines with a structure and a member, separated by a tab. OUTDIR gets layout.c, which has the size of each
structure, then the offset and the size of each member, as C lays them out, and layout.f90, which has Fortran's.
"""
import itertools
import os
import sys

C_TOP = """#include <papi.h>
#include <stddef.h>
size_t c_layout(int i);
static const size_t layout[] = {
"""
C_END = """};

size_t c_layout(int i)
{
    return layout[i];
}
"""
FORTRAN_TOP = """program layout
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_loc, c_ptr, c_size_t, c_sizeof
  use papi_structures
  implicit none
  interface
    integer(c_size_t) function c_layout(i) bind(C)
      import :: c_int, c_size_t
      integer(c_int), value :: i
    end function c_layout
  end interface
  integer :: next = 0, wrong = 0
"""
FORTRAN_END = """  print '(i0, a, i0, a)', next, ' numbers, ', wrong, ' differ'
  if (wrong > 0) stop 1

contains

  subroutine compare(number, what)
    integer(c_size_t), intent(in) :: number
    character(len=*), intent(in) :: what

    if (number /= c_layout(next)) then
      wrong = wrong + 1
      print '(2a, 2(i0, a))', what, ': ', number, ', in C ', c_layout(next)
    end if
    next = next + 1
  end subroutine compare

  integer(c_size_t) function from(start, place)
    type(c_ptr), intent(in) :: start, place

    from = transfer(place, 0_c_intptr_t) - transfer(start, 0_c_intptr_t)
  end function from
end program layout
"""


def read(path):
    with open(path) as lines:
        rows = [line.split() for line in lines]
    if not rows:
        sys.exit(path + ': no structure')
    return [(name, [member for _, member in group]) for name, group in itertools.groupby(rows, lambda row: row[0])]


def c_source(found):
    lines = []
    for name, members in found:
        lines.append('    sizeof(%s),' % name)
        lines += ['    offsetof(%s, %s), sizeof(((%s *)0)->%s),' % (name, m, name, m) for m in members]
    return C_TOP + '\n'.join(lines) + '\n' + C_END


def fortran_source(found):
    lines = ['  type(%s), target :: s%d' % (name, i) for i, (name, _) in enumerate(found)]
    for i, (name, members) in enumerate(found):
        lines += ['', "  call compare(c_sizeof(s%d), 'the size of %s')" % (i, name)]
        for m in members:
            lines.append("  call compare(from(c_loc(s%d), c_loc(s%d%%%s)), '%s%%%s')" % (i, i, m, name, m))
            lines.append("  call compare(c_sizeof(s%d%%%s), 'the size of %s%%%s')" % (i, m, name, m))
    return FORTRAN_TOP + '\n'.join(lines) + '\n' + FORTRAN_END


def main():
    path, out = sys.argv[1:]
    found = read(path)
    os.makedirs(out, exist_ok=True)
    for name, text in (('layout.c', c_source(found)), ('layout.f90', fortran_source(found))):
        with open(os.path.join(out, name), 'w') as source:
            source.write(text)


main()
