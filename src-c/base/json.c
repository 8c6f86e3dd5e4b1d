/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "base/visible.h"

#include <math.h>
#include <string.h>

/* A character of several bytes that nobody sees as it is, as two escapes where it is beyond U+FFFF. */
static void put_escape(FILE *out, const char *p, int n)
{
    unsigned code = utf8_code(p, n);
    if (code > 0xffff)
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
    else
        fprintf(out, "\\u%04x", code);
}

static void put_character(FILE *out, const char *p, int n)
{
    if (n == 0)
        fputs("\\ufffd", out);
    else if (*p == '"' || *p == '\\')
        fprintf(out, "\\%c", *p);
    else if (*p == '\n')
        fputs("\\n", out);
    else if (*p == '\t')
        fputs("\\t", out);
    else if (utf8_is_hidden(utf8_code(p, n)))
        put_escape(out, p, n);
    else
        fwrite(p, 1, (size_t)n, out);
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *p = text; *p != '\0';) {
        int n = utf8_length(p);
        put_character(out, p, n);
        p += n > 0 ? n : 1;
    }
    fputc('"', out);
}

/* Writes what stands before every value: the comma, the line and the key. */
static void begin(struct json *json, const char *key)
{
    if (json->follows)
        fputc(',', json->out);
    if (json->in_line && json->follows)
        fputc(' ', json->out);
    else if (!json->in_line && json->depth > 0)
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
    if (json->follows && !json->in_line)
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

/* The program's locale may have another point, of any number of bytes. */
void json_digits(FILE *out, double value, int digits)
{
    static const char others[] = "0123456789+-e";
    char text[64];
    snprintf(text, sizeof text, "%.*g", digits, value);
    size_t before = strspn(text, others), point = strcspn(text + before, others);
    fprintf(out, "%.*s%s%s", (int)before, text, point > 0 ? "." : "", text + before + point);
}

static void put_number(struct json *json, const char *key, double value, int digits)
{
    begin(json, key);
    if (isfinite(value))
        json_digits(json->out, value, digits);
    else
        fputs("null", json->out); /* JSON has no infinities */
}

void json_number(struct json *json, const char *key, double value)
{
    put_number(json, key, value, 9);
}

void json_real(struct json *json, const char *key, double value)
{
    put_number(json, key, value, 17);
}

void json_boolean(struct json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}
