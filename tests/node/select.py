#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: select.py KIND LIST [--names] [--any]

Prints the lines of LIST (programs.list explains them) that are for a kind of node, or the programs' names alone.
on=KIND,... names kinds of kinds.list, architectures, or all; without it a program runs on arm64, skylake, riscv64 and
ppc64el, or with --any on every kind. not=KIND:REASON has it skipped there. FPAPI_NODE_PROGRAMS in the environment: of them those alone whose tests have a name that
matches this regular expression.
"""
import os
import pathlib
import re
import sys

FIRST = {'arm64', 'skylake', 'riscv64', 'ppc64el'}  # each architecture's node that runs everything


def architectures():
    lines = (pathlib.Path(__file__).parent / 'kinds.list').read_text(encoding='utf-8').split('\n')
    return dict(line.split()[:2] for line in lines if line and not line.startswith('#'))


def runs_on(options, kind, architecture):
    wanted = [option[3:].split(',') for option in options if option.startswith('on=')]
    if not wanted:
        return kind in FIRST or '--any' in sys.argv
    return any(word == 'all' or word == kind or (word == architecture and kind in FIRST) for word in wanted[-1])


def options_for(words, kind):
    """Those that are for the guest: of not=KIND:REASON the reason, on that kind alone."""
    for word in words:
        if word.startswith('not='):
            kinds, reason = word[4:].split(':', 1)
            if kind in kinds.split(','):
                yield f'not={reason}'
        elif not word.startswith('on='):
            yield word


def is_wanted(name, kind):
    test = f'node.{name}' if kind == 'arm64' else f'node.{kind}.{name}'
    return re.search(os.environ.get('FPAPI_NODE_PROGRAMS', ''), test)


def main():
    kind, path = sys.argv[1:3]
    known = architectures()
    if kind not in known:
        sys.exit(f'{kind} is not a kind of node: kinds.list has {" ".join(known)}')
    for line in pathlib.Path(path).read_text(encoding='utf-8').split('\n'):
        words = line.split()
        if not words or words[0].startswith('#') or not runs_on(words[2:], kind, known[kind]):
            continue
        if '--names' not in sys.argv and '--any' not in sys.argv and not is_wanted(words[0], kind):
            continue
        print(words[0] if '--names' in sys.argv else ' '.join(options_for(words, kind)))


main()
