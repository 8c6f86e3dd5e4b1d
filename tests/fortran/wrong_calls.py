#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""wrong_calls.py TABLE OUT: the table's rows as a Fortran program."""
import sys

SITUATIONS = ('NOLIB', 'EMPTY', 'STOPPED', 'RUNNING', 'CLASSIC', 'RATES', 'FORBIDDEN', 'NOFILES', 'FORKED', 'DISABLED')


HEAD = '''! Made by wrong_calls.py from wrong_calls.tab.
module rows
  use circumstances
  implicit none
  public

contains
'''

ROW = '''
  subroutine row_{n}()
    call enter({situation})
    {variable} = -12345
{before}    call without_memory({memory})
    call {call}
    call with_memory()
    answer = {variable}
  end subroutine row_{n}
'''

PROGRAM = '''
end module rows

program wrong_calls
  use circumstances
  use rows
  implicit none

  call begin()
{calls}
  call finish_rows()
end program wrong_calls
'''


class TableError(Exception):
    pass


def expand(situation, want, call, variable):
    """Rows with what comes before their call. NOINIT: before the library is there. HANDLE: that, and with handles of nothing."""
    situation, first = situation
    if situation not in ('NOINIT', 'HANDLE'):
        before = '\n    '.join('call ' + one.strip() for one in first.split(';')) if first else ''
        return [(situation, want, call, variable, before)]
    rows = [('NOLIB', 'PAPI_ENOINIT', call, variable, 'handle = 0')]
    if situation == 'HANDLE':
        for handle in ('PAPI_NULL', '-2', '4711', 'huge(handle)', 'destroyed_handle()'):
            rows.append(('STOPPED', 'PAPI_ENOEVST', call, variable, 'handle = ' + handle))
    return rows


def read(path):
    rows = []
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith('#') or not line.strip():
                continue
            cells = [cell.strip() for cell in line.split('|')]
            if len(cells) not in (3, 4) or not (cells[2].startswith('PAPIF_') or '%get(' in cells[2]):
                raise TableError('%s:%d: not SITUATION | CODE | CALL [| VARIABLE]' % (path, number))
            situation, _, first = (cell.strip() for cell in cells[0].partition(':'))
            if situation not in SITUATIONS + ('NOINIT', 'HANDLE'):
                raise TableError('%s:%d: no situation %s' % (path, number, situation))
            rows.append((number, (situation, first), cells[1], cells[2], cells[3] if len(cells) == 4 else 'check'))
    if not rows:
        raise TableError('%s has no row' % path)
    return rows


def main():
    table, out = sys.argv[1:]
    text, calls, n = HEAD, '', 0
    for number, situation, want, call, variable in read(table):
        for where, code, what, result, before in expand(situation, want, call, variable):
            n += 1
            text += ROW.format(n=n, situation=where, call=what, variable=result,
                               before='    %s\n' % before if before else '',
                               memory='.true.' if code == 'PAPI_ENOMEM' else '.false.')
            calls += '  call try(row_%d, %s, %s, %d, &\n    "%s")\n' % (
                n, where, code, number, (what + (' with ' + before.replace('\n    ', ', ') if before else ''))[:90].replace('"', "'"))
    with open(out, 'w', encoding='utf-8') as file:
        file.write(text + PROGRAM.format(calls=calls.rstrip('\n')))


if __name__ == '__main__':
    try:
        main()
    except TableError as error:
        sys.exit(str(error))
