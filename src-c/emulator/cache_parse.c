/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/cache.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEFAULT_WAYS = 8, DEFAULT_LINE = 64, MIN_LINE = 8, MAX_LINE = 4096 };

#define MAX_SIZE (UINT64_C(1) << 40)

static const char *const names[CACHES] = {"L1d", "L1i", "L2", "L3"};

const char *cache_geometry_fault(const struct cache_geometry *geometry)
{
    uint32_t ways = geometry->ways, line = geometry->line;
    if (geometry->size == 0 || geometry->size > MAX_SIZE)
        return "a cache has between 1 byte and 1024G";
    if (line < MIN_LINE || line > MAX_LINE || (line & (line - 1)) != 0)
        return "a line has 8, 16, 32, ... or 4096 bytes";
    if (ways == 0 || ways > CACHE_MAX_WAYS)
        return "a cache has between 1 and 4096 ways";
    if (geometry->size % ((uint64_t)ways * line) != 0)
        return "the size is not a multiple of the ways times the bytes of a line";
    return NULL;
}

/* Reads a number and returns its end; NULL: there is none, or it is too large. */
static const char *read_number(const char *text, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *out = number;
    return errno == 0 ? end : NULL;
}

static int read_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *rest = read_number(text, out);
    if (rest == NULL || *rest == '\0')
        return rest == NULL ? -1 : 0;
    const char *unit = strchr(units, toupper((unsigned char)*rest++));
    if (unit == NULL || !(*rest == '\0' || strcasecmp(rest, "B") == 0 || strcasecmp(rest, "iB") == 0))
        return -1;
    unsigned bits = 10 * (unsigned)(unit - units + 1);
    if (*out > UINT64_MAX >> bits)
        return -1;
    *out <<= bits;
    return 0;
}

/* Reads a count; otherwise, if the text ends before. */
static int read_count(const char *text, uint32_t otherwise, uint32_t *out)
{
    uint64_t number = otherwise;
    const char *rest = text == NULL ? "" : read_number(text, &number);
    if (rest == NULL || *rest != '\0' || number > UINT32_MAX)
        return -1;
    *out = (uint32_t)number;
    return 0;
}

/* The ways of a fully associative cache, as many as there are lines; 0, which is a fault, if these are too
 * many. */
static uint32_t full_ways(const struct cache_geometry *geometry)
{
    uint64_t lines = geometry->line == 0 ? 0 : geometry->size / geometry->line;
    return lines <= CACHE_MAX_WAYS ? (uint32_t)lines : 0;
}

static int cache_of_name(const char *name)
{
    int i = 0;
    while (i < CACHES && strcasecmp(names[i], name) != 0)
        i++;
    return i;
}

/* Reads the geometry of a cache, "L2:1M:16:64"; text is changed. NULL, or what is wrong. */
static const char *read_cache(char *text, struct cache_geometry geometry[CACHES])
{
    struct cache_geometry new = {0};
    int cache = cache_of_name(strsep(&text, ":"));
    const char *size = strsep(&text, ":"), *ways = strsep(&text, ":"), *line = strsep(&text, ":");
    if (cache == CACHES)
        return "the caches are L1d, L1i, L2 and L3";
    if (geometry[cache].size != 0)
        return "this cache is there twice";
    if (size == NULL || text != NULL)
        return "a cache is written as L2:1M:16:64, with its size, ways and bytes of a line";
    if (read_size(size, &new.size) != 0)
        return "the size is not a number with K, M or G, such as 32K";
    if (read_count(line, DEFAULT_LINE, &new.line) != 0)
        return "the bytes of a line are not a number";
    if (ways != NULL && strcasecmp(ways, "full") == 0)
        new.ways = full_ways(&new);
    else if (read_count(ways, DEFAULT_WAYS, &new.ways) != 0)
        return "the ways are neither a number nor \"full\"";
    geometry[cache] = new;
    return cache_geometry_fault(&new);
}

int cache_geometry_parse(const char *text, struct cache_geometry geometry[CACHES], char *message,
                         unsigned size)
{
    memset(geometry, 0, CACHES * sizeof *geometry);
    for (;; text++) {
        char entry[64] = "";
        size_t length = strcspn(text, ",");
        const char *fault = "this is too long for a cache";
        if (length < sizeof entry) {
            memcpy(entry, text, length);
            fault = read_cache(entry, geometry);
        }
        if (fault != NULL) {
            snprintf(message, size, "\"%.*s\": %s", length < 60 ? (int)length : 60, text, fault);
            return -1;
        }
        text += length;
        if (*text == '\0')
            return 0;
    }
}

/* Writes a cache as far as it fits, with the size in the largest unit of which it is a multiple. */
static void write_cache(const char *name, const struct cache_geometry *geometry, char *out, size_t size)
{
    static const char *const unit_names[] = {"", "K", "M", "G"};
    uint64_t bytes = geometry->size;
    unsigned unit = 0;
    for (; unit < 3 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    snprintf(out, size, "%s:%" PRIu64 "%s:%" PRIu32 ":%" PRIu32, name, bytes, unit_names[unit],
             geometry->ways, geometry->line);
}

void cache_geometry_text(const struct cache_geometry geometry[CACHES], char *out, unsigned size)
{
    char *at = out, *end = out + size;
    for (int i = 0; i < CACHES && at < end; i++) {
        *at = '\0';
        if (geometry[i].size == 0)
            continue;
        if (at > out && end - at > 1)
            *at++ = ',';
        write_cache(names[i], &geometry[i], at, (size_t)(end - at));
        at += strlen(at);
    }
}
