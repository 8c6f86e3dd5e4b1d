/* SPDX-License-Identifier: BSD-3-Clause */
#include "markup.h"
#include "base/visible.h"
#include "tools/common/allocate.h"

#include <stdlib.h>

const char markup_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

void markup_text(FILE *out, const char *text)
{
    size_t size = visible(NULL, 0, text) + 1;
    char *clean = memory_more(NULL, size, 1);
    visible(clean, size, text);
    for (const char *c = clean; *c != '\0'; c++)
        if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else
            fputc(*c, out);
    free(clean);
}
