/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded by papi_gate into a program and all that it starts: writes at the end of each counted process
 * what its threads counted in each routine and line.
 *
 * A thread's slots go with it, so its end is waited for: by the destructor of a key, in the last of its
 * rounds, after which nothing of the program's runs in the thread. Until then they can be read by any thread,
 * as they are at the same distance from each thread pointer. The child of a fork counts from there.
 *
 * The file is there, empty, from the start of the process: one that stays empty says that the process did not
 * end by itself.
 */
#include "base/array.h"
#include "base/thread_pointer.h"
#include "components/counted/counted_modules.h"
#include "formats/counted_totals.h"
#include "papi_bench.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

/* A module's slots, of threads that have ended, or negative: of the fork that made this process. */
struct sums {
    const struct counted_module *module;
    char *path;
    uint64_t *of_threads, *of_process;
    uint64_t n_process;
};

struct thread {
    const char *pointer; /* the thread pointer */
    struct thread *next;
};

/* The slots of a thread and of its process in all modules, one after the other in the order of sums. Modules
 * are only added: what was copied earlier is a part of what is copied later. */
struct slots {
    uint64_t *slot;
    size_t n;
};

/* A bench of papi_bench.h, with what it did in all its runs, and what was counted around nothing as often. */
struct bench {
    struct bench *next;
    struct slots all, nothing;
    char name[];
};

static struct {
    pthread_mutex_t lock;
    pthread_key_t key;
    struct thread *alive; /* threads that run, or wait for their end */
    struct sums *sums;
    size_t n_sums;
    struct bench *benches; /* the last first */
    char path[PATH_MAX];   /* of the file; "": nothing is counted */
    char program[PATH_MAX];
    pid_t pid;
    bool lost; /* memory ran out */
} totals = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- slots */

/* The slots of a thread in a module, by those of the thread that asks. */
static const uint64_t *slots_of(const struct counted_module *module, const char *pointer)
{
    const char *own = (const char *)module_thread_slots(module);
    const char *self = thread_pointer();
    return own != NULL ? (const void *)(pointer + (own - self)) : NULL;
}

static void see_module(const struct counted_module *module, const char *name, void *context)
{
    (void)context;
    for (size_t i = 0; i < totals.n_sums; i++)
        if (totals.sums[i].module == module)
            return;
    if (!module_is_known(module) || module->weighed == 0 || !module_is_whole(module))
        return;
    struct sums fresh = {.module = module, .path = strdup(name)};
    module_process_slots(module, &fresh.n_process);
    fresh.of_threads = calloc(module->n_slots + 1, sizeof *fresh.of_threads);
    fresh.of_process = calloc(fresh.n_process + 1, sizeof *fresh.of_process);
    if (fresh.path == NULL || fresh.of_threads == NULL || fresh.of_process == NULL ||
        !ARRAY_GROW(totals.sums, totals.n_sums)) {
        totals.lost = true;
        return;
    }
    totals.sums[totals.n_sums++] = fresh;
}

static void add_thread(const char *pointer, bool subtract)
{
    for (size_t i = 0; i < totals.n_sums; i++) {
        struct sums *sums = &totals.sums[i];
        const uint64_t *slot = slots_of(sums->module, pointer);
        for (uint64_t j = 0; slot != NULL && j < sums->module->n_slots; j++)
            sums->of_threads[j] += subtract ? -slot[j] : slot[j];
    }
}

/* The first of a unit's slots among those of the module, of threads and of the process; NULL: they are not in
 * it. */
static const uint64_t *first_slot(const struct sums *sums, const struct counted_unit *unit,
                                  const uint64_t *of_threads, const uint64_t *of_process)
{
    uint64_t offset;
    bool process = unit->kind == COUNTED_PROCESS;
    const uint64_t *first = process ? of_process : of_threads;
    if (first == NULL ||
        !module_unit_offset(sums->module, unit, process ? sums->n_process : sums->module->n_slots, &offset))
        return NULL;
    return first + offset;
}

/* ---- threads */

static void end_thread(void *value)
{
    struct thread *thread = value;
    static _Thread_local int rounds;
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(totals.key, thread) == 0)
        return;
    pthread_mutex_lock(&totals.lock);
    struct thread **at = &totals.alive;
    while (*at != NULL && *at != thread)
        at = &(*at)->next;
    if (*at != NULL) {
        *at = thread->next;
        modules_look(see_module, NULL);
        add_thread(thread->pointer, false);
    }
    pthread_mutex_unlock(&totals.lock);
    free(thread);
}

static void begin_thread(void)
{
    struct thread *thread = malloc(sizeof *thread);
    pthread_mutex_lock(&totals.lock);
    if (thread != NULL) {
        *thread = (struct thread){thread_pointer(), totals.alive};
        totals.alive = thread;
        totals.lost |= pthread_setspecific(totals.key, thread) != 0;
    } else {
        totals.lost = true;
    }
    pthread_mutex_unlock(&totals.lock);
}

struct start {
    void *(*run)(void *);
    thrd_start_t run_c11;
    void *argument;
};

static void *start_thread(void *value)
{
    struct start start = *(struct start *)value;
    free(value);
    begin_thread();
    return start.run(start.argument);
}

static int start_c11(void *value)
{
    struct start start = *(struct start *)value;
    free(value);
    begin_thread();
    return start.run_c11(start.argument);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct start *start = malloc(sizeof *start);
    if (create == NULL)
        create = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))(uintptr_t)dlsym(
            RTLD_NEXT, "pthread_create");
    if (start == NULL)
        return EAGAIN;
    *start = (struct start){.run = run, .argument = argument};
    int error = create(thread, attributes, start_thread, start);
    if (error != 0)
        free(start);
    return error;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    static int (*create)(thrd_t *, thrd_start_t, void *);
    struct start *start = malloc(sizeof *start);
    if (create == NULL)
        create = (int (*)(thrd_t *, thrd_start_t, void *))(uintptr_t)dlsym(RTLD_NEXT, "thrd_create");
    if (start == NULL)
        return thrd_nomem;
    *start = (struct start){.run_c11 = run, .argument = argument};
    int error = create(thread, start_c11, start);
    if (error != thrd_success)
        free(start);
    return error;
}

/* ---- lines, whose sums benches have too */

/* A line of the program whose blocks follow one another. */
struct line {
    const char *function, *file;
    unsigned number;
    uint64_t address, count[COUNTED_EVENTS];
};

static void put_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        putc((unsigned char)*name < ' ' ? '?' : *name, out);
}

static void put_counts(FILE *out, const uint64_t *count)
{
    for (int i = 0; i < COUNTED_EVENTS; i++)
        if (count[i] != 0)
            fprintf(out, "\t%d:%" PRIu64, i, count[i]);
    putc('\n', out);
}

/* False: it has no counts, and is left out. */
static bool put_line(FILE *out, const struct line *line)
{
    bool any = false;
    for (int i = 0; i < COUNTED_EVENTS; i++)
        any |= line->count[i] != 0;
    if (!any)
        return false;
    fprintf(out, TOTALS_LINE "\t%" PRIx64 "\t%u\t", line->address, line->number);
    put_name(out, line->function);
    putc('\t', out);
    put_name(out, line->file);
    put_counts(out, line->count);
    return true;
}

static uint64_t sum_terms(const int32_t *term, unsigned n, const uint64_t *slot)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += term[i] > 0 ? slot[term[i] - 1] : -slot[-term[i] - 1];
    return sum;
}

static void add_block(struct line *line, const struct counted_block *block, const uint64_t *slot)
{
    uint64_t runs = sum_terms(block->term, block->n_terms, slot);
    for (int i = 0; i < COUNTED_EVENTS; i++)
        line->count[i] += runs * block->weight[i];
    if ((block->flags & COUNTED_CONDITIONAL) == 0)
        return;
    uint64_t taken = sum_terms(block->term + block->n_terms, block->n_taken, slot);
    line->count[COUNTED_TAKEN_BRANCHES] += taken;
    line->count[COUNTED_NOT_TAKEN_BRANCHES] += runs - taken;
}

static const char *text_of(const struct counted_unit *unit, uint32_t distance)
{
    return distance != 0 && distance < unit->size ? (const char *)unit + distance : "";
}

static void put_block(FILE *out, const char *kind, const struct counted_block *block, uintptr_t base,
                      const uint64_t *slot)
{
    fprintf(out, "%s\t%" PRIx64 "\t%u\t%" PRIu64 "\t%" PRIu64 "\n", kind,
            (uint64_t)((uintptr_t)counted_at(&block->start) - base), block->length,
            sum_terms(block->term, block->n_terms, slot),
            sum_terms(block->term + block->n_terms, block->n_taken, slot));
}

/* The blocks of a line that ran, from first to before end. */
static void put_blocks(FILE *out, const struct counted_block *first, const struct counted_block *end,
                       uintptr_t base, const uint64_t *slot)
{
    for (; first != end; first = counted_next_block(first))
        if (sum_terms(first->term, first->n_terms, slot) != 0)
            put_block(out, TOTALS_BLOCK, first, base, slot);
}

/* ---- benches */

/* Copies the slots of this thread, and those that all threads share; no memory: none. */
static struct slots copy_slots(void)
{
    struct slots copy = {.slot = NULL};
    size_t at = 0;
    pthread_mutex_lock(&totals.lock);
    modules_look(see_module, NULL);
    for (size_t i = 0; i < totals.n_sums; i++)
        copy.n += totals.sums[i].module->n_slots + totals.sums[i].n_process;
    copy.slot = calloc(copy.n + 1, sizeof *copy.slot);
    totals.lost |= copy.slot == NULL;
    copy.n = copy.slot != NULL ? copy.n : 0;
    for (size_t i = 0; i < totals.n_sums && copy.slot != NULL; i++) {
        const struct sums *sums = &totals.sums[i];
        uint64_t n;
        const uint64_t *of_thread = slots_of(sums->module, thread_pointer()),
                       *of_process = module_process_slots(sums->module, &n);
        if (of_thread != NULL)
            memcpy(copy.slot + at, of_thread, sums->module->n_slots * sizeof *copy.slot);
        at += sums->module->n_slots;
        if (of_process != NULL)
            memcpy(copy.slot + at, of_process,
                   (n < sums->n_process ? n : sums->n_process) * sizeof *copy.slot);
        at += sums->n_process;
    }
    pthread_mutex_unlock(&totals.lock);
    return copy;
}

static void forget_slots(struct slots *slots)
{
    free(slots->slot);
    *slots = (struct slots){.slot = NULL};
}

static void subtract_slots(struct slots *from, const struct slots *slots)
{
    for (size_t i = 0; i < from->n && i < slots->n; i++)
        from->slot[i] -= slots->slot[i];
}

/* Adds to slots, of which there may be fewer so far. False: no memory. */
static bool add_slots(struct slots *to, const struct slots *slots)
{
    if (slots->n > to->n) {
        uint64_t *more = realloc(to->slot, slots->n * sizeof *more);
        if (more == NULL)
            return false;
        memset(more + to->n, 0, (slots->n - to->n) * sizeof *more);
        *to = (struct slots){more, slots->n};
    }
    for (size_t i = 0; i < slots->n; i++)
        to->slot[i] += slots->slot[i];
    return true;
}

static void add_bench(const char *name, const struct slots *all, const struct slots *nothing)
{
    pthread_mutex_lock(&totals.lock);
    struct bench *bench = totals.benches;
    while (bench != NULL && strcmp(bench->name, name) != 0)
        bench = bench->next;
    if (bench == NULL && (bench = calloc(1, sizeof *bench + strlen(name) + 1)) != NULL) {
        memcpy(bench->name, name, strlen(name) + 1);
        bench->next = totals.benches;
        totals.benches = bench;
    }
    totals.lost |= bench == NULL || !add_slots(&bench->all, all) || !add_slots(&bench->nothing, nothing);
    pthread_mutex_unlock(&totals.lock);
}

/* papi_bench.h and module papi_benches call this where it is loaded: steps are those of the header. */
EXPORT void papi_gate_bench(const char *name, int step);

EXPORT void papi_gate_bench(const char *name, int step)
{
    static _Thread_local struct {
        char *name; /* of the bench that runs; NULL: none does */
        int step;
        struct slots began, nothing;
    } own;
    static const struct slots none;
    if (step == PAPI_BENCH_END && own.name != NULL) {
        struct slots now = copy_slots();
        subtract_slots(&now, &own.began);
        if (own.step == PAPI_BENCH_NOTHING) {
            forget_slots(&own.nothing);
            own.nothing = now;
        } else {
            add_bench(own.name, &now, own.step == PAPI_BENCH_BEGIN ? &own.nothing : &none);
            forget_slots(&now);
        }
    }
    if (step != PAPI_BENCH_NOTHING && step != PAPI_BENCH_BEGIN && own.step != PAPI_BENCH_NOTHING)
        forget_slots(&own.nothing);
    forget_slots(&own.began);
    free(own.name);
    own.name = step != PAPI_BENCH_END ? strdup(name) : NULL;
    own.step = step;
    if (step != PAPI_BENCH_END)
        own.began = copy_slots();
}

/* ---- the file */

static void put_unit(FILE *out, const struct counted_unit *unit, uintptr_t base, const uint64_t *slot)
{
    const struct counted_block *block = counted_first_block(unit), *first = block;
    struct line line = {.function = NULL};
    for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block)) {
        const char *function = text_of(unit, block->function), *file = text_of(unit, block->file);
        if (line.function != function || line.file != file || line.number != block->line) {
            if (line.function != NULL && put_line(out, &line))
                put_blocks(out, first, block, base, slot);
            first = block;
            line = (struct line){.function = function,
                                 .file = file,
                                 .number = block->line,
                                 .address = (uintptr_t)counted_at(&block->start) - base};
        }
        add_block(&line, block, slot);
    }
    if (line.function != NULL && put_line(out, &line))
        put_blocks(out, first, block, base, slot);
}

static uintptr_t base_of(const struct sums *sums)
{
    Dl_info info;
    return dladdr(sums->module, &info) != 0 ? (uintptr_t)info.dli_fbase : 0;
}

static const char *path_of(const struct sums *sums)
{
    return sums->path[0] != '\0' ? sums->path : totals.program;
}

static void put_module(FILE *out, const struct sums *sums)
{
    uintptr_t base = base_of(sums);
    fputs(TOTALS_MODULE "\t", out);
    put_name(out, path_of(sums));
    putc('\n', out);
    for (const struct counted_unit *unit = NULL; (unit = module_next_unit(sums->module, unit)) != NULL;) {
        const uint64_t *slot = first_slot(sums, unit, sums->of_threads, sums->of_process);
        if (slot != NULL)
            put_unit(out, unit, base, slot);
    }
}

/* ---- benches in the file */

/* Calls for each unit of each module whose slots are among these. */
static void each_unit(const struct slots *slots,
                      void (*visit)(const struct sums *sums, const struct counted_unit *unit,
                                    const uint64_t *slot, void *context),
                      void *context)
{
    size_t at = 0;
    for (size_t i = 0; i < totals.n_sums; i++) {
        const struct sums *sums = &totals.sums[i];
        const uint64_t *of_thread = slots->slot + at, *of_process = of_thread + sums->module->n_slots;
        at += sums->module->n_slots + sums->n_process;
        if (at > slots->n)
            return;
        for (const struct counted_unit *unit = NULL; (unit = module_next_unit(sums->module, unit)) != NULL;) {
            const uint64_t *slot = first_slot(sums, unit, of_thread, of_process);
            if (slot != NULL)
                visit(sums, unit, slot, context);
        }
    }
}

static void add_unit(const struct sums *sums, const struct counted_unit *unit, const uint64_t *slot,
                     void *sum)
{
    const struct counted_block *block = counted_first_block(unit);
    (void)sums;
    for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block))
        add_block(sum, block, slot);
}

/* Blocks are written behind the module that they are of. */
struct blocks_of {
    FILE *out;
    const struct sums *last;
    const char *kind;
};

static void put_bench_unit(const struct sums *sums, const struct counted_unit *unit, const uint64_t *slot,
                           void *context)
{
    struct blocks_of *of = context;
    const struct counted_block *block = counted_first_block(unit);
    uintptr_t base = base_of(sums);
    for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block)) {
        if (sum_terms(block->term, block->n_terms, slot) == 0)
            continue;
        if (of->last != sums) {
            fputs(TOTALS_WITHIN "\t", of->out);
            put_name(of->out, path_of(sums));
            putc('\n', of->out);
        }
        of->last = sums;
        put_block(of->out, of->kind, block, base, slot);
    }
}

static void put_bench_blocks(FILE *out, const struct slots *slots, const char *kind)
{
    if (slots->slot != NULL)
        each_unit(slots, put_bench_unit, &(struct blocks_of){out, NULL, kind});
}

static void put_bench(FILE *out, struct bench *bench)
{
    struct line all = {.function = NULL}, nothing = {.function = NULL};
    if (bench->all.slot != NULL)
        each_unit(&bench->all, add_unit, &all);
    if (bench->nothing.slot != NULL)
        each_unit(&bench->nothing, add_unit, &nothing);
    for (int i = 0; i < COUNTED_EVENTS; i++)
        all.count[i] -= nothing.count[i];
    fputs(TOTALS_BENCH "\t", out);
    put_name(out, bench->name);
    put_counts(out, all.count);
    put_bench_blocks(out, &bench->all, TOTALS_RAN);
    put_bench_blocks(out, &bench->nothing, TOTALS_AROUND);
}

static void put_head(FILE *out)
{
    static const char *const ranks[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"};
    const char *rank = NULL;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && rank == NULL; i++)
        rank = secure_getenv(ranks[i]);
    fprintf(out, TOTALS_MAGIC "\t%d\t%ld\t%ld\t%s\t", TOTALS_VERSION, (long)getpid(), (long)getppid(),
            rank != NULL && strspn(rank, "0123456789") == strlen(rank) ? rank : "");
    put_name(out, totals.program);
    putc('\n', out);
}

/* Adds what threads that run have counted, and the process; or takes it back. */
static void collect(bool subtract)
{
    modules_look(see_module, NULL);
    for (struct thread *thread = totals.alive; thread != NULL; thread = thread->next)
        add_thread(thread->pointer, subtract);
    for (size_t i = 0; i < totals.n_sums; i++) {
        uint64_t n;
        const uint64_t *slot = module_process_slots(totals.sums[i].module, &n);
        for (uint64_t j = 0; j < n && j < totals.sums[i].n_process; j++)
            totals.sums[i].of_process[j] += subtract ? -slot[j] : slot[j];
    }
}

/* ---- the process */

enum { MOST_FILES = 100 }; /* of processes with one number */

static void make_file(void)
{
    const char *folder = secure_getenv(TOTALS_FOLDER);
    totals.path[0] = '\0';
    for (int i = 0; folder != NULL && i < MOST_FILES; i++) {
        int n = snprintf(totals.path, sizeof totals.path, "%s/%ld.%d", folder, (long)getpid(), i);
        int file = n < (int)sizeof totals.path
                       ? open(totals.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                       : -1;
        if (file >= 0) {
            close(file);
            return;
        }
        totals.path[0] = '\0';
        if (errno != EEXIST)
            return;
    }
}

static void write_totals(void)
{
    if (totals.pid != getpid())
        return;
    pthread_mutex_lock(&totals.lock);
    collect(false);
    if (totals.path[0] == '\0' && totals.n_sums > 0) /* a library that was loaded later counts alone */
        make_file();
    totals.pid = 0;
    FILE *out = totals.lost || totals.path[0] == '\0' ? NULL : fopen(totals.path, "we");
    if (out != NULL) {
        put_head(out);
        for (size_t i = 0; i < totals.n_sums; i++)
            put_module(out, &totals.sums[i]);
        for (struct bench *bench = totals.benches; bench != NULL; bench = bench->next)
            put_bench(out, bench);
        fputs(TOTALS_END "\n", out);
        fclose(out);
    }
    pthread_mutex_unlock(&totals.lock);
}

static void before_fork(void)
{
    pthread_mutex_lock(&totals.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&totals.lock);
}

/* Takes what has been counted so far, which is the parent's, from what the child will have. */
static void in_child(void)
{
    const char *self = thread_pointer();
    struct thread *mine = NULL;
    for (struct thread *thread = totals.alive; thread != NULL; thread = thread->next)
        if (thread->pointer == self)
            mine = thread;
    if (mine != NULL)
        mine->next = NULL;
    totals.alive = mine;
    totals.benches = NULL;
    modules_look(see_module, NULL);
    for (size_t i = 0; i < totals.n_sums; i++) {
        struct sums *sums = &totals.sums[i];
        uint64_t n;
        const uint64_t *slot = module_process_slots(sums->module, &n);
        memset(sums->of_threads, 0, sums->module->n_slots * sizeof *sums->of_threads);
        for (uint64_t j = 0; j < sums->n_process; j++)
            sums->of_process[j] = -slot[j];
    }
    add_thread(self, true);
    pthread_mutex_unlock(&totals.lock);
    totals.pid = getpid();
    totals.path[0] = '\0';
    if (totals.n_sums > 0)
        make_file();
}

/* Removes what this process left empty when it executed this program: it has not ended. */
static void remove_empty(void)
{
    const char *folder = secure_getenv(TOTALS_FOLDER);
    struct stat found;
    char path[PATH_MAX];
    for (int i = 0; folder != NULL && i < MOST_FILES; i++) {
        int n = snprintf(path, sizeof path, "%s/%ld.%d", folder, (long)getpid(), i);
        if (n >= (int)sizeof path || stat(path, &found) != 0)
            return;
        if (found.st_size == 0)
            unlink(path);
    }
}

typedef int execute(const char *, char *const *, char *const *);
typedef int execute_file(int, char *const *, char *const *);

/* The C library's. They are looked up when this is loaded: the child of a fork may have the loader's lock. */
static struct {
    execute *by_path, *by_name;
    execute_file *by_file;
} next;

static void find_next(void)
{
    if (next.by_path != NULL)
        return;
    next.by_name = (execute *)(uintptr_t)dlsym(RTLD_NEXT, "execvpe");
    next.by_file = (execute_file *)(uintptr_t)dlsym(RTLD_NEXT, "fexecve");
    next.by_path = (execute *)(uintptr_t)dlsym(RTLD_NEXT, "execve");
}

static void note_one(const struct counted_module *module, const char *name, void *context)
{
    (void)module, (void)name;
    *(bool *)context = true;
}

static __attribute__((constructor)) void begin(void)
{
    bool counted = false;
    /* Now: where the main thread ends before others, the link is gone. */
    ssize_t length = readlink("/proc/self/exe", totals.program, sizeof totals.program - 1);
    totals.program[length > 0 ? length : 0] = '\0';
    remove_empty();
    totals.pid = getpid();
    find_next();
    modules_look(note_one, &counted);
    if (pthread_key_create(&totals.key, end_thread) != 0)
        totals.lost = true;
    if (counted)
        make_file();
    begin_thread();
    pthread_atfork(before_fork, in_parent, in_child);
}

static __attribute__((destructor)) void end(void)
{
    write_totals();
}

/* Programs that leave without the exit handlers have counted all the same. With another status than 0 they
 * may do so in a signal's handler, where nothing can be written, and the run is not whole. */
EXPORT _Noreturn void _exit(int status)
{
    if (status == 0)
        write_totals();
    for (;;)
        syscall(SYS_exit_group, status);
}

EXPORT _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* ---- another program in this process */

/* After a vfork nothing is written: the memory is the parent's, whose number is another one. */
static bool leave_program(void)
{
    if (totals.pid != getpid())
        return false;
    write_totals();
    return true;
}

/* The other program could not be executed: this one goes on, and writes all of it at its end. */
static int stay(bool left, int answer)
{
    int error = errno;
    if (left) {
        pthread_mutex_lock(&totals.lock);
        collect(true);
        totals.pid = getpid();
        if (totals.path[0] != '\0' && truncate(totals.path, 0) != 0)
            totals.lost = true;
        pthread_mutex_unlock(&totals.lock);
    }
    errno = error;
    return answer;
}

EXPORT int execve(const char *path, char *const *word, char *const *environment)
{
    find_next();
    bool left = leave_program();
    return stay(left, next.by_path(path, word, environment));
}

EXPORT int execvpe(const char *name, char *const *word, char *const *environment)
{
    find_next();
    bool left = leave_program();
    return stay(left, next.by_name(name, word, environment));
}

EXPORT int execv(const char *path, char *const *word)
{
    return execve(path, word, environ);
}

EXPORT int execvp(const char *name, char *const *word)
{
    return execvpe(name, word, environ);
}

EXPORT int fexecve(int file, char *const *word, char *const *environment)
{
    find_next();
    bool left = leave_program();
    return stay(left, next.by_file(file, word, environment));
}

/* Words up to NULL, which are arguments of the caller, as an array in it. */
#define LIST_OF_WORDS(word, first, arguments)                                                                \
    size_t n_words = 1;                                                                                      \
    va_start(arguments, first);                                                                              \
    while (va_arg(arguments, char *) != NULL)                                                                \
        n_words++;                                                                                           \
    va_end(arguments);                                                                                       \
    char *word[n_words + 1];                                                                                 \
    word[0] = (char *)(uintptr_t)(first);                                                                    \
    va_start(arguments, first);                                                                              \
    for (size_t i = 1; i <= n_words; i++)                                                                    \
    word[i] = va_arg(arguments, char *)

EXPORT int execl(const char *path, const char *first, ...)
{
    va_list arguments;
    LIST_OF_WORDS(word, first, arguments);
    va_end(arguments);
    return execve(path, word, environ);
}

EXPORT int execlp(const char *name, const char *first, ...)
{
    va_list arguments;
    LIST_OF_WORDS(word, first, arguments);
    va_end(arguments);
    return execvpe(name, word, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    va_list arguments;
    LIST_OF_WORDS(word, first, arguments);
    char *const *environment = va_arg(arguments, char *const *);
    va_end(arguments);
    return execve(path, word, environment);
}
