#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the manual pages.

    manpages.py --table functions.tab --header papi.h --glue glue.h --fragments DIR --version V --out DIR
                [SOURCE...]

From papi.h come the contracts, from the table the Fortran routines and the summaries, from DIR/NAME.3.md
(PAPIF_NAME.3.md, papi.7.md, papi_avail.1.md) notes and examples. Each SOURCE is a tool's, with the text that
--help prints; a tool that has none is described by its TOOL.1.md alone, a subject by its SUBJECT.7.md. DIR/man1, man3 and man7 are made anew.
"""
import argparse
import glob
import os
import shutil
import sys

from generator import contracts, emit_man, emit_tools, roff, table


def read(path):
    with open(path, encoding='utf-8') as text:
        return text.read()


class Fragments:
    def __init__(self, folder):
        self.texts = {os.path.basename(f)[:-3]: read(f) for f in sorted(glob.glob(os.path.join(folder, '*.md')))}
        self.used = set()

    def sections(self, *pages):
        self.used.update(pages)
        return roff.sections('\n'.join(self.texts.get(page, '') for page in pages))

    def unused(self):
        return sorted(name for name in self.texts if name not in self.used)


def write(folder, pages):
    for section in ('man1', 'man3', 'man7'):
        shutil.rmtree(os.path.join(folder, section), ignore_errors=True)
        os.makedirs(os.path.join(folder, section))
    for name, text in pages.items():
        with open(os.path.join(folder, 'man' + name[-1], name), 'w', encoding='utf-8') as out:
            out.write(text)


def function_pages(functions, header, found, fragments, footer):
    pages = {}
    for page in found:
        fragment = fragments.sections(*(name + '.3' for name in page.names()))
        pages[page.name + '.3'] = emit_man.page_text(page, found, functions, header, fragment, footer)
        for name in page.names():
            if name != page.name:
                pages[name + '.3'] = roff.link(3, page.name)
    return pages


def tool_pages(sources, fragments, footer):
    texts = {}
    for source in sources:
        text = emit_tools.help_text(read(source))
        if text:
            texts[text.split()[1]] = text
    by_hand = [name[:-2] for name in fragments.texts if name.endswith('.1') and name[:-2] not in texts]
    subjects = [name[:-2] for name in fragments.texts if name.endswith('.7') and name != 'papi.7']
    every = [(tool, 1) for tool in sorted([*texts, *by_hand])] + [('papi', 7)] + [(name, 7) for name in subjects]
    pages = {tool + '.1': emit_tools.page(tool, text, fragments.sections(tool + '.1'), footer, every)
             for tool, text in texts.items()}
    for name, section in [(tool, 1) for tool in by_hand] + [(name, 7) for name in subjects]:
        page = '%s.%d' % (name, section)
        pages[page] = emit_tools.page_by_hand(name, section, fragments.texts[page], fragments.sections(page), footer, every)
    return every, pages


def make(options):
    footer = 'fpapi ' + options.version
    functions, fragments = table.read(options.table), Fragments(options.fragments)
    header = contracts.Contracts(read(options.header))
    glue = contracts.Contracts(read(options.glue), header.codes)
    found = emit_man.pages(functions, header, glue)
    tools, pages = tool_pages(options.sources, fragments, footer)
    pages.update(function_pages(functions, header, found, fragments, footer))
    pages['papi.7'] = emit_man.overview(found, header, fragments.sections('papi.7'), footer, tools)
    pages['PAPI.3'] = roff.link(7, 'papi')
    return pages, fragments


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('table', 'header', 'glue', 'fragments', 'version', 'out'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('sources', nargs='*', metavar='SOURCE')
    return parser.parse_args()


def main():
    options = arguments()
    try:
        pages, fragments = make(options)
        write(options.out, pages)
    except (table.TableError, emit_tools.ToolError, OSError) as error:
        sys.exit('manpages.py: %s' % error)
    if fragments.unused():
        print('manpages.py: no such function or tool yet: ' + ', '.join(fragments.unused()))


if __name__ == '__main__':
    main()
