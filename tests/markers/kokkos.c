/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls what Kokkos calls in a tool's library, in the order in which it does: kokkos LIBRARY. */
#include "touch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct space {
    char name[64];
};

static void *library;

static void (*function(const char *name))(void)
{
    union {
        void *object;
        void (*function)(void);
    } found = {dlsym(library, name)};
    if (found.object == NULL) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return found.function;
}

#define CALL(name, type) ((type)function("kokkosp_" name))

static void *work(void *argument)
{
    touch(1000);
    return argument;
}

static void *stop_elsewhere(void *section)
{
    CALL("stop_profile_section", void (*)(uint32_t))(*(uint32_t *)section);
    return NULL;
}

static void in_threads(void *(*function_)(void *), void *argument, int n)
{
    pthread_t thread[4];
    for (int i = 0; i < n; i++)
        pthread_create(&thread[i], NULL, function_, argument);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}

static void kernels(void)
{
    uint64_t outer, inner;
    CALL("begin_parallel_for", void (*)(const char *, uint32_t, uint64_t *))("for", 0, &outer);
    touch(1000);
    CALL("begin_parallel_reduce", void (*)(const char *, uint32_t, uint64_t *))("reduce", 0, &inner);
    touch(100);
    CALL("end_parallel_reduce", void (*)(uint64_t))(inner);
    CALL("end_parallel_for", void (*)(uint64_t))(outer);
    CALL("begin_parallel_scan", void (*)(const char *, uint32_t, uint64_t *))("", 0, &outer);
    in_threads(work, NULL, 4);
    CALL("end_parallel_scan", void (*)(uint64_t))(outer);
}

static void sections(void)
{
    uint32_t first, second;
    CALL("create_profile_section", void (*)(const char *, uint32_t *))("first", &first);
    CALL("create_profile_section", void (*)(const char *, uint32_t *))("second", &second);
    CALL("start_profile_section", void (*)(uint32_t))(first);
    touch(1000);
    CALL("start_profile_section", void (*)(uint32_t))(second);
    in_threads(stop_elsewhere, &second, 1); /* not by this thread: it goes on */
    touch(100);
    CALL("stop_profile_section", void (*)(uint32_t))(first);
    CALL("destroy_profile_section", void (*)(uint32_t))(first);
    CALL("stop_profile_section", void (*)(uint32_t))(12345);
    CALL("stop_profile_section", void (*)(uint32_t))(second);
}

/* A region that is pushed before a section begins, and popped inside of it. */
static void across(void)
{
    uint32_t section;
    CALL("create_profile_section", void (*)(const char *, uint32_t *))("section", &section);
    CALL("push_profile_region", void (*)(const char *))("pushed");
    touch(100);
    CALL("start_profile_section", void (*)(uint32_t))(section);
    touch(200);
    CALL("pop_profile_region", void (*)(void))();
    touch(400);
    CALL("push_profile_region", void (*)(const char *))("other");
    CALL("stop_profile_section", void (*)(uint32_t))(section);
    touch(800);
    CALL("pop_profile_region", void (*)(void))();
}

int main(int argc, char **argv)
{
    if (argc != 2 || (library = dlopen(argv[1], RTLD_NOW)) == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "kokkos LIBRARY");
        return 2;
    }
    CALL("init_library", void (*)(int, uint64_t, uint32_t, void *))(0, 20210225, 0, NULL);
    CALL("push_profile_region", void (*)(const char *))("region");
    kernels();
    CALL("pop_profile_region", void (*)(void))();
    CALL("pop_profile_region", void (*)(void))(); /* once too often */
    sections();
    across();
    CALL("begin_deep_copy", void (*)(struct space, const char *, const void *, struct space, const char *,
                                     const void *, uint64_t))
    ((struct space){"HOST"}, "b", NULL, (struct space){"HOST"}, "a", NULL, 8);
    touch(100);
    CALL("end_deep_copy", void (*)(void))();
    CALL("finalize_library", void (*)(void))();
    return 0;
}
