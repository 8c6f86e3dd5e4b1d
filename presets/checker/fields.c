/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hash.h"
#include "checker.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* The type of events that the kernel has a name for; it is none of the kernel's types. */
enum { TYPE_NAMED = 1000 };

bool fields_have_form(const char *native)
{
    return strchr(native, '/') != NULL;
}

static bool is_field(const char *term, size_t n, const char *name)
{
    return strlen(name) == n && strncmp(term, name, n) == 0;
}

/* "umask=0x02", or "inv" for 1. */
static bool take_term(const char *term, size_t n, bool amd, struct encoding *out)
{
    size_t name = strcspn(term, "=,/");
    uint64_t value = name < n ? strtoull(term + name + 1, NULL, 0) : 1;
    static const struct {
        const char *name;
        int shift;
    } fields[] = {{"umask", 8}, {"edge", 18}, {"inv", 23}, {"cmask", 24}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (is_field(term, name, fields[i].name)) {
            out->config |= value << fields[i].shift;
            return true;
        }
    if (is_field(term, name, "event"))
        out->config |= amd ? (value & 0xff) | (value & ~UINT64_C(0xff)) << 24 : value;
    else if (is_field(term, name, "offcore_rsp") || is_field(term, name, "frontend") ||
             is_field(term, name, "ldlat"))
        out->config1 = value;
    else if (name == n)
        *out = (struct encoding){.type = TYPE_NAMED, .config = hash_bytes(term, n)};
    else
        return false;
    return true;
}

bool fields_encode(const char *native, bool amd, struct encoding *out)
{
    const char *term = strchr(native, '/') + 1;
    bool known = true;
    *out = (struct encoding){.type = PERF_TYPE_RAW};
    while (*term != '/' && *term != '\0') {
        size_t n = strcspn(term, ",/");
        known &= take_term(term, n, amd, out);
        term += n + (term[n] == ',');
    }
    return known;
}
