# SPDX-License-Identifier: BSD-3-Clause
"""The structures that a header defines, read from its preprocessed text."""
import re

DEFINITION = re.compile(r'\btypedef\s+struct\s*\w*\s*\{(.*?)\}\s*(\w+)\s*;', re.S)
# One level of braces may be inside.
UNION = re.compile(r'\bunion\s*\{\s*([^{};]*;)(?:[^{}]|\{[^{}]*\})*\}\s*;')
ALIAS = re.compile(r'\btypedef\s+(\w+)\s+(\w+)\s*;')
POINTER = re.compile(r'\btypedef\s+[\w\s]+\*\s*(\w+)\s*;')
MEMBER = re.compile(r'((?:unsigned|long|int|char)(?:\s+(?:long|int|char))*|\w+)\b\s*(.*)$', re.S)
DECLARATOR = re.compile(r'(\**)\s*(\w+)\s*((?:\[[^]]*\]\s*)*)(?::\s*(\d+)\s*)?$')


class StructureError(Exception):
    pass


class Member:
    """base: its C type, without the * of a pointer; lengths: of an array, as expressions of C; bits: its width,
    where it is a field of bits."""

    def __init__(self, name, base, is_pointer, lengths, bits):
        self.name = name
        self.base = base
        self.is_pointer = is_pointer
        self.lengths = lengths
        self.bits = bits


class Structures:
    """by_name: the members of each structure; aliases: other names of some; pointers: names of pointer types."""

    def __init__(self, code):
        code = code.replace('__extension__', '')
        self.pointers = set(POINTER.findall(code))
        self.by_name = {name: self._members(name, body) for body, name in DEFINITION.findall(code)}
        self.aliases = {alias: name for name, alias in ALIAS.findall(code) if name in self.by_name}

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
                found.append(Member(name, ' '.join(base.split()), bool(stars) or base in self.pointers,
                                    re.findall(r'\[([^]]*)\]', lengths), int(bits) if bits else None))
        return found

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
