/* SPDX-License-Identifier: BSD-3-Clause */
#include "program_sources.h"
#include "objects.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

struct naming {
    const struct profile *profile;
    bool *named;
};

static void take(void *context, const char *path)
{
    struct naming *naming = context;
    int string = index_find(&naming->profile->strings, path, strlen(path) + 1);
    if (string >= 0)
        naming->named[string] = true;
}

/* Those that have routines with lines. */
static bool *objects_of(const struct profile *profile)
{
    bool *wanted = memory_more(NULL, (size_t)profile->strings.n + 1, sizeof *wanted);
    memset(wanted, 0, ((size_t)profile->strings.n + 1) * sizeof *wanted);
    for (int i = 0; i < profile->places.n; i++) {
        const struct place *place = profile_place_at(profile, i);
        if (place->file >= 0)
            wanted[profile_routine_at(profile, place->routine)->object] = true;
    }
    return wanted;
}

void named_sources(const struct profile *profile, bool *named)
{
    struct profile unused = {.command = NULL}; /* what the objects say of themselves */
    struct naming naming = {profile, named};
    struct objects *objects = objects_open(&unused);
    bool *wanted = objects_of(profile);
    objects_trust_own(objects);
    unsetenv("DEBUGINFOD_URLS");
    for (int i = 0; i < profile->strings.n; i++)
        if (wanted[i])
            objects_files(objects, objects_number(objects, profile_text(profile, i)), take, &naming);
    free(wanted);
    objects_close(objects);
    profile_free(&unused);
}
