# SPDX-License-Identifier: BSD-3-Clause
"""The structures that a header defines, read from its preprocessed text."""
import itertools
import re

INT_BITS = 32
DEFINITION = re.compile(r'\btypedef\s+struct\s*\w*\s*\{(.*?)\}\s*(\w+)\s*;', re.S)
# One level of braces may be inside.
UNION = re.compile(r'\bunion\s*\{\s*([^{};]*;)(?:[^{}]|\{[^{}]*\})*\}\s*;')
ALIAS = re.compile(r'\btypedef\s+(\w+)\s+(\w+)\s*;')
POINTER = re.compile(r'\btypedef\s+([\w\s]+?)\s*\*\s*(\w+)\s*;')
UNION_TYPE = re.compile(r'\btypedef\s+union\s*\w*\s*\{([^{}]*)\}\s*(\w+)\s*;')
NUMBER = re.compile(r'\btypedef\s+((?:unsigned|long|int)(?:\s+(?:long|int))*)\s+(\w+)\s*;')
FUNCTION = re.compile(r'\btypedef\s+(\w[\w\s*]*?)\s*\(\*(\w+)\)\s*\(([^()]*)\)\s*;')
MEMBER = re.compile(r'((?:unsigned|long|int|char)(?:\s+(?:long|int|char))*|\w+)\b\s*(.*)$', re.S)
DECLARATOR = re.compile(r'(\**)\s*(\w+)\s*((?:\[[^]]*\]\s*)*)(?::\s*(\d+)\s*)?$')


class StructureError(Exception):
    pass


class Member:
    """base: its C type, without the stars of a pointer; stars: how many; lengths: of an array, as expressions of C; bits:
    its width, where it is a field of bits."""

    def __init__(self, name, base, stars, is_pointer, lengths, bits):
        self.name = name
        self.base = base
        self.stars = stars
        self.is_pointer = is_pointer
        self.lengths = lengths
        self.bits = bits


class Structures:
    """by_name: the members of each structure; aliases: other names of some; unions: the members of each type that is a
    union; pointers: what pointer types point to; numbers: what other names of numbers are; functions: the result and
    the arguments of the pointers to functions."""

    def __init__(self, code):
        code = code.replace('__extension__', '')
        self.pointers = {name: base for base, name in POINTER.findall(code)}
        self.by_name = {name: self._members(name, body) for body, name in DEFINITION.findall(code)}
        self.aliases = {alias: name for name, alias in ALIAS.findall(code) if name in self.by_name}
        self.unions = {name: self._members(name, body) for body, name in UNION_TYPE.findall(code)}
        self.numbers = {name: base for base, name in NUMBER.findall(code)}
        self.functions = {name: (result, self._members(name, arguments.replace(',', ';') + ';'))
                          for result, name, arguments in FUNCTION.findall(code)}

    def _members(self, structure, body):
        found = []
        # Of the members of a union the first stands for all.
        for statement in UNION.sub(r'\1', body).split(';')[:-1]:
            base, declarators = MEMBER.match(statement.strip()).groups()
            for text in declarators.split(','):
                declarator = DECLARATOR.match(text.strip())
                if not declarator:
                    raise StructureError('%s: not understood: %s' % (structure, ' '.join(statement.split())))
                stars, name, lengths, bits = declarator.groups()
                found.append(Member(name, ' '.join(base.split()), len(stars), bool(stars) or base in self.pointers,
                                    re.findall(r'\[([^]]*)\]', lengths), int(bits) if bits else None))
        return found

    def lengths(self, names):
        """The lengths of the arrays in these structures, as expressions of C."""
        return sorted({length for name in names for m in self.by_name[name] for length in m.lengths})

    def with_parts(self, names):
        """These structures, each after those that it contains."""
        found = []
        for name in names:
            name = self.aliases.get(name, name)
            if name not in self.by_name:
                raise StructureError('%s: no such structure' % name)
            parts = [m.base for m in self.by_name[name] if m.base in self.by_name and not m.is_pointer]
            found += self.with_parts(parts) + [name]
        return list(dict.fromkeys(found))


def runs(members):
    """(whether they are fields of bits, [members]): such neighbours are in one integer."""
    return [(is_bits, list(run)) for is_bits, run in itertools.groupby(members, lambda m: m.bits is not None)]


def bit_places(fields):
    """(name, place) of the fields of one bit among those of an integer, counted from the first. Compilers give it the
    lowest bit on little-endian machines, else the highest."""
    used, found = 0, []
    for field in fields:
        if field.bits == 1:
            found.append((field.name, used))
        used += field.bits
    if used > INT_BITS:
        raise StructureError('%s: more fields than an integer has bits' % fields[0].name)
    return found
