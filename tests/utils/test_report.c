/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sentences of a report: what their places make of values, in the text and in the JSON.
 */
#include "tools/common/report.h"

#include <stdlib.h>
#include <string.h>

static int failures;

/* Compares what the text, or the JSON without its blanks, shows. */
static void compare(bool json, void (*fill)(struct report *), const char *wanted)
{
    char *text = NULL, got[1024];
    size_t size = 0, n = 0;
    FILE *stream = open_memstream(&text, &size);
    struct report report = {.out = stream, .plain = stream, .json = json};
    fill(&report);
    report_finish(&report);
    fclose(stream);
    for (size_t i = 0; i < size && n < sizeof got - 1; i++)
        if (!json || strchr(" \n", text[i]) == NULL)
            got[n++] = text[i];
    got[n] = '\0';
    free(text);
    if (strcmp(got, wanted) == 0)
        return;
    printf("wanted: %s\ngot:    %s\n", wanted, got);
    failures++;
}

static void known(struct report *report)
{
    report_sentence(report, "A", "{name:%-4s}|{n:%3d}|{n:0x%02x}|{real:%.1f}|{flag}|{flag:%Y}|{note? (%s)}",
                    AS_TEXT("name", "ab"), AS_NUMBER("n", 10), AS_REAL("real", 0.25), AS_FLAG("flag", true),
                    AS_TEXT("note", "why"), AS_NUMBER(".unseen", 3));
}

static void missing(struct report *report)
{
    report_row(report, "row", "{name:%-5s|none}|{n:%9d}|{flag}{flag?x%s}{note? (%s)}", AS_TEXT("name", NULL),
               AS_NUMBER("n", REPORT_UNKNOWN), AS_FLAG("flag", false), AS_TEXT("note", ""));
}

/* A part that the text has elsewhere, a line of cells, and a text that the JSON does not have. */
static void parts(struct report *report)
{
    report_only(report, REPORT_TEXT_ONLY);
    report_row(report, "elsewhere", "first {n}", AS_NUMBER("n", 1));
    report_words(report, "W", "w", (const char *const[]){"a"}, 1);
    report_only(report, REPORT_JSON_ONLY);
    report_object(report, "hidden");
    report_measure(report, "N", "n", 2, " B");
    report_words(report, "W", "w", (const char *const[]){"b"}, 1);
    report_line(report, NULL, "hidden");
    report_end(report);
    report_only(report, REPORT_BOTH);
    report_cell(report, "{n:%3d}", AS_NUMBER("n", 3));
    report_object(report, "cell");
    report_cell(report, " {mean:%.1f}", AS_REAL("mean", 0.5), AS_NUMBER("most", 4));
    report_end(report);
    report_blank(report);
    report_text(report, "Note", "why");
    report_text(report, "None", "");
}

static void words(struct report *report)
{
    static const char *const word[] = {"a", "b"};
    report_words(report, "W", "w", word, 2);
    report_words(report, "None", "none", word, 0);
    report_sentence(report, NULL, "{:%v}", AS_TEXT("", "x\033y"));
    report_sentence(report, NULL, NULL, AS_NUMBER("silent", 1));
}

int main(void)
{
    compare(false, known, "A: ab  | 10|0x0a|0.2|yes|Yes| (why)\n");
    compare(true, known, "{\"name\":\"ab\",\"n\":10,\"real\":0.25,\"flag\":true,\"note\":\"why\"}");
    compare(false, missing, "none |  unknown|no\n");
    compare(true, missing, "{\"row\":{\"name\":null,\"n\":null,\"flag\":false,\"note\":\"\"}}");
    compare(false, words, "W: a, b\nx\\x1by\n");
    compare(true, words, "{\"w\":[\"a\",\"b\"],\"none\":[],\"\":\"x\\u001by\",\"silent\":1}");
    compare(false, parts, "first 1\nW: a\n  3 0.5\nNote: why\n");
    compare(true, parts, "{\"hidden\":{\"n\":2,\"w\":[\"b\"]},\"n\":3,\"cell\":{\"mean\":0.5,\"most\":4}}");
    return failures != 0;
}
