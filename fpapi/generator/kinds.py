# SPDX-License-Identifier: BSD-3-Clause
"""What the kinds of the binding table are in C and in Fortran."""

# kind: C type, Fortran type, its kind parameter
NUMBERS = {
    'int': ('int', 'integer', 'c_int'),
    'uint': ('unsigned int', 'integer', 'c_int'),
    'ulong': ('unsigned long', 'integer', 'c_long'),
    'll': ('long long', 'integer', 'c_long_long'),
    'float': ('float', 'real', 'c_float'),
    'double': ('double', 'real', 'c_double'),
}
# What ctypes of Python and std::os::raw of Rust call the types of C
C_TYPES = {'int': 'c_int', 'unsigned int': 'c_uint', 'unsigned': 'c_uint', 'long': 'c_long', 'unsigned long': 'c_ulong',
           'long long': 'c_longlong', 'float': 'c_float', 'double': 'c_double', 'char': 'c_char'}
INT_MIN = -2147483648  # no literal of it: its digits are read before the sign
TEXTS = ('str', 'mstr', 'name')
WITH_PARAMETER = ('struct', 'enum', 'callback')
KINDS = tuple(NUMBERS) + TEXTS + ('ptr', 'buffer') + WITH_PARAMETER


def is_number(arg):
    return arg.kind in NUMBERS or arg.kind == 'enum'


def is_integer(arg):
    """An int of C, whose kind in Fortran is that of the code's own integers."""
    return arg.kind in ('int', 'uint', 'enum')


def is_text(arg):
    return arg.kind in TEXTS


def is_name(arg):
    """A text that comes out and must not be cut without a word."""
    return arg.kind == 'name'


def by_value(arg):
    return arg.direction == 'in' and arg.shape is None


def number_type(arg):
    return arg.parameter if arg.kind == 'enum' else NUMBERS[arg.kind][0]


def fortran_number(arg):
    _, base, kind = NUMBERS['int' if arg.kind == 'enum' else arg.kind]
    return base, kind


def pointer_to(c_type):
    return c_type + ('*' if c_type.endswith('*') else ' *')


def c_type(arg, callbacks):
    """The type of an argument in the C function's prototype."""
    if is_number(arg):
        return number_type(arg) if by_value(arg) else pointer_to(number_type(arg))
    if arg.kind == 'str' and arg.direction == 'in':
        return 'const char *'
    if is_text(arg):
        return 'char *'
    if arg.kind == 'ptr':
        return 'void *' if arg.direction == 'in' else 'void **'
    if arg.kind == 'buffer':
        return 'void *'
    if arg.kind == 'struct':
        return arg.parameter + ' *'
    return function_pointer(callbacks[arg.parameter], callbacks)


def result_type(result):
    """The type that a C function returns; result is None for void."""
    if result is None:
        return 'void'
    if result.kind in NUMBERS or result.kind == 'enum':
        return number_type(result)
    return {'str': 'char *', 'ptr': 'void *', 'struct': 'const %s *' % result.parameter}[result.kind]


def parameters(arguments, callbacks):
    return ', '.join(c_type(a, callbacks) for a in arguments) or 'void'


def function_pointer(function, callbacks):
    return '%s (*)(%s)' % (result_type(function.result), parameters(function.arguments, callbacks))


def declare(c_type_text, name):
    """A C declaration of name, which in a pointer to a function goes inside."""
    if '(*)' in c_type_text:
        return c_type_text.replace('(*)', '(*%s)' % name, 1)
    return c_type_text + ('' if c_type_text.endswith('*') else ' ') + name
