/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_kokkos.so, which Kokkos loads by KOKKOS_TOOLS_LIBS (before Kokkos 4: KOKKOS_PROFILE_LIBRARY): its
 * kernels, regions, sections and deep copies as regions of libpapi. Names and shapes of the functions are
 * those of Kokkos' tools interface.
 *
 * Kernels run in threads that Kokkos starts after this library, so that the counters are inherited by
 * threads, and a region that lasts from init to finalize opens them before. What a device does is not in
 * them: its kernels are launched only.
 */
#include "open_regions.h"
#include "papi.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

struct space {
    char name[64];
};

/* Sections have names when they are made, and begin and end later, perhaps in other threads. */
struct section {
    char *name;
    struct open_region *open;
};

static struct {
    pthread_mutex_t lock;
    struct section *section;
    uint32_t n;
    struct open_region *whole; /* from init to finalize */
} kokkos = {.lock = PTHREAD_MUTEX_INITIALIZER};

EXPORTED void kokkosp_init_library(int sequence, uint64_t version, uint32_t n_devices, void *devices);
EXPORTED void kokkosp_finalize_library(void);
EXPORTED void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *kernel);
EXPORTED void kokkosp_end_parallel_for(uint64_t kernel);
EXPORTED void kokkosp_begin_parallel_scan(const char *name, uint32_t device, uint64_t *kernel);
EXPORTED void kokkosp_end_parallel_scan(uint64_t kernel);
EXPORTED void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *kernel);
EXPORTED void kokkosp_end_parallel_reduce(uint64_t kernel);
EXPORTED void kokkosp_push_profile_region(const char *name);
EXPORTED void kokkosp_pop_profile_region(void);
EXPORTED void kokkosp_create_profile_section(const char *name, uint32_t *section);
EXPORTED void kokkosp_start_profile_section(uint32_t section);
EXPORTED void kokkosp_stop_profile_section(uint32_t section);
EXPORTED void kokkosp_destroy_profile_section(uint32_t section);
EXPORTED void kokkosp_begin_deep_copy(struct space to, const char *to_name, const void *to_memory,
                                      struct space from, const char *from_name, const void *from_memory,
                                      uint64_t size);
EXPORTED void kokkosp_end_deep_copy(void);

static struct open_region *begin_of(const char *name, enum open_region_kind kind)
{
    return open_region_begin(name != NULL && *name != '\0' ? name : "(without a name)", kind);
}

static struct open_region *begin(const char *name)
{
    return begin_of(name, REGION_NAMED);
}

static void end(struct open_region *region)
{
    if (region != NULL)
        open_region_end(region);
}

void kokkosp_init_library(int sequence, uint64_t version, uint32_t n_devices, void *devices)
{
    (void)sequence, (void)version, (void)n_devices, (void)devices;
    PAPI_option_t option = {.inherit = {.eventset = PAPI_NULL, .inherit = PAPI_INHERIT_ALL}};
    if (PAPI_library_init(PAPI_VER_CURRENT) > 0)
        PAPI_set_opt(PAPI_INHERIT, &option);
    kokkos.whole = begin("Kokkos");
}

void kokkosp_finalize_library(void)
{
    end(kokkos.whole);
    kokkos.whole = NULL;
    PAPI_hl_stop();
}

/* ---- kernels: Kokkos gives back the number of the begin at the end */

void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *kernel)
{
    (void)device;
    *kernel = (uintptr_t)begin(name);
}

void kokkosp_end_parallel_for(uint64_t kernel)
{
    end((struct open_region *)(uintptr_t)kernel);
}

void kokkosp_begin_parallel_scan(const char *name, uint32_t device, uint64_t *kernel)
{
    kokkosp_begin_parallel_for(name, device, kernel);
}

void kokkosp_end_parallel_scan(uint64_t kernel)
{
    kokkosp_end_parallel_for(kernel);
}

void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *kernel)
{
    kokkosp_begin_parallel_for(name, device, kernel);
}

void kokkosp_end_parallel_reduce(uint64_t kernel)
{
    kokkosp_end_parallel_for(kernel);
}

/* ---- regions: the one that is popped was pushed last, whatever else is open */

void kokkosp_push_profile_region(const char *name)
{
    begin_of(name, REGION_PUSHED);
}

void kokkosp_pop_profile_region(void)
{
    end(open_region_last(REGION_PUSHED));
}

/* ---- copies: one at a time in a thread */

static _Thread_local struct open_region *copy;

void kokkosp_begin_deep_copy(struct space to, const char *to_name, const void *to_memory, struct space from,
                             const char *from_name, const void *from_memory, uint64_t size)
{
    (void)to, (void)to_memory, (void)from, (void)from_memory, (void)size;
    char *name;
    copy = NULL;
    if (asprintf(&name, "deep_copy %s to %s", from_name != NULL ? from_name : "",
                 to_name != NULL ? to_name : "") < 0)
        return;
    copy = begin(name);
    free(name);
}

void kokkosp_end_deep_copy(void)
{
    end(copy);
    copy = NULL;
}

/* ---- sections */

void kokkosp_create_profile_section(const char *name, uint32_t *section)
{
    pthread_mutex_lock(&kokkos.lock);
    struct section *more = realloc(kokkos.section, (kokkos.n + 1) * sizeof *more);
    *section = UINT32_MAX; /* where there is no memory */
    if (more != NULL) {
        kokkos.section = more;
        more[kokkos.n] = (struct section){.name = strdup(name != NULL ? name : "")};
        *section = kokkos.n++;
    }
    pthread_mutex_unlock(&kokkos.lock);
}

void kokkosp_start_profile_section(uint32_t section)
{
    pthread_mutex_lock(&kokkos.lock);
    if (section < kokkos.n && kokkos.section[section].open == NULL)
        kokkos.section[section].open = begin(kokkos.section[section].name);
    pthread_mutex_unlock(&kokkos.lock);
}

void kokkosp_stop_profile_section(uint32_t section)
{
    pthread_mutex_lock(&kokkos.lock);
    /* In another thread it goes on, until the one that has begun it ends it. */
    if (section < kokkos.n && open_region_is_here(kokkos.section[section].open)) {
        end(kokkos.section[section].open);
        kokkos.section[section].open = NULL;
    }
    pthread_mutex_unlock(&kokkos.lock);
}

void kokkosp_destroy_profile_section(uint32_t section)
{
    kokkosp_stop_profile_section(section);
    pthread_mutex_lock(&kokkos.lock);
    if (section < kokkos.n) {
        free(kokkos.section[section].name);
        kokkos.section[section].name = NULL;
    }
    pthread_mutex_unlock(&kokkos.lock);
}
