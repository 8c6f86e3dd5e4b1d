# SPDX-License-Identifier: BSD-3-Clause
"""Reads the contracts of a header: the comment above each declaration, or above a few that share it.

What the comments look like:

    /* Prose: what it does.
     *   name  what this argument is
     *         goes on here
     * More prose. PAPI_EINVAL: when. PAPI_ENOEVST, PAPI_EISRUN: when; PAPI_ENOMEM. */
    int PAPI_one(int name);
    int PAPI_two(int name);

A sentence that begins with error codes tells when they are returned; "Errors as of PAPI_x" takes over
those of another function; sentences that begin with "Returns", "PAPI_OK:", "NULL:" or a number and a
colon tell what is returned. All the rest describes. Functions with a body, C++'s, are not declarations. A comment of the form "==== title" begins a
section, and what else it says holds for all functions in it. A blank line ends what shares a comment.
"""
import re
import textwrap

BANNER = re.compile(r'^={8,} *(.*)$')
TOKEN = re.compile(r'(?P<comment>/\*.*?\*/)|(?P<directive>^[ \t]*#(?:\\\n|[^\n])*)|(?P<blank>\n[ \t]*\n)'
                   r'|(?P<body>\)\s*\{.*?^\})|(?P<declaration>[A-Za-z][^;{}#/]*;)', re.S | re.M)
ERROR_LINE = re.compile(r'^#define (PAPI_E\w+) (-\d+)\s+/\* (.*?) \*/', re.M)
DECLARED = re.compile(r'\b((?:PAPIF?|fpapi)_\w+)\s*\(')
SENTENCE_END = re.compile(r'(?<=[.])(?<!e\.g\.)(?<!i\.e\.)(?<!\.\.\.)\s+')
VALUE = re.compile(r'(Returns\b|(?:PAPI_OK|NULL|-?\d+): )')
INHERITS = re.compile(r'Errors as of (PAPI_\w+)')


class ErrorCode:
    def __init__(self, value, meaning):
        self.value, self.meaning = value, meaning


class Contract:
    """One comment: blocks of ("text", words), ("argument", name, words) and ("item", words)."""

    def __init__(self, section, blocks):
        self.section = section
        self.prototypes = {}
        self.blocks = []
        self.returns = []
        self.errors = []  # (code, cause or ''), in the order of the comment
        self.inherits = []
        self.words = ' '.join(block[-1] for block in blocks)


class Section:
    def __init__(self, title, blocks):
        self.title, self.blocks = title, blocks
        self.words = ' '.join(block[-1] for block in blocks)


class Contracts:
    def __init__(self, text, codes=None):
        self.text = text
        self.codes = codes or {name: ErrorCode(int(value), meaning) for name, value, meaning in ERROR_LINE.findall(text)}
        code = '(?:%s)' % '|'.join(sorted(self.codes, key=len, reverse=True))
        self.code = re.compile(r'\b%s\b' % code)
        self.clause = re.compile(r'(%s(?:(?:, and |, or |, | and | or )%s)*)\b(?::\s*|\s+|$)(.*)$' % (code, code), re.S)
        self.head = comment_blocks(re.match(r'\s*(/\*.*?\*/)', text, re.S).group(1))
        self.all = self._read(text)
        self.by_name = {name: c for c in self.all for name in c.prototypes}

    def _read(self, text):
        found, section, current = [], Section('', []), None
        for token in TOKEN.finditer(text):
            kind, body = token.lastgroup, token.group()
            if kind == 'comment':
                section, current = self._comment(body, section)
            elif kind == 'blank':
                current = None
            elif kind == 'declaration' and DECLARED.search(body) and not body.startswith(('typedef', 'return')):
                contract = current or Contract(section, [])
                if not contract.prototypes:
                    found.append(contract)
                contract.prototypes[DECLARED.search(body).group(1)] = re.sub(r'\s+', ' ', body)
        return found

    def _comment(self, body, section):
        lines = comment_lines(body)
        title = BANNER.match(lines[0])
        if title:
            return Section(title.group(1), blocks_of(lines[1:])), None
        blocks = blocks_of(lines)
        contract = Contract(section, blocks)
        for block in blocks:
            if block[0] == 'text':
                self._sort_out(contract, block[1])
            else:
                contract.blocks.append(block)
                self._mentioned(contract, block[-1])
        return section, contract

    def _sort_out(self, contract, words):
        """Puts each sentence of a paragraph where it belongs."""
        kept = []
        for sentence in SENTENCE_END.split(words):
            if VALUE.match(sentence):
                contract.returns.append(sentence)
                self._mentioned(contract, sentence)
            elif INHERITS.match(sentence) or self.clause.match(sentence.rstrip('.')):
                self._clauses(contract, sentence)
            else:
                kept.append(sentence)
                self._mentioned(contract, sentence)
        if kept:
            contract.blocks.append(('text', ' '.join(kept)))

    def _clauses(self, contract, sentence):
        for part in re.split(r';\s+(?=%s)' % self.code.pattern, sentence.rstrip('.')):
            inherits, clause = INHERITS.match(part), self.clause.match(part)
            if inherits:
                contract.inherits.append(inherits.group(1))
            elif clause:
                for code in self.code.findall(clause.group(1)):
                    contract.errors.append((code, clause.group(2).strip()))

    def _mentioned(self, contract, sentence):
        """Codes inside a sentence: "or PAPI_EINVAL (no such version), PAPI_ENOMEM"."""
        known = {code for code, _ in contract.errors}
        for match in self.code.finditer(sentence):
            cause = re.match(r'\s+\(([^)]*)\)', sentence[match.end():])
            listed = VALUE.match(sentence) and not cause
            if match.group() not in known:
                contract.errors.append((match.group(), cause.group(1) if cause else '' if listed else sentence.rstrip('.')))
                known.add(match.group())

    def errors_of(self, contract, seen=()):
        """(code, [causes]) with what is taken over from other functions, its own first."""
        found = {}
        for code, cause in contract.errors:
            found.setdefault(code, [])
            if cause and cause not in found[code]:
                found[code].append(cause)
        for name in contract.inherits:
            other = self.by_name.get(name)
            if other and other is not contract and name not in seen:
                for code, causes in self.errors_of(other, (*seen, name)):
                    own = found.setdefault(code, [])
                    own += [c for c in causes if not any(c in mine for mine in own)]
        return list(found.items())

    def summary(self, function):
        """Lines for the documentation of a function in another language: what it does, and its errors."""
        lines = [function.text, '', function.name + ': papi.h and its manual page have the whole contract.']
        codes = [code for code, _ in self.errors_of(self.by_name[function.name])]
        return lines + [''] + textwrap.wrap('Errors: ' + ', '.join(codes) + '.', 108) if codes else lines


def comment_lines(body):
    inner = body.strip()[2:-2]
    return [re.sub(r'^\s*\* ?', '', line).rstrip() if i else line.strip() for i, line in enumerate(inner.split('\n'))]


def comment_blocks(body):
    return blocks_of(comment_lines(body))


def block_of(line):
    """What a line begins, by its indent; None where it only goes on."""
    item = re.match(r' {0,3}- +(.*)$', line)
    argument = re.match(r' {2}(\S.*?) {2,}(\S.*)$', line) or re.match(r' {2}(\S+) (\S.*)$', line)
    if item:
        return 'item', item.group(1)
    return ('argument', argument.group(1), argument.group(2)) if argument else None


def blocks_of(lines):
    found, fresh = [], True
    for line in lines:
        begun = block_of(line)
        goes_on = not fresh and (line.startswith(' ') or found[-1][0] == 'text')
        if not line:
            fresh = True
            continue
        if begun:
            found.append(begun)
        elif goes_on:
            found[-1] = found[-1][:-1] + (found[-1][-1] + ' ' + line.strip(),)
        else:
            found.append(('text', line.strip()))
        fresh = False
    return found


def type_definition(text, name):
    """The typedef of a name as the header has it, or None."""
    function = re.search(r'^typedef[^;{]*\(\*%s\)[^;]*;' % name, text, re.M)
    if function:
        return function.group()
    structure = re.search(r'^typedef (?:struct|union)[^;{]*\{(?:(?!^\}).)*^\} %s;' % name, text, re.M | re.S)
    return structure.group() if structure else None


def members_by_value(definition):
    """The types of this header that a structure contains, not those that it points to."""
    return re.findall(r'^\s+(PAPI_\w+_t) (?!\*)\w', definition, re.M)
