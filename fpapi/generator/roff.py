# SPDX-License-Identifier: BSD-3-Clause
"""Writes manual pages: escapes, and the little of Markdown that docs/man uses."""
import re

SPECIAL = {'\\': r'\e', '-': r'\-', "'": r'\(aq', '`': r'\(ga', '^': r'\(ha', '~': r'\(ti', '"': r'\(dq'}
NAME = re.compile(r'\b((?:PAPIF?|papif?)_\w+)')


def plain(text):
    return ''.join(SPECIAL.get(char, char) if char.isascii() else r'\[u%04X]' % ord(char) for char in text)


def line(text):
    """A line of text that is not a request, whatever it begins with."""
    return '\\&' + text if text[:1] in ('.', "'") else text


def bold(text):
    return r'\fB%s\fP' % plain(text)


def italic(text):
    return r'\fI%s\fP' % plain(text)


def prose(text):
    """Running text: names of the interface are bold."""
    return line(''.join(bold(part) if i % 2 else plain(part) for i, part in enumerate(NAME.split(text))))


def heading(text):
    return ['.SH ' + plain(text.upper())]


def code(lines):
    return ['.PP', '.in +4n', '.EX'] + [line(plain(text)) for text in lines] + ['.EE', '.in']


def tagged(tag, words):
    return ['.TP', line(tag), words]


def title(name, section, footer, manual):
    return ['.\\" SPDX-License-Identifier: BSD-3-Clause', '.\\" Generated: change papi.h, functions.tab or docs/man.',
            '.TH %s %s "" "%s" "%s"' % (plain(name), section, plain(footer), plain(manual))]


def text(lines):
    """A whole page. A heading begins a paragraph by itself."""
    kept = [line for i, line in enumerate(lines) if line != '.PP' or not lines[i - 1].startswith(('.SH', '.SS'))]
    return '\n'.join(kept) + '\n'


def link(section, name):
    return '.so man%s/%s.%s\n' % (section, name, section)


# ---- Markdown

INLINE = re.compile(r'`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]*\)')


def inline(text):
    out, end = [], 0
    for match in INLINE.finditer(text):
        out.append(prose(text[end:match.start()]) if match.start() > end else '')
        out.append(bold(match.group(1) or match.group(2)) if match.group(3) is None else prose(match.group(3)))
        end = match.end()
    return line(''.join(out + [prose(text[end:]) if end < len(text) else '']))


def table_row(text):
    cells = [cell.strip() for cell in text.strip().strip('|').split('|')]
    return [] if set(cells[0]) <= {'-', ' '} and cells[0] else tagged(inline(cells[0]), inline('; '.join(cells[1:])))


def paragraph(lines):
    first = lines[0]
    if first.startswith('|'):
        # The heading of a table is for readers of the source.
        return [out for text in lines[2:] for out in table_row(text)]
    if re.match(r'- ', first):
        items = re.split(r'\n- ', '\n' + '\n'.join(lines))[1:]
        return [out for item in items for out in ['.IP \\(bu 2', inline(' '.join(item.split()))]]
    if all(text.startswith('    ') for text in lines):
        return code([text[4:] for text in lines])
    return ['.PP', inline(' '.join(' '.join(lines).split()))]


def sections(markdown):
    """{heading: roff lines} of a fragment, in its order. Text before the first heading: "DESCRIPTION"."""
    found, name, waiting, fence, info = {}, 'DESCRIPTION', [], None, []

    def flush():
        if waiting:
            found.setdefault(name, []).extend(paragraph(waiting))
            del waiting[:]

    for text in markdown.split('\n'):
        if fence is not None:
            if text.startswith('```'):
                found.setdefault(name, []).extend(code(fence))
                fence = None
            else:
                fence.append(text)
        elif text.startswith('```'):
            flush()
            if text == '```output':
                where = 'Under papi_emulate it prints:' if 'emulate' in info else 'It prints:'
                found.setdefault(name, []).extend(['.PP', prose(where)])
            fence, info = [], text.split()
        elif text.startswith('## '):
            flush()
            name = text[3:].strip().upper()
        elif text.startswith('### '):
            flush()
            found.setdefault(name, []).append('.SS ' + plain(text[4:].strip()))
        elif not text.strip():
            flush()
        elif not text.startswith(('# ', '<!--')):
            waiting.append(text)
    flush()
    return found
