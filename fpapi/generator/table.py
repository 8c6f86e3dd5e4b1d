# SPDX-License-Identifier: BSD-3-Clause
"""Reads the binding table; functions.tab itself describes its form."""
import re

from . import kinds


class TableError(Exception):
    pass


class Argument:
    """One argument of a C function, or its result."""

    def __init__(self, direction, kind, parameter, name, shape=None):
        self.direction = direction
        self.kind = kind
        self.parameter = parameter
        self.name = name
        self.shape = shape


class FortranArgument(Argument):
    """One argument of a PAPIF_ routine: which C argument it carries, whether it takes the result."""

    def __init__(self, like, name=None, direction=None, carries=None, is_result=False):
        super().__init__(direction or like.direction, like.kind, like.parameter, name or like.name, like.shape)
        self.carries = carries
        self.is_result = is_result


class Function:
    def __init__(self, name, result, arguments, flags, text):
        self.name = name
        self.result = result
        self.arguments = arguments
        self.flags = flags
        self.text = text
        self.fortran_name = None
        self.fortran_arguments = []

    @property
    def is_glue(self):
        return 'glue' in self.flags

    @property
    def is_raw(self):
        return 'raw' in self.flags

    @property
    def generic(self):
        return self.flags.get('generic')


class Table:
    def __init__(self):
        self.functions = []
        self.callbacks = {}

    def exported(self):
        return [f for f in self.functions if not f.is_glue]

    def with_fortran(self):
        return [f for f in self.functions if f.fortran_name]

    def generics(self):
        return sorted({f.generic for f in self.functions if f.generic})


ARGUMENT = re.compile(r'(in|out|inout)\s+(\w+)(?::(\w+))?\s+(\w+)\s*(?:\(([\w*]+)\))?$')
RESULT = re.compile(r'(\w+)(?::(\w+))?\s+(\w+)$')
ROUTINE = re.compile(r'(PAPIF_\w+)\s*(?:\((.*)\))?$')
FLAGS = ('glue', 'raw', 'generic', 'any')


def check_kind(kind, parameter):
    if kind not in kinds.KINDS:
        raise TableError('no such kind: ' + kind)
    if kind in kinds.WITH_PARAMETER and not parameter:
        raise TableError('%s:WHAT?' % kind)


def parse_argument(text):
    match = ARGUMENT.match(text)
    if not match:
        raise TableError('not an argument: "%s"' % text)
    direction, kind, parameter, name, shape = match.groups()
    check_kind(kind, parameter)
    return Argument(direction, kind, parameter, name, shape)


def parse_result(text):
    if text == 'void':
        return None
    match = RESULT.match(text)
    if not match:
        raise TableError('not a result: "%s"' % text)
    kind, parameter, name = match.groups()
    check_kind(kind, parameter)
    return Argument('out', kind, parameter, name)


def parse_flags(text):
    flags = {}
    for word in text.replace('-', '').split():
        name, _, value = word.partition('=')
        if name not in FLAGS:
            raise TableError('no such flag: ' + name)
        flags[name] = value or True
    return flags


def split_list(text):
    return [] if text in ('', '-') else [part.strip() for part in text.split(',')]


def fortran_argument(function, text):
    """One element of an explicit argument list: a, a=b, or "out int a"."""
    by_name = {a.name: a for a in function.arguments}
    result = function.result
    if ' ' in text:
        like = parse_argument(text)
        carries = like.name if like.name in by_name else None
        if carries is None and not (result and result.name == like.name):
            raise TableError('%s is neither an argument nor the result' % like.name)
        if not kinds.is_number(like) or (carries and not kinds.by_value(like)):
            raise TableError('%s: only a result or an "in" number can change its kind' % like.name)
        return FortranArgument(like, carries=carries, is_result=carries is None)
    name, _, carries = text.partition('=')
    is_result = result is not None and result.name == name
    if carries:
        if carries not in by_name:
            raise TableError('no C argument ' + carries)
        return FortranArgument(by_name[carries], name, 'inout' if is_result else None, carries, is_result)
    if is_result:
        return FortranArgument(result, is_result=True)
    if name not in by_name:
        raise TableError('%s is neither an argument nor the result' % name)
    return FortranArgument(by_name[name], carries=name)


def default_arguments(function):
    found = [FortranArgument(a, carries=a.name) for a in function.arguments]
    if function.result:
        found.append(FortranArgument(function.result, is_result=True))
    return found


def check_fortran(function):
    carried = [a.carries for a in function.fortran_arguments if a.carries]
    if sorted(carried) != sorted(a.name for a in function.arguments):
        raise TableError('the Fortran list does not cover the C arguments once each')
    for a in function.fortran_arguments:
        if a.kind == 'struct' or (a.is_result and not kinds.is_number(a)):
            raise TableError('%s has no Fortran form: write a "glue" row' % a.name)
        if a.kind in ('str', 'name') and a.direction != 'in' and not a.parameter:
            raise TableError('%s: how many bytes? (out %s:SIZE)' % (a.name, a.kind))
        if a.kind == 'name' and (a.direction != 'out' or function.result is None or function.result.kind != 'int'):
            raise TableError('%s: a name comes out, and the result is a code that tells where it is cut' % a.name)


def parse_routine(function, text):
    if text == '-':
        return
    match = ROUTINE.match(text)
    if not match:
        raise TableError('not a Fortran routine: "%s"' % text)
    function.fortran_name = match.group(1)
    if match.group(2) is None:
        function.fortran_arguments = default_arguments(function)
    else:
        function.fortran_arguments = [fortran_argument(function, t) for t in split_list(match.group(2))]
    check_fortran(function)


def parse_row(line):
    columns = [c.strip() for c in line.split('|')]
    if len(columns) != 6:
        raise TableError('%d columns, not 6' % len(columns))
    name, result, arguments, routine, flags, text = columns
    function = Function(name.split()[-1], parse_result(result), [parse_argument(a) for a in split_list(arguments)],
                        parse_flags(flags), text)
    parse_routine(function, routine)
    is_callback = name.startswith('callback ')
    if not is_callback and function.is_glue != name.startswith('fpapi_'):
        raise TableError('fpapi_ names and the flag "glue" go together')
    return function, is_callback


def check_table(table):
    if not table.functions:
        raise TableError('the table has no row')
    names = [f.name for f in table.functions] + [f.fortran_name for f in table.with_fortran()]
    for name in names:
        if names.count(name) > 1:
            raise TableError('%s: more than one row' % name)
    for f in table.functions:
        for a in f.arguments:
            if a.kind == 'callback' and a.parameter not in table.callbacks:
                raise TableError('%s: no row "callback %s"' % (f.name, a.parameter))


def read(path):
    table = Table()
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith('#'):
                continue
            try:
                function, is_callback = parse_row(line)
            except TableError as error:
                raise TableError('%s:%d: %s' % (path, number, error))
            if is_callback:
                table.callbacks[function.name] = function
            else:
                table.functions.append(function)
    check_table(table)
    return table
