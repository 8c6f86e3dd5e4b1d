/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the functions of libcupti.so.13, as cupti_activity.h and cupti_callbacks.h declare them,
 * that libpapi_activity uses. What the devices do is what a test says.
 */
#include "double.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID = 1, MAX_LIMIT_REACHED = 12, NOT_INITIALIZED = 15 };

typedef void requested(uint8_t **buffer, size_t *size, size_t *most);
typedef void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef void callback(void *of, int domain, uint32_t id, const void *data);

VISIBLE struct double_cupti double_cupti = {.now = 1000};
extern struct double_cuda double_cuda;
extern _Thread_local int double_brings_records;

static requested *request;
static completed *complete;
static callback *subscriber;
static void *subscribers;

static void bring_started(void);

static int ready(int result)
{
    bool is_ready = double_cuda.started || double_cuda.injecting;
    double_cupti.before_init += !is_ready;
    return is_ready ? result : NOT_INITIALIZED;
}

VISIBLE int cuptiGetTimestamp(uint64_t *ns);
VISIBLE int cuptiGetTimestamp(uint64_t *ns)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *ns = double_cupti.now ?: (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return SUCCESS;
}

VISIBLE int cuptiGetResultString(int result, const char **text);
VISIBLE int cuptiGetResultString(int result, const char **text)
{
    *text = result == 39 ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : "CUPTI_ERROR_OF_THE_TEST";
    return SUCCESS;
}

VISIBLE int cuptiActivityRegisterCallbacks(requested *give, completed *take);
VISIBLE int cuptiActivityRegisterCallbacks(requested *give, completed *take)
{
    request = give;
    complete = take;
    return ready(give != NULL && take != NULL ? SUCCESS : INVALID);
}

VISIBLE int cuptiActivityEnable(int kind);
VISIBLE int cuptiActivityEnable(int kind)
{
    if (double_cupti.enable != SUCCESS || kind < 0 || kind >= 64)
        return ready(double_cupti.enable);
    double_cupti.enabled[kind]++;
    return ready(request != NULL ? SUCCESS : INVALID);
}

VISIBLE int cuptiActivityDisable(int kind);
VISIBLE int cuptiActivityDisable(int kind)
{
    double_cupti.enabled[kind]--;
    return ready(SUCCESS);
}

VISIBLE int cuptiActivityFlushAll(uint32_t flags);
VISIBLE int cuptiActivityFlushAll(uint32_t flags)
{
    double_cupti.flushes[flags & 1]++;
    bring_started();
    return ready(SUCCESS);
}

VISIBLE int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n);
VISIBLE int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
    (void)context, (void)stream;
    *n = double_cupti.drop;
    double_cupti.drop = 0;
    return SUCCESS;
}

VISIBLE int cuptiSubscribe(void **of, callback *function, void *userdata);
VISIBLE int cuptiSubscribe(void **of, callback *function, void *userdata)
{
    if (double_cupti.subscribe != SUCCESS)
        return ready(double_cupti.subscribe);
    *of = &subscriber;
    subscriber = function;
    subscribers = userdata;
    double_cupti.subscribed++;
    return ready(SUCCESS);
}

VISIBLE int cuptiUnsubscribe(void *of);
VISIBLE int cuptiUnsubscribe(void *of)
{
    double_cupti.subscribed--;
    double_cupti.domains = 0;
    return ready(of == &subscriber ? SUCCESS : INVALID);
}

VISIBLE int cuptiEnableDomain(uint32_t enable, void *of, int domain);
VISIBLE int cuptiEnableDomain(uint32_t enable, void *of, int domain)
{
    if (enable != 0 && double_cupti.domain == SUCCESS)
        double_cupti.domains |= 1 << domain;
    return ready(of == &subscriber ? double_cupti.domain : INVALID);
}

/* ---- records, as a driver lays them out */

static size_t size_of(uint32_t kind)
{
    return kind == 10 ? 216 : kind == 2 ? 88 : kind == 4 ? 40 : 96;
}

static void put(uint8_t *at, const struct double_work *work)
{
    const struct double_record *record = &work->record;
    memset(at, 0xff, size_of(record->kind)); /* what is not read may be anything */
    memcpy(at, &record->kind, sizeof record->kind);
    if (record->kind != 10)
        memcpy(at + 8, &record->bytes, sizeof record->bytes);
    memcpy(at + 16, &record->begin, sizeof record->begin);
    memcpy(at + 24, &record->end, sizeof record->end);
    memcpy(at + (record->kind == 10 ? 40 : 32), &record->device, sizeof record->device);
    memcpy(at + (record->kind == 10 ? 92 : record->kind == 22 ? 60 : 44), &work->launch, sizeof work->launch);
    if (record->kind == 10)
        memcpy(at + 104, &work->name, sizeof work->name);
    else
        at[4] = work->copy;
}

VISIBLE int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
VISIBLE int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
    uint32_t kind;
    uint8_t *next = buffer;
    if (*record != NULL) {
        memcpy(&kind, *record, sizeof kind);
        next = *record + size_of(kind);
    }
    if (next >= buffer + valid)
        return MAX_LIMIT_REACHED;
    *record = next;
    return SUCCESS;
}

struct gift {
    const struct double_work *work;
    int n;
};

/* Fills one buffer: returns how many records it took. */
static int bring_buffer(const struct double_work *work, int n)
{
    uint8_t *buffer;
    size_t size, most, used = 0;
    int taken = 0, room = double_cupti.room > 0 ? double_cupti.room : n;
    request(&buffer, &size, &most);
    if (buffer == NULL) {
        double_cupti.drop += (uint64_t)n;
        return n;
    }
    while (taken < n && taken < room && used + size_of(work[taken].record.kind) <= size) {
        put(buffer + used, &work[taken]);
        used += size_of(work[taken++].record.kind);
    }
    complete(NULL, 0, buffer, size, used);
    return taken;
}

static void *bring(void *of)
{
    const struct gift *gift = of;
    double_brings_records = 1;
    for (int i = 0; i < gift->n;)
        i += bring_buffer(gift->work + i, gift->n - i);
    return NULL;
}

VISIBLE double_give_work double_gives_work;
VISIBLE void double_gives_work(const struct double_work *work, int n)
{
    pthread_t thread;
    struct gift gift = {work, n};
    if (request != NULL && pthread_create(&thread, NULL, bring, &gift) == 0)
        pthread_join(thread, NULL);
}

VISIBLE double_give double_gives;
VISIBLE void double_gives(const struct double_record *record, int n)
{
    struct double_work *work = calloc((size_t)n, sizeof *work);
    for (int i = 0; work != NULL && i < n; i++)
        work[i].record = record[i];
    if (work != NULL)
        double_gives_work(work, n);
    free(work);
}

VISIBLE double_call_of double_calls_of;
VISIBLE void double_calls_of(int domain, int side, const char *name, uint32_t number)
{
    struct {
        int side;
        const char *name;
        const void *others[6];
        uint32_t number;
    } data = {.side = side, .name = name, .number = number};
    if (subscriber != NULL && (double_cupti.domains >> domain & 1) != 0)
        subscriber(subscribers, domain, 1, &data);
}

VISIBLE double_call double_calls;
VISIBLE void double_calls(int domain, int side)
{
    double_calls_of(domain, side, "aFunction", 0);
}

VISIBLE double_job_clock double_jobs_clock;
VISIBLE uint64_t double_jobs_clock(void)
{
    uint64_t now;
    double_cupti.now = 0;
    cuptiGetTimestamp(&now);
    return now;
}

/* ---- programs that start something */

enum { MOST = 1 << 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct double_work started[MOST];
static int n_started;
static uint32_t calls = 100;

static void bring_started(void)
{
    pthread_mutex_lock(&lock);
    double_gives_work(started, n_started);
    n_started = 0;
    pthread_mutex_unlock(&lock);
}

static void keep(const struct double_start *what, uint32_t number)
{
    static uint64_t begin = 1000;
    pthread_mutex_lock(&lock);
    if (n_started < MOST)
        started[n_started++] = (struct double_work){
            .record = {what->kind, what->device, begin, begin + what->ns, what->bytes},
            .launch = number,
            .copy = what->copy,
            .name = what->kernel,
        };
    begin += what->ns + 10;
    pthread_mutex_unlock(&lock);
}

/* The runtime calls the driver; records have the number of the driver's call. */
VISIBLE double_starter double_starts;
VISIBLE void double_starts(const struct double_start *what)
{
    enum { DRIVER = 1, RUNTIME = 2, ENTER = 0, EXIT = 1 };
    uint32_t number = __atomic_fetch_add(&calls, 2, __ATOMIC_RELAXED);
    if (what->function != NULL) {
        double_calls_of(RUNTIME, ENTER, what->function, number);
        double_calls_of(DRIVER, ENTER, "cuLaunchKernel", number + 1);
        double_calls_of(DRIVER, EXIT, "cuLaunchKernel", number + 1);
        double_calls_of(RUNTIME, EXIT, what->function, number);
    }
    keep(what, number + 1);
}

VISIBLE double_kernel_starter double_starts_kernel;
VISIBLE void double_starts_kernel(const char *kernel, int64_t ns)
{
    double_starts(&(struct double_start){"cudaLaunchKernel", kernel, 10, 0, 0, (uint64_t)ns, 0});
}
