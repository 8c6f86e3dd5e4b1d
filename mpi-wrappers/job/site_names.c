/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include "profile/symbols/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct finder {
    struct job *job;
    void *library; /* NULL: it is not here */
    struct papi_symbols *symbols;
    __typeof__(papi_symbols_look_up) *look_up;
    char program[OBJECT_PATH]; /* of this process */
};

/* ---- by libdw */

static void open_library(struct finder *finder)
{
    void *library = finder->library = dlopen(SYMBOLS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    __typeof__(papi_symbols_open) *open = NULL;
    *(void **)&open = dlsym(library, "papi_symbols_open");
    *(void **)&finder->look_up = dlsym(library, "papi_symbols_look_up");
    if (open != NULL && finder->look_up != NULL)
        finder->symbols = open();
}

static void close_library(const struct finder *finder)
{
    __typeof__(papi_symbols_close) *close = NULL;
    if (finder->symbols != NULL)
        *(void **)&close = dlsym(finder->library, "papi_symbols_close");
    if (close != NULL)
        close(finder->symbols);
    if (finder->library != NULL)
        dlclose(finder->library);
}

static int add_frame(struct job *job, struct job_site *site, const char *routine, const char *file,
                     uint64_t line)
{
    struct job_frame *frame = job_add_frame(job);
    if (frame == NULL)
        return -1;
    snprintf(frame->routine, sizeof frame->routine, "%s", routine);
    snprintf(frame->file, sizeof frame->file, "%s", file);
    frame->line = line;
    site->frames++;
    return 0;
}

static void ask_library(struct finder *finder, struct job_site *site, const struct job_object *object)
{
    struct papi_symbols_frame frame[MAX_FRAMES];
    if (finder->symbols == NULL)
        return;
    int n = finder->look_up(finder->symbols, object->path, object->build_id, object->build_id_size,
                            site->address, frame, MAX_FRAMES);
    for (int i = 0; i < n; i++)
        if (add_frame(finder->job, site, frame[i].routine, frame[i].file, frame[i].line) != 0)
            return;
}

/* ---- by the loader */

struct search {
    const struct finder *finder;
    const char *path;
    ElfW(Addr) bias;
};

static int is_it(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    const char *path =
        info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : search->finder->program;
    (void)size;
    search->bias = info->dlpi_addr;
    return strcmp(path, search->path) == 0;
}

static void ask_loader(struct finder *finder, struct job_site *site, const struct job_object *object)
{
    struct search search = {finder, object->path, 0};
    Dl_info found;
    if (dl_iterate_phdr(is_it, &search) == 0)
        return;
    const void *call = (const char *)(uintptr_t)(search.bias + site->address) - 1; /* it returns behind it */
    if (dladdr(call, &found) != 0 && found.dli_sname != NULL)
        add_frame(finder->job, site, found.dli_sname, "", 0);
}

/* ---- */

/* The one with most time of those that were not looked at so far; -1: none. */
static int next_site(const struct job *job, const char *done)
{
    int next = -1;
    for (int i = 0; i < job->n_sites; i++)
        if (!done[i] && job->site[i].frames == 0 && job->site[i].object >= 0 &&
            (next < 0 || job->site[i].ns > job->site[next].ns))
            next = i;
    return next;
}

void job_find_frames(struct job *job, int seconds)
{
    struct finder finder = {.job = job};
    char done[MAX_JOB_SITES] = "";
    time_t begin = time(NULL);
    int i = next_site(job, done);
    if (i < 0 || job->foreign)
        return;
    (void)!readlink("/proc/self/exe", finder.program, sizeof finder.program - 1);
    open_library(&finder);
    for (; i >= 0 && time(NULL) - begin <= seconds; i = next_site(job, done)) {
        struct job_site *site = &job->site[i];
        done[i] = 1;
        site->first_frame = job->n_frames;
        ask_library(&finder, site, &job->object[site->object]);
        if (site->frames == 0)
            ask_loader(&finder, site, &job->object[site->object]);
    }
    close_library(&finder);
}
