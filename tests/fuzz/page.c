/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"
#include "fuzz.h"
#include "json.h"
#include "web/page.h"

#include <string.h>

#define BEGIN "<p>"
#define MIDDLE "</p><script>"
#define END "</script>"
const unsigned char page_begin[] = BEGIN, page_middle[] = MIDDLE, page_end[] = END;
const size_t page_begin_length = sizeof BEGIN - 1, page_middle_length = sizeof MIDDLE - 1,
             page_end_length = sizeof END - 1;

static void check_no_markup(const char *from, const char *to)
{
    REQUIRE(from <= to && memchr(from, '<', (size_t)(to - from)) == NULL);
}

void fuzz_page(const char *text, size_t size)
{
    const char *middle = strstr(text, MIDDLE), *end = text + size - page_end_length;
    fuzz_visible(text);
    REQUIRE(strncmp(text, BEGIN, page_begin_length) == 0 && middle != NULL && strcmp(end, END) == 0);
    const char *data = middle + page_middle_length;
    check_no_markup(text + page_begin_length, middle);
    check_no_markup(data, end);
    fuzz_json(data, (size_t)(end - data));
}
