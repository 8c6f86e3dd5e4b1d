/* SPDX-License-Identifier: BSD-3-Clause
 *
 * devices_others CASE: has devices of the vendors for which it is compiled (WITH_AMD, WITH_INTEL,
 * WITH_NVIDIA), which stand-ins play, run kernels and copies. The lines that the test looks for end with a
 * name. With LOOKED_UP Level Zero's loader is loaded when it is needed, as most runtimes do.
 */
#include "double.h"
#include "double_amd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(void)
{
    struct timespec now = {0};
    while (now.tv_sec == 0 && now.tv_nsec < 100000000)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
}

#ifdef WITH_AMD
double_starter double_amd_starts;
double_kernel_starter double_amd_starts_kernel;
extern struct double_amd double_amd;
int rocprofiler_flush_buffer(uint64_t buffer);

static void *of_amd_thread(void *of)
{
    (void)of;
    for (int i = 0; i < 5; i++)
        double_amd_starts_kernel("threaded", 10); /* amd thread */
    return NULL;
}

static void amd(void)
{
    const struct double_start in = {"hipMemcpyAsync", NULL, 1, 1, 2, 2000, 8000},
                              out = {"hipMemcpyAsync", NULL, 1, 1, 3, 1000, 3000};
    for (int i = 0; i < 3; i++)
        double_amd_starts_kernel("_Z5saxpyPfi.kd", 1000 + 500 * i); /* amd first */
    double_amd_starts_kernel("_Z5saxpyPfi.kd", 7000);               /* amd second */
    double_amd_starts(&in);                                         /* amd in */
    double_amd_starts(&out);                                        /* amd out */
}
#endif

#ifdef WITH_INTEL
static int (*init)(unsigned flags);
static int (*init_drivers)(uint32_t *n, void **driver, void *wanted);
static double_starter *ze_starts;
static double_kernel_starter *ze_starts_kernel;
static void *(*ze_list)(const char *kernel);
static void (*ze_runs)(void *list, int64_t ns);

#ifdef LOOKED_UP
static void look_up(void)
{
    void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        exit(3);
    *(void **)&init = dlsym(library, "zeInit");
    *(void **)&init_drivers = dlsym(library, "zeInitDrivers");
    *(void **)&ze_starts = dlsym(library, "double_ze_starts");
    *(void **)&ze_starts_kernel = dlsym(library, "double_ze_starts_kernel");
    *(void **)&ze_list = dlsym(library, "double_ze_list");
    *(void **)&ze_runs = dlsym(library, "double_ze_runs");
    if (dlsym(library, "zeNone") != NULL || dlsym(library, "zeInitNone") != NULL)
        exit(4);
}
#else
double_starter double_ze_starts;
double_kernel_starter double_ze_starts_kernel;
void *double_ze_list(const char *kernel);
void double_ze_runs(void *list, int64_t ns);
int zeInit(unsigned flags);
int zeInitDrivers(uint32_t *n, void **driver, void *wanted);

static void look_up(void)
{
    init = zeInit;
    init_drivers = zeInitDrivers;
    ze_starts = double_ze_starts;
    ze_starts_kernel = double_ze_starts_kernel;
    ze_list = double_ze_list;
    ze_runs = double_ze_runs;
}
#endif

/* Starts the driver by one of its two calls, and a second time. */
static void start_intel(const char *what)
{
    int kind = 1;
    look_up();
    if (strcmp(what, "drivers") == 0 ? init_drivers(NULL, NULL, &kind) != 0 : init(0) != 0)
        exit(5);
    if (init(0) != 0)
        exit(5);
}

static void *of_intel_thread(void *of)
{
    (void)of;
    for (int i = 0; i < 5; i++)
        ze_starts_kernel("threaded", 10); /* intel thread */
    return NULL;
}

static void intel(void)
{
    const struct double_start in = {NULL, NULL, 1, 1, 1, 2000, 8000}, out = {NULL, NULL, 1, 1, 2, 1000, 3000},
                              set = {NULL, NULL, 2, 0, 0, 50, 64};
    for (int i = 0; i < 3; i++)
        ze_starts_kernel("_ZTS4copy", 100 + 50 * i); /* intel first */
    ze_starts_kernel("_ZTS4copy", 700);              /* intel second */
    ze_starts(&in);                                  /* intel in */
    ze_starts(&out);                                 /* intel out */
    ze_starts(&set);                                 /* intel set */
    void *list = ze_list("listed");                  /* intel list */
    for (int i = 0; i < 4; i++)
        ze_runs(list, 30 + i);
}
#endif

#ifdef WITH_NVIDIA
double_kernel_starter double_starts_kernel;
int cuInit(unsigned flags);

static void nvidia(void)
{
    cuInit(0);
    double_starts_kernel("_Z5saxpyPfi", 40); /* nvidia first */
    double_starts_kernel("dot", 50);         /* nvidia second */
}
#endif

static void run_threads(void *(*of)(void *))
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, of, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

static void start_all(const char *what)
{
    (void)what;
#ifdef WITH_INTEL
    start_intel(what);
#endif
}

/* Each vendor's first call is the first of its thread, so that its numbers begin alike. */
static void use_all(void)
{
#ifdef WITH_NVIDIA
    nvidia();
#endif
#ifdef WITH_AMD
    amd();
    run_threads(of_amd_thread);
#endif
#ifdef WITH_INTEL
    intel();
    run_threads(of_intel_thread);
#endif
}

/* Has the child of a fork be a process that uses devices, too, or not. */
static int in_fork(const char *what)
{
    pid_t child = fork();
    int status = 0;
    if (child == 0 && strcmp(what, "starts") == 0)
        start_all(what);
    if (child == 0)
        return 1;
    waitpid(child, &status, 0);
    return status != 0 ? -1 : 0;
}

/* Prints the libraries of this project that are in the process, and what the environment has for it. */
static void print_libraries(void)
{
    static const char *const names[] = {"LD_PRELOAD", "ROCP_TOOL_LIBRARIES", "CUDA_INJECTION64_PATH",
                                        "ZE_ENABLE_TRACING_LAYER"};
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, "libpapi") != NULL)
            fputs(strchr(line, '/'), stdout);
    if (maps != NULL)
        fclose(maps);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        printf("%s=%s\n", names[i], getenv(names[i]) ?: "(none)");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    work();
    if (strcmp(what, "host") == 0) { /* uses no device */
        print_libraries();
        return 0;
    }
    if (strcmp(what, "exec") == 0) {
        execl(argv[0], argv[0], "all", (char *)NULL);
        return 6;
    }
    if (strcmp(what, "fork") == 0 && in_fork(what) < 0)
        return 7;
#ifdef WITH_AMD
    if (strcmp(what, "unknown") == 0)
        double_amd.odd = 1;
    if (strcmp(what, "dropped") == 0)
        double_amd.drop = 2;
#endif
    start_all(what);
    use_all();
    if (strcmp(what, "after") == 0 || strcmp(what, "starts") == 0) {
        int status = in_fork(what);
        if (status != 0)
            return status < 0 ? 8 : 0;
    }
#ifdef WITH_INTEL
    if (strcmp(what, "late") == 0) { /* killed long after the work, and one piece later */
        nanosleep(&(struct timespec){2, 200000000}, NULL);
        ze_starts_kernel("late", 5); /* intel late */
        kill(getpid(), SIGKILL);
    }
#endif
    if (strcmp(what, "exit") == 0)
        _exit(0);
    if (strcmp(what, "killed") == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
