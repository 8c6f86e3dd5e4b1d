/* SPDX-License-Identifier: BSD-3-Clause
 *
 * GNU's runtime, libgomp, which has no interface for tools: this library stands in front of its functions
 * that a compiler's code calls at parallel regions, barriers and critical sections. Where LLVM's runtime
 * stands in for libgomp, it tells by OMPT, and the calls are passed on.
 *
 * The function behind a call is the one that the caller would have called: that of the first libgomp for all
 * the program, or else, where a library that was opened by dlopen has its own, that one's.
 */
#include "gomp_calls.h"
#include "base/likely.h"
#include "team.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* a compiler's code calls them, by no header */
#define EXPORTED __attribute__((visibility("default"), section("gomp_calls")))

/* The bounds of these functions: the linker names them by the section. */
extern const char __start_gomp_calls[], __stop_gomp_calls[];

bool gomp_is_own(const void *code)
{
    return (const char *)code >= __start_gomp_calls && (const char *)code <= __stop_gomp_calls;
}

/* ---- the functions behind */

typedef void routine(void *data);

struct behind {
    const char *name;
    void *_Atomic found; /* for all the program */
    _Atomic int llvm;    /* that is in LLVM's runtime: 1, or -1: it is not; 0: not known yet */
};

static void *find_of_caller(const char *name, const void *caller)
{
    Dl_info info;
    void *handle = dladdr(caller, &info) != 0 ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = handle != NULL ? dlsym(handle, name) : NULL;
    if (handle != NULL)
        dlclose(handle); /* its own libraries stay while it does */
    return found;
}

static void *find(struct behind *behind, const void *caller)
{
    void *found = atomic_load_explicit(&behind->found, memory_order_relaxed);
    if (likely(found != NULL))
        return found;
    found = dlsym(RTLD_NEXT, behind->name);
    if (found != NULL)
        atomic_store_explicit(&behind->found, found, memory_order_relaxed);
    else
        found = find_of_caller(behind->name, caller);
    if (found == NULL) { /* nobody else can do what is asked for */
        fprintf(stderr, "libpapi_openmp: %s is called, and is in no library\n", behind->name);
        abort();
    }
    return found;
}

static bool in_llvm(const void *function)
{
    const void *own = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
    Dl_info info, llvm;
    return own != NULL && dladdr(function, &info) != 0 && dladdr(own, &llvm) != 0 &&
           info.dli_fbase == llvm.dli_fbase;
}

/* True if what is behind is recorded here, and not told by OMPT. */
static bool is_recorded(struct behind *behind, const void *function)
{
    if (!openmp.active)
        return false;
    if (atomic_load_explicit(&behind->found, memory_order_relaxed) == NULL)
        return !in_llvm(function);
    int llvm = atomic_load_explicit(&behind->llvm, memory_order_relaxed);
    if (llvm == 0) {
        llvm = in_llvm(function) ? 1 : -1;
        atomic_store_explicit(&behind->llvm, llvm, memory_order_relaxed);
    }
    return llvm < 0;
}

_Thread_local const void *gomp_caller;

#define BEHIND(name)                                                                                         \
    static struct behind behind = {name, NULL, 0};                                                           \
    void *next = find(&behind, __builtin_return_address(0));                                                 \
    bool recorded = is_recorded(&behind, next);                                                              \
    if (!recorded)                                                                                           \
    gomp_caller = __builtin_return_address(0)

/* ---- parallel regions */

/* A region, on the stack of the thread that begins it. */
struct region {
    void *first; /* of the data: libgomp looks there for a table of reductions */
    routine *function;
    void *data;
    struct team *team;
    int (*number)(void), (*threads)(void);
};

/* Runs the region's function in each thread of the team. */
static void run(void *data)
{
    struct region *region = data;
    struct frame *frame = team_join(region->team, region->number(), region->threads());
    region->function(region->data);
    team_leave(frame);
}

/* Compilers unite calls of several regions: the place of one is that of its function. As behind a call, the
 * address is behind the first byte. */
static const void *place_of(routine *function)
{
    return (const char *)(uintptr_t)function + 1;
}

static void begin(struct region *region, const void *caller, routine **function, void **data, bool reductions)
{
    static struct behind number = {.name = "omp_get_thread_num"}, threads = {.name = "omp_get_num_threads"};
    *region = (struct region){.first = reductions ? *(void **)*data : NULL,
                              .function = *function,
                              .data = *data,
                              .number = (int (*)(void))find(&number, caller),
                              .threads = (int (*)(void))find(&threads, caller)};
    atomic_store_explicit(&openmp.gomp, 1, memory_order_relaxed);
    region->team = team_begin(place_of(*function));
    *function = run;
    *data = region;
}

#define AROUND(call, reductions)                                                                             \
    struct region region;                                                                                    \
    if (recorded)                                                                                            \
        begin(&region, __builtin_return_address(0), &function, &data, reductions);                           \
    else                                                                                                     \
        gomp_caller = place_of(function);                                                                    \
    call;                                                                                                    \
    if (recorded)                                                                                            \
    team_end(region.team)

#define REGION(name, type, declared, passed)                                                                 \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        BEHIND(#name);                                                                                       \
        AROUND(((type(*) declared)next) passed, false);                                                      \
    }
#define REDUCTIONS(name, type, declared, passed)                                                             \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        BEHIND(#name);                                                                                       \
        type result;                                                                                         \
        AROUND(result = ((type(*) declared)next) passed, true);                                              \
        return result;                                                                                       \
    }

/* ---- waiting */

/* NULL: it is not recorded here. */
static struct frame *waits(bool recorded, enum place_kind kind, const void *caller)
{
    struct frame *frame = recorded ? team_frame() : NULL;
    if (frame != NULL && !frame->waits) {
        team_waits(frame, kind, caller);
        return frame;
    }
    return NULL; /* a task that the thread does while it waits */
}

#define WAIT(kind, name, type, declared, passed, set, get)                                                    \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        BEHIND(#name);                                                                                       \
        struct frame *frame = waits(recorded, kind, __builtin_return_address(0));                            \
        set((type(*) declared)next) passed;                                                                  \
        if (frame != NULL)                                                                                   \
            team_works(frame);                                                                               \
        get;                                                                                                 \
    }
#define BARRIER(...) WAIT(PLACE_BARRIER, __VA_ARGS__, , )
#define TASKS(...) WAIT(PLACE_TASKS, __VA_ARGS__, , )
#define CANCEL(...) WAIT(PLACE_BARRIER, __VA_ARGS__, bool cancelled =, return cancelled)

/* ---- critical sections */

#define LOCK(name, type, declared, passed)                                                                   \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        BEHIND(#name);                                                                                       \
        if (recorded)                                                                                        \
            team_locks();                                                                                    \
        ((type(*) declared)next) passed;                                                                     \
        if (recorded)                                                                                        \
            team_locked(__builtin_return_address(0));                                                        \
    }

/* ---- tasks, which threads run while they seem to wait */

#define TASK(name, type, declared, passed)                                                                   \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        BEHIND(#name);                                                                                       \
        if (recorded)                                                                                        \
            team_has_tasks();                                                                                \
        ((type(*) declared)next) passed;                                                                     \
    }

#define FUNCTION(kind, ...) kind(__VA_ARGS__)
#include "formats/gomp_functions.def"
