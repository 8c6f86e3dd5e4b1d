# SPDX-License-Identifier: BSD-3-Clause
"""What papi.h says of each function: the comment above its declaration and the error codes it names.
A comment holds for the declarations that follow it without an empty line between them."""
import re

SECTION = re.compile(r'/\* =+ .* \*/|/\* =+ [^*]*\*/|/\* [=-]+ ', re.S)


class Function:
    def __init__(self, name, comment, prototype):
        self.name = name
        self.comment = comment
        self.prototype = prototype

    def takes_event_set(self):
        return re.search(r'\bint es\b', self.prototype) is not None


def blocks(text):
    """(comment, declarations) pairs, in order."""
    for match in re.finditer(r'/\*(?P<comment>(?:[^*]|\*(?!/))*)\*/\n(?P<code>(?:(?!/\*|\n\n).|\n(?!\n))*)', text):
        yield match.group('comment'), match.group('code')


def functions(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    found = {}
    for comment, code in blocks(text):
        if re.match(r'\s*=+', comment):
            comment = ''
        for prototype in re.findall(r'^[a-z][^;#{}]*?\bPAPI_\w+\([^;{}]*\);', code, re.M):
            name = re.search(r'\b(PAPI_[a-z]\w*)\(', prototype).group(1)
            found[name] = Function(name, re.sub(r'\n \*', '\n', comment), prototype)
    return found


def error_codes(text):
    return set(re.findall(r'\bPAPI_E[A-Z_]+\b', text)) - {'PAPI_ENUM_EVENTS', 'PAPI_ENUM_FIRST', 'PAPI_ENUM_ALL'}
