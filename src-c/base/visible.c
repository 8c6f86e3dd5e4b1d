/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 16 /* "<U+10FFFF>" */, AT_ONCE = 1024 };

unsigned utf8_code(const char *text, int n)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned code = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++)
        code = code << 6 | (p[i] & 0x3fu);
    return code;
}

int utf8_length(const char *text)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80)
        return 1;
    int n = p[0] >= 0xf8 || p[0] < 0xc0 ? 0 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    unsigned code = n == 0 ? 0 : utf8_code(text, n);
    int surrogate = code >= 0xd800 && code < 0xe000;
    return n == 0 || code < least[n] || code > 0x10ffff || surrogate ? 0 : n;
}

/* Controls (C0, C1), marks and embeddings of direction, characters without width, separators of lines and
 * paragraphs, tags, noncharacters. */
int utf8_is_hidden(unsigned code)
{
    static const unsigned range[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},
                                        {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
                                        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff},
                                        {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f}};
    size_t i = 0;
    while (i < sizeof range / sizeof *range && code > range[i][1])
        i++;
    return i < sizeof range / sizeof *range && code >= range[i][0];
}

/* Writes a character as it is shown; *used: its bytes in text. */
static int show(const char *text, char *shown, size_t *used)
{
    int n = utf8_length(text);
    unsigned code = n > 0 ? utf8_code(text, n) : (unsigned char)*text;
    *used = n > 0 ? (size_t)n : 1;
    if (n == 0 || (n == 1 && code != '\t' && utf8_is_hidden(code)))
        return snprintf(shown, LONGEST, "\\x%02x", code);
    if (n > 1 && utf8_is_hidden(code))
        return snprintf(shown, LONGEST, "<U+%04X>", code);
    memcpy(shown, code == '\t' ? " " : text, *used);
    return n;
}

/* The length of the printable ASCII that a text begins with. */
static size_t plain_length(const char *text)
{
    size_t n = 0;
    while ((unsigned char)(text[n] - ' ') <= '~' - ' ')
        n++;
    return n;
}

size_t visible(char *out, size_t size, const char *text)
{
    char shown[LONGEST];
    size_t plain = plain_length(text), at = 0, all = 0, used;
    /* Nearly every text: a reason is made for each call that fails. */
    if (text[plain] == '\0' && plain < size) {
        memcpy(out, text, plain + 1);
        return plain;
    }
    for (; *text != '\0'; text += used) {
        size_t n = (size_t)show(text, shown, &used);
        if (at == all && all + n < size) {
            memcpy(out + at, shown, n);
            at += n;
        }
        all += n;
    }
    if (size > 0)
        out[at] = '\0';
    return all;
}

/* Standard error has no buffer: a write for each character would be slow, and mixed with other processes'. */
void visible_put(FILE *out, const char *text)
{
    char part[AT_ONCE];
    size_t at = 0;
    for (size_t used; *text != '\0'; text += used) {
        at += (size_t)show(text, part + at, &used);
        if (at > sizeof part - LONGEST) {
            fwrite(part, 1, at, out);
            at = 0;
        }
    }
    if (at > 0)
        fwrite(part, 1, at, out);
}

void visible_print_list(FILE *out, const char *format, va_list arguments)
{
    char *text = NULL, beginning[1024];
    va_list again;
    va_copy(again, arguments);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    if (text == NULL) /* no memory: as much as there is room for */
        vsnprintf(beginning, sizeof beginning, format, again);
    va_end(again);
    visible_put(out, text != NULL ? text : beginning);
    free(text);
}

void visible_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    visible_print_list(out, format, arguments);
    va_end(arguments);
}
