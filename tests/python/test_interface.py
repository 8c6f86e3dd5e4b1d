# SPDX-License-Identifier: BSD-3-Clause
"""Constants, structures and functions are those that a compiler sees in papi.h."""
import ctypes
import os
import subprocess
import tempfile
import unittest

from case import SETTINGS, main

from papi import _interface, low
from papi._by_hand import PAPI_option_t
from papi._call import lib

INCLUDE = os.path.join(os.path.dirname(SETTINGS["table"]), "..", "src-c", "include")


def compiled(statements):
    """What a program of C with these statements prints, by line."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
        with open(source, "w") as out:
            out.write("#include <papi.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n%s\n}\n"
                      % "\n".join(statements))
        subprocess.run([SETTINGS["C"], "-I", INCLUDE, source, "-o", program], check=True)
        return subprocess.run([program], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout.splitlines()


def structures():
    return [(name, kind) for name, kind in vars(_interface).items()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind is not ctypes.Structure
            and kind.__name__ == name]


class Interface(unittest.TestCase):
    def test_constants(self):
        found = compiled('printf("%%lld\\n", (long long)(%s));' % name for name in _interface.CONSTANTS)
        self.assertGreater(len(found), 300)
        self.assertEqual(list(map(int, found)), list(_interface.CONSTANTS.values()))

    def test_structures(self):
        kinds = structures() + [("PAPI_option_t", PAPI_option_t)]
        self.assertGreater(len(kinds), 20)
        statements, expected = [], []
        for name, kind in kinds:
            statements.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
            expected.append("%s %d" % (name, ctypes.sizeof(kind)))
            for field in kind._fields_:
                if len(field) == 3:
                    continue  # a field of bits has no address
                member = field[0]
                statements.append('printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));'
                                  % (name, member, name, member, name, member))
                expected.append("%s.%s %d %d" % (name, member, getattr(kind, member).offset, ctypes.sizeof(field[1])))
        self.assertEqual(compiled(statements), expected)

    def test_bits(self):
        """Each field of bits is where C has it."""
        names = [f[0] for f in _interface.PAPI_component_info_t._fields_ if len(f) == 3]
        statements = ["PAPI_component_info_t info;"]
        for name in names:
            statements.append("info = (PAPI_component_info_t){0}; info.%s = 1;" % name)
            statements.append("for (size_t i = 0; i < sizeof info; i++) if (((unsigned char *)&info)[i]) "
                              'printf("%zu %d\\n", i, ((unsigned char *)&info)[i]);')
        expected = []
        for name in names:
            info = _interface.PAPI_component_info_t()
            setattr(info, name, 1)
            expected += ["%d %d" % (i, b) for i, b in enumerate(bytes(info)) if b]
        self.assertEqual(compiled(statements), expected)

    def test_every_function(self):
        with open(SETTINGS["symbols"]) as names:
            exported = {n for n in names.read().split() if n.startswith("PAPI_")}
        self.assertEqual(exported, set(_interface.PROTOTYPES))
        for name in exported:
            self.assertTrue(callable(getattr(lib, name)), name)
            self.assertTrue(callable(getattr(low, name[len("PAPI_"):])), name)
            self.assertTrue(getattr(low, name[len("PAPI_"):]).__doc__, name)


if __name__ == "__main__":
    main()
