/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Takes the next of a text's qualifiers. False: it is not one. */
static bool take_qualifier(const char **text, struct device_qualifier *qualifier)
{
    char *end;
    size_t length = strcspn(*text, "=:");
    if (length == 0 || length >= sizeof qualifier->name || (*text)[length] != '=')
        return false;
    memcpy(qualifier->name, *text, length);
    qualifier->name[length] = '\0';
    const char *digits = *text + length + 1;
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || n > 9)
        return false;
    qualifier->number = strtol(digits, &end, 10);
    *text = *end == ':' ? end + 1 : end;
    return *end == '\0' || (*end == ':' && end[1] != '\0');
}

int device_name_split(const char *name, char *base, size_t size, struct device_qualifier *qualifier)
{
    size_t length = strcspn(name, ":");
    int n = 0;
    if (length >= size || (name[length] == ':' && name[length + 1] == '\0'))
        return -1;
    memcpy(base, name, length);
    base[length] = '\0';
    for (const char *text = name + length + (name[length] == ':'); *text != '\0'; n++)
        if (n == DEVICE_QUALIFIERS || !take_qualifier(&text, &qualifier[n]) ||
            device_qualifier_of(qualifier, n, qualifier[n].name) >= 0)
            return -1;
    return n;
}

long device_qualifier_of(const struct device_qualifier *qualifier, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(qualifier[i].name, name) == 0)
            return qualifier[i].number;
    return -1;
}

static bool separates(char c)
{
    return (unsigned char)c <= ' ' || c == ',' || c == 0x7f;
}

bool device_name_clean(char *name)
{
    bool changed = false;
    for (; *name != '\0'; name++)
        if (separates(*name)) {
            *name = '_';
            changed = true;
        }
    return changed;
}

bool device_name_is_clean(const char *name)
{
    const char *p = name;
    while (*p != '\0' && !separates(*p))
        p++;
    return p > name && *p == '\0';
}
