# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages of the functions (section 3) and of the interface as a whole (section 7)."""
import re

from . import contracts, emit_module, emit_tools, kinds, roff

MANUAL = 'Performance counters'
OVERVIEW = 'papi'
WRAP = 78
# Functions that answer before the library is initialised, or that initialise it, say so in these words.
NEEDS_NO_LIBRARY = re.compile(r'never an error|always succeed|before PAPI_library_init|after PAPI_shutdown it starts|'
                              r'initialise the library themselves', re.I)
USE_LIBRARY = ('int', 'uint')
# What the head of papi.h says of codes that most comments only name.
GENERAL = {
    'PAPI_ENOINIT': ['PAPI_library_init was not called.'],
    'PAPI_ENOEVST': ['The handle is none of the calling thread: it was never created, it was destroyed, or another '
                     'thread created it.'],
    'PAPI_ECLOST': ['The event set was made before fork() and its counters belong to the parent.'],
}
HANDLE = 'es'


class Page:
    """The functions that share a comment, with their Fortran routines; or one routine without a C function."""

    def __init__(self, rows, contract):
        self.rows = rows
        self.contract = contract
        self.name = page_name(rows[0])

    def names(self):
        return [name for row in self.rows for name in names_of(row)]

    def prototype(self, row):
        return self.contract.prototypes.get(row.name) if self.contract and not row.is_glue else None


def names_of(row):
    return [name for name in (None if row.is_glue else row.name, row.fortran_name) if name]


def page_name(row):
    return names_of(row)[0]


def sibling(row, exported):
    """The C function that a hand-written routine stands for: PAPI_strerror for fpapi_strerror."""
    name = row.name.replace('fpapi_', 'PAPI_', 1)
    return name if row.is_glue and name in exported else None


def pages(table, header, glue):
    """All pages of section 3, in the order of the table."""
    exported = {row.name for row in table.exported()}
    found, by_contract = [], {}
    for row in table.functions:
        owner = sibling(row, exported) or row.name
        contract = header.by_name.get(owner) or glue.by_name.get(owner)
        if contract is not None and id(contract) in by_contract:
            by_contract[id(contract)].rows.append(row)
            continue
        page = Page([row], contract)
        found.append(page)
        if contract is not None:
            by_contract[id(contract)] = page
    for page in found:
        page.rows.sort(key=lambda row: row.is_glue)
        page.name = page_name(page.rows[0])
    return found


# ------------------------------------------------------------------------------------- the sections

def name_section(page):
    lines = roff.heading('name')
    for i, row in enumerate(page.rows):
        if i:
            lines.append('.br')
        text = row.text.rstrip('.')
        lines.append('%s \\- %s' % (', '.join(map(roff.plain, names_of(row))), roff.plain(text[:1].lower() + text[1:]
                                    if not text.startswith(('CPU', 'PAPI')) else text)))
    return lines


def broken(text, indent):
    """A C declaration over as many lines as it needs."""
    lines, rest = [], text
    while len(rest) > WRAP and ', ' in rest[len(indent) + 1:WRAP]:
        cut = rest.rindex(', ', 0, WRAP) + 1
        lines.append(rest[:cut])
        rest = indent + rest[cut:].strip()
    return lines + [rest]


def c_synopsis(page):
    found = [page.prototype(row) for row in page.rows]
    if not any(found):
        return []
    lines = ['#include <papi.h>', '']
    for text in filter(None, found):
        lines += broken(text, ' ' * (text.index('(') + 1))
    return lines


def fortran_call(row, callbacks):
    body = emit_module.Body()
    for arg in row.fortran_arguments:
        emit_module.declare_fortran(body, arg, callbacks)
    names = ', '.join(arg.name for arg in row.fortran_arguments)
    name = row.generic or row.fortran_name
    call = broken('call %s(%s)' % (name, names), ' ' * 6)
    return [line + (' &' if i < len(call) - 1 else '') for i, line in enumerate(call)] + ['  ' + t for t in body.lines]


def fortran_synopsis(page, callbacks):
    rows = [row for row in page.rows if row.fortran_name]
    if not rows:
        return []
    lines = ['use papi']
    for row in rows:
        lines += [''] + fortran_call(row, callbacks)
    return lines


def synopsis(page, callbacks):
    lines = roff.heading('synopsis')
    c, fortran = c_synopsis(page), fortran_synopsis(page, callbacks)
    if c:
        lines += ['.PP', '.B C'] + roff.code(c)
    if fortran:
        lines += ['.PP', '.B Fortran'] + roff.code(fortran)
    return lines


def block(found):
    if found[0] == 'argument':
        return roff.tagged(roff.italic(found[1]), roff.prose(found[2]))
    if found[0] == 'item':
        return ['.IP \\(bu 2', roff.prose(found[1])]
    return ['.PP', roff.prose(found[1])]


def description(page, more):
    lines = roff.heading('description')
    blocks = list(page.contract.blocks) if page.contract else []
    if not any(b[0] == 'text' for b in blocks):
        lines += ['.PP', roff.prose(' '.join(dict.fromkeys(row.text for row in page.rows)))]
    for found in blocks + (page.contract.section.blocks if page.contract else []):
        lines += block(found)
    return lines + more


def returns(page):
    results = [row.result for row in page.rows if row.result]
    lines = list(page.contract.returns) if page.contract else []
    if results and all(r.name == 'check' for r in results) and not any('Returns' in text for text in lines):
        if not any(text.startswith('PAPI_OK:') for text in lines):
            lines.insert(0, 'PAPI_OK, or a negative error code.')
    elif not lines and any(r.kind == 'int' and r.name != 'check' for r in results):
        lines.append('What is described above; a negative number is an error code.')
    if any(row.fortran_name and row.result and any(a.is_result for a in row.fortran_arguments) for row in page.rows):
        receives = sorted({a.name for row in page.rows for a in row.fortran_arguments if a.is_result})
        lines.append('In Fortran the last argument receives it.' if len(receives) != 1 else
                     'In Fortran the argument %s receives it.' % receives[0])
    if not lines:
        return []
    return roff.heading('return value') + ['.PP', roff.prose(' '.join(lines))]


def uses_handle(row):
    return any(arg.name == HANDLE and arg.kind == 'int' and arg.direction != 'out' for arg in row.arguments)


def needs_library(page, row):
    if row.result is None or row.result.kind not in USE_LIBRARY:
        return False
    words = page.contract.words + ' ' + page.contract.section.words if page.contract else ''
    return not NEEDS_NO_LIBRARY.search(words)


def general_errors(page):
    """Those that the head of papi.h states for every function."""
    found = []
    # A routine beside its C function needs what that needs.
    if any(needs_library(page, row) for row in page.rows if row.is_glue == page.rows[0].is_glue):
        found.append('PAPI_ENOINIT')
    if any(uses_handle(row) for row in page.rows) and not any('create' in row.name for row in page.rows):
        found += ['PAPI_ENOEVST', 'PAPI_ECLOST']
    return found


def sentence(text):
    text = text[:1].upper() + text[1:] if not re.match(r'[a-z]\w*_|[a-z]+ is NULL', text) else text
    return text if text.endswith('.') else text + '.'


def error_list(page, header):
    found = {code: list(causes) for code, causes in header.errors_of(page.contract)} if page.contract else {}
    for code in general_errors(page):
        found.setdefault(code, [])
    known = header.codes
    return sorted(((code, causes) for code, causes in found.items() if code in known), key=lambda e: -known[e[0]].value)


def errors(page, header):
    lines = []
    for code, causes in error_list(page, header):
        words = [sentence(text) for text in [header.codes[code].meaning] + (causes or GENERAL.get(code, []))]
        lines += roff.tagged(roff.bold(code), roff.prose(' '.join(dict.fromkeys(words))))
    return roff.heading('errors') + lines if lines else []


def type_names(page):
    used = []
    for row in page.rows:
        used += re.findall(r'\bPAPI_\w+_t\b', page.prototype(row) or '')
    return used


def c_types(page, header):
    waiting, found = type_names(page), {}
    while waiting:
        name = waiting.pop(0)
        definition = None if name in found else contracts.type_definition(header.text, name)
        if definition:
            found[name] = definition
            # What an option's union holds is told where the options are.
            waiting += contracts.members_by_value(definition)
    return found


def types(page, header, callbacks):
    lines = []
    for definition in reversed(list(c_types(page, header).values())):
        text = [t for t in definition.split('\n') if not t.startswith('#') and '__extension__' not in t]
        lines += roff.code(text)
    for name in dict.fromkeys(a.parameter for row in page.rows for a in row.fortran_arguments if a.kind == 'callback'):
        if 'any' not in callbacks[name].flags:
            lines += roff.code(['abstract interface'] + emit_module.c_interface(callbacks[name], name, 'bind(C)', '  ') +
                               ['end interface'])
    return roff.heading('types') + lines if lines else []


def see_also(page, all_pages, sections):
    """What the comment names, then the rest of the section."""
    owner = {name: p.name for p in all_pages for name in p.names()}
    words = page.contract.words if page.contract else ''
    near = [owner[n] for n in re.findall(r'\bPAPIF?_\w+', words) if n in owner]
    near += [p.name for p in all_pages if sections[p.name] == sections[page.name]]
    names = [n for n in dict.fromkeys(near) if n != page.name]
    refs = ['.BR %s (3),' % roff.plain(n) for n in names] + ['.BR %s (7)' % OVERVIEW]
    return roff.heading('see also') + ['.PP'] + refs


def section_titles(all_pages):
    """Routines without a C function belong to the section of the row before them."""
    found, last = {}, ''
    for page in all_pages:
        if page.contract and page.contract.section.title:
            last = page.contract.section.title
        found[page.name] = last
    return found


def page_text(page, all_pages, table, header, fragment, footer):
    more = dict(fragment)
    lines = roff.title(page.name, 3, footer, MANUAL)
    lines += name_section(page)
    lines += synopsis(page, table.callbacks)
    lines += description(page, more.pop('DESCRIPTION', []))
    lines += returns(page)
    lines += errors(page, header)
    lines += types(page, header, table.callbacks)
    for name, body in more.items():
        lines += roff.heading(name) + body
    lines += see_also(page, all_pages, section_titles(all_pages))
    return roff.text(lines)


# --------------------------------------------------------------------------------- the whole interface

def function_lists(all_pages):
    lines, titles = [], section_titles(all_pages)
    for title in dict.fromkeys(titles.values()):
        lines += ['.SS ' + roff.plain(title[:1].upper() + title[1:])]
        for page in all_pages:
            if titles[page.name] == title:
                for row in page.rows:
                    tag = ', '.join('%s(3)' % roff.bold(n) for n in names_of(row))
                    lines += ['.TP', tag, roff.prose(row.text)]
    return lines


def code_list(header):
    lines = []
    for name, code in header.codes.items():
        lines += ['.TP', '%s (%s)' % (roff.bold(name), roff.plain(str(code.value))), roff.prose(sentence(code.meaning))]
    return lines


def overview(all_pages, header, fragment, footer, others):
    more = dict(fragment)
    lines = roff.title(OVERVIEW, 7, footer, MANUAL)
    lines += roff.heading('name') + ['%s \\- performance counters for Fortran and C programs' % OVERVIEW]
    lines += roff.heading('description') + more.pop('DESCRIPTION', [])
    lines += roff.heading('conventions')
    for found in header.head:
        if not found[-1].startswith(('SPDX', 'papi.h:')):
            lines += block(found)
    for name, body in more.items():
        lines += roff.heading(name) + body
    lines += roff.heading('functions') + function_lists(all_pages)
    lines += roff.heading('error codes') + code_list(header)
    return roff.text(lines + emit_tools.see_also((OVERVIEW, 7), others))
