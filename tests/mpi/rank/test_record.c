/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank's record without an MPI: settings, its file, threads, and what a process leaves that ends in any
 * way. The "ranks" are children of this process.
 */
#include "../../under_valgrind.h"
#include "job/recover.h"
#include "job/result_file.h"
#include "rank/machine.h"
#include "rank/rank.h"
#include "rank/record_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/papi_rank_test.XXXXXX";
static const char *const variables[] = {
    "PAPI_MPI",      "PAPI_MPI_OUTPUT",  "PAPI_MPI_REPORT",   "PAPI_MPI_DIR",     "PAPI_MPI_COUNTERS",
    "PAPI_MPI_ROWS", "PAPI_MPI_REGIONS", "PAPI_MPI_SITES",    "PAPI_EVENTS",      "TMPDIR",
    "PAPI_MPI_PATH", "PAPI_MPI_THREADS", "PAPI_MPI_TIMELINE", "PAPI_MPI_RECEIVED"};

static int fresh(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    setenv("PAPI_MPI_DIR", folder, 1);
    setenv("PAPI_MPI_COUNTERS", "none", 1);
    papi_mpi.settings.report[0] = '\0';
    return 0;
}

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
    char command[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_int_equal(system(command), 0);
}

static int begin(const char *job, int rank, int ranks)
{
    struct rank_identity identity = {.job = job, .flavour = "none", .rank = rank, .ranks = ranks, .nodes = 1};
    return rank_begin(&identity);
}

static void end(void)
{
    rank_end();
    rank_done();
}

static int descriptors(void)
{
    DIR *all = opendir("/proc/self/fd");
    int n = -1; /* its own */
    assert_non_null(all);
    while (readdir(all) != NULL)
        n++;
    closedir(all);
    return n;
}

/* ---- settings */

static void no_settings(void **state)
{
    static struct settings settings;
    (void)state;
    unsetenv("PAPI_MPI_DIR");
    unsetenv("PAPI_MPI_COUNTERS");
    settings_read(&settings);
    assert_int_equal(settings.n_complaints, 0);
    assert_int_equal(settings.off, 0);
    assert_string_equal(settings.output, "");
    assert_string_equal(settings.report, "stderr");
    assert_string_equal(settings.directory, "/tmp");
    assert_int_equal(settings.counters, COUNTERS_AUTO);
    assert_int_equal(settings.rows, ROWS_AUTO);
    assert_int_equal(settings.regions_by_rank, 0);
    assert_int_equal(settings.sites, SITES_CALLS);
    assert_null(settings.events);
    setenv("TMPDIR", "/var/tmp", 1);
    settings_read(&settings);
    assert_string_equal(settings.directory, "/var/tmp");
}

static void right_settings(void **state)
{
    static struct settings settings;
    (void)state;
    setenv("PAPI_MPI", "OFF", 1);
    setenv("PAPI_MPI_OUTPUT", "a/", 1);
    setenv("PAPI_MPI_REPORT", "none", 1);
    setenv("PAPI_MPI_COUNTERS", "Inside", 1);
    setenv("PAPI_MPI_ROWS", "yes", 1);
    setenv("PAPI_MPI_SITES", "off", 1);
    setenv("PAPI_MPI_REGIONS", "rank", 1);
    setenv("PAPI_MPI_PATH", "On", 1);
    assert_false(settings_want_teams());
    setenv("PAPI_MPI_THREADS", "Yes", 1);
    assert_true(settings_want_teams());
    setenv("PAPI_MPI_TIMELINE", "3m", 1);
    setenv("PAPI_EVENTS", "PAPI_TOT_INS", 1);
    settings_read(&settings);
    assert_int_equal(settings.n_complaints, 0);
    assert_int_equal(settings.timeline, 3 << 20);
    assert_int_equal(settings.off, 1);
    assert_string_equal(settings.output, "a/");
    assert_string_equal(settings.report, "none");
    assert_string_equal(settings.directory, folder);
    assert_int_equal(settings.counters, COUNTERS_INSIDE);
    assert_int_equal(settings.rows, ROWS_YES);
    assert_int_equal(settings.sites, SITES_NONE);
    assert_int_equal(settings.regions_by_rank, 1);
    assert_int_equal(settings.path, 1);
    assert_int_equal(settings.received, 1); /* with the path */
    assert_int_equal(settings.teams, 1);
    assert_string_equal(settings.events, "PAPI_TOT_INS");
}

/* The words for on and off are the same for all variables; others are named, and change nothing. */
static void words_of_switches(void **state)
{
    static const char *const on[] = {"1", "on", "YES", "true"}, *const off[] = {"0", "Off", "no", "false"};
    static const char *const neither[] = {"2", "y", "enabled", " 1", "01", "1,"};
    static const char *const names[] = {"PAPI_MPI_PATH",    "PAPI_MPI_THREADS", "PAPI_COUNTED_SHARE",
                                        "PAPI_MPI_ROWS",    "PAPI_MPI_SITES",   "PAPI_MPI",
                                        "PAPI_MPI_RECEIVED"};
    enum { N_NAMES = sizeof names / sizeof *names };
    static struct settings settings;
    (void)state;
    for (int row = 0; row < 15; row++) {
        bool is_on = row < 4, is_off = row >= 4 && row < 8, empty = row == 14;
        const char *word = is_on ? on[row] : is_off ? off[row - 4] : empty ? "" : neither[row - 8];
        for (int i = 0; i < N_NAMES; i++)
            setenv(names[i], word, 1);
        settings_read(&settings);
        assert_int_equal(settings.n_complaints, is_on || is_off || empty ? 0 : N_NAMES);
        assert_int_equal(settings.path, is_on);
        assert_int_equal(settings.received, is_on);
        assert_int_equal(settings.teams, is_on);
        assert_int_equal(settings_want_teams(), is_on);
        assert_int_equal(settings.share, !is_off);
        assert_int_equal(settings.rows, is_on ? ROWS_YES : is_off ? ROWS_NO : ROWS_AUTO);
        assert_int_equal(settings.sites, is_off ? SITES_NONE : SITES_CALLS);
        assert_int_equal(settings.off, is_off);
        for (int i = 0; i < settings.n_complaints; i++)
            assert_non_null(strstr(settings.complaint[i], "it is ignored"));
    }
}

static void no_files(void **state)
{
    static const char *const none[] = {"none", "off", "No", "0", "FALSE"};
    static struct settings settings;

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        setenv("PAPI_MPI_OUTPUT", none[i], 1);
        setenv("PAPI_MPI_REPORT", none[i], 1);
        settings_read(&settings);
        assert_int_equal(settings.n_complaints, 0);
        assert_string_equal(settings.output, "none");
        assert_string_equal(settings.report, "none");
    }
    setenv("PAPI_MPI_REPORT", "./off", 1);
    settings_read(&settings);
    assert_string_equal(settings.report, "./off");
}

/* Each is named in one line and ignored. */
static void wrong_settings(void **state)
{
    static const char *const words[] = {"PAPI_MPI",         "PAPI_MPI_COUNTERS", "PAPI_MPI_ROWS",
                                        "PAPI_MPI_REGIONS", "PAPI_MPI_SITES",    "PAPI_MPI_PATH",
                                        "PAPI_MPI_THREADS", "PAPI_MPI_TIMELINE", "PAPI_MPI_RECEIVED"};
    static struct settings settings;
    char *longest = malloc(6001);

    (void)state;
    assert_non_null(longest);
    memset(longest, 'x', 6000);
    longest[6000] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        setenv(words[i], "may\nbe\033[31m", 1);
    setenv("PAPI_MPI_OUTPUT", longest, 1);
    setenv("PAPI_MPI_REPORT", longest, 1);
    setenv("PAPI_MPI_DIR", longest, 1);
    settings_read(&settings);
    free(longest);
    assert_int_equal(settings.n_complaints, 12);
    assert_int_equal(settings.timeline, 0);
    for (int i = 0; i < settings.n_complaints; i++) {
        assert_non_null(strstr(settings.complaint[i], "ignored"));
        assert_int_equal(strncmp(settings.complaint[i], "PAPI_MPI", 8), 0);
        assert_null(strchr(settings.complaint[i], '\n'));
        assert_null(strchr(settings.complaint[i], '\033'));
    }
    assert_int_equal(settings.off, 0);
    assert_int_equal(settings.counters, COUNTERS_AUTO);
    assert_int_equal(settings.rows, ROWS_AUTO);
    assert_string_equal(settings.output, "");
    assert_string_equal(settings.report, "stderr");
    assert_string_equal(settings.directory, "/tmp");
    for (int i = 0; i < 100; i++)
        settings_complain(&settings, "%d", i);
    assert_int_equal(settings.n_complaints, MAX_COMPLAINTS);
}

/* ---- the file */

static void file_is_private_and_goes(void **state)
{
    char path[256];
    struct stat status;
    int before = descriptors();
    mode_t mask;
    (void)state;
    mask = umask(0777); /* of the program */
    assert_int_equal(begin("private/../job", 3, 4), 0);
    umask(mask);
    snprintf(path, sizeof path, "%s/papi_mpi.%ld.private_.._job", folder, (long)geteuid());
    assert_string_equal(file_directory(papi_mpi.file), path);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    strcat(path, "/rank.3");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    /* The file's blocks are allocated. */
    assert_true((size_t)status.st_blocks * 512 >= record_chunk_offset(false, 1));
    assert_int_equal(papi_mpi.record->rank, 3);
    assert_string_equal(papi_mpi.record->job, "private/../job");
    assert_int_equal(papi_mpi.record->pid, getpid());
    assert_true(papi_mpi.record->tick_hertz > 1000000);
    end();
    assert_null(papi_mpi.record);
    assert_int_equal(stat(path, &status), -1);
    *strrchr(path, '/') = '\0';
    assert_int_equal(stat(path, &status), -1);
    assert_int_equal(descriptors(), before);
}

static void counted_in_memory(const char *what)
{
    assert_int_equal(begin("memory", 0, 1), 0);
    assert_null(file_directory(papi_mpi.file));
    assert_int_equal(papi_mpi.settings.n_complaints, 1);
    if (strstr(papi_mpi.settings.complaint[0], what) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", papi_mpi.settings.complaint[0], what);
    rank_thread()->calls = 5;
    assert_int_equal(record_thread_at(papi_mpi.record, 0)->calls, 5);
    end();
}

/* Refuses directories of other users or through links: planted directories, files and links. */
static void directories_that_will_not_do(void **state)
{
    char job[256];
    int before = descriptors();
    (void)state;
    snprintf(job, sizeof job, "%s/papi_mpi.%ld.memory", folder, (long)geteuid());
    setenv("PAPI_MPI_DIR", "/does/not/exist", 1);
    counted_in_memory("No such file");
    fresh(NULL);
    setenv("PAPI_MPI_DIR", "/dev/null", 1);
    counted_in_memory("Not a directory");
    fresh(NULL);
    run("mkdir -m 0755 %s", job);
    counted_in_memory("Permission denied");
    fresh(NULL);
    run("rmdir %s; mkdir %s/elsewhere; ln -s elsewhere %s", job, folder, job);
    counted_in_memory("Not a directory");
    run("test -z \"$(ls %s/elsewhere)\"", folder);
    fresh(NULL);
    run("rm %s; mkdir -m 0700 %s; ln -s %s/elsewhere/target %s/rank.0", job, job, folder, job);
    counted_in_memory("File exists");
    run("test -z \"$(ls %s/elsewhere)\"", folder);
    run("rm -r %s %s/elsewhere", job, folder);
    assert_int_equal(descriptors(), before);
}

static void limit_of_file_sizes(void **state)
{
    struct rlimit limit, small;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    counted_in_memory("File too large");
    run("test -z \"$(ls %s)\"", folder);
    fresh(NULL);
    /* Room for one chunk: the others are in memory. */
    small.rlim_cur = record_chunk_offset(false, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(begin("limit", 0, 1), 0);
    assert_non_null(file_directory(papi_mpi.file));
    for (int known = 1; known < 4; known++)
        assert_int_equal(file_grow(papi_mpi.file, papi_mpi.record, known), 0);
    assert_int_equal(papi_mpi.record->n_chunks, 4);
    assert_int_equal(papi_mpi.record->memory_chunks, 3);
    memset(record_thread_at(papi_mpi.record, 4 * THREADS_IN_CHUNK - 1), 1, sizeof(struct thread_record));
    memset(record_thread_at(papi_mpi.record, 4 * THREADS_IN_CHUNK - 1), 0, sizeof(struct thread_record));
    end();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The program closes what it does not know, and has a file of its own under the number. */
static void closed_descriptor(void **state)
{
    struct stat status;
    int own;
    (void)state;
    own = open("/dev/null", O_RDONLY); /* the number that the record's file gets */
    assert_true(own >= 0);
    close(own);
    assert_int_equal(begin("closed", 0, 1), 0);
    for (int fd = own; fd < 64; fd++)
        close(fd);
    for (int i = 0; i < 8; i++)
        assert_true(open("/dev/null", O_RDONLY) >= 0);
    assert_int_equal(file_grow(papi_mpi.file, papi_mpi.record, 1), 0);
    assert_int_equal(papi_mpi.record->memory_chunks, 1);
    end();
    for (int fd = own; fd < own + 8; fd++) {
        assert_int_equal(fstat(fd, &status), 0);
        close(fd);
    }
}

/* ---- threads */

enum { CHURN = 4000, TOGETHER = 5 * THREADS_IN_CHUNK };

static void *make_calls(void *n)
{
    for (int i = 0; i < *(int *)n; i++)
        rank_thread()->calls++;
    return NULL;
}

static uint64_t all_calls(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < record_thread_count(papi_mpi.record); i++)
        sum += record_thread_at(papi_mpi.record, i)->calls;
    return sum;
}

static void many_short_threads(void **state)
{
    pthread_t thread[4];
    int n = 3;
    (void)state;
    assert_int_equal(begin("short", 0, 1), 0);
    for (int i = 0; i < CHURN / 4; i++) {
        for (int j = 0; j < 4; j++)
            assert_int_equal(pthread_create(&thread[j], NULL, make_calls, &n), 0);
        for (int j = 0; j < 4; j++)
            assert_int_equal(pthread_join(thread[j], NULL), 0);
    }
    assert_int_equal(all_calls(), 3 * CHURN);
    assert_int_equal(papi_mpi.record->n_chunks, 1); /* none was kept by a thread that ended */
    end();
}

static pthread_barrier_t together;

static void *make_calls_together(void *n)
{
    rank_thread();
    pthread_barrier_wait(&together);
    make_calls(n);
    pthread_barrier_wait(&together);
    return rank_thread();
}

static void many_threads_at_once(void **state)
{
    pthread_t thread[TOGETHER];
    void *record[TOGETHER];
    int n = 10000;
    (void)state;
    assert_int_equal(begin("together", 0, 1), 0);
    pthread_barrier_init(&together, NULL, TOGETHER);
    for (int i = 0; i < TOGETHER; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, make_calls_together, &n), 0);
    for (int i = 0; i < TOGETHER; i++)
        assert_int_equal(pthread_join(thread[i], &record[i]), 0);
    assert_int_equal(all_calls(), (uint64_t)n * TOGETHER);
    for (int i = 0; i < TOGETHER; i++)
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(record[i], record[j]);
    assert_int_equal(papi_mpi.record->n_chunks, 6); /* with the main thread there is one more than 5 hold */
    assert_int_equal(papi_mpi.record->memory_chunks, 0);
    pthread_barrier_destroy(&together);
    end();
}

static void *ends_after_the_rank(void *unused)
{
    (void)unused;
    rank_thread();
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    return NULL; /* its record is gone, and is returned anyway */
}

static void thread_outlives_the_rank(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(begin("outlives", 0, 1), 0);
    pthread_barrier_init(&together, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, ends_after_the_rank, NULL), 0);
    pthread_barrier_wait(&together);
    end();
    pthread_barrier_wait(&together);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&together);
}

/* ---- what is left, and recovered */

/* A rank of job "left" with 2 ranks: 10 * (rank + 1) barriers, the last of them not over; then SIGKILL. */
static void leave_rank(const char *job, int rank, int ranks)
{
    pid_t child = fork();
    int status;
    if (child == 0) {
        struct thread_record *thread;

        if (begin(job, rank, ranks) != 0 || file_directory(papi_mpi.file) == NULL)
            _exit(1);
        thread = rank_thread();
        thread->calls = thread->call[CALL_BARRIER].calls = (uint64_t)(10 * (rank + 1));
        thread->call[CALL_BARRIER].ticks = thread->mpi_ticks = 1000;
        thread->inside = CALL_BARRIER;
        thread->since = clock_ticks();
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static struct job *recover(char *why, int room, const char *one, const char *other)
{
    char *directories[2] = {(char *)(uintptr_t)one, (char *)(uintptr_t)other};
    return job_recover(directories, other != NULL ? 2 : 1, why, room);
}

static void refused(const char *where, const char *says)
{
    char why[2000];
    struct job *job = recover(why, sizeof why, where, NULL);
    assert_null(job);
    if (strstr(why, says) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", why, says);
}

/* Recovers one rank of two; the explanation says what became of the other. */
static void half(const char *where, const char *says)
{
    char why[2000];
    struct job *job = recover(why, sizeof why, where, NULL);
    if (job == NULL || strstr(why, says) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", why, says);
    assert_int_equal(job->ranks, 2);
    assert_int_equal(job->present, 1);
    assert_int_equal(job->n_rows, 1);
    assert_int_equal(job->row[0].rank, 0);
    assert_int_equal(job->call[CALL_BARRIER].calls, 11); /* with the one that it was in */
    job_free(job);
}

static void both_ranks(void **state)
{
    char why[2000];
    struct job *job;
    (void)state;
    leave_rank("left", 0, 2);
    leave_rank("left", 1, 2);
    job = recover(why, sizeof why, folder, NULL);
    assert_string_equal(why, "");
    assert_non_null(job);
    assert_int_equal(job->recovered, 1);
    assert_int_equal(job->present, 2);
    assert_int_equal(job->unfinished, 2);
    assert_int_equal(job->call[CALL_BARRIER].calls, 32); /* with those that they were in */
    assert_int_equal(job->call[CALL_BARRIER].ranks, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(job->row[i].rank, i);
        assert_int_equal(job->row[i].state, RANK_RUNS);
        assert_int_equal(job->row[i].inside, CALL_BARRIER);
    }
    job_free(job);
}

/* Several nodes: each has its directory, and one that is named twice counts once. */
static void several_directories(void **state)
{
    char why[2000], node[512];
    struct job *job;
    (void)state;
    snprintf(node, sizeof node, "%s.node", folder);
    run("mkdir %s; cp -rp %s/papi_mpi.*.left %s/; rm %s/papi_mpi.*.left/rank.0", node, folder, node, node);
    job = recover(why, sizeof why, folder, node);
    assert_non_null(job);
    assert_int_equal(job->present, 2);
    assert_non_null(strstr(why, "rank 1 was found before"));
    job_free(job);
    run("rm -r %s", node);
}

static void not_whole(void **state)
{
    char file[300], patch[512];
    (void)state;
    snprintf(file, sizeof file, "%s/papi_mpi.%ld.left/rank.1", folder, (long)geteuid());
    run("cp %s %s.whole", file, file);
    run("truncate -s 100000 %s", file);
    half(folder, "is truncated");
    run("truncate -s 1000 %s", file);
    half(folder, "is truncated, or no record");
    run("truncate -s 0 %s", file);
    half(folder, "is empty");
    run("head -c 400000 /dev/urandom > %s", file);
    half(folder, "is not a record of a rank");
    run("truncate -s 0 %s; truncate -s 400000 %s", file, file);
    half(folder, "was not begun");
    run("rm %s; ln -s rank.1.whole %s", file, file);
    half(folder, "is a symbolic link");
    run("rm %s; mkdir %s", file, file);
    half(folder, "is not a file");
    run("rmdir %s; mkfifo %s", file, file);
    half(folder, "is not a file");
    run("rm %s; cp %s.whole %s; printf '\\377' | dd of=%s bs=1 seek=%zu conv=notrunc 2>/dev/null", file, file,
        file, file, offsetof(struct rank_record, version));
    half(folder, "another version");
    run("cp %s.whole %s; printf '\\003' | dd of=%s bs=1 seek=%zu conv=notrunc 2>/dev/null", file, file, file,
        offsetof(struct rank_record, ranks));
    half(folder, "says that the job has 3 ranks");
    run("cp %s.whole %s; printf '\\000' | dd of=%s bs=1 seek=%zu conv=notrunc 2>/dev/null", file, file, file,
        offsetof(struct rank_record, rank));
    half(folder, "has the record of rank 0");
    snprintf(patch, sizeof patch, "printf '\\177\\177\\177\\177' | dd of=%s bs=1 conv=notrunc 2>/dev/null",
             file);
    run("cp %s.whole %s; %s seek=%zu", file, file, patch, offsetof(struct rank_record, n_chunks));
    half(folder, "is damaged");
    run("cp %s.whole %s; %s seek=%zu", file, file, patch, offsetof(struct rank_record, n_regions));
    half(folder, "is damaged");
    run("cp %s.whole %s; %s seek=%zu", file, file, patch, offsetof(struct rank_record, main_thread));
    half(folder, "is damaged");
    run("cp %s.whole %s; %s seek=%zu", file, file, patch,
        record_chunk_offset(false, 0) + offsetof(struct thread_record, inside));
    half(folder, "is damaged");
    run("cp %s.whole %s; %s seek=%zu", file, file, patch,
        record_chunk_offset(false, 0) + offsetof(struct thread_record, n_open));
    half(folder, "is damaged");
    run("mv %s.whole %s", file, file);
}

/* Whatever a byte says, reading it does no harm. */
static void any_damage(void **state)
{
    char file[300], why[2000];
    unsigned seed = 4711;
    (void)state;
    snprintf(file, sizeof file, "%s/papi_mpi.%ld.left/rank.1", folder, (long)geteuid());
    run("cp %s %s/whole", file, folder);
    for (int i = 0; i < (test_under_valgrind() ? 50 : 100); i++) {
        int fd = open(file, O_RDWR);
        off_t size = lseek(fd, 0, SEEK_END);

        for (int j = 0; j < 20; j++) {
            unsigned char byte = (unsigned char)rand_r(&seed);
            off_t at = rand_r(&seed) % (j < 10 ? (off_t)sizeof(struct rank_record) : size);

            assert_int_equal(pwrite(fd, &byte, 1, at > 32 || j == 0 ? at : 40), 1);
        }
        close(fd);
        job_free(recover(why, sizeof why, folder, NULL));
        run("cp %s/whole %s", folder, file);
    }
    run("rm %s/whole", folder);
}

static void still_running(void **state)
{
    int to_child[2], to_parent[2], status;
    char byte = 0, why[2000];
    struct job *job;
    pid_t child;
    (void)state;
    run("rm -r %s/papi_mpi.*", folder);
    leave_rank("left", 0, 2);
    assert_int_equal(pipe(to_child) + pipe(to_parent), 0);
    child = fork();
    if (child == 0) {
        if (begin("left", 1, 2) != 0 || write(to_parent[1], &byte, 1) != 1 ||
            read(to_child[0], &byte, 1) != 1)
            _exit(1);
        _exit(0);
    }
    assert_int_equal(read(to_parent[0], &byte, 1), 1);
    job = recover(why, sizeof why, folder, NULL);
    assert_non_null(job);
    assert_non_null(strstr(why, "rank 1 still runs"));
    assert_int_equal(job->present, 2);
    job_free(job);
    assert_int_equal(write(to_child[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    job = recover(why, sizeof why, folder, NULL);
    assert_string_equal(why, "");
    job_free(job);
    for (int i = 0; i < 2; i++) {
        close(to_child[i]);
        close(to_parent[i]);
    }
}

static void not_one_job(void **state)
{
    int before = descriptors();
    (void)state;
    refused("/does/not/exist", "No such file");
    refused("/dev/null", "Not a directory");
    leave_rank("other", 0, 1);
    refused(folder, "is of another job than");
    run("rm -r %s/papi_mpi.*", folder);
    refused(folder, "there are no records here");
    run("mkdir -p %s/papi_mpi.1.x; touch %s/papi_mpi.1.x/rank.0 %s/rank.x %s/rank.", folder, folder, folder,
        folder);
    refused(folder, "is empty");
    run("rm -r %s/papi_mpi.* %s/rank.*", folder, folder);
    assert_int_equal(descriptors(), before);
}

/* ---- usage and the clock */

static void figures_of_the_kernel(void **state)
{
    volatile uint64_t sum = 0;
    uint64_t start;
    char *memory;
    (void)state;
    assert_int_equal(begin("usage", 0, 1), 0);
    start = clock_nsec();
    while (clock_nsec() - start < 50000000)
        sum += 1;
    memory = malloc(64 << 20);
    assert_non_null(memory);
    memset(memory, 1, 64 << 20);
    rank_update();
    assert_true(papi_mpi.record->used[USAGE_CPU_USER] + papi_mpi.record->used[USAGE_CPU_SYSTEM] > 1000000);
    assert_true(papi_mpi.record->used[USAGE_MINOR_FAULTS] > 10);
    assert_true(papi_mpi.record->used[USAGE_PEAK_MEMORY] > 64 << 20);
    free(memory);
    end();
}

/* Both clocks agree on a time of some length. */
/* MPI_Pcontrol: the time in between is noted, however often it is called, and up to the end. */
static void pauses_are_noted(void **state)
{
    uint64_t once;
    (void)state;
    assert_int_equal(begin("pauses", 0, 1), 0);
    rank_resume();
    assert_int_equal(atomic_load(&papi_mpi.record->paused), 0);
    rank_pause();
    rank_pause();
    assert_int_equal(atomic_load(&papi_mpi.counting), 0);
    assert_true(atomic_load(&papi_mpi.record->paused_since) >= papi_mpi.record->begin);
    usleep(1000);
    rank_resume();
    once = atomic_load(&papi_mpi.record->paused);
    assert_int_equal(atomic_load(&papi_mpi.counting), 1);
    assert_int_equal(atomic_load(&papi_mpi.record->paused_since), 0);
    assert_true(once >= papi_mpi.record->tick_hertz / 1100);
    rank_resume();
    assert_int_equal(atomic_load(&papi_mpi.record->paused), once);
    rank_pause();
    rank_end();
    assert_int_equal(atomic_load(&papi_mpi.record->paused_since), 0);
    assert_true(atomic_load(&papi_mpi.record->paused) > once);
    once = atomic_load(&papi_mpi.record->paused);
    rank_resume(); /* after MPI_Finalize nothing is counted any more */
    rank_pause();
    assert_int_equal(atomic_load(&papi_mpi.counting), 0);
    assert_int_equal(atomic_load(&papi_mpi.record->paused), once);
    rank_done();
}

static void clock_has_its_rate(void **state)
{
    uint64_t ticks, nsec;
    (void)state;
    assert_int_equal(begin("clock", 0, 1), 0);
    ticks = clock_ticks();
    nsec = clock_nsec();
    while (clock_nsec() - nsec < 100000000)
        continue;
    nsec = clock_nsec() - nsec;
    ticks = clock_ticks() - ticks;
    rank_end();
    assert_in_range(ticks * 1000 / papi_mpi.record->tick_hertz, nsec / 1000000 * 9 / 10,
                    nsec / 1000000 * 11 / 10);
    rank_done();
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    run("rm -r %s", folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_settings, fresh),
        cmocka_unit_test_setup(right_settings, fresh),
        cmocka_unit_test_setup(words_of_switches, fresh),
        cmocka_unit_test_setup(no_files, fresh),
        cmocka_unit_test_setup(wrong_settings, fresh),
        cmocka_unit_test_setup(file_is_private_and_goes, fresh),
        cmocka_unit_test_setup(directories_that_will_not_do, fresh),
        cmocka_unit_test_setup(limit_of_file_sizes, fresh),
        cmocka_unit_test_setup(closed_descriptor, fresh),
        cmocka_unit_test_setup(many_short_threads, fresh),
        cmocka_unit_test_setup(many_threads_at_once, fresh),
        cmocka_unit_test_setup(thread_outlives_the_rank, fresh),
        cmocka_unit_test_setup(both_ranks, fresh),
        cmocka_unit_test_setup(several_directories, fresh),
        cmocka_unit_test_setup(not_whole, fresh),
        cmocka_unit_test_setup(any_damage, fresh),
        cmocka_unit_test_setup(still_running, fresh),
        cmocka_unit_test_setup(not_one_job, fresh),
        cmocka_unit_test_setup(figures_of_the_kernel, fresh),
        cmocka_unit_test_setup(pauses_are_noted, fresh),
        cmocka_unit_test_setup(clock_has_its_rate, fresh),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
