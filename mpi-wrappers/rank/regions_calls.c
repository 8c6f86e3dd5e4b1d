/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi.h"
#include "rank/rank.h"

#include <dlfcn.h>

/* The library's own are behind these in the order of the search, or else in no library at all: then the
 * program has the static one, and calls that. */
static int missing(const char *region)
{
    (void)region;
    return PAPI_ENOSUPP;
}

static int missing_stop(void)
{
    return PAPI_ENOSUPP;
}

typedef int region_function(const char *region);
typedef int region_stop_function(void);

static region_function *behind(const char *name)
{
    region_function *found = (region_function *)dlsym(RTLD_NEXT, name);
    return found != NULL ? found : missing;
}

static void find_library(void)
{
    region_stop_function *stop = (region_stop_function *)dlsym(RTLD_NEXT, "PAPI_hl_stop");
    papi_mpi.library =
        (struct region_functions){behind("PAPI_hl_region_begin"), behind("PAPI_hl_read"),
                                  behind("PAPI_hl_region_end"), stop != NULL ? stop : missing_stop};
}

static const struct region_functions *library(void)
{
    pthread_once(&papi_mpi.library_once, find_library);
    return &papi_mpi.library;
}

/* ---- C */

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int PAPI_hl_region_begin(const char *region)
{
    return region_begin(library(), region);
}

VISIBLE int PAPI_hl_read(const char *region)
{
    return region_read(library(), region);
}

VISIBLE int PAPI_hl_region_end(const char *region)
{
    return region_end(library(), region);
}

VISIBLE int PAPI_hl_stop(void)
{
    return region_stop(library());
}

/* ---- Fortran, under the names of all compilers. The library's own do not come by the functions above. */

enum { TEXT_ROOM = 4097 };

#define OTHER_NAMES(name, capitals)                                                                          \
    VISIBLE extern __typeof__(name) name##_ __attribute__((alias(#name)));                                   \
    VISIBLE extern __typeof__(name) name##__ __attribute__((alias(#name)));                                  \
    VISIBLE extern __typeof__(name) capitals __attribute__((alias(#name)))

#define WITH_REGION(name, capitals, function)                                                                \
    VISIBLE void name(const char *region, int *check, size_t length);                                        \
    void name(const char *region, int *check, size_t length)                                                 \
    {                                                                                                        \
        char text[TEXT_ROOM];                                                                                \
                                                                                                             \
        region_text(text, sizeof text, region, length);                                                      \
        *check = function(library(), text);                                                                  \
    }                                                                                                        \
    OTHER_NAMES(name, capitals)

WITH_REGION(papif_hl_region_begin, PAPIF_HL_REGION_BEGIN, region_begin);
WITH_REGION(papif_hl_read, PAPIF_HL_READ, region_read);
WITH_REGION(papif_hl_region_end, PAPIF_HL_REGION_END, region_end);

VISIBLE void papif_hl_stop(int *check);
void papif_hl_stop(int *check)
{
    *check = region_stop(library());
}
OTHER_NAMES(papif_hl_stop, PAPIF_HL_STOP);
