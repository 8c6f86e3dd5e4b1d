/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_launches.so, which papi_profile --devices has the runtime of devices load into a program: notes
 * where work for devices is launched, and sums of what it took there.
 *
 * NVIDIA's driver and AMD's rocprofiler-sdk load it when the program first uses them, libpapi_level_zero.so
 * when it first uses Intel's, so that programs and processes that use no device have none of it, and a
 * process may fork before it does. Each place has its stack of calls, and is written once.
 * Work is summed up by place, name, kind and device, and the sums are written now and then, as a program may
 * end without a word. The file is opened each time: programs close descriptors that they do not know.
 */
#include "base/hash.h"
#include "components/device/rocprofiler.h"
#include "formats/launch_record.h"
#include "papi.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOTS = 1 << 20, /* calls between which the work of one has to come */
    OFTEN = 4096,    /* pieces of work after which the sums are written */
};

/* They are also written when work comes so long after the last time. */
#define SELDOM_NS UINT64_C(2000000000)

struct stack {
    int32_t number;
    int n;
    unsigned long long loads; /* libraries that came or went before: the addresses mean something else then */
    void *address[];
};

struct sum {
    int32_t stack, device, kind;
    uint64_t times, ns, least, most, bytes;
    char name[];
};

static struct {
    const struct device_activity_functions *activity;
    pthread_mutex_t lock; /* for all but slot */
    _Atomic pid_t pid;
    bool forked; /* this process is the child of one that has notes */
    char path[PATH_MAX];
    struct rocp_tool tool;
    struct hash_table stacks, sums;
    int32_t n_stacks;
    int unwritten;    /* pieces of work */
    uint64_t written; /* when the sums were, or the file was made; CLOCK_MONOTONIC */
    atomic_bool ended;
    uint64_t lost; /* pieces for which there was no memory */
    /* By the number of a vendor's call: its lower half, and the stack's number and 1. */
    _Atomic uint64_t slot[ACTIVITY_VENDORS][SLOTS];
} launches = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* False in the child of a fork, where a lock may be held for ever. */
static bool is_mine(void)
{
    return !launches.forked && getpid() == launches.pid;
}

/* ---- the file */

static uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct launch_tail tail_now(void)
{
    return (struct launch_tail){.pid = (uint32_t)launches.pid, .time = clock_now()};
}

/* Writes a record with what follows it, whose sizes are multiples of 8. */
static void put(uint32_t type, struct launch_head *head, size_t size, const void *more, size_t more_size)
{
    struct launch_tail tail = tail_now();
    *head = (struct launch_head){
        .type = type, .size = (uint16_t)(size + more_size + sizeof tail), .pid = (uint32_t)launches.pid};
    const struct iovec part[] = {{head, size}, {(void *)more, more_size}, {&tail, sizeof tail}};
    int fd = open(launches.path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    ssize_t written = writev(fd, part, 3); /* one that is cut is not read */
    (void)written;
    close(fd);
}

static void put_sum(struct sum *sum)
{
    struct launch_work work = {.stack = sum->stack,
                               .device = sum->device,
                               .kind = sum->kind,
                               .times = sum->times,
                               .ns = sum->ns,
                               .least = sum->least,
                               .most = sum->most,
                               .bytes = sum->bytes};
    if (sum->times > 0)
        put(LAUNCH_WORK, &work.head, sizeof work, sum->name, (strlen(sum->name) + 8) & ~(size_t)7);
    sum->times = sum->ns = sum->most = sum->bytes = 0;
    sum->least = UINT64_MAX;
}

static void put_sums(void)
{
    for (size_t i = 0; i < launches.sums.n_slots; i++)
        if (launches.sums.slot[i].value != 0)
            put_sum((void *)launches.sums.slot[i].value);
    launches.unwritten = 0;
    launches.written = clock_now();
}

/* ---- stacks */

static int read_loads(struct dl_phdr_info *object, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = object->dlpi_adds + object->dlpi_subs;
    return 1;
}

static bool is_same(const struct stack *stack, unsigned long long loads, void *const *address, int n)
{
    return stack->loads == loads && stack->n == n &&
           memcmp(stack->address, address, (size_t)n * sizeof *address) == 0;
}

static int32_t add_stack(uint64_t hash, unsigned long long loads, void *const *address, int n)
{
    size_t size = (size_t)n * sizeof *address;
    struct stack *stack = malloc(sizeof *stack + size);
    if (stack == NULL || !hash_grow(&launches.stacks)) {
        free(stack);
        return LAUNCH_NOWHERE;
    }
    *stack = (struct stack){.number = launches.n_stacks++, .n = n, .loads = loads};
    memcpy(stack->address, address, size);
    hash_put(&launches.stacks, hash, (uintptr_t)stack);
    struct launch_stack record = {.stack = stack->number, .n = (uint32_t)n};
    put(LAUNCH_STACK, &record.head, sizeof record, address, size);
    return stack->number;
}

/* The number of the stack of this call, which is written if it is new. */
static int32_t stack_here(void)
{
    void *address[LAUNCH_CALLS];
    unsigned long long loads = 0;
    int n = backtrace(address, LAUNCH_CALLS);
    dl_iterate_phdr(read_loads, &loads);
    uint64_t hash = hash_bytes(address, (size_t)(n > 0 ? n : 0) * sizeof *address);
    size_t at = 0;
    const struct stack *stack;
    if (n <= 0)
        return LAUNCH_NOWHERE;
    pthread_mutex_lock(&launches.lock);
    while ((stack = (void *)hash_next(&launches.stacks, hash, &at)) != NULL &&
           !is_same(stack, loads, address, n))
        ;
    int32_t number = stack != NULL ? stack->number : add_stack(hash, loads, address, n);
    pthread_mutex_unlock(&launches.lock);
    return number;
}

/* The slot of a call, whose vendor is in its highest byte. */
static _Atomic uint64_t *slot_of(uint64_t launch)
{
    return &launches.slot[(launch >> 56) % ACTIVITY_VENDORS][launch % SLOTS];
}

static void note_launch(uint64_t launch, bool again)
{
    static _Thread_local int32_t stack;
    int saved = errno;
    if (!is_mine())
        return;
    if (!again)
        stack = stack_here();
    *slot_of(launch) = launch << 32 | (uint32_t)(stack + 1);
    errno = saved;
}

static int32_t stack_of(uint64_t launch)
{
    uint64_t slot = *slot_of(launch);
    return launch != 0 && slot >> 32 == (uint32_t)launch ? (int32_t)(uint32_t)slot - 1 : LAUNCH_NOWHERE;
}

/* ---- work */

/* The sum that a piece of work belongs to; NULL: there is no memory. */
static struct sum *sum_of(const struct device_work *work, int32_t stack)
{
    const int32_t key[] = {stack, work->place, (int32_t)work->kind};
    size_t length = strnlen(work->name, LAUNCH_NAME_SIZE - 1), at = 0;
    uint64_t hash = hash_more(hash_bytes(key, sizeof key), work->name, length);
    struct sum *sum;
    while ((sum = (void *)hash_next(&launches.sums, hash, &at)) != NULL)
        if (memcmp(&sum->stack, key, sizeof key) == 0 && strncmp(sum->name, work->name, length) == 0 &&
            sum->name[length] == '\0')
            return sum;
    sum = calloc(1, sizeof *sum + length + 8); /* as it is written: filled up to a multiple of 8 */
    if (sum == NULL || !hash_grow(&launches.sums)) {
        free(sum);
        return NULL;
    }
    memcpy(&sum->stack, key, sizeof key);
    memcpy(sum->name, work->name, length);
    sum->least = UINT64_MAX;
    hash_put(&launches.sums, hash, (uintptr_t)sum);
    return sum;
}

static void add_work(const struct device_work *work)
{
    struct sum *sum = sum_of(work, stack_of(work->launch));
    uint64_t ns = work->end - work->begin;
    if (sum == NULL) {
        launches.lost++;
        return;
    }
    sum->times++;
    sum->ns += ns;
    sum->bytes += work->bytes;
    sum->least = ns < sum->least ? ns : sum->least;
    sum->most = ns > sum->most ? ns : sum->most;
    if (++launches.unwritten >= OFTEN || launches.ended || work->end > launches.written + SELDOM_NS)
        put_sums();
}

static void note_work(const struct device_work *work)
{
    if (!is_mine())
        return;
    pthread_mutex_lock(&launches.lock);
    add_work(work);
    pthread_mutex_unlock(&launches.lock);
}

/* ---- begin, end */

static void tell(void *to, int device, uint64_t of, struct busy_time time)
{
    (void)to, (void)device, (void)of, (void)time;
}

static uint64_t put_devices(void)
{
    const struct device_activity *device;
    int n = launches.activity->devices(&device);
    uint64_t unfinished = 0;
    for (int i = 0; i < n; i++) {
        struct launch_device record = {.device = i, .number = device[i].number};
        memcpy(record.name, device[i].name, sizeof record.name);
        memcpy(record.address, device[i].address, sizeof record.address);
        put(LAUNCH_DEVICE, &record.head, sizeof record, NULL, 0);
        unfinished += device[i].unfinished;
    }
    return unfinished;
}

static void refuse(const char *text, bool whole)
{
    struct launch_refused record = {.whole = whole};
    snprintf(record.text, sizeof record.text, "%s", text);
    put(LAUNCH_REFUSED, &record.head, sizeof record, NULL, 0);
}

/* Ends the file; work that comes even later is written at once. */
static void end(void)
{
    struct reason why = {0};
    if (!is_mine() || launches.ended)
        return;
    int code = launches.activity->settle(true, tell, NULL, &why);
    pthread_mutex_lock(&launches.lock);
    put_sums();
    struct launch_end record = {.unfinished = put_devices()};
    record.dropped = launches.activity->dropped() + launches.lost;
    if (code == PAPI_OK)
        put(LAUNCH_END, &record.head, sizeof record, NULL, 0);
    else
        refuse(why.text, true);
    launches.ended = true;
    pthread_mutex_unlock(&launches.lock);
}

/* Makes the file of a process, which may have had another program before. */
static bool make_file(const char *folder, pid_t pid)
{
    int fd = -1;
    for (int i = 0; fd < 0 && i < INT16_MAX; i++) {
        int n = snprintf(launches.path, sizeof launches.path, "%s/%d.%d", folder, (int)pid, i);
        if (n < 0 || n >= (int)sizeof launches.path)
            return false;
        fd = open(launches.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno != EEXIST)
            return false;
    }
    if (fd >= 0)
        close(fd);
    launches.written = clock_now();
    launches.pid = pid;
    return fd >= 0;
}

/* Has a file where there is none yet. False: nothing is asked for, or can be noted. */
static bool have_file(void)
{
    const char *folder = secure_getenv(LAUNCHES_VARIABLE);
    pid_t pid = getpid();
    if (folder == NULL || folder[0] != '/')
        return false;
    if (launches.pid != 0 && launches.pid != pid) {
        launches.forked = true;
        return make_file(folder, pid);
    }
    pthread_mutex_lock(&launches.lock);
    bool made = launches.pid == pid || make_file(folder, pid);
    pthread_mutex_unlock(&launches.lock);
    return made;
}

/* Has the devices of a vendor watched. False: they are not. */
static bool watch(enum activity_vendor_number driver)
{
    static const struct device_watcher watcher = {note_launch, note_work};
    struct reason why = {0};
    void *address[4];
    backtrace(address, 4); /* it loads what it needs the first time */
    launches.activity = papi_device_activity(DEVICE_ACTIVITY_VERSION);
    if (launches.activity == NULL)
        refuse(DEVICE_ACTIVITY_LIBRARY " is of another version of this software", false);
    else if (launches.activity->watch(&watcher, driver, &why) != PAPI_OK)
        refuse(why.text, false);
    else
        return true;
    return false;
}

/* Begins, or begins to watch one more vendor's devices. The end is to come before that of the vendor's
 * library: it is the first thing that is done at the exit. */
static bool begin(enum activity_vendor_number driver)
{
    struct launch_begun record = {.vendor = driver};
    if (!have_file())
        return false;
    if (launches.forked) {
        refuse("it is the child of a process that used devices before, and none are recorded there", false);
        return false;
    }
    if (!watch(driver))
        return false;
    put(LAUNCH_BEGUN, &record.head, sizeof record, NULL, 0);
    atexit(end);
    return true;
}

/* ---- whom it is loaded by */

#define OPEN __attribute__((visibility("default")))

/* Called by the driver of NVIDIA's devices, once, in a program that starts it. 1: all is well. */
OPEN int InitializeInjection(void);
int InitializeInjection(void)
{
    begin(ACTIVITY_NVIDIA);
    return 1;
}

static int begin_of_amd(void (*finalize)(struct rocp_client), void *data)
{
    (void)finalize, (void)data;
    return begin(ACTIVITY_AMD) ? 0 : -1;
}

/* Called by AMD's rocprofiler-sdk, which the program's first call of HIP starts: what it is to do then. NULL:
 * nothing. */
OPEN rocp_configure_function rocprofiler_configure;
struct rocp_tool *rocprofiler_configure(uint32_t version, const char *runtime, uint32_t priority,
                                        struct rocp_client *client)
{
    (void)version, (void)runtime, (void)priority;
    if (secure_getenv(LAUNCHES_VARIABLE) == NULL || launches.tool.initialize != NULL)
        return NULL;
    client->name = "papi_profile";
    launches.tool = (struct rocp_tool){.size = sizeof launches.tool, .initialize = begin_of_amd};
    return &launches.tool;
}

/* Called by libpapi_level_zero.so when the program has started the driver of Intel's devices. */
OPEN void papi_launches_of_level_zero(void)
{
    begin(ACTIVITY_INTEL);
}
