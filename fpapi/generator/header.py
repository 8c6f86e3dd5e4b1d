# SPDX-License-Identifier: BSD-3-Clause
"""Asks the target's C compiler what papi.h declares. Nothing runs on the target: the values of the
constants are compiled into an object, and read from its bytes."""
import os
import re
import subprocess
import tempfile

from .structures import Structures

MARK = b'fpapi constants:'


class HeaderError(Exception):
    pass


class Header:
    def __init__(self, path, compiler):
        self.path = os.path.abspath(path)
        self.compiler = compiler
        self.lines = own_lines(preprocess(self.path, compiler), os.path.dirname(self.path))
        self.constants = self._constants()
        self.prototypes = prototypes(self.lines)
        self.structures = Structures(code(self.lines))

    def values(self, expressions):
        """{expression: its value}, of constant expressions of C."""
        return dict(zip(expressions, values(expressions, self.path, self.compiler)))

    def _constants(self):
        # The presets' numbers without the preset bit are C's alone.
        names = [name for name in dict.fromkeys(macro_names(self.lines) + enumerators(self.lines))
                 if not name.endswith('_idx')]
        if not names:
            raise HeaderError('%s defines no constant' % self.path)
        return list(self.values(names).items())


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise HeaderError('%s\n%s' % (' '.join(command), done.stderr.decode(errors='replace')))
    return done.stdout.decode(errors='replace')


def preprocess(path, compiler):
    # -dD is -dM in the order of the source and with the file that each definition is from.
    return run(compiler + ['-E', '-dD', path])


def own_lines(text, folder):
    """The lines that come from the folder of papi.h, not from the system's headers."""
    own, found = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            own = os.path.dirname(os.path.abspath(marker.group(1))) == folder
        elif own:
            found.append(line)
    return found


def macro_names(lines):
    """Object-like macros that stand for a number: not guards, attributes or texts."""
    found = []
    for line in lines:
        macro = re.match(r'#define ([A-Z]\w*) (.*\S)', line)
        if macro and not re.match(r'__\w+__\b|__declspec|extern\b|"', macro.group(2)):
            found.append(macro.group(1))
    return found


def code(lines):
    return '\n'.join(line for line in lines if not line.startswith('#'))


def enumerators(lines):
    found = []
    for body in re.findall(r'\benum\b[^{;]*\{([^}]*)\}', code(lines)):
        found += re.findall(r'(?:^|,)\s*(\w+)', body)
    return found


def outside_braces(text):
    depth, kept = 0, []
    for char in text:
        depth -= char == '}'
        if depth == 0:
            kept.append(char)
        depth += char == '{'
    return ''.join(kept)


def prototypes(lines):
    """The names of the functions that the header declares."""
    found = []
    for statement in outside_braces(code(lines)).split(';'):
        function = re.search(r'\b(PAPIF?_\w+)\s*\(', statement)
        if function and not re.match(r'\s*typedef\b', statement):
            found.append(function.group(1))
    return found


def values(names, path, compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, compiled = os.path.join(folder, 'constants.c'), os.path.join(folder, 'constants.o')
        with open(source, 'w') as out:
            out.write('#include "%s"\nconst struct { char mark[16]; long long value[%d]; }\n' % (path, len(names) + 1))
            out.write('fpapi_constants __attribute__((used)) = {"%s", {1,\n' % MARK.decode())
            out.write(''.join('    %s,\n' % name for name in names) + '}};\n')
        run(compiler + ['-fno-lto', '-c', source, '-o', compiled])
        with open(compiled, 'rb') as binary:
            return decode(binary.read(), len(names))


def decode(data, count):
    start = data.find(MARK)
    if start < 0:
        raise HeaderError('the compiled constants are not in the object')
    start += len(MARK)
    words = [data[start + 8 * i:start + 8 * i + 8] for i in range(count + 1)]
    order = 'little' if words[0][0] == 1 else 'big'  # the first value is 1
    found = [int.from_bytes(word, order, signed=True) for word in words]
    if found[0] != 1:
        raise HeaderError('the compiled constants do not decode')
    return found[1:]
