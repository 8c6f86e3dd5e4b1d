/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/rule.h"
#include "base/text_rows.h"
#include "events/definition.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 5, RULE_SIZE = 256 };

/* A rule's parts; those that it has not are NULL. */
struct rule {
    const char *vendor, *family, *models, *pmus;
    const char *architecture; /* NULL: of any, by the PMU alone */
    char text[RULE_SIZE];
};

bool rule_has_form(const char *name)
{
    TEXT_ROWS_BEGIN
    static const char kinds[][12] = {"x86:", "arm64:", "riscv64:", "ppc64:", "sysfs:"};
    TEXT_ROWS_END
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

/* Returns how many there are, also where they are too many. */
static int split(char *text, char *part[MAX_PARTS])
{
    int n = 0;
    for (char *next; (next = strsep(&text, ":")) != NULL; n++)
        if (n < MAX_PARTS)
            part[n] = next;
    return n;
}

/* Splits a rule into its parts. False: it has not those that its kind needs. */
static bool parse(const char *name, struct rule *rule)
{
    char *part[MAX_PARTS] = {NULL};
    memset(rule, 0, sizeof *rule);
    if (strlen(name) >= sizeof rule->text)
        return false;
    strcpy(rule->text, name);
    int n = split(rule->text, part);
    if (strcmp(part[0], "sysfs") == 0) {
        rule->pmus = part[1];
        return n == 2;
    }
    bool x86 = strcmp(part[0], "x86") == 0;
    int ids = x86 ? 4 : 3;
    rule->architecture = part[0];
    rule->vendor = x86 ? part[1] : NULL;
    rule->family = part[ids - 2];
    rule->models = part[ids - 1];
    rule->pmus = n > ids ? part[ids] : x86 ? "cpu" : "*";
    return n == ids || n == ids + 1;
}

/* ---- lists */

typedef bool item_test(const char *item, const void *wanted);

/* True if a list with "|" has an item of which the test says so. */
static bool has_item(const char *list, bool so, item_test *test, const void *wanted)
{
    char item[RULE_SIZE];
    for (size_t n = 0;; list += n + 1) {
        n = strcspn(list, "|");
        snprintf(item, sizeof item, "%.*s", (int)n, list);
        if (test(item, wanted) == so)
            return true;
        if (list[n] == '\0')
            return false;
    }
}

/* Parses a number or a range: "0x97", "64-79", or "*" for all. */
static bool parse_range(const char *item, int *low, int *high)
{
    char *end;
    *low = 0;
    *high = 0xffff;
    if (strcmp(item, "*") == 0)
        return true;
    if (!isdigit((unsigned char)item[0]))
        return false;
    long from = strtol(item, &end, 0), to = from;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        to = strtol(end + 1, &end, 0);
    *low = (int)from;
    *high = (int)to;
    return *end == '\0' && from <= to && to <= 0xffff;
}

/* True for a range that has the number wanted; NULL: for any range. */
static bool is_range(const char *item, const void *wanted)
{
    int low, high;
    const int *number = wanted;
    return parse_range(item, &low, &high) && (number == NULL || (low <= *number && *number <= high));
}

/* True for an item that stands for the name wanted; NULL: for any item that could be one. */
static bool is_name(const char *item, const void *wanted)
{
    size_t n = strspn(item, NAME_CHARACTERS);
    bool open = item[n] == '*';
    if (wanted != NULL)
        return open ? strncmp(wanted, item, n) == 0 : strcmp(wanted, item) == 0;
    return item[0] != '\0' && item[n + open] == '\0';
}

/* ---- rules */

int rule_check(const char *name, struct reason *why)
{
    struct rule rule;
    if (!rule_has_form(name) || !parse(name, &rule))
        return reason_set(why, PAPI_EINVAL,
                          "\"%.60s\" is not x86:VENDOR:FAMILY:MODELS[:PMUS], arm64:IMPLEMENTER:PARTS[:PMUS], "
                          "riscv64:VENDORS:CORES[:PMUS], ppc64:VERSIONS:REVISIONS[:PMUS] or sysfs:PMUS",
                          name);
    if (rule.vendor != NULL && rule.vendor[0] == '\0')
        return reason_set(why, PAPI_EINVAL, "\"%.60s\" has no vendor", name);
    if (rule.models != NULL &&
        (has_item(rule.family, false, is_range, NULL) || has_item(rule.models, false, is_range, NULL)))
        return reason_set(why, PAPI_EINVAL,
                          "\"%.60s\" has what is not a list of numbers and ranges (0x97|0xa0-0xaf, or *)",
                          name);
    if (has_item(rule.pmus, false, is_name, NULL))
        return reason_set(why, PAPI_EINVAL, "\"%.60s\" has what is not a list of PMUs (cpu|armv8_*)", name);
    return PAPI_OK;
}

enum rule_rank rule_matches(const char *name, const struct core_pmu *core)
{
    struct rule rule;
    if (!rule_has_form(name) || !parse(name, &rule) || !has_item(rule.pmus, true, is_name, core->name))
        return RULE_NONE;
    if (rule.models == NULL)
        return RULE_PMU;
    bool same = strcmp(core->id.architecture, rule.architecture) == 0 &&
                (rule.vendor == NULL || strcmp(core->id.vendor, rule.vendor) == 0) &&
                has_item(rule.family, true, is_range, &core->id.family) &&
                has_item(rule.models, true, is_range, &core->id.model);
    return same ? RULE_PROCESSOR : RULE_NONE;
}

/* ---- native events */

bool rule_native_has_form(const char *native)
{
    return native[0] == '/';
}

/* True for a term such as "field", "field=12" or "field=0xc7". */
static bool term_fits(const char *term, size_t length)
{
    char copy[RULE_SIZE], *end;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, term, length);
    copy[length] = '\0';
    size_t name = strspn(copy, NAME_CHARACTERS);
    if (name == 0 || copy[name] == '\0')
        return name > 0;
    errno = 0;
    strtoull(copy + name + 1, &end, 0);
    return copy[name] == '=' && isdigit((unsigned char)copy[name + 1]) && *end == '\0' && errno == 0;
}

int rule_native_check(const char *native, struct reason *why)
{
    const char *term = native + 1, *last = strrchr(native, '/');
    if (native[0] != '/' || last == native)
        return reason_set(why, PAPI_EINVAL, "\"%.100s\" is not of the form /event/ or /field=value,.../",
                          native);
    for (;;) {
        size_t n = strcspn(term, ",/");
        if (!term_fits(term, n))
            return reason_set(why, PAPI_EINVAL, "\"%.100s\" has what is neither an event nor field=number",
                              native);
        if (term[n] == '/')
            break;
        term += n + 1;
    }
    const char *modes = term + strcspn(term, "/") + 1;
    if (modes[strspn(modes, "uk")] != '\0')
        return reason_set(why, PAPI_EINVAL, "\"%.100s\" has more behind its end than u and k", native);
    return PAPI_OK;
}
