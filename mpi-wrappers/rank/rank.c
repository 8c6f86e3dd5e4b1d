/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/rank.h"
#include "base/likely.h"
#include "base/visible.h"
#include "components/counted/uncounted_share.h"
#include "rank/between.h"
#include "rank/counters.h"
#include "rank/devices.h"
#include "rank/ends.h"
#include "rank/energy.h"
#include "rank/machine.h"
#include "rank/polling.h"
#include "rank/record_file.h"
#include "rank/sites.h"
#include "rank/unseen.h"
#include "record/call_ring.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct papi_mpi papi_mpi = {.region_lock = PTHREAD_MUTEX_INITIALIZER,
                            .object_lock = PTHREAD_MUTEX_INITIALIZER,
                            .path_lock = PTHREAD_MUTEX_INITIALIZER,
                            .library_once = PTHREAD_ONCE_INIT};
_Thread_local struct mpi_thread mpi_thread;

/* ---- thread records */

static struct thread_record *take_free(struct rank_record *record, int from)
{
    for (int i = from; i < record_thread_count(record); i++) {
        struct thread_record *thread = record_thread_at(record, i);
        uint32_t no = 0;

        if (atomic_load_explicit(&thread->taken, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong_explicit(&thread->taken, &no, 1, memory_order_acquire,
                                                    memory_order_relaxed))
            return thread;
    }
    return NULL;
}

/* The thread's totals stay, for its successor to go on with. */
static void thread_ends(void *value)
{
    struct thread_record *thread = value;
    between_end(thread);
    if (papi_mpi.record != NULL && thread->n_open > 0)
        record_finish_regions(papi_mpi.record, thread, clock_ticks());
    thread->n_open = 0;
    walk_forget();
    mpi_thread.record = mpi_thread.quick = mpi_thread.tests = NULL;
    mpi_thread.regions = 0;
    atomic_store_explicit(&thread->taken, 0, memory_order_release);
}

static int number_of(const struct rank_record *record, const struct thread_record *thread)
{
    int number = 0;
    while (record_thread_at(record, number) != thread)
        number++;
    return number;
}

static __attribute__((noinline, cold)) struct thread_record *take_thread(void)
{
    struct rank_record *record = papi_mpi.record;
    struct rank_file *file = papi_mpi.file;
    struct thread_record *thread = NULL;
    int known;
    if (record == NULL || file == NULL)
        return NULL;
    thread = take_free(record, 0);
    while (thread == NULL) {
        known = atomic_load_explicit(&record->n_chunks, memory_order_acquire);
        if (file_grow(file, record, known) != 0)
            return NULL;
        thread = take_free(record, known * THREADS_IN_CHUNK);
    }
    thread->inside = -1;
    thread->n_open = 0;
    thread->threads++;
    /* The destructor gives the record back when the thread ends. */
    pthread_setspecific(papi_mpi.thread_key, thread);
    mpi_thread.record = thread;
    polling_begin(thread);
    between_begin(record, thread);
    mpi_thread.number = number_of(record, thread);
    return thread;
}

void rank_call_ended(struct thread_record *thread, enum call call, uint64_t since, uint64_t now)
{
    const struct rank_record *record = papi_mpi.record;
    if (thread->between.tid != 0)
        between_call_ended(thread, now - since, now);
    struct thread_times *times = record != NULL ? record_times_at(record, mpi_thread.number) : NULL;
    if (times != NULL)
        thread_time_note(times, (int)call, now - since);
    if (record != NULL && record->by_comm)
        comms_note(record, thread, (int)call);
    if (now >= papi_mpi.timeline_next)
        timeline_step(thread, call, since, now);
}

struct thread_record *rank_thread(void)
{
    struct thread_record *thread = mpi_thread.record;
    return likely(thread != NULL) ? thread : take_thread();
}

/* ---- begin */

static void read_command(char *to, size_t room)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t n = file != NULL ? fread(to, 1, room - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    to[n] = '\0';
    while (n > 0 && to[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (to[i] == '\0')
            to[i] = ' ';
}

static void describe(struct rank_record *record, const struct rank_identity *identity)
{
    ssize_t n = readlink("/proc/self/exe", record->program, sizeof record->program - 1);
    record->program[n > 0 ? n : 0] = '\0';
    read_command(record->command, sizeof record->command);
    if (gethostname(record->host, sizeof record->host - 1) != 0)
        snprintf(record->host, sizeof record->host, "unknown");
    snprintf(record->job, sizeof record->job, "%s", identity->job);
    snprintf(record->flavour, sizeof record->flavour, "%s", identity->flavour);
    record->rank = identity->rank;
    record->ranks = identity->ranks;
    record->node = identity->node;
    record->nodes = identity->nodes;
    record->node_rank = identity->node_rank;
    record->thread_level = identity->thread_level;
    record->crowded = identity->crowded;
    record->spawned = papi_mpi.settings.spawned;
    record->pid = (int32_t)getpid();
    record->started = (int64_t)time(NULL);
}

static void measure_clock(struct rank_record *record)
{
    const uint64_t span = 2000000; /* nanoseconds: an error of 50 at the ends is 1 in 40,000 */
    struct clock_moment now;
    do
        now = clock_moment();
    while (papi_mpi.clock != CLOCK_KERNEL && now.nsec - papi_mpi.first.nsec < span);
    record->tick_hertz = clock_hertz(&papi_mpi.first, &now);
}

/* The child of a fork is not a rank: what it does must not be in its parent's record. Nothing is freed here:
 * a thread may have had the allocator's lock when its process was copied. */
static void forked(void)
{
    atomic_store(&papi_mpi.counting, 0);
    atomic_store(&papi_mpi.following, 0);
    if (papi_mpi.record != NULL) {
        papi_mpi.parents_file = papi_mpi.file;
        papi_mpi.parents_counters = papi_mpi.counters;
    }
    papi_mpi.main = papi_mpi.meets = NULL;
    papi_mpi.record = NULL;
    papi_mpi.file = NULL;
    papi_mpi.counters = NULL;
    papi_mpi.activity = NULL;
    papi_mpi.energy = NULL;
    papi_mpi.link = NULL;
    papi_mpi.sampler = NULL; /* its timer is the parent's */
    mpi_thread.record = mpi_thread.quick = mpi_thread.tests = NULL;
}

static int not_recorded(const char *why)
{
    settings_complain(&papi_mpi.settings, "a rank is not recorded, and not in the result: %s", why);
    return -1;
}

/* NULL, or what of the C library's failed. */
static const char *watch_threads(void)
{
    if (pthread_key_create(&papi_mpi.thread_key, thread_ends) != 0)
        return "the program has all keys of thread-specific data (pthread_key_create)";
    if (pthread_atfork(NULL, NULL, forked) == 0)
        return NULL;
    pthread_key_delete(papi_mpi.thread_key);
    return "out of memory for a fork handler (pthread_atfork)";
}

static int begin_record(const struct rank_identity *identity)
{
    struct rank_record *record;
    papi_mpi.file = file_create(&papi_mpi.settings, identity->job, identity->rank, &record);
    if (papi_mpi.file == NULL)
        return not_recorded("out of memory for its record");
    const char *failed = watch_threads();
    if (failed != NULL) {
        file_remove(papi_mpi.file);
        papi_mpi.file = NULL;
        return not_recorded(failed);
    }
    record->version = RECORD_VERSION;
    record->record_size = sizeof *record;
    record->thread_size = sizeof(struct thread_record);
    record->calls = CALL_COUNT;
    record->timed = papi_mpi.settings.times != 0;
    record->by_comm = papi_mpi.settings.communicators != 0;
    describe(record, identity);
    atomic_store(&record->state, RANK_RUNS);
    atomic_store(&record->n_chunks, 1);
    papi_mpi.record = record;
    return 0;
}

void rank_first_moment(void)
{
    if (papi_mpi.first.nsec != 0)
        return;
    papi_mpi.clock = clock_choose();
    papi_mpi.first = clock_moment();
}

static void begin_sites(struct rank_record *record)
{
    enum sites_mode mode = papi_mpi.settings.sites;
    if (mode == SITES_PROGRAM && walk_begin() != 0) {
        settings_complain(&papi_mpi.settings,
                          "PAPI_MPI_SITES=program needs libgcc_s.so.1, which is not here: calls are "
                          "where they are made, also in libraries");
        mode = SITES_CALLS;
    }
    record->sites = papi_mpi.sites = (int)mode;
}

static void begin_ring(void)
{
    if (papi_mpi.settings.timeline == 0)
        return;
    size_t size = ring_size(papi_mpi.settings.timeline);
    void *memory = file_add_ring(papi_mpi.file, size);
    if (memory == NULL && file_directory(papi_mpi.file) != NULL) /* else it was said of the record */
        settings_complain(&papi_mpi.settings,
                          "PAPI_MPI_TIMELINE: %.200s has no room for the calls of a rank: they are kept in "
                          "memory, and nothing is left of them after a crash; set PAPI_MPI_DIR to another "
                          "directory, or PAPI_MPI_TIMELINE to fewer bytes, such as 256k",
                          file_directory(papi_mpi.file));
    papi_mpi.ring = ring_make(memory, papi_mpi.settings.timeline);
    if (papi_mpi.ring == NULL)
        settings_complain(
            &papi_mpi.settings,
            "PAPI_MPI_TIMELINE: there are no %zu bytes of memory for the calls of a rank; ask for "
            "fewer, such as PAPI_MPI_TIMELINE=1M",
            papi_mpi.settings.timeline);
    else
        atomic_fetch_or(&papi_mpi.following, FOLLOW_RING);
}

/* MPI_THREAD_SERIALIZED, of both MPIs (entry/lifecycle.c). */
enum { SEVERAL_THREADS = 2 };

int rank_prepare(const struct rank_identity *identity)
{
    struct rank_record *record;
    if (papi_mpi.record != NULL)
        return -1;
    if (papi_mpi.settings.report[0] == '\0') /* else the caller has read them already */
        settings_read(&papi_mpi.settings);
    if (papi_mpi.settings.off)
        return -1;
    rank_first_moment();
    if (begin_record(identity) != 0)
        return -1;
    record = papi_mpi.record;
    record->main_thread = 0;
    atomic_store(&record->teams.source, papi_mpi.settings.teams ? TEAMS_NONE : TEAMS_OFF);
    begin_sites(record);
    begin_ring();
    unseen_calls(&papi_mpi.settings, record->unseen);
    devices_begin(record);
    record->counts_received = papi_mpi.settings.received;
    if (papi_mpi.settings.received)
        atomic_fetch_or(&papi_mpi.following, FOLLOW_RECEIVED);
    papi_mpi.main = take_thread();
    papi_mpi.meets = identity->ranks > 1 ? papi_mpi.main : NULL;
    papi_mpi.counters = counters_begin(&papi_mpi.settings, record);
    usage_read(record->usage);
    record->memory_limit = machine_memory("");
    measure_clock(record);
    papi_mpi.look = record->tick_hertz / 20000; /* 50 microseconds */
    if (papi_mpi.main != NULL)
        polling_begin(papi_mpi.main); /* which goes by that */
    record->measured = identity->thread_level >= SEVERAL_THREADS;
    return 0;
}

static int64_t now_of(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A reader has to know what time it was, on clocks that it has, too. */
static void note_begin(struct rank_record *record)
{
    record->began = now_of(CLOCK_REALTIME);
    record->began_here = now_of(CLOCK_MONOTONIC);
    record->begin = clock_ticks();
}

void rank_start(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL)
        return;
    if (papi_mpi.counters != NULL)
        counters_start(papi_mpi.counters, &papi_mpi.settings, record);
    papi_mpi.counts_around = record->counters_around;
    energy_start(record);
    note_begin(record);
    between_begin(record, papi_mpi.main);
    devices_mark(record, DEVICES_OF_RANK, DEVICES_BEGIN);
    timeline_begin(record);
    share_begin(record);
    ends_watch();
    /* A reader may believe the record from here on. */
    __atomic_store_n(&record->magic, RECORD_MAGIC, __ATOMIC_RELEASE);
    atomic_store(&papi_mpi.counting, 1);
}

int rank_begin(const struct rank_identity *identity)
{
    if (rank_prepare(identity) != 0)
        return -1;
    rank_start();
    return 0;
}

/* ---- boundaries */

/* The counters are the main thread's to read. */
static int may_read_counters(const struct rank_record *record)
{
    return papi_mpi.counters != NULL && record_is_main(record, mpi_thread.record);
}

void rank_read_counters(void)
{
    struct rank_record *record = papi_mpi.record;
    if (may_read_counters(record))
        counters_read(papi_mpi.counters, record);
}

void rank_update(void)
{
    struct rank_record *record = papi_mpi.record;
    struct clock_moment now;
    if (record == NULL)
        return;
    if (may_read_counters(record))
        counters_check(papi_mpi.counters);
    rank_read_counters();
    now = clock_moment();
    record->tick_hertz = clock_hertz(&papi_mpi.first, &now);
    papi_mpi.updated = now.ticks;
    record->updates++;
    usage_since(record->usage, record->used);
}

void rank_boundary(uint64_t now)
{
    if (now - papi_mpi.updated > papi_mpi.record->tick_hertz / 10)
        rank_update();
    else
        rank_read_counters();
}

/* ---- MPI_Pcontrol */

static void end_pause(struct rank_record *record, uint64_t now)
{
    uint64_t since = atomic_exchange(&record->paused_since, 0);
    if (since != 0)
        atomic_fetch_add(&record->paused, now - since);
}

static void note_regions(const struct rank_record *record, const struct thread_record *thread, int number)
{
    int n = __atomic_load_n(&thread->n_open, __ATOMIC_ACQUIRE);
    for (int i = 0; i < n; i++)
        ring_add(papi_mpi.ring, RING_REGION, number, thread->open[i].since, record->end)->region =
            thread->open[i].region;
}

/* Closes the regions that are open in any thread. A thread that leaves its region at this moment finds the
 * state changed. */
static void finish_regions(struct rank_record *record)
{
    for (int i = 0; i < record_thread_count(record); i++) {
        struct thread_record *thread = record_thread_at(record, i);

        if (papi_mpi.ring != NULL)
            note_regions(record, thread, i);
        if (__atomic_load_n(&thread->n_open, __ATOMIC_ACQUIRE) > 0)
            record_finish_regions(record, thread, record->end);
    }
}

void rank_pause(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL || atomic_load(&record->state) != RANK_RUNS || !atomic_exchange(&papi_mpi.counting, 0))
        return;
    between_update(record);
    devices_pause(record, DEVICES_END);
    atomic_store(&record->paused_since, clock_ticks());
    if (papi_mpi.ring != NULL) { /* messages go uncounted */
        ring_lose_order(papi_mpi.ring);
        ring_forget_requests(papi_mpi.ring);
    }
}

void rank_leave_out(uint64_t since, uint64_t now)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL || atomic_load(&record->paused_since) != 0)
        return;
    atomic_fetch_add(&record->left_out, now - since);
    atomic_fetch_add(&record->paused, now - since);
    between_waits();
}

void rank_resume(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL || atomic_load(&record->state) != RANK_RUNS)
        return;
    end_pause(record, clock_ticks());
    devices_pause(record, DEVICES_BEGIN);
    between_waits();
    atomic_store(&papi_mpi.counting, 1);
}

/* Takes out of a thread's MPI time what the clock adds to each call. All else that is made of it has been. */
static void take_cost_out(struct thread_record *thread)
{
    uint64_t cost = thread->calls * papi_mpi.call_cost;
    thread->mpi_ticks -= cost < thread->mpi_ticks ? cost : thread->mpi_ticks;
}

void rank_end(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL)
        return;
    record->end = clock_ticks();
    atomic_store(&papi_mpi.counting, 0);
    if (atomic_load(&record->paused_since) == 0)
        between_update(record);
    record->openmp = dlsym(RTLD_DEFAULT, "omp_get_max_threads") != NULL;
    energy_stop(record);
    devices_end(record); /* before the pause has an end */
    end_pause(record, record->end);
    rank_path_advance(record, record->end);
    timeline_finish(record);
    share_end(record);
    rank_update();
    /* Read once, since some kernels take 10 ms for it. */
    record->frequency = machine_frequency("", sched_getcpu());
    atomic_store(&record->state, RANK_FINALIZED);
    finish_regions(record);
    region_drop_supposed(record);
    take_cost_out(record_thread_at(record, record->main_thread));
    counters_end(papi_mpi.counters); /* before ranks wait: those that are done look for each other in MPI */
    papi_mpi.counters = NULL;
}

void rank_done(void)
{
    if (papi_mpi.record == NULL)
        return;
    atomic_store(&papi_mpi.record->state, RANK_IN_REPORT);
    papi_mpi.main = papi_mpi.meets = NULL;
    papi_mpi.record = NULL;
    mpi_thread.record = mpi_thread.quick = mpi_thread.tests = NULL;
    walk_forget();
    pthread_key_delete(papi_mpi.thread_key);
    file_remove(papi_mpi.file);
    papi_mpi.file = NULL;
}

void rank_abort(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL)
        return;
    record->end = clock_ticks();
    share_end(record);
    rank_update();
    if (atomic_exchange(&record->state, RANK_ABORTS) == RANK_ABORTS)
        return;
    rank_tell("calls MPI_Abort");
    rank_wait_heard();
}

/* ---- a rank that ends without MPI_Finalize */

/* The bytes on standard error that its reader, the launcher, has not read yet; 0 also where that cannot be
 * found out. */
static int unread(void)
{
    struct stat file;
    int bytes = 0;
    if (fstat(STDERR_FILENO, &file) != 0)
        return 0;
    if (S_ISFIFO(file.st_mode) && ioctl(STDERR_FILENO, FIONREAD, &bytes) != 0)
        return 0;
    if (S_ISSOCK(file.st_mode) && ioctl(STDERR_FILENO, TIOCOUTQ, &bytes) != 0)
        return 0;
    return bytes;
}

void rank_wait_heard(void)
{
    enum { TURNS = 250 };
    const struct timespec turn = {.tv_nsec = 2000000};

    for (int i = 0; i < TURNS && unread() > 0; i++)
        nanosleep(&turn, NULL);
}

void rank_tell(const char *what)
{
    const struct rank_record *record = papi_mpi.record;
    const char *directory = file_directory(papi_mpi.file);
    char line[5000], shown[4200] = "";
    if (strcmp(papi_mpi.settings.report, "none") == 0)
        return;
    if (directory != NULL)
        visible(shown, sizeof shown, directory);
    int n = snprintf(
        line, sizeof line, "papi_mpi: rank %d %s; its figures%s%s\n", record->rank, what,
        directory != NULL ? ": papi_mpi_report --recover " : " were in plain memory and are lost", shown);
    if (write(STDERR_FILENO, line, (size_t)n) != n)
        return; /* nobody is there to be told */
}

/* A rank that ends without MPI_Finalize, as far as it ends by exit or by the end of main. Neither MPI nor
 * anything that could wait: the other ranks go on, or their launcher ends them. */
static __attribute__((destructor)) void rank_exits(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL || atomic_load(&record->state) != RANK_RUNS)
        return;
    if (record->pid != (int32_t)getpid()) /* a child that came by another way than fork() */
        return;
    atomic_store(&papi_mpi.counting, 0);
    record->end = clock_ticks();
    share_end(record);
    rank_update();
    atomic_store(&record->state, RANK_EXITS);
    rank_tell("ends without MPI_Finalize");
}

/* ---- the critical path */

/* The useful time of the main thread since MPI_Init, in ticks. Time between MPI_Pcontrol(0) and
 * MPI_Pcontrol(1) is left out. */
static uint64_t useful_ticks(const struct rank_record *record, const struct thread_record *thread,
                             uint64_t now)
{
    uint64_t paused_since = atomic_load(&record->paused_since);
    uint64_t end = paused_since != 0 ? paused_since : now;
    uint64_t without = record->begin + atomic_load(&record->paused) + thread->mpi_ticks;
    return end > without ? end - without : 0;
}

static uint32_t region_now(const struct rank_record *record, const struct thread_record *thread)
{
    return thread->n_open > 0 ? path_region(record->region_name[thread->open[thread->n_open - 1].region]) : 0;
}

void rank_path_advance(struct rank_record *record, uint64_t now)
{
    if (record->path_state == PATH_OFF || record->tick_hertz == 0)
        return;
    const struct thread_record *thread = record_thread_at(record, record->main_thread);
    uint64_t useful = useful_ticks(record, thread, now);
    if (useful <= record->path_useful)
        return;
    __extension__ unsigned __int128 ns = (unsigned __int128)(useful - record->path_useful) * 1000000000u;
    record->path_useful = useful;
    path_extend(&record->path, (uint64_t)(ns / record->tick_hertz), (uint32_t)record->rank,
                region_now(record, thread));
}

void rank_path_in_call(struct rank_record *record)
{
    const struct thread_record *thread = mpi_thread.record;
    if (record != NULL && thread != NULL && record_is_main(record, thread))
        rank_path_advance(record, thread->since);
}

void rank_path_region(struct rank_record *record)
{
    if (record->path_state == PATH_OFF)
        return;
    pthread_mutex_lock(&papi_mpi.path_lock);
    rank_path_advance(record, clock_ticks());
    pthread_mutex_unlock(&papi_mpi.path_lock);
}

void rank_path_meets(struct rank_record *record, const struct path *other)
{
    if (record == NULL || other->ns <= record->path.ns)
        return;
    uint64_t moves = other->moves + (other->rank != record->rank);
    record->path = *other;
    record->path.moves = moves;
    record->path.rank = record->rank;
}

/* ---- the timeline */

/* The timeline of a rank: how long the main thread was in which MPI call, in a fixed number of bins, however
 * long the job takes.
 *
 * A bin is 2^shift ticks. When time comes to the end of the last bin, each two neighbours are added up to
 * one, shift grows by one, and the same bins reach twice as far: no time is lost, only resolution, and the
 * job's length need not be known. There are between COURSE_BINS / 2 and COURSE_BINS bins with data after the
 * first folding.
 *
 * A call does not touch the timeline while it ends within the current bin, which one comparison with
 * timeline_next shows. The first call that ends beyond it settles: what the calls' totals have grown since
 * the last settlement belongs to the bin that ends, except for the present call, whose time is known by its
 * begin and end and is spread over the bins that it covers. */

static void go_to_bin(struct rank_record *record, uint64_t moment)
{
    struct timeline *timeline = &record->timeline;
    timeline->bin = (uint32_t)(moment >> timeline->shift);
    papi_mpi.timeline_next = record->begin + (((uint64_t)timeline->bin + 1) << timeline->shift);
    papi_mpi.end_next = record->measured || record->timed || record->by_comm ? 0 : papi_mpi.timeline_next;
}

void timeline_begin(struct rank_record *record)
{
    memset(&record->timeline, 0, sizeof record->timeline);
    record->timeline.shift = COURSE_FIRST_SHIFT;
    record->timeline.n_calls = 1; /* the first place is that of all which have none */
    record->timeline.call[0] = -1;
    go_to_bin(record, 0);
}

void timeline_step(struct thread_record *thread, enum call call, uint64_t since, uint64_t now)
{
    struct rank_record *record = papi_mpi.record;
    if (thread != papi_mpi.main || record == NULL || now < since || since < record->begin)
        return;
    timeline_add(&record->timeline, thread, (int)call, since - record->begin, now - record->begin);
    go_to_bin(record, now - record->begin);
}

void timeline_finish(struct rank_record *record)
{
    timeline_settle(&record->timeline, record_thread_at(record, record->main_thread), -1, 0);
}

/* ---- code that does not count itself */

void share_begin(struct rank_record *record)
{
    const struct settings *settings = &papi_mpi.settings;
    /* No sampling here if each rank has the library write its regions: then the library's own report
     * samples. */
    if (!record->counted || !settings->share || settings->regions_by_rank || papi_mpi.main == NULL)
        return;
    record->share.state = SHARE_UNKNOWN;
    struct sampler *sampler = sampler_make();
    if (sampler == NULL)
        return;
    sampler_apart(sampler, &papi_mpi.main->inside);
    if (sampler_thread(sampler, &papi_mpi.share_timer))
        papi_mpi.sampler = sampler;
    else
        sampler_free(sampler);
}

static int most_first(const void *a, const void *b)
{
    const struct sampler_row *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

/* Copies the end of a long path. */
static void put_library(char to[SHARE_LIBRARY], const char *path)
{
    size_t length = strlen(path);
    snprintf(to, SHARE_LIBRARY, "%s", length < SHARE_LIBRARY ? path : path + length - (SHARE_LIBRARY - 1));
}

static void put(struct share *share, const struct sampler_result *result)
{
    share->samples = result->samples;
    share->counted = result->counted;
    share->mpi = result->apart;
    qsort(result->row, result->n, sizeof *result->row, most_first);
    for (size_t i = 0; i < result->n && i < MAX_SHARES; i++) {
        const struct sampler_row *row = &result->row[i];
        put_library(share->row[i].library, row->library);
        snprintf(share->row[i].routine, SHARE_ROUTINE, "%s", row->routine != NULL ? row->routine : "");
        share->row[i].samples = row->samples;
        share->n = (int32_t)i + 1;
    }
    share->state = SHARE_SAMPLED;
}

void share_end(struct rank_record *record)
{
    struct sampler_result result;
    struct sampler *sampler = papi_mpi.sampler;
    /* Only the main thread may end it: elsewhere its handler may still be at work. */
    if (sampler == NULL || !record_is_main(record, mpi_thread.record))
        return;
    papi_mpi.sampler = NULL;
    sampler_end_timer(papi_mpi.share_timer);
    if (sampler_look(sampler, &result) && !result.replaced)
        put(&record->share, &result);
    sampler_free(sampler);
}
