/* SPDX-License-Identifier: BSD-3-Clause
 *
 * csv_split: fields, quotes, blanks, and lines that are none.
 */
#include "testing.h"

#include "formats/text_file.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *line;
    int n;
    const char *field[6];
} rows[] = {
    {"", 1, {""}},
    {" \t ", 1, {""}},
    {"a", 1, {"a"}},
    {"a,b,c", 3, {"a", "b", "c"}},
    {",", 2, {"", ""}},
    {"a,", 2, {"a", ""}},
    {",,b,", 4, {"", "", "b", ""}},
    {" a\t,\tb b , c ", 3, {"a", "b b", "c"}},
    {"a\r", 1, {"a"}},
    {"\"a\"", 1, {"a"}},
    {"\"\"", 1, {""}},
    {"\"\",\"\"", 2, {"", ""}},
    {"\"a,b\",c", 2, {"a,b", "c"}},
    {"a,\"b,c,d\"", 2, {"a", "b,c,d"}},
    {" \"a\" ,\t\"b\"\t, c", 3, {"a", "b", "c"}},
    /* Quoted fields keep their blanks. */
    {"\" a \"", 1, {" a "}},
    {"\"\t\",x", 2, {"\t", "x"}},
    /* Two quotes for one */
    {"\"a\"\"b\"", 1, {"a\"b"}},
    {"\"\"\"\"", 1, {"\""}},
    {"\"\"\"a\"\"\",b", 2, {"\"a\"", "b"}},
    {"\"\"\",\"\"\",c", 2, {"\",\"", "c"}},
    /* A quote that does not begin a field is a character. */
    {"a\"b,c\"", 2, {"a\"b", "c\""}},
    {"5\" disk", 1, {"5\" disk"}},
    {"PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|2|*|,A::B:c=0x1,NOTE",
     6,
     {"PRESET", "PAPI_FP_OPS", "DERIVED_POSTFIX", "N0|2|*|", "A::B:c=0x1", "NOTE"}},
    /* A quote without its end */
    {"\"", -1, {NULL}},
    {"\"a", -1, {NULL}},
    {"a,\"b,c", -1, {NULL}},
    {"\"a\"\"", -1, {NULL}},
    {"\"a\",\"\"\"", -1, {NULL}},
};

static void split_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *field[MAX_FIELDS], *line = strdup(rows[i].line);
        int n = csv_split(line, field);
        if (n != rows[i].n)
            print_error("row: %s\n", rows[i].line);
        assert_int_equal(n, rows[i].n);
        for (int k = 0; k < n; k++)
            assert_string_equal(field[k], rows[i].field[k]);
        free(line);
    }
}

static void as_many_fields_as_there_may_be(void **state)
{
    (void)state;
    char *field[MAX_FIELDS + 1];
    field[MAX_FIELDS] = "intact";
    for (int quoted = 0; quoted < 2; quoted++)
        for (int n = MAX_FIELDS - 1; n <= MAX_FIELDS + 2; n++) {
            char *line = test_text((size_t)n * (quoted ? 4 : 2) - 1, quoted ? "\"f\"," : "f,");
            assert_int_equal(csv_split(line, field), n <= MAX_FIELDS ? n : -2);
            for (int k = 0; k < n && n <= MAX_FIELDS; k++)
                assert_string_equal(field[k], "f");
            assert_string_equal(field[MAX_FIELDS], "intact");
            free(line);
        }
    /* A comma at the end begins one more field. */
    char *line = test_text(MAX_FIELDS * 2, "f,");
    assert_int_equal(csv_split(line, field), -2);
    free(line);
}

static void very_long_lines(void **state)
{
    (void)state;
    enum { LENGTH = 4 << 20 };
    char *field[MAX_FIELDS], *line = test_text(LENGTH, "abcdefg "), *quoted = test_text(LENGTH, "\"");
    line[LENGTH / 2 - 1] = 'y';
    line[LENGTH / 2] = ',';
    line[LENGTH - 1] = 'z';
    assert_int_equal(csv_split(line, field), 2);
    assert_ptr_equal(field[0], line);
    assert_ptr_equal(field[1], line + LENGTH / 2 + 1);
    assert_int_equal(strlen(field[0]), LENGTH / 2);
    assert_int_equal(strlen(field[1]), LENGTH / 2 - 1);
    /* An even number of quotes: the first opens, the last closes, and two are one between them. */
    assert_int_equal(csv_split(quoted, field), 1);
    assert_int_equal(strlen(field[0]), LENGTH / 2 - 1);
    free(quoted);
    quoted = test_text(LENGTH - 1, "\"");
    assert_int_equal(csv_split(quoted, field), -1);
    free(quoted);
    free(line);
}

/* Fields that were joined with quotes are split into the same fields. */
static void any_fields_come_back(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[8][16], line[512], *to = line, *field[MAX_FIELDS];
        int n = 1 + (int)test_random(8);
        for (int k = 0; k < n; k++) {
            size_t length = test_random(8);
            for (size_t i = 0; i < length; i++)
                text[k][i] = "a\",\t #\"N"[test_random(8)];
            text[k][length] = '\0';
            *to++ = '"';
            for (const char *from = text[k]; *from != '\0'; from++) {
                if (*from == '"')
                    *to++ = '"';
                *to++ = *from;
            }
            *to++ = '"';
            *to++ = k + 1 < n ? ',' : '\0';
        }
        assert_int_equal(csv_split(line, field), n);
        for (int k = 0; k < n; k++)
            assert_string_equal(field[k], text[k]);
    }
}

/* Any line gives fields inside itself or a complaint. */
static void any_line_is_split(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t length = test_random(100);
        char *line = malloc(length + 1), *field[MAX_FIELDS];
        for (size_t i = 0; i < length; i++)
            line[i] = "a,\" \tb,\""[test_random(8)];
        line[length] = '\0';
        int n = csv_split(line, field);
        assert_true(n == -1 || n == -2 || (n >= 1 && n <= MAX_FIELDS));
        for (int k = 0; k < n; k++) {
            assert_true(field[k] >= line && field[k] <= line + length);
            assert_true(field[k] + strlen(field[k]) <= line + length);
        }
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_rows),        cmocka_unit_test(as_many_fields_as_there_may_be),
        cmocka_unit_test(very_long_lines),   cmocka_unit_test(any_fields_come_back),
        cmocka_unit_test(any_line_is_split),
    };
    return TEST_RUN(tests);
}
