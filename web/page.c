/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"

#include <stdbool.h>

/* JSON inside <script type="application/json"> ends at the next "</script", whatever is around it, and
 * "<!--" changes what that is. A string is the only place of JSON for a "<", and \u003c is the same there. */
struct embedding {
    FILE *out;
    bool string, escaped;
};

static void put_in_string(struct embedding *e, int c)
{
    if (e->escaped)
        e->escaped = false;
    else if (c == '\\')
        e->escaped = true;
    else if (c == '"')
        e->string = false;
    putc(c, e->out);
}

static void put(struct embedding *e, int c)
{
    if (c == '<') {
        fputs("\\u003c", e->out);
        e->escaped = false;
    } else if (e->string) {
        put_in_string(e, c);
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') { /* the blanks that fill the rows */
        e->string = c == '"';
        putc(c, e->out);
    }
}

static int embed(FILE *out, FILE *json)
{
    struct embedding e = {.out = out};
    int c;
    while ((c = getc(json)) != EOF)
        put(&e, c);
    return ferror(json) ? -1 : 0;
}

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        if (as != NULL)
            fputs(as, out);
        else
            putc(*text, out);
    }
}

int report_html_with(FILE *out, const char *verdict, FILE *json, const struct page_data *more, int n)
{
    fwrite(page_begin, 1, page_begin_length, out);
    put_text(out, verdict);
    fwrite(page_middle, 1, page_middle_length, out);
    int failed = embed(out, json);
    for (int i = 0; i < n; i++)
        if (more[i].json != NULL) { /* the element before it is open: the page's end closes the last one */
            fprintf(out, "</script>\n<script type=\"application/json\" id=\"%s-data\">", more[i].id);
            failed |= embed(out, more[i].json);
        }
    fwrite(page_end, 1, page_end_length, out);
    return failed != 0 || fflush(out) == EOF || ferror(out) ? -1 : 0;
}

int report_html(FILE *out, const char *verdict, FILE *json)
{
    return report_html_with(out, verdict, json, NULL, 0);
}
