/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_likwid.so: the calls of likwid's marker interface as regions of libpapi, for programs that are
 * linked with it or were linked with liblikwid and preload it. The library's file of regions has what they
 * counted.
 */
#include "likwid-marker.h"
#include "open_regions.h"
#include "papi.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

struct region {
    struct region *next; /* of the thread's */
    struct open_region *open;
    int visits, resets;
    long long begun, nsec;
    char *shown; /* its name for libpapi: another one after each reset */
    char name[];
};

struct thread {
    struct region *regions;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* ---- threads */

static void free_thread(void *data)
{
    struct thread *thread = data;
    for (struct region *region = thread->regions, *next; region != NULL; region = next) {
        next = region->next;
        if (region->shown != region->name)
            free(region->shown);
        free(region);
    }
    free(thread);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, free_thread) == 0;
}

/* What the calling thread has; NULL: there is no memory. */
static struct thread *this_thread(void)
{
    pthread_once(&once, make_key);
    struct thread *thread = has_key ? pthread_getspecific(key) : NULL;
    if (thread != NULL || !has_key)
        return thread;
    thread = calloc(1, sizeof *thread);
    if (thread != NULL && pthread_setspecific(key, thread) != 0) {
        free(thread);
        return NULL;
    }
    return thread;
}

static struct region *region_of(struct thread *thread, const char *name)
{
    struct region *region = thread->regions;
    while (region != NULL && strcmp(region->name, name) != 0)
        region = region->next;
    return region;
}

static struct region *add_region(struct thread *thread, const char *name)
{
    size_t size = strlen(name) + 1;
    struct region *region = calloc(1, sizeof *region + size);
    if (region == NULL)
        return NULL;
    memcpy(region->name, name, size);
    region->shown = region->name;
    region->next = thread->regions;
    thread->regions = region;
    return region;
}

/* The thread's region of this name, made where it is new; NULL: no name or no memory. */
static struct region *named(const char *name, struct thread **thread)
{
    if (name == NULL || *name == '\0' || (*thread = this_thread()) == NULL)
        return NULL;
    return region_of(*thread, name) ?: add_region(*thread, name);
}

/* ---- regions */

EXPORTED int likwid_markerStartRegion(const char *name)
{
    struct thread *thread;
    struct region *region = named(name, &thread);
    if (region == NULL || open_region_is_here(region->open))
        return -EFAULT;
    region->open = open_region_begin(region->shown, REGION_NAMED);
    region->begun = PAPI_get_real_nsec();
    return region->open != NULL ? 0 : -EFAULT;
}

EXPORTED int likwid_markerStopRegion(const char *name)
{
    long long now = PAPI_get_real_nsec();
    struct thread *thread;
    struct region *region = named(name, &thread);
    if (region == NULL || !open_region_is_here(region->open)) /* the parent's, in the child of a fork */
        return -EFAULT;
    region->nsec += now - region->begun;
    region->visits++;
    bool done = open_region_end(region->open);
    region->open = NULL;
    return done ? 0 : -EFAULT;
}

EXPORTED int likwid_markerRegisterRegion(const char *name)
{
    struct thread *thread;
    return named(name, &thread) != NULL ? 0 : -EFAULT;
}

/* libpapi forgets nothing: what follows is a region of its own. */
EXPORTED int likwid_markerResetRegion(const char *name)
{
    struct thread *thread;
    struct region *region = named(name, &thread);
    char *shown;
    if (region == NULL || open_region_is_here(region->open) ||
        asprintf(&shown, "%s (after reset %d)", region->name, region->resets + 1) < 0)
        return -EFAULT;
    if (region->shown != region->name)
        free(region->shown);
    region->shown = shown;
    region->resets++;
    region->visits = 0;
    region->nsec = 0;
    return 0;
}

/* Time and visits of the calling thread; the counts are in the file of regions. */
EXPORTED void likwid_markerGetRegion(const char *name, int *n_events, double *events, double *time,
                                     int *count)
{
    struct thread *thread;
    const struct region *region = named(name, &thread);
    (void)events;
    if (n_events != NULL)
        *n_events = 0;
    if (time != NULL)
        *time = region != NULL ? (double)region->nsec / 1e9 : 0;
    if (count != NULL)
        *count = region != NULL ? region->visits : 0;
}

EXPORTED void likwid_markerInit(void)
{
}

EXPORTED void likwid_markerThreadInit(void)
{
}

/* One turn counts all events of PAPI_EVENTS: there are no groups to switch. */
EXPORTED void likwid_markerNextGroup(void)
{
}

EXPORTED void likwid_markerClose(void)
{
    PAPI_hl_stop(); /* the end of the program writes the file where this cannot */
}

/* ---- Fortran: names are blank-padded and come with their length */

/* Calls a function with a name of Fortran's; a name that is too long for memory is none. */
static int with_name(int (*function)(const char *), const char *name, size_t length)
{
    while (length > 0 && name[length - 1] == ' ')
        length--;
    char *copy = strndup(name, length);
    int result = copy != NULL ? function(copy) : -EFAULT;
    free(copy);
    return result;
}

EXPORTED void likwid_markerinit_(void);
EXPORTED void likwid_markerthreadinit_(void);
EXPORTED void likwid_markernextgroup_(void);
EXPORTED void likwid_markerclose_(void);
EXPORTED int likwid_markerregisterregion_(const char *name, size_t length);
EXPORTED int likwid_markerstartregion_(const char *name, size_t length);
EXPORTED int likwid_markerstopregion_(const char *name, size_t length);
EXPORTED int likwid_markerresetregion_(const char *name, size_t length);
EXPORTED void likwid_markergetregion_(const char *name, int *n_events, double *events, double *time,
                                      int *count, size_t length);

void likwid_markerinit_(void)
{
    likwid_markerInit();
}

void likwid_markerthreadinit_(void)
{
    likwid_markerThreadInit();
}

void likwid_markernextgroup_(void)
{
    likwid_markerNextGroup();
}

void likwid_markerclose_(void)
{
    likwid_markerClose();
}

int likwid_markerregisterregion_(const char *name, size_t length)
{
    return with_name(likwid_markerRegisterRegion, name, length);
}

int likwid_markerstartregion_(const char *name, size_t length)
{
    return with_name(likwid_markerStartRegion, name, length);
}

int likwid_markerstopregion_(const char *name, size_t length)
{
    return with_name(likwid_markerStopRegion, name, length);
}

int likwid_markerresetregion_(const char *name, size_t length)
{
    return with_name(likwid_markerResetRegion, name, length);
}

void likwid_markergetregion_(const char *name, int *n_events, double *events, double *time, int *count,
                             size_t length)
{
    while (length > 0 && name[length - 1] == ' ')
        length--;
    char *copy = strndup(name, length);
    likwid_markerGetRegion(copy, n_events, events, time, count);
    free(copy);
}
