/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what papi_profile makes of profiles that others wrote, one or the sum of two with "%%" between them:
 * shown, as JSON, in each other format, and written again. Whatever names they have, no format ends earlier
 * or means something else by them.
 */
#include "base/visible.h"
#include "fuzz.h"
#include "json.h"
#include "page.h"
#include "profile/export.h"
#include "profile/profile_file.h"
#include "profile/ranks.h"
#include "tools/common/allocate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void memory_is_out(void)
{
    abort();
}

struct text {
    char *at;
    size_t size;
};

static void check_json(const struct text *text)
{
    fuzz_json(text->at, text->size);
    fuzz_visible(text->at);
}

static const char *skip_number(const char *at)
{
    REQUIRE(isdigit((unsigned char)*at));
    return at + strspn(at, "0123456789");
}

/* "frame;frame 12" */
static void check_folded(const struct text *text)
{
    fuzz_visible(text->at);
    for (const char *line = text->at, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        REQUIRE(end != NULL);
        const char *blank = memrchr(line, ' ', (size_t)(end - line));
        REQUIRE(blank != NULL && skip_number(blank + 1) == end);
    }
}

static bool begins_as_callgrind(const char *line)
{
    static const char *const keys[] = {
        "\n",  "# callgrind", "version: ", "creator: ", "cmd:", "positions", "events:", "summary:", "ob=",
        "fl=", "fn=",         "fe=",       "fi=",       "cob=", "cfi=",      "cfn=",    "calls="};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

/* Costs are a line and as many numbers as there are events, whatever blanks their names have. */
static void check_callgrind(const struct text *text, const struct profile *profile)
{
    int names = 0;
    fuzz_visible(text->at);
    for (const char *line = text->at, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        REQUIRE(end != NULL);
        if (strncmp(line, "events:", 7) == 0)
            for (const char *at = line + 7; at < end; at++)
                names += *at == ' ' && at[1] != ' ' && at + 1 < end;
        if (begins_as_callgrind(line))
            continue;
        const char *at = skip_number(line);
        for (int e = 0; e < profile->n_events; e++) {
            REQUIRE(*at == ' ');
            at = skip_number(at + 1);
        }
        REQUIRE(at == end);
    }
    REQUIRE(names == profile->n_events);
}

/* ---- pprof */

static uint64_t varint(const unsigned char **at, const unsigned char *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        REQUIRE(*at < end && shift < 64);
        value |= (uint64_t)(**at & 0x7f) << shift;
        if ((*(*at)++ & 0x80) == 0)
            return value;
    }
}

enum { STRING = 6 };

/* Fields that end where the message does. Returns how many strings are in it. */
static int check_fields(const unsigned char *at, const unsigned char *end, bool inner)
{
    int strings = 0;
    while (at < end) {
        uint64_t key = varint(&at, end);
        REQUIRE((key & 7) == 0 || (key & 7) == 2);
        uint64_t value = varint(&at, end);
        if ((key & 7) == 0)
            continue;
        REQUIRE(value <= (uint64_t)(end - at));
        if (!inner && key >> 3 != STRING && key >> 3 != 2)
            check_fields(at, at + value, true);
        strings += key >> 3 == STRING;
        at += value;
    }
    return strings;
}

static void check_pprof(const struct text *text, const struct profile *profile)
{
    const unsigned char *at = (const unsigned char *)text->at;
    REQUIRE(check_fields(at, at + text->size, false) > profile->strings.n);
}

/* ---- all */

static void check_export(const char *name, const struct profile *profile, const struct totals *totals)
{
    struct text text = {NULL, 0};
    FILE *out = open_memstream(&text.at, &text.size);
    export_find(name, strlen(name))->write(out, profile, totals);
    REQUIRE(fclose(out) == 0);
    bool bytes = strcmp(name, "pprof") == 0;
    REQUIRE(bytes || strlen(text.at) == text.size);
    if (bytes)
        check_pprof(&text, profile);
    else if (strcmp(name, "html") == 0)
        fuzz_page(text.at, text.size);
    else if (strcmp(name, "callgrind") == 0)
        check_callgrind(&text, profile);
    else if (strcmp(name, "folded") == 0)
        check_folded(&text);
    else
        check_json(&text);
    free(text.at);
}

static struct text shown(const struct profile *profile, bool json)
{
    struct text text = {NULL, 0};
    FILE *out = open_memstream(&text.at, &text.size);
    struct report report = {.out = out, .plain = out, .json = json};
    profile_print(&report, profile, 20);
    report_finish(&report);
    REQUIRE(fclose(out) == 0 && strlen(text.at) == text.size);
    fuzz_visible(text.at);
    return text;
}

static void check_again(const struct profile *profile, const struct text *before)
{
    struct text text = {NULL, 0};
    struct profile again = {.command = NULL};
    FILE *out = open_memstream(&text.at, &text.size);
    file_write(out, profile);
    REQUIRE(fclose(out) == 0);
    check_json(&text);
    const char *path = fuzz_file(2, text.at, text.size);
    char *why = ranks_read(&again, &path, 1);
    REQUIRE(why == NULL);
    struct text after = shown(&again, false);
    REQUIRE(strcmp(before->at, after.at) == 0);
    free(after.at);
    free(text.at);
    profile_free(&again);
}

static void check(const struct profile *profile)
{
    static const char *const formats[] = {"callgrind", "folded", "html", "pprof", "speedscope"};
    struct totals totals;
    totals_make(&totals, profile);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        check_export(formats[i], profile, &totals);
    totals_free(&totals);
    struct text text = shown(profile, false), json = shown(profile, true);
    check_json(&json);
    check_again(profile, &text);
    free(json.at);
    free(text.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *between = size > 0 ? memmem(data, size, "%%", 2) : NULL;
    size_t first = between != NULL ? (size_t)(between - data) : size;
    const char *path[2] = {fuzz_file(0, data, first), NULL};
    struct profile profile = {.command = NULL};
    if (between != NULL)
        path[1] = fuzz_file(1, between + 2, size - first - 2);
    char *why = ranks_read(&profile, path, between != NULL ? 2 : 1);
    if (why != NULL)
        REQUIRE(why[0] != '\0');
    else
        check(&profile);
    if (why != NULL && getenv("FUZZ_TELL") != NULL)
        fprintf(stderr, "%s\n", why);
    free(why);
    profile_free(&profile);
    return 0;
}
