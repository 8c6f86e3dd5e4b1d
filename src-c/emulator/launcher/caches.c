/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/cache.h"
#include "emulator/launcher/launcher.h"
#include "papi.h"

#include <limits.h>
#include <string.h>

static const char usual[] = "L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:32M:16:64";

/* ------------------------------------------------------------- this machine's */

/* Of a level of caches; NULL: not known. */
static const PAPI_mh_cache_info_t *known_cache(const PAPI_mh_info_t *memory, int level, int type)
{
    for (int i = 0; level < memory->levels && i < PAPI_MH_MAX_LEVELS; i++) {
        const PAPI_mh_cache_info_t *cache = &memory->level[level].cache[i];
        if ((PAPI_MH_CACHE_TYPE(cache->type) & type) == type && cache->size > 0)
            return cache;
    }
    return NULL;
}

static struct cache_geometry geometry_of(const PAPI_mh_cache_info_t *cache)
{
    uint32_t line = cache->line_size > 0 ? (uint32_t)cache->line_size : 64;
    uint32_t lines = (uint32_t)cache->size / line;
    uint32_t ways = cache->associativity > 0 ? (uint32_t)cache->associativity : 8;
    if (cache->associativity == SHRT_MAX) /* any line of memory in any place */
        ways = lines < CACHE_MAX_WAYS ? lines : CACHE_MAX_WAYS;
    return (struct cache_geometry){.size = (uint64_t)cache->size, .ways = ways, .line = line};
}

/* false: there is no telling. */
static bool machine_geometry(struct cache_geometry geometry[CACHES])
{
    static const struct {
        int level, type;
    } where[CACHES] = {
        [CACHE_L1D] = {0, PAPI_MH_TYPE_DATA},
        [CACHE_L1I] = {0, PAPI_MH_TYPE_INST},
        [CACHE_L2] = {1, PAPI_MH_TYPE_DATA},
        [CACHE_L3] = {2, PAPI_MH_TYPE_DATA},
    };
    const PAPI_hw_info_t *machine = PAPI_get_hardware_info();
    memset(geometry, 0, CACHES * sizeof *geometry);
    for (int i = 0; machine != NULL && i < CACHES; i++) {
        const PAPI_mh_cache_info_t *cache =
            known_cache(&machine->mem_hierarchy, where[i].level, where[i].type);
        if (cache != NULL)
            geometry[i] = geometry_of(cache);
        if (cache != NULL && cache_geometry_fault(&geometry[i]) != NULL)
            return false;
    }
    return geometry[CACHE_L1D].size != 0;
}

static bool ask_machine(struct cache_geometry geometry[CACHES])
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return false;
    bool known = machine_geometry(geometry);
    PAPI_shutdown();
    return known;
}

/* ------------------------------------------------------------------ the choice */

int caches_choose(const char *asked, char **text)
{
    struct cache_geometry geometry[CACHES];
    char canonical[CACHE_TEXT], message[256];
    if (asked == NULL && !ask_machine(geometry)) {
        complain("this machine does not tell its caches: those simulated are %s", usual);
        asked = usual;
    }
    if (asked != NULL && cache_geometry_parse(asked, geometry, message, sizeof message) != 0) {
        complain("--caches: %s", message);
        return EXIT_OWN_ERROR;
    }
    cache_geometry_text(geometry, canonical, sizeof canonical);
    *text = text_of("%s", canonical);
    return 0;
}
