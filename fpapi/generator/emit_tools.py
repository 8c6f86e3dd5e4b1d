# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages of the tools (section 1), from the text that --help prints, and pages written by hand."""
import ast
import re

from . import roff

USAGE = re.compile(r'\busage\w*\[\]\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+);')
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
OPTION = re.compile(r'^ +(-\S.*?)(?: {2,}(\S.*))?$')
PART = re.compile(r'^(Environment|Exit status|Files): *(.*)$', re.S)
MANUAL = 'Performance counters'


class ToolError(Exception):
    pass


def help_text(source):
    """The usage text in a tool's source, or None."""
    found = USAGE.search(source)
    return ''.join(ast.literal_eval(s) for s in STRING.findall(found.group(1))) if found else None


def paragraphs(text):
    return [p.split('\n') for p in re.split(r'\n[ \t]*\n', text.strip('\n'))]


def options(lines):
    """[(options as written, what they do)]; a line further in goes on with the one before."""
    found = []
    for text in lines:
        option = OPTION.match(text)
        if option:
            found.append((option.group(1).strip(), [option.group(2) or '']))
        elif found and text.startswith(' '):
            found[-1][1].append(text.strip())
        else:
            return None
    return [(name, ' '.join(filter(None, words))) for name, words in found]


def usage_lines(lines):
    """The lines of "Usage:", and what comes behind them."""
    used = [lines[0].partition('Usage:')[2].strip()]
    rest = lines[1:]
    while rest and re.match(r'^(?: {2,}|\s+or:)', rest[0]):
        used.append(re.sub(r'^\s*(?:or:)?\s*', '', rest.pop(0)))
    return used, rest


def synopsis(used):
    return roff.heading('synopsis') + ['.nf'] + [roff.line(roff.plain(text)) for text in used] + ['.fi']


def part(lines, found):
    """One paragraph of the help: options, a named part, or text."""
    listed = options(lines)
    if listed:
        return 'OPTIONS', [out for name, words in listed for out in roff.tagged(roff.bold(name), roff.prose(words))]
    named = PART.match('\n'.join(lines))
    if named:
        words = ' '.join(named.group(2).split())
        return named.group(1).upper(), ['.PP', roff.prose(words[:1].upper() + words[1:])]
    if any(text.startswith('  ') for text in lines):
        return ('OPTIONS' if 'OPTIONS' in found else 'DESCRIPTION'), roff.code(lines)
    return 'DESCRIPTION', ['.PP', roff.prose(' '.join(' '.join(lines).split()))]


def split_parts(lines):
    """"Environment: ..." and "Exit status: ..." need no empty line between them."""
    found = [[]]
    for text in lines:
        if PART.match(text) and found[-1]:
            found.append([])
        found[-1].append(text)
    return found


def page(tool, text, fragment, footer, refs):
    first, *rest = paragraphs(text)
    if not first[0].startswith('Usage:'):
        raise ToolError('%s: the help begins with "Usage:"' % tool)
    used, behind = usage_lines(first)
    summary = re.split(r'(?<=[.:])\s', ' '.join(' '.join(behind).split()) or tool)[0].rstrip('.:')
    found = {'OPTIONS': []}
    found['DESCRIPTION'] = ['.PP', roff.prose(' '.join(' '.join(behind).split()))] if behind else []
    for paragraph in rest:
        for lines in split_parts(paragraph):
            name, body = part(lines, found)
            found.setdefault(name, []).extend(body)
    for name, body in fragment.items():
        found.setdefault(name, []).extend(body)
    order = ['DESCRIPTION', 'OPTIONS'] + [n for n in found if n not in ('DESCRIPTION', 'OPTIONS')]
    lines = roff.title(tool, 1, footer, MANUAL)
    lines += roff.heading('name') + ['%s \\- %s' % (roff.plain(tool), roff.plain(summary[:1].lower() + summary[1:]))]
    lines += synopsis(used)
    for name in order:
        lines += roff.heading(name) + found[name] if found[name] else []
    return roff.text(lines + see_also((tool, 1), refs))


def page_by_hand(name, section, markdown, fragment, footer, refs):
    """A tool without a usage text in C, or a subject of section 7: its fragment begins with "# NAME - summary"."""
    summary = re.match(r'# %s - (.*)' % re.escape(name), markdown)
    wanted = {'SYNOPSIS', 'OPTIONS'} if section == 1 else {'DESCRIPTION'}
    if not summary or not wanted <= set(fragment):
        raise ToolError('%s.%d.md: begins with "# %s - what it is" and has %s' %
                        (name, section, name, ' and '.join(sorted(wanted))))
    lines = roff.title(name, section, footer, MANUAL)
    lines += roff.heading('name') + ['%s \\- %s' % (roff.plain(name), roff.plain(summary.group(1)))]
    for heading in sorted(fragment, key=lambda n: n not in ('SYNOPSIS', 'DESCRIPTION')):
        lines += roff.heading(heading) + fragment[heading]
    return roff.text(lines + see_also((name, section), refs))


def see_also(page_of, refs):
    """refs: (name, section) of the pages to point to, itself perhaps among them."""
    lines = ['.BR %s (%d),' % (roff.plain(name), section) for name, section in refs if (name, section) != page_of]
    lines[-1:] = [line.rstrip(',') for line in lines[-1:]]
    return roff.heading('see also') + ['.PP'] + lines
