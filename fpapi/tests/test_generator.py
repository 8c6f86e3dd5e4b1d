#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the binding generator.

    test_generator.py CC FC    CC, FC: the target's compilers; "" skips what needs one
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FPAPI = os.path.dirname(HERE)
INCLUDE = os.path.join(os.path.dirname(FPAPI), 'src-c', 'include')
PAPI_H = os.path.join(INCLUDE, 'papi.h')
TABLE = os.path.join(FPAPI, 'functions.tab')
sys.path.insert(0, FPAPI)

import generate  # noqa: E402
from generator import emit_c, emit_headers, emit_module, emit_python, emit_structures, header, structures, table, variants  # noqa: E402

CC, FC = 'cc', 'gfortran'


def compile_ok(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout.decode(errors='replace')


def read(path):
    with open(path) as text:
        return text.read()


class WholeInterface(unittest.TestCase):
    """What comes out of the table compiles."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.functions = table.read(TABLE)
        self.header = header.Header(PAPI_H, [CC])
        generate.write(self.folder, generate.outputs(self.functions, self.header, FPAPI))

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_symbols_compile(self):
        ok, said = compile_ok([CC, '-std=gnu11', '-Wall', '-Wextra', '-Wshadow', '-Wstrict-prototypes',
                               '-Wmissing-prototypes', '-Werror', '-O2', '-I', INCLUDE,
                               '-c', self.path('fpapi_symbols.c'), '-o', self.path('s.o')])
        self.assertTrue(ok, said)

    @unittest.skipUnless(FC, 'no Fortran compiler')
    def test_modules_compile(self):
        for name in ('papi_bindings.f90', 'papi_structures.f90'):
            ok, said = compile_ok([FC, '-std=f2008', '-Wall', '-Wextra', '-Wc-binding-type', '-Werror', '-fsyntax-only',
                                   '-J', self.folder, self.path(name)])
            self.assertTrue(ok, said)

    def test_clash_with_constant_gets_suffix(self):
        module = read(self.path('papi_bindings.f90'))
        self.assertIn('PAPI_attach_c(es, tid)', module)
        self.assertIn('name="PAPI_attach"', module)

    def test_lines_fit(self):
        for name, limit in (('papi_bindings.f90', 131), ('papi_structures.f90', 131), ('f77papi.h', 72),
                            ('constants/f77papi.h', 72), ('integer8/f77papi.h', 72), ('integer8/f90papi.h', 72),
                            ('f90papi.h', 131)):
            longest = max(len(line) for line in read(self.path(name)).splitlines())
            self.assertLessEqual(longest, limit, name)

    def test_every_name_is_exported(self):
        script = read(self.path('papi.map'))
        for name in read(self.path('symbols.txt')).split():
            self.assertIn(' %s;' % name, script)


    def test_integers_of_8_bytes(self):
        found = variants.of({f.fortran_name: f for f in self.functions.functions}['PAPIF_add_event'], True)
        self.assertEqual([(v.name, v.width, v.other, v.symbol) for v in found],
                         [('PAPIF_add_event', 4, (), None), ('PAPI4_add_event_code', 4, ('code',), 'papif_add_event'),
                          ('PAPI8_add_event', 8, (), None), ('PAPI8_add_event_code', 8, ('code',), 'papi8_add_event')])
        whole = read(self.path('papi_bindings.f90'))
        big_endian = emit_module.module(self.functions, self.header.constants, False)
        self.assertIn('PAPI8_add_event_code', whole)
        self.assertNotIn('PAPI8_add_event_code', big_endian)
        self.assertIn('subroutine PAPI8_add_event(', big_endian)


class Mistakes(unittest.TestCase):
    """A table that is wrong stops the build and says where."""

    def refused(self, row, why):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'wrong.tab')
            with open(path, 'w') as out:
                out.write(row + '\n')
            with self.assertRaisesRegex(table.TableError, why):
                table.read(path)

    def test_rows(self):
        self.refused('# nothing', 'no row')
        self.refused('PAPI_x | int check | - | PAPIF_x | -', 'columns')
        self.refused('PAPI_x | int check | in integer n | PAPIF_x | - | text', 'no such kind')
        self.refused('PAPI_x | int check | in int n | PAPIF_x(check) | - | text', 'cover')
        self.refused('PAPI_x | int check | in int n | PAPIF_x(m, check) | - | text', 'neither')
        self.refused('PAPI_x | int check | in int n | papif_x | - | text', 'routine')
        self.refused('PAPI_x | int check | out str name | PAPIF_x | - | text', 'how many bytes')
        self.refused('PAPI_x | int check | out name name | PAPIF_x | - | text', 'how many bytes')
        self.refused('PAPI_x | void | out name:8 name | PAPIF_x | - | text', 'a name comes out')
        self.refused('PAPI_x | int check | in struct:T t | PAPIF_x | - | text', 'glue')
        self.refused('PAPI_x | str text | - | PAPIF_x | - | text', 'glue')
        self.refused('PAPI_x | int check | - | PAPIF_x | fast | text', 'no such flag')
        self.refused('PAPI_x | int check | - | PAPIF_x | glue | text', 'go together')
        self.refused('PAPI_x | int check | in callback:f f | PAPIF_x | - | text', 'no row "callback')
        self.refused('PAPI_x | void | - | - | - | t\nPAPI_x | void | - | - | - | t', 'more than one row')

    def test_no_plain_form_in_python(self):
        """A length that is a place, and not a number, would be taken for an address."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'odd.tab')
            for arguments, odd in (('in int es, out ll values(*), inout int n', 'n'), ('out double all(*)', 'all')):
                with open(path, 'w') as out:
                    out.write('PAPI_x | int check | %s | - | - | text\n' % arguments)
                with self.assertRaisesRegex(structures.StructureError, 'PAPI_x: %s has no plain form' % odd):
                    emit_python.Body(table.read(path).exported()[0])

    def test_table_and_header_disagree(self):
        functions = table.read(TABLE)
        names = [f.name for f in functions.exported()]
        generate.check_prototypes(functions, names)
        with self.assertRaisesRegex(table.TableError, 'PAPI_new: in papi.h'):
            generate.check_prototypes(functions, names + ['PAPI_new'])
        with self.assertRaisesRegex(table.TableError, '%s: in the table' % names[-1]):
            generate.check_prototypes(functions, names[:-1])

    def test_wrong_type_does_not_compile(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'f.tab')
            with open(TABLE) as good, open(path, 'w') as wrong:
                wrong.write(good.read().replace('in int es, out ll values(*) | PAPIF_read ',
                                                'in int es, out int values(*) | PAPIF_read '))
            source = os.path.join(folder, 's.c')
            with open(source, 'w') as out:
                out.write(emit_c.symbols(table.read(path), FPAPI))
            ok, said = compile_ok([CC, '-w', '-std=gnu11', '-I', INCLUDE, '-c', source, '-o', source + '.o'])
            self.assertFalse(ok)
            self.assertIn('PAPI_read: functions.tab and its prototype disagree', said)


class Constants(unittest.TestCase):
    def test_smallest_integer_is_no_literal(self):
        text = emit_headers.cpp_header(table.Table(), [('A', -2147483648), ('B', -1)])
        self.assertIn('#define A (-2147483647-1)\n#define B -1\n', text)

    def test_fixed_form_is_not_cut(self):
        with self.assertRaises(ValueError):
            emit_headers.fixed_header([('A' * 31, 10 ** 40)])

    def test_macros_and_enumerators(self):
        lines = ['#define GUARD ', '#define PAPI_A 1', '#define PAPI_F(x) x', '#define PAPI_T "text"',
                 '#define PAPI_API __attribute__((x))', 'typedef enum { E_A = 0,', ' E_B', '} e;', '#define PAPI_N -1']
        self.assertEqual(header.macro_names(lines), ['PAPI_A', 'PAPI_N'])
        self.assertEqual(header.enumerators(lines), ['E_A', 'E_B'])

    def test_prototypes(self):
        lines = ['typedef int (*PAPI_handler_t)(int);', 'struct s { int (*PAPI_no)(int); };',
                 'int PAPI_a(int x,', '           int (*PAPI_f)(void));', '__attribute__((x)) const struct s *PAPI_b(void);']
        self.assertEqual(header.prototypes(lines), ['PAPI_a', 'PAPI_b'])

    def test_big_endian_object(self):
        data = b'xx' + header.MARK + (1).to_bytes(8, 'big') + (-7).to_bytes(8, 'big', signed=True)
        self.assertEqual(header.decode(data, 1), [-7])


class Structures(unittest.TestCase):
    CODE = '''
        typedef void *where_t;
        typedef struct part { int a, b[2]; } part_t;
        typedef struct { unsigned int on : 1; unsigned  int rest : 30; unsigned int off : 1;
            part_t part[3]; part_t *other; where_t start, end;
            __extension__ union { char text[M][N]; struct { long long number; }; }; unsigned last : 1; } whole_t;
        typedef whole_t old_t;'''

    def made(self, little_endian):
        found = structures.Structures(self.CODE)
        return emit_structures.Module(found, {'M': 4, 'N': 5, '2': 2, '3': 3}.get, little_endian).text(
            found.with_parts(['old_t']))

    def test_members(self):
        text = self.made(True)
        self.assertIn('''  type, bind(C), public :: part_t
    integer(kind=c_int) :: a
    integer(kind=c_int) :: b(2)
  end type part_t

  type, bind(C), public :: whole_t
    integer(kind=c_int) :: bits_1
    type(part_t) :: part(3)
    type(c_ptr) :: other
    type(c_ptr) :: start
    type(c_ptr) :: end
    character(kind=c_char) :: text(5, 4)
    integer(kind=c_int) :: bits_2
  end type whole_t
''', text)
        self.assertIn('only: c_char, c_int, c_ptr\n', text)

    def test_places_of_bits(self):
        for little_endian, places in ((True, (0, 31, 0)), (False, (31, 0, 31))):
            text = self.made(little_endian)
            for name, place in zip(('on', 'off', 'last'), places):
                self.assertIn(':: bit_%s = %d\n' % (name, place), text)
            self.assertNotIn('bit_rest', text)

    def test_mistakes(self):
        for code, why in (('int (*f)(void);', 'not understood'), ('other_t o;', 'no Fortran type for other_t'),
                          ('int a : 1; int a : 1;', 'two fields'), ('int a : 31; int b : 2;', 'more fields')):
            with self.assertRaisesRegex(structures.StructureError, why):
                found = structures.Structures('typedef struct { %s } s_t;' % code)
                emit_structures.Module(found, int, True).text(['s_t'])
        with self.assertRaisesRegex(structures.StructureError, 'no such structure'):
            structures.Structures(self.CODE).with_parts(['new_t'])


if __name__ == '__main__':
    CC, FC = sys.argv[1], sys.argv[2]
    unittest.main(argv=sys.argv[:1])
