#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of how manual pages are made: what is read out of comments, help texts and fragments."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from generator import contracts, emit_tools, roff  # noqa: E402

HEADER = '''/* The head.
 *  - A rule that
 *    goes on.
 */
#define PAPI_EINVAL -1 /* invalid argument */
#define PAPI_ENOMEM -2 /* out of memory */
#define PAPI_ENOEVNT -7 /* no such event */
#define PAPI_END 4 /* no error */
/* ======================= section one
 * Holds for all. */

/* Does it; see PAPI_END, e.g. so.
 *   first  the first argument
 *          goes on; PAPI_EINVAL is not a clause here
 *   a, b   two
 * Then this. PAPI_EINVAL: first is NULL; PAPI_x says why. PAPI_ENOMEM, PAPI_ENOEVNT: never. */
int PAPI_one(int first,
             int b);
int PAPI_two(void);

int PAPI_alone(void);

/* Returns the number, or PAPI_EINVAL (too many), PAPI_ENOMEM. NULL: nothing. Errors as of PAPI_one; PAPI_ENOEVNT:
 * another. */
#define PAPI_macro(x) x
int PAPI_three(void);

/* A sentence that PAPI_ENOMEM is in. */
int PAPI_four(void);

extern "C++" inline int PAPI_four(int a)
{
    if (a) {
        PAPI_no(a);
    }
    return PAPI_no_either(a);
}
'''


class Comments(unittest.TestCase):
    def setUp(self):
        self.header = contracts.Contracts(HEADER)
        self.one = self.header.by_name['PAPI_one']

    def test_codes_and_head(self):
        self.assertEqual(sorted(self.header.codes), ['PAPI_EINVAL', 'PAPI_ENOEVNT', 'PAPI_ENOMEM'])
        self.assertEqual(self.header.head, [('text', 'The head.'), ('item', 'A rule that goes on.')])

    def test_who_shares_a_comment(self):
        self.assertEqual(list(self.one.prototypes), ['PAPI_one', 'PAPI_two'])
        self.assertEqual(self.one.prototypes['PAPI_one'], 'int PAPI_one(int first, int b);')
        self.assertEqual(self.header.by_name['PAPI_alone'].words, '')
        self.assertEqual((self.one.section.title, self.one.section.words), ('section one', 'Holds for all.'))

    def test_blocks(self):
        self.assertEqual(self.one.blocks, [
            ('text', 'Does it; see PAPI_END, e.g. so.'),
            ('argument', 'first', 'the first argument goes on; PAPI_EINVAL is not a clause here'),
            ('argument', 'a, b', 'two'), ('text', 'Then this.')])

    def test_errors(self):
        found = self.header.errors_of(self.one)
        self.assertIn(('PAPI_ENOEVNT', ['never']), found)
        self.assertIn('first is NULL; PAPI_x says why', dict(found)['PAPI_EINVAL'])

    def test_returns_and_inherited_errors(self):
        three = self.header.by_name['PAPI_three']
        self.assertEqual(three.returns, ['Returns the number, or PAPI_EINVAL (too many), PAPI_ENOMEM.', 'NULL: nothing.'])
        found = dict(self.header.errors_of(three))
        self.assertEqual(found['PAPI_EINVAL'][0], 'too many')
        self.assertEqual(found['PAPI_ENOEVNT'], ['another', 'never'])
        self.assertEqual(three.blocks, [])

    def test_a_code_in_a_sentence_is_an_error_too(self):
        four = self.header.by_name['PAPI_four']
        self.assertEqual(self.header.errors_of(four), [('PAPI_ENOMEM', ['A sentence that PAPI_ENOMEM is in'])])
        self.assertEqual(four.blocks, [('text', 'A sentence that PAPI_ENOMEM is in.')])

    def test_a_body_declares_nothing(self):
        self.assertEqual(list(self.header.by_name), ['PAPI_one', 'PAPI_two', 'PAPI_alone', 'PAPI_three', 'PAPI_four'])
        self.assertEqual(self.header.by_name['PAPI_four'].prototypes, {'PAPI_four': 'int PAPI_four(void);'})

    def test_types(self):
        text = 'typedef struct x {\n    PAPI_in_t a;\n    PAPI_no_t *b;\n} PAPI_x_t;\ntypedef int (*PAPI_f_t)(int);\n'
        self.assertTrue(contracts.type_definition(text, 'PAPI_x_t').endswith('} PAPI_x_t;'))
        self.assertEqual(contracts.type_definition(text, 'PAPI_f_t'), 'typedef int (*PAPI_f_t)(int);')
        self.assertEqual(contracts.members_by_value(contracts.type_definition(text, 'PAPI_x_t')), ['PAPI_in_t'])


class Pages(unittest.TestCase):
    def test_escapes(self):
        self.assertEqual(roff.prose('.a -1 PAPI_x \\ \u00b5'), r'\&.a \-1 \fBPAPI_x\fP \e \[u00B5]')

    def test_fragment(self):
        found = roff.sections('# t\nOne `a`\nline.\n\n## Notes\n\n- x\n  y\n- z\n\n```c\n.x\n```\n\n| h | i |\n| --- | --- |\n'
                              '| `K` | v |\n')
        self.assertEqual(found['DESCRIPTION'], ['.PP', r'One \fBa\fP line.'])
        self.assertEqual(found['NOTES'], [r'.IP \(bu 2', 'x y', r'.IP \(bu 2', 'z'] + roff.code(['.x']) +
                         ['.TP', r'\fBK\fP', 'v'])

    def test_output_of_a_program(self):
        found = roff.sections('```c complete emulate\nx;\n```\n```output\ny\n```\n')['DESCRIPTION']
        self.assertEqual(found, roff.code(['x;']) + ['.PP', r'Under \fBpapi_emulate\fP it prints:'] + roff.code(['y']))

    def test_help(self):
        source = 'static const char usage_text[] =\n    "Usage: t [-a]\\n"\n    "Does it: so.\\n\\n  -a, --all=N  all\\n"\n' \
                 '    "               of it\\n\\nExit status: 0.\\n";\n'
        text = emit_tools.help_text(source)
        page = emit_tools.page('t', text, {'EXAMPLES': ['x']}, 'f', [('t', 1), ('u', 1), ('papi', 7)])
        for line in ['t \\- does it', 't [\\-a]', '.TP\n\\fB\\-a, \\-\\-all=N\\fP\nall of it', '.SH EXIT STATUS', '.SH EXAMPLES\nx',
                     '.BR u (1),']:
            self.assertIn(line + '\n', page)


if __name__ == '__main__':
    unittest.main()
