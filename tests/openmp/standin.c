/* SPDX-License-Identifier: BSD-3-Clause
 *
 * standin LIBRARY CASE: a runtime of OpenMP that has the callbacks of a tool and no threads of its own but
 * those here, which it makes in the order that a case wants, good ones and such as no runtime should have.
 */
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union {
    uint64_t value;
    void *pointer;
} data;
typedef void (*function)(void);
struct tool {
    int (*initialize)(function (*lookup)(const char *), int, data *);
    void (*finalize)(data *);
    data own;
};

static struct {
    void (*thread_begin)(int, data *);
    void (*parallel_begin)(data *, const void *, data *, unsigned, int, const void *);
    void (*parallel_end)(data *, data *, int, const void *);
    void (*task_create)(data *, const void *, data *, int, int, const void *);
    void (*task_schedule)(data *, int, data *);
    void (*implicit_task)(int, data *, data *, unsigned, unsigned, int);
    void (*wait)(int, int, data *, data *, const void *);
    void (*acquire)(int, unsigned, unsigned, uint64_t, const void *);
    void (*acquired)(int, uint64_t, const void *);
} call;

static int set_callback(int number, function callback)
{
    void *place[32] = {[1] = &call.thread_begin, [3] = &call.parallel_begin, [4] = &call.parallel_end,
                       [5] = &call.task_create,  [6] = &call.task_schedule,  [7] = &call.implicit_task,
                       [16] = &call.wait,        [26] = &call.acquire,       [27] = &call.acquired};
    if (number < 0 || number >= 32 || place[number] == NULL)
        return 1; /* never */
    memcpy(place[number], &callback, sizeof callback);
    return 5; /* always */
}

static function look_up(const char *name)
{
    return strcmp(name, "ompt_set_callback") == 0 ? (function)set_callback : NULL;
}

enum { BEGIN = 1, END = 2, BARRIER = 3, TASKWAIT = 5, IMPLICIT = 2, EXPLICIT = 4 };
enum { MILLISECOND = 1000 };
static const char code[64]; /* addresses of places */

/* ---- a team of two: the thread that begins, and one more */

struct team {
    data parallel;
    pthread_barrier_t *together;
    int pages[2], sleep[2]; /* of each thread: pages, milliseconds */
};

static void part(struct team *team, unsigned number)
{
    data task = {0};
    call.implicit_task(BEGIN, &team->parallel, &task, 2, number, IMPLICIT);
    touch(team->pages[number]);
    usleep((useconds_t)team->sleep[number] * MILLISECOND);
    call.wait(BARRIER, BEGIN, &team->parallel, &task, code + 1);
    pthread_barrier_wait(team->together);
    call.wait(BARRIER, END, &team->parallel, &task, code + 1);
    touch(team->pages[number]);
    call.wait(2, BEGIN, &team->parallel, &task, code);
    pthread_barrier_wait(team->together);
    if (number > 0) {
        pthread_barrier_wait(team->together); /* it learns of the end when that is over */
        usleep(20 * MILLISECOND);
    }
    /* Also of a runtime that still names the region then: what comes late is nobody's. */
    call.wait(2, END, number > 0 ? &team->parallel : NULL, &task, NULL);
    touch(number > 0 ? 5000 : 1);
    call.implicit_task(END, NULL, &task, 0, number, IMPLICIT);
}

static struct team *shared;

static void *second(void *executions)
{
    call.thread_begin(2, NULL);
    for (int i = 0; i < *(int *)executions; i++) {
        pthread_barrier_wait(shared->together);
        part(shared, 1);
    }
    return NULL;
}

/* Thread 0 touches 2 x 100 pages, and thread 1 2 x 300; it sleeps 30 ms before the barrier. */
static void even_runtime(void)
{
    int executions = 4;
    pthread_t thread;
    pthread_barrier_t together;
    struct team team = {.together = &together, .pages = {100, 300}, .sleep = {0, 30}};
    shared = &team;
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&thread, NULL, second, &executions);
    for (int i = 0; i < executions; i++) {
        call.parallel_begin(NULL, NULL, &team.parallel, 2, 0, code + 8);
        pthread_barrier_wait(&together);
        part(&team, 0);
        call.parallel_end(&team.parallel, NULL, 0, code + 8);
        pthread_barrier_wait(&together);
    }
    pthread_join(thread, NULL);
}

/* A region of one thread: pages more than those of what it calls. */
static void alone(const void *place, int pages)
{
    data parallel = {0}, task = {0};
    call.parallel_begin(NULL, NULL, &parallel, 1, 0, place);
    call.implicit_task(BEGIN, &parallel, &task, 1, 0, IMPLICIT);
    if (pages > 0)
        touch(pages);
    call.implicit_task(END, NULL, &task, 1, 0, IMPLICIT);
    call.parallel_end(&parallel, NULL, 0, place);
}

/* Ends without begins, begins without ends, no data, no place, what is inside more deeply than there is room
 * for: what is whole has its counts. */
static void hostile_runtime(void)
{
    data none = {0}, odd = {.value = 0x1234567812345670}, task = {0}, parallel = {0};
    call.wait(BARRIER, END, NULL, &none, code);
    call.wait(BARRIER, BEGIN, NULL, NULL, code);
    call.wait(77, 99, &none, &odd, code);
    call.implicit_task(END, NULL, &none, 2, 0, IMPLICIT);
    call.implicit_task(END, NULL, &odd, 2, 0, IMPLICIT);
    call.implicit_task(BEGIN, NULL, NULL, 2, 0, IMPLICIT);
    call.implicit_task(BEGIN, &none, &none, 2, 0, IMPLICIT);
    call.parallel_end(NULL, NULL, 0, NULL);
    call.parallel_end(&none, NULL, 0, NULL);
    call.task_schedule(NULL, 1, NULL);
    call.task_schedule(&none, 7, &odd);
    call.acquired(5, 1, code);
    call.acquire(5, 0, 0, 1, code);
    alone(code + 16, 100);
    alone(NULL, 50);                                             /* a place that is not told */
    call.parallel_begin(NULL, NULL, &parallel, 2, 0, code + 20); /* never ends */
    call.implicit_task(BEGIN, &parallel, &task, 2, 1u << 30, IMPLICIT);
    call.wait(BARRIER, BEGIN, &parallel, &task, NULL);
    call.wait(BARRIER, BEGIN, &parallel, &task, NULL);
    call.implicit_task(END, NULL, &task, 0, 0, IMPLICIT);
    call.implicit_task(END, NULL, &task, 0, 0, IMPLICIT);
    alone(code + 16, 100); /* with the data at the same addresses as before */
}

static void deeper(int depth)
{
    data parallel = {0}, task = {0};
    call.parallel_begin(NULL, NULL, &parallel, 1, 0, code + 30 + depth);
    call.implicit_task(BEGIN, &parallel, &task, 1, 0, IMPLICIT);
    touch(10);
    if (depth < 11)
        deeper(depth + 1);
    call.implicit_task(END, NULL, &task, 1, 0, IMPLICIT);
    call.parallel_end(&parallel, NULL, 0, code + 30 + depth);
}

/* Twelve regions in one another: each has the pages of those in it, too, and begins again after them. */
static void deep_runtime(void)
{
    deeper(0);
    alone(code + 50, 40);
}

/* More places than there is room for. */
static void many_runtime(void)
{
    for (uintptr_t i = 1; i <= 3000; i++)
        alone((void *)(i * 16), 0);
}

/* A thread waits in a barrier and does a task meanwhile, which waits for another one. */
static void tasks_runtime(void)
{
    data parallel = {0}, own = {0}, outer = {0}, inner = {0};
    call.parallel_begin(NULL, NULL, &parallel, 1, 0, code + 8);
    call.implicit_task(BEGIN, &parallel, &own, 1, 0, IMPLICIT);
    call.task_create(&own, NULL, &outer, EXPLICIT, 0, code);
    call.wait(BARRIER, BEGIN, &parallel, &own, code + 1);
    usleep(20 * MILLISECOND); /* waits */
    call.task_schedule(&own, 7, &outer);
    touch(100);
    usleep(40 * MILLISECOND); /* works */
    call.task_create(&outer, NULL, &inner, EXPLICIT, 0, code);
    call.wait(TASKWAIT, BEGIN, &parallel, &outer, code + 2);
    call.task_schedule(&outer, 7, &inner);
    touch(200);
    call.task_schedule(&inner, 1, &outer);
    usleep(20 * MILLISECOND); /* waits */
    call.wait(TASKWAIT, END, &parallel, &outer, code + 2);
    touch(400);
    call.task_schedule(&outer, 1, &own);
    touch(800); /* while it waits: not counted */
    usleep(20 * MILLISECOND);
    call.wait(BARRIER, END, &parallel, &own, code + 1);
    call.implicit_task(END, NULL, &own, 1, 0, IMPLICIT);
    call.parallel_end(&parallel, NULL, 0, code + 8);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"even", even_runtime},
                 {"hostile", hostile_runtime},
                 {"deep", deep_runtime},
                 {"many", many_runtime},
                 {"tasks", tasks_runtime}};
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL)
        return 3;
    struct tool *(*start)(unsigned, const char *) = NULL;
    *(void **)&start = dlsym(library, "ompt_start_tool");
    struct tool *tool = start != NULL ? start(201811, "a stand-in") : NULL;
    if (tool == NULL || tool->initialize(look_up, 0, &tool->own) == 0)
        return 4;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[2]) == 0)
            cases[i].run();
    tool->finalize(&tool->own);
    return 0;
}
