/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/rule.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
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
    static const char *const kinds[] = {"x86:", "arm64:", "riscv64:", "sysfs:"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

static int split(char *text, char *part[MAX_PARTS])
{
    int n = 0;
    for (char *next = text; next != NULL && n < MAX_PARTS; n++) {
        part[n] = next;
        next = strchr(next, ':');
        if (next != NULL)
            *next++ = '\0';
        else
            return n + 1;
    }
    return MAX_PARTS + 1; /* too many */
}

/* false: it has not the parts that its kind needs. */
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

/* ---------------------------------------------------------------------- lists */

/* The next item of a list with "|" into item; NULL: that was the last, or it is too long. */
static const char *next_item(const char *list, char *item, size_t size)
{
    if (list == NULL)
        return NULL;
    size_t n = strcspn(list, "|");
    if (n >= size)
        return NULL;
    memcpy(item, list, n);
    item[n] = '\0';
    return list + n;
}

static const char *behind(const char *end)
{
    return *end == '|' ? end + 1 : NULL;
}

/* "0x97", "64-79", "*" */
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

static bool has_number(const char *list, int number)
{
    char item[RULE_SIZE];
    int low, high;
    for (const char *end; (end = next_item(list, item, sizeof item)) != NULL; list = behind(end))
        if (parse_range(item, &low, &high) && low <= number && number <= high)
            return true;
    return false;
}

static bool has_name(const char *list, const char *name)
{
    char item[RULE_SIZE];
    for (const char *end; (end = next_item(list, item, sizeof item)) != NULL; list = behind(end)) {
        size_t n = strcspn(item, "*");
        if (item[n] == '*' ? strncmp(name, item, n) == 0 : strcmp(name, item) == 0)
            return true;
    }
    return false;
}

static bool numbers_fit(const char *list)
{
    char item[RULE_SIZE];
    int low, high;
    for (const char *end; (end = next_item(list, item, sizeof item)) != NULL; list = behind(end))
        if (!parse_range(item, &low, &high))
            return false;
    return list == NULL;
}

static bool names_fit(const char *list)
{
    char item[RULE_SIZE];
    for (const char *end; (end = next_item(list, item, sizeof item)) != NULL; list = behind(end)) {
        size_t n = 0;
        while (isalnum((unsigned char)item[n]) || strchr("_-.", item[n] ? item[n] : '|') != NULL)
            n++;
        if (item[0] == '\0' || (item[n] == '*' ? item[n + 1] != '\0' : item[n] != '\0'))
            return false;
    }
    return list == NULL;
}

/* ---------------------------------------------------------------------- rules */

int rule_check(const char *name, struct reason *why)
{
    struct rule rule;
    if (!rule_has_form(name) || !parse(name, &rule))
        return reason_set(why, PAPI_EINVAL,
                          "\"%.60s\" is not x86:VENDOR:FAMILY:MODELS[:PMUS], arm64:IMPLEMENTER:PARTS[:PMUS], "
                          "riscv64:VENDORS:CORES[:PMUS] or sysfs:PMUS",
                          name);
    if (rule.vendor != NULL && rule.vendor[0] == '\0')
        return reason_set(why, PAPI_EINVAL, "\"%.60s\" has no vendor", name);
    if (rule.models != NULL && (!numbers_fit(rule.family) || !numbers_fit(rule.models)))
        return reason_set(why, PAPI_EINVAL,
                          "\"%.60s\" has what is not a list of numbers and ranges (0x97|0xa0-0xaf, or *)",
                          name);
    if (!names_fit(rule.pmus))
        return reason_set(why, PAPI_EINVAL, "\"%.60s\" has what is not a list of PMUs (cpu|armv8_*)", name);
    return PAPI_OK;
}

enum rule_rank rule_matches(const char *name, const struct core_pmu *core)
{
    struct rule rule;
    if (!rule_has_form(name) || !parse(name, &rule) || !has_name(rule.pmus, core->name))
        return RULE_NONE;
    if (rule.models == NULL)
        return RULE_PMU;
    bool same = strcmp(core->id.architecture, rule.architecture) == 0 &&
                (rule.vendor == NULL || strcmp(core->id.vendor, rule.vendor) == 0) &&
                has_number(rule.family, core->id.family) && has_number(rule.models, core->id.model);
    return same ? RULE_PROCESSOR : RULE_NONE;
}

/* -------------------------------------------------------------- native events */

bool rule_native_has_form(const char *native)
{
    return native[0] == '/';
}

/* "field", "field=12", "field=0xc7" */
static bool term_fits(const char *term, size_t length)
{
    char copy[RULE_SIZE], *end;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, term, length);
    copy[length] = '\0';
    char *equals = strchr(copy, '=');
    size_t name = equals ? (size_t)(equals - copy) : length;
    for (size_t i = 0; i < name; i++)
        if (!isalnum((unsigned char)copy[i]) && strchr("_-.", copy[i]) == NULL)
            return false;
    if (name == 0 || equals == NULL)
        return name > 0;
    errno = 0;
    strtoull(equals + 1, &end, 0);
    return isdigit((unsigned char)equals[1]) && *end == '\0' && errno == 0;
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
