#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""coverage.py SOURCES [LANGUAGE]: every function has a test of its normal use and one of each error that papi.h
names for it, in C and in Fortran. What no test can bring about stands in unreachable.tab, with the
reason. Contracts are read as the manual pages' generator reads them: comments that several functions
share, and "Errors as of PAPI_x", count for each."""
import os
import re
import sys

sys.path.insert(0, os.path.join(sys.argv[1], 'fpapi'))
from generator.contracts import Contracts  # noqa: E402

CONSTANT = r'PAPI_E[A-Z_]+'


def text_of(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def sources(folder, endings):
    return [os.path.join(where, name) for where, _, names in os.walk(folder) for name in sorted(names)
            if name.endswith(endings)]


def arguments(text, start):
    """The text from the opening parenthesis at start to the one that closes it."""
    depth = 0
    for at in range(start, len(text)):
        depth += {'(': 1, ')': -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at + 1]
    return ''


# ---- C

def c_rows(text):
    """wrong_calls.def"""
    for kind, function in re.findall(r'^(NOINIT|HANDLE)\((\w+)', text, re.M):
        yield function, 'PAPI_ENOINIT'
        if kind == 'HANDLE':
            yield function, 'PAPI_ENOEVST'
    for function, code in re.findall(r'^WRONG\(\w+, (\w+), (%s)' % CONSTANT, text, re.M):
        yield function, code
    for match in re.finditer(r'^(?:WRONG\(\w+, |SAFE\()(\w+), (?:1, )?', text, re.M):
        whole = arguments(text, text.index('(', match.start()))
        for code in re.findall(r'== (?:\(unsigned long\))?(%s)' % CONSTANT, whole):
            yield match.group(1), code


def c_checks(text):
    """CODE(PAPI_x(...), PAPI_E...), also where the answer of a call is compared otherwise."""
    for match in re.finditer(r'\b(?:CODE|EQUAL|CHECK|assert_int_equal)\(', text):
        whole = arguments(text, match.end() - 1)
        for function in re.findall(r'\b(PAPI_[a-z]\w*)\(', whole):
            for code in re.findall(r'\b(%s)\b' % CONSTANT, whole):
                yield function, code


def c_uses(text):
    return set(re.findall(r'\b(PAPI_[a-z]\w*)\(', text))


# ---- Fortran

def routines(table):
    """Fortran routine, in lower case: C function."""
    found = {}
    for line in text_of(table).splitlines():
        cells = [cell.strip() for cell in line.split('|')]
        if len(cells) == 6 and cells[3].startswith('PAPIF_'):
            found[cells[3].split('(')[0].lower()] = cells[0]
    return found


def f_rows(text):
    """wrong_calls.tab"""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split('|')]
        if line.startswith('#') or len(cells) < 3:
            continue
        routine = cells[2].split('(')[0].lower()
        if cells[0] in ('NOINIT', 'HANDLE'):
            yield routine, 'PAPI_ENOINIT'
        if cells[0] == 'HANDLE':
            yield routine, 'PAPI_ENOEVST'
        if re.fullmatch(CONSTANT, cells[1]):
            yield routine, cells[1]


def f_checks(text):
    """A call and, in the next line, what it answered."""
    for routine, code in re.findall(r'call (papif_\w+).*\n.*\bcall same\(\w+, (%s)\b' % CONSTANT, text, re.I):
        yield routine.lower(), code.upper()


def f_uses(text):
    return {name.lower() for name in re.findall(r'\bcall (papif_\w+)', text, re.I)}


# ---- the comparison

def unreachable(path):
    found = {}
    for number, line in enumerate(text_of(path).splitlines(), 1):
        if line.startswith('#') or not line.strip():
            continue
        cells = [cell.strip() for cell in line.split('|')]
        if len(cells) != 4 or cells[0] not in ('C', 'Fortran') or not cells[3]:
            sys.exit('%s:%d: not LANGUAGE | FUNCTION | CODE | REASON' % (path, number))
        found[cells[0], cells[1], cells[2]] = number
    return found


def wanted(contracts, name):
    """The codes that a contract names, and those of every function that takes a handle."""
    contract = contracts.by_name[name]
    codes = {code for code, _ in contracts.errors_of(contract)}
    if re.search(r'\bint \*?es\b', contract.prototypes[name]) and name != 'PAPI_create_eventset':
        codes |= {'PAPI_ENOINIT', 'PAPI_ENOEVST'}
    return codes


def c_evidence(tests):
    errors, uses = set(), set()
    for path in sources(tests, ('.c', '.h', '.def')):
        text = text_of(path)
        if path.endswith('wrong_calls.def'):
            errors |= set(c_rows(text))
            continue
        errors |= set(c_checks(text))
        uses |= c_uses(text)
    return errors, uses


def f_evidence(tests, names):
    errors, uses = set(), set()
    for path in sources(tests, ('.f90', '.F90', '.f', '.F', '.tab')):
        text = text_of(path)
        if path.endswith('wrong_calls.tab'):
            errors |= set(f_rows(text))
            continue
        errors |= set(f_checks(text))
        uses |= f_uses(text)
    known = lambda pair: pair[0] in names  # noqa: E731
    return {(names[routine], code) for routine, code in filter(known, errors)}, {names[r] for r in uses if r in names}


def compare(language, functions, evidence, excused, used):
    errors, uses = evidence
    for name, codes in functions:
        if name not in uses:
            yield '%s: no test uses %s' % (language, name)
        for code in sorted(codes):
            key = language, name, code
            if key in excused:
                used.add(key)
                if (name, code) in errors:
                    yield '%s: %s is said to be unreachable for %s, but a test has it' % (language, code, name)
            elif (name, code) not in errors:
                yield '%s: no test of %s with %s' % (language, name, code)


def main():
    root = sys.argv[1]
    tests = os.path.join(root, 'tests')
    contracts = Contracts(text_of(os.path.join(root, 'src-c/include/papi.h')))
    names = routines(os.path.join(root, 'fpapi/functions.tab'))
    excused = unreachable(os.path.join(tests, 'coverage/unreachable.tab'))
    used = set()
    c = [(name, wanted(contracts, name)) for name in contracts.by_name]
    # A glue routine has no contract of its own in papi.h: its use alone is asked for.
    f = [(name, wanted(contracts, name) if name in contracts.by_name else set()) for name in sorted(set(names.values()))]
    compared = {'C': compare('C', c, c_evidence(tests), excused, used),
                'Fortran': compare('Fortran', f, f_evidence(tests, names), excused, used)}
    asked = sys.argv[2:] or list(compared)
    problems = [problem for language in asked for problem in compared[language]]
    problems += ['unreachable.tab:%d: papi.h names no %s for %s' % (line, key[2], key[1])
                 for key, line in excused.items() if key not in used and key[0] in asked]
    print('\n'.join(problems + ['%d functions in C with %d errors, %d in Fortran with %d; %d gaps' % (
        len(c), sum(len(x) for _, x in c), len(f), sum(len(x) for _, x in f), len(problems))]))
    return 1 if problems or len(c) < 75 else 0


if __name__ == '__main__':
    sys.exit(main())
