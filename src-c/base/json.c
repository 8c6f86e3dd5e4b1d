/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"

#include <math.h>
#include <string.h>

/* The length of the UTF-8 sequence at p, 0 when there is none. The null byte at the end of the text
 * is no continuation byte, so nothing behind it is read. */
static int utf8_length(const unsigned char *p)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (p[0] < 0x80)
        return 1;
    int n = p[0] >= 0xf8 || p[0] < 0xc0 ? 0 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    unsigned code = n == 0 ? 0 : p[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return n == 0 || code < least[n] || code > 0x10ffff || surrogate ? 0 : n;
}

static void put_character(FILE *out, const unsigned char *p, int n)
{
    if (n == 0)
        fputs("\\ufffd", out);
    else if (*p == '"' || *p == '\\')
        fprintf(out, "\\%c", *p);
    else if (*p == '\n')
        fputs("\\n", out);
    else if (*p == '\t')
        fputs("\\t", out);
    else if (*p < 0x20 || *p == 0x7f)
        fprintf(out, "\\u%04x", *p);
    else
        fwrite(p, 1, (size_t)n, out);
}

static void put_string(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    fputc('"', out);
    while (*p != '\0') {
        int n = utf8_length(p);
        put_character(out, p, n);
        p += n > 0 ? n : 1;
    }
    fputc('"', out);
}

/* What stands before every value: the comma, the line and the key. */
static void begin(struct json *json, const char *key)
{
    if (json->follows)
        fputc(',', json->out);
    if (json->depth > 0)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    json->follows = true;
    if (key != NULL) {
        put_string(json->out, key);
        fputs(": ", json->out);
    }
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->follows = false;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->follows)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    json->follows = true;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin(json, key);
    if (value == NULL)
        fputs("null", json->out);
    else
        put_string(json->out, value);
}

void json_integer(struct json *json, const char *key, long long value)
{
    begin(json, key);
    fprintf(json->out, "%lld", value);
}

void json_number(struct json *json, const char *key, double value)
{
    begin(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.9g", value);
    else
        fputs("null", json->out); /* JSON has no infinities */
}

void json_boolean(struct json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}
