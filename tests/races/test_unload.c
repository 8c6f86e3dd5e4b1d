/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A plugin that counts with the library is unloaded while its threads live on: their overflows, their ends
 * and forks call into the library then, which must still be there.
 *   race_unload PLUGIN [LIBRARY]...  the libraries only stay in memory once they were loaded
 */
#include "plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 20, SKIPPED = 77, FORCE_SOFTWARE = 0x40 };

static const char *plugin;
static atomic_int calls, started, unloaded;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why != NULL ? why : "-");
    fflush(NULL);
    _exit(1);
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL)
        fail(name, dlerror());
    return found;
}

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    atomic_fetch_add(&calls, 1);
}

static void compute(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}

static void *count(void *argument)
{
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail(plugin, dlerror());
    int (*start)(const char *, int, int, plugin_handler) =
        (int (*)(const char *, int, int, plugin_handler))symbol(library, "plugin_count");
    int es = start("perf::CPU-CLOCK", 100000, *(int *)argument, on_overflow);
    if (es < 0) {
        printf("SKIP: the kernel's clock does not overflow here (%d)\n", es);
        fflush(NULL);
        _exit(SKIPPED);
    }
    dlclose(library);
    atomic_fetch_add(&started, 1);
    while (atomic_load(&unloaded) == 0)
        sched_yield();
    int before = atomic_load(&calls);
    while (atomic_load(&calls) < before + THREADS)
        compute(20000);
    return NULL;
}

static int is_mapped(const char *name)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        found |= strstr(line, name) != NULL;
    if (maps != NULL)
        fclose(maps);
    return found;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void nothing(const char *argument)
{
    (void)argument;
}

static void in_child(void (*body)(const char *), const char *argument)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        body(argument);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fail("fork", "the child did not end well");
}

static void unload_beside(int flags)
{
    pthread_t threads[THREADS];
    atomic_store(&started, 0);
    atomic_store(&unloaded, 0);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, &flags) != 0)
            fail("pthread_create", NULL);
    while (atomic_load(&started) < THREADS)
        sched_yield();
    if (is_mapped(name_of(plugin)))
        fail(plugin, "is still in memory: nothing is tested");
    if (!is_mapped("libpapi.so"))
        fail("libpapi", "was unloaded with the plugin");
    atomic_store(&unloaded, 1);
    in_child(nothing, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void stays(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail(path, dlerror());
    dlclose(library);
    if (!is_mapped(name_of(path)))
        fail(path, "was unloaded");
    in_child(nothing, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("race_unload", "PLUGIN [LIBRARY]...");
    plugin = argv[1];
    for (int round = 0; round < ROUNDS; round++)
        unload_beside(round % 2 != 0 ? FORCE_SOFTWARE : 0);
    for (int i = 2; i < argc; i++)
        in_child(stays, argv[i]);
    printf("%d calls of the handler after the plugin was gone\n", atomic_load(&calls));
    return 0;
}
