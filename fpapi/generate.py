#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Fortran bindings from the binding table and papi.h.

    generate.py --table functions.tab --header papi.h --out DIR -- CC [FLAG...]

CC is the compiler of the target, with the flags that choose the target. It is only asked to
preprocess and to compile; nothing that it makes is run.
"""
import argparse
import os
import sys

from generator import contracts, emit_c, emit_headers, emit_julia, emit_module, emit_python, emit_rust, emit_structures
from generator import emit_symbols, header, structures, table

SYMBOL_NODE = 'PAPI_7'  # of the version script; it changes when the library becomes incompatible
INT_RANGE = range(-2 ** 31, 2 ** 31)


def check_prototypes(functions, found):
    """Every function of papi.h has its row and every row its function."""
    rows, declared = {f.name for f in functions.exported()}, set(found)
    problems = ['%s: in papi.h, without a row in the table' % name for name in sorted(declared - rows)]
    problems += ['%s: in the table, not in papi.h' % name for name in sorted(rows - declared)]
    if problems:
        raise table.TableError('\n'.join(problems))


def check_constants(constants):
    seen = set()
    for name, value in constants:
        if value not in INT_RANGE:
            raise header.HeaderError('%s = %d does not fit an int' % (name, value))
        if name.lower() in seen:
            raise header.HeaderError('%s: two constants but for their case' % name)
        seen.add(name.lower())


def contracts_of(header_path):
    with open(header_path, encoding='utf-8') as text:
        return contracts.Contracts(text.read())


def outputs(functions, declared, folder):
    constants, contracts = declared.constants, contracts_of(declared.path)
    # Whether the lower half of an integer is its first.
    mixed = declared.values(['__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__']).popitem()[1] == 1
    return {
        'fpapi_symbols.c': emit_c.symbols(functions, folder),
        'papi.map': emit_symbols.version_script(functions, SYMBOL_NODE),
        'symbols.txt': emit_symbols.symbol_list(functions),
        'papi_bindings.f90': emit_module.module(functions, constants, mixed),
        'papi_structures.f90': emit_structures.module(functions, declared),
        'fpapi.h': emit_headers.cpp_header(functions, constants),
        'f77papi.h': emit_headers.fixed_header(constants, functions),
        'f90papi.h': emit_headers.free_header(constants, functions),
        'constants/f77papi.h': emit_headers.fixed_header(constants),
        'constants/f90papi.h': emit_headers.free_header(constants),
        'integer8/fpapi.h': emit_headers.cpp_header(functions, constants, integer8=True),
        'integer8/f77papi.h': emit_headers.integer8_header(functions, constants, mixed),
        'integer8/f90papi.h': emit_headers.integer8_header(functions, constants, mixed),
        'constants.tsv': emit_headers.plain_list(constants),
        'structures.tsv': emit_structures.plain_list(functions, declared),
        'python/papi/_interface.py': emit_python.interface(functions, declared),
        'python/papi/low.py': emit_python.low(functions, contracts),
        'julia/src/interface.jl': emit_julia.module(functions, declared),
        'rust/src/sys.rs': emit_rust.module(functions, declared, contracts),
    }


def write(folder, files):
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
            out.write(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--table', required=True)
    parser.add_argument('--header', required=True)
    parser.add_argument('--out', required=True)
    parser.add_argument('compiler', nargs='+', metavar='CC [FLAG...]')
    return parser.parse_args()


def main():
    options = arguments()
    try:
        functions = table.read(options.table)
        declared = header.Header(options.header, options.compiler)
        check_prototypes(functions, declared.prototypes)
        check_constants(declared.constants)
        write(options.out, outputs(functions, declared, os.path.dirname(os.path.abspath(__file__))))
    except (table.TableError, header.HeaderError, structures.StructureError, OSError) as error:
        sys.exit('generate.py: %s' % error)


if __name__ == '__main__':
    main()
