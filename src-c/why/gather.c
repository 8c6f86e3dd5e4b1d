/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers facts of a program by running it: once as it is, sampled and watched, with its own input and
 * output; then, where there are several threads, on one processor; and once in the emulator. What cannot be
 * had is a sentence in the list of what is not known.
 */
#include "gather.h"
#include "counters.h"
#include "facts_read.h"
#include "papi.h"
#include "profile/symbols/symbols.h"
#include "runs.h"
#include "tools/common/allocate.h"
#include "tools/common/mpi_launcher.h"
#include "tools/common/other_program.h"
#include "tools/common/tool_files.h"
#include "tools/common/tool_folder.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((format(printf, 2, 3))) void note_unknown(struct gather *gather, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (gather->n_unknown < (int)(sizeof gather->unknown / sizeof *gather->unknown))
        gather->unknown[gather->n_unknown++] = memory_text(text);
}

static char *in_folder(const struct gather *gather, const char *name)
{
    return memory_print("%s/%s", gather->folder, name);
}

/* The last line that a tool wrote, without its name. To be freed. */
static char *last_words(const char *log)
{
    char line[1024], last[1024] = "";
    FILE *in = fopen(log, "re");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (line[0] != '\n')
            strcpy(last, line);
    if (in != NULL)
        fclose(in);
    last[strcspn(last, "\n")] = '\0';
    return memory_text(last);
}

/* ---- the machine */

/* Cycles a second: a chain of additions takes one each. The fastest of some rounds, as others may run. */
static double measure_clock(void)
{
    enum { ROUNDS = 20, TURNS = 100000, CHAIN = 8 };
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned long x = 0;
        double begin = run_now();
        for (int i = 0; i < TURNS; i++)
            for (int j = 0; j < CHAIN; j++) {
                x += 3;
                __asm__ volatile("" : "+r"(x));
            }
        best = fmin(best, run_now() - begin);
    }
    return TURNS * CHAIN / best;
}

/* Seconds that the kernel takes for a page that is touched first. */
static double measure_fault(void)
{
    enum { ROUNDS = 5, PAGES = 512, PAGE = 4096 };
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            return 0;
        madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
        double begin = run_now();
        for (int i = 0; i < PAGES; i++)
            pages[i * PAGE] = 1;
        best = fmin(best, (run_now() - begin) / PAGES);
        munmap(pages, PAGES * PAGE);
    }
    return best;
}

static int cache_levels(void)
{
    const PAPI_hw_info_t *info = PAPI_get_hardware_info();
    int levels = info != NULL ? info->mem_hierarchy.levels : 0;
    return levels >= 3 ? 3 : 2;
}

static int processors(void)
{
    cpu_set_t all;
    return sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 1;
}

/* ---- waits */

static const struct {
    long number;
    const char *name;
    enum wait_kind kind;
} calls[] = {
    {SYS_nanosleep, "nanosleep", WAIT_SLEEP}, {SYS_clock_nanosleep, "clock_nanosleep", WAIT_SLEEP},
    {SYS_futex, "futex", WAIT_LOCK},          {SYS_read, "read", WAIT_FILE},
    {SYS_write, "write", WAIT_FILE},          {SYS_pread64, "pread", WAIT_FILE},
    {SYS_pwrite64, "pwrite", WAIT_FILE},      {SYS_readv, "readv", WAIT_FILE},
    {SYS_writev, "writev", WAIT_FILE},        {SYS_fsync, "fsync", WAIT_FILE},
    {SYS_fdatasync, "fdatasync", WAIT_FILE},  {SYS_ppoll, "poll", WAIT_OTHER},
    {SYS_pselect6, "select", WAIT_OTHER},     {SYS_epoll_pwait, "epoll_wait", WAIT_OTHER},
    {SYS_wait4, "wait", WAIT_OTHER},          {SYS_recvfrom, "recv", WAIT_OTHER},
    {SYS_accept4, "accept", WAIT_OTHER},
#ifdef SYS_accept
    {SYS_accept, "accept", WAIT_OTHER},
#endif
#ifdef SYS_poll
    {SYS_poll, "poll", WAIT_OTHER},           {SYS_epoll_wait, "epoll_wait", WAIT_OTHER},
    {SYS_pause, "pause", WAIT_OTHER},
#endif
#ifdef SYS_select
    {SYS_select, "select", WAIT_OTHER},
#endif
};

/* The line of the program; not one of the C library's headers, whose functions are inlined. */
static struct where where_waits(struct gather *gather, const struct watch_wait *wait)
{
    enum { ROOM = 8 };
    static const char headers[] = "/usr/include/";
    struct papi_symbols_frame frame[ROOM];
    int n = wait->address != 0 && gather->symbols != NULL
                ? papi_symbols_look_up(gather->symbols, wait->object, NULL, 0, wait->address, frame, ROOM)
                : 0;
    for (int i = 0; i < n && i < ROOM; i++)
        if (strncmp(frame[i].file, headers, strlen(headers)) != 0)
            return (struct where){
                .routine = frame[i].routine, .file = frame[i].file, .line = (int)frame[i].line};
    return (struct where){.routine = "", .file = ""};
}

static void take_wait(struct gather *gather, const struct watch *watch, const struct watch_wait *from)
{
    struct facts *facts = &gather->facts;
    struct why_wait wait = {.call = "a system call", .kind = WAIT_OTHER, .at = where_waits(gather, from)};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == from->number) {
            wait.call = calls[i].name;
            wait.kind = calls[i].kind;
        }
    bool file = from->file[0] == '/' && strncmp(from->file, "/dev/", 5) != 0;
    if (wait.kind == WAIT_FILE && !file)
        wait.kind = WAIT_OTHER;
    wait.file = from->file;
    wait.share = (double)from->alone / (double)watch->looks;
    facts->wait = memory_more(facts->wait, (size_t)facts->n_waits + 1, sizeof *facts->wait);
    facts->wait[facts->n_waits++] = wait;
}

/* Time in which a thread wanted a processor that others had says nothing of the program: shares are of the
 * rest. */
static void leave_out_delays(struct facts *facts, double delay)
{
    double used = facts->user + facts->system, part = used + delay > 0 ? used / (used + delay) : 1;
    double busy = (1 - facts->idle) * part;
    facts->delayed = (1 - facts->idle) * (1 - part);
    facts->idle = facts->idle + busy > 0 ? facts->idle / (facts->idle + busy) : 0;
}

static void take_watch(struct gather *gather, const struct watch *watch)
{
    struct facts *facts = &gather->facts;
    double ticks = (double)sysconf(_SC_CLK_TCK), sum = 0, delay = 0;
    int n = 0;
    if (watch->looks == 0)
        return;
    facts->looks = (double)watch->looks;
    facts->ranks = watch->job ? watch->n_io : 0;
    facts->idle = (double)watch->idle / (double)watch->looks;
    facts->serial = (double)watch->serial / (double)watch->looks;
    facts->reads = watch->reads;
    facts->writes = watch->writes;
    facts->bytes_read = watch->bytes_read;
    facts->bytes_written = watch->bytes_written;
    for (int i = 0; i < watch->n_threads; i++) {
        double seconds = (double)watch->thread[i].ticks / ticks;
        delay += watch->thread[i].delay;
        if (watch->thread[i].looks < watch->looks / 2)
            continue;
        sum += seconds;
        n++;
        facts->busiest = fmax(facts->busiest, seconds);
    }
    leave_out_delays(facts, delay);
    facts->mean = n > 0 ? sum / n : 0;
    facts->threads = n > 1 ? n : watch->most_threads;
    gather->symbols = papi_symbols_open();
    for (int i = 0; i < watch->n_waits; i++)
        take_wait(gather, watch, &watch->wait[i]);
}

/* ---- runs */

/* The first word is to be freed, too. */
static char **profile_words(const char *output, const char *const *events, char *const *program)
{
    char *tool = tool_path("papi_profile");
    const char *first[] = {tool, "-o", output, "-n", "1", NULL};
    char **head = words_join(first, events, NULL);
    static const char *const end[] = {"--", NULL};
    char **all = words_join((const char *const *)head, end, program);
    free(head);
    return all;
}

/* NULL: it was not written, or not whole. */
static json_t *read_result(struct gather *gather, const char *path)
{
    const char *unread;
    FILE *in = input_open(path, &unread);
    json_t *root = in != NULL ? json_loadf(in, 0, NULL) : NULL;
    if (in != NULL)
        fclose(in);
    if (root != NULL)
        gather->root[gather->n_roots++] = root;
    return root;
}

/* Frees what profile_words has made. */
static void free_words(struct run *run)
{
    free(run->word[0]);
    free(run->word);
}

/* papi_profile's own report goes to a log; the program's standard error is where it was. */
static char *run_sampled(struct gather *gather, struct watch *watch)
{
    static const char *const shell[] = {"/bin/sh", "-c", "exec \"$@\" 2>&3 3>&-", "sh", NULL};
    char *output = in_folder(gather, "times.json"), *log = in_folder(gather, "times.log");
    char **program = words_join(shell, NULL, gather->program);
    struct run run = {.log = log, .watch = watch, .word = profile_words(output, sampled_events, program)};
    struct facts *facts = &gather->facts;
    const char *failed = run_wait(&run, &gather->stops);
    gather->status = run.status;
    json_t *root = failed == NULL ? read_result(gather, output) : NULL;
    char *why = failed != NULL ? memory_text(failed)
                : root != NULL ? facts_take_times(facts, root)
                               : last_words(log);
    facts->wall = json_number_value(json_object_get(root, "seconds"));
    facts->user = run.user;
    facts->system = run.system;
    facts->faults = run.faults;
    free_words(&run);
    free(program);
    free(output);
    free(log);
    return why;
}

static void run_alone(struct gather *gather)
{
    char *output = in_folder(gather, "alone.json"), *log = in_folder(gather, "alone.log");
    struct run run = {.log = log,
                      .quiet = true,
                      .doing = "the program runs on one processor",
                      .one_processor = true,
                      .limit = 20 + 10 * gather->facts.wall * gather->facts.threads,
                      .word = profile_words(output, sampled_events, gather->program)};
    run_wait(&run, &gather->stops);
    json_t *root = read_result(gather, output);
    char *why = root != NULL && !run.out_of_time ? facts_take_alone(&gather->facts, root) : memory_text("");
    if (why != NULL)
        note_unknown(gather,
                     "whether threads disturb one another: the run on one processor did not end well");
    free(why);
    free_words(&run);
    free(output);
    free(log);
}

/* A run sampled by the processor's own counters, where it has them. */
static void run_measured(struct gather *gather)
{
    struct counters counters;
    counters_find(&counters);
    if (counters.name[COUNTER_CYCLES] == NULL)
        return;
    char *output = in_folder(gather, "measured.json"), *log = in_folder(gather, "measured.log");
    const char **events = counters_words(&counters);
    struct run run = {.log = log,
                      .quiet = true,
                      .doing = "the processor's counters sample the program",
                      .limit = 20 + 10 * gather->facts.wall,
                      .word = profile_words(output, events, gather->program)};
    run_wait(&run, &gather->stops);
    json_t *root = run.out_of_time ? NULL : read_result(gather, output);
    char *why = root != NULL ? facts_take_measured(&gather->facts, root, &counters) : last_words(log);
    if (why != NULL)
        note_unknown(gather, "what the processor's counters say: %s",
                     run.out_of_time ? "that run was not ready in time" : why);
    free(why);
    free_words(&run);
    free(events);
    free(output);
    free(log);
}

/* Takes the shares of program and kernel from a run that nobody samples: to take samples is the kernel's
 * work, too, above all at page faults. */
static void run_plain(struct gather *gather)
{
    struct facts *facts = &gather->facts;
    char *log = in_folder(gather, "plain.log");
    struct run run = {.log = log,
                      .quiet = true,
                      .doing = "the program runs again",
                      .itself = true,
                      .limit = 20 + 10 * facts->wall,
                      .word = (char **)gather->program};
    if (run_wait(&run, &gather->stops) == NULL && !run.out_of_time && run.status == gather->status &&
        run.user + run.system > 0) {
        facts->user = run.user;
        facts->system = run.system;
        facts->faults = run.faults;
    }
    free(log);
}

/* Seconds that the emulator takes. It does not emulate the kernel, and has little to say of copies, but
 * processors are very quick with them. */
static double emulator_takes(const struct facts *facts)
{
    const double slower = 60, slower_copies = 250, slower_kernel = 5;
    double copies = 0;
    for (int i = 0; i < facts->n_callees; i++)
        copies += facts->callee[i].of_kind[CALL_COPY];
    copies = fmin(copies, facts->user);
    return (facts->user - copies) * slower + copies * slower_copies + facts->system * slower_kernel;
}

static void run_counted(struct gather *gather)
{
    struct facts *facts = &gather->facts;
    double expected = emulator_takes(facts);
    char *output = in_folder(gather, "counts.json"), *log = in_folder(gather, "counts.log");
    if (gather->limit == 0) {
        note_unknown(
            gather,
            "how many iterations each loop has, and what it lacks in the caches: --limit=0 leaves the "
            "emulator out");
    } else if (expected > gather->limit) {
        note_unknown(
            gather,
            "how many iterations each loop has, and what it lacks in the caches: counting takes minutes in "
            "the emulator; "
            "a smaller input, or --limit=%.0f (seconds at the most)",
            expected * 2 + 60);
    } else {
        char **events =
            words_join((const char *const[]){"--exact", NULL}, counted_events(cache_levels()), NULL);
        struct run run = {.log = log,
                          .quiet = true,
                          .doing = "the program runs in the emulator",
                          .counting = true,
                          .limit = gather->limit,
                          .word = profile_words(output, (const char *const *)events, gather->program)};
        run_wait(&run, &gather->stops);
        json_t *root = run.out_of_time ? NULL : read_result(gather, output);
        char *why = root != NULL ? facts_take_counts(facts, root) : last_words(log);
        if (why != NULL)
            note_unknown(gather, "how many iterations each loop has, and what it lacks in the caches: %s",
                         run.out_of_time
                             ? "the emulator was not ready in time; a smaller input, or a larger --limit"
                             : why);
        free(why);
        free_words(&run);
        free(events);
    }
    free(output);
    free(log);
}

/* Roofs are asked for only where a loop moves much, because measuring them takes ten seconds the first time.
 */
static bool moves_much(const struct facts *facts)
{
    const double much = 2e9 / 64; /* lines a second */
    for (int i = 0; i < facts->n_loops; i++) {
        const struct why_loop *loop = &facts->loop[i];
        double lines = fmax(loop->last_reads + loop->last_writes, loop->measured.last_misses);
        if (loop->seconds > 0.05 * facts->sampled && lines > much * loop->seconds)
            return true;
    }
    return false;
}

static void find_roofs(struct gather *gather)
{
    char *output = in_folder(gather, "roofs.json"), *log = in_folder(gather, "roofs.log"),
         *tool = tool_path("papi_roofline");
    char *option = gather->roofs != NULL ? memory_print("--roofs=%s", gather->roofs) : NULL;
    const char *words[] = {tool, "-o", output, option, NULL};
    struct run run = {.log = log,
                      .quiet = true,
                      .doing = "papi_roofline measures this machine",
                      .word = words_join(words, NULL, NULL)};
    if (moves_much(&gather->facts)) {
        run_wait(&run, &gather->stops);
        json_t *root = read_result(gather, output);
        if (root != NULL)
            facts_take_roofs(&gather->facts, root);
        if (gather->facts.one_core == 0)
            note_unknown(gather, "how much memory can deliver: papi_roofline did not say");
    }
    free(run.word);
    free(option);
    free(tool);
    free(output);
    free(log);
}

/* Says so where much of the time is in code without lines, and nothing has any. */
static void note_lines(struct gather *gather)
{
    const struct facts *facts = &gather->facts;
    bool lines = false, much = false;
    for (int i = 0; i < facts->n_loops; i++) {
        lines |= facts->loop[i].hottest.line > 0;
        much |= facts->loop[i].seconds > 0.1 * facts->wall;
    }
    for (int i = 0; i < facts->n_waits; i++)
        lines |= facts->wait[i].at.line > 0;
    if (much && !lines)
        note_unknown(gather, "the lines: compile with -g, which leaves the code as it is");
}

/* Without that, reasons inside of loops are not found: waiting, the kernel, libraries and threads are. */
static const char why_not_decoded[] =
#ifdef __x86_64__
    "this papi_profile was built without Capstone (libcapstone-dev), which reads the code";
#else
    "code is read on x86-64 alone, so no reason inside of a loop is found here; papi_profile --exact -e "
    "emu::FP_DIVIDE_INSTRUCTIONS -e emu::L1D_READ_MISSES and its like count by line";
#endif

char *gather_all(struct gather *gather)
{
    struct watch *watch = &gather->watch;
    struct facts *facts = &gather->facts;
    facts->processors = processors();
    watch->job = launcher_word(gather->program[0]) != 0;
    facts->cycles = measure_clock();
    facts->of_a_fault = measure_fault();
    stops_hold(&gather->stops);
    char *why = NULL;
    gather->folder = folder_make("papi_why", &why);
    if (why == NULL)
        why = run_sampled(gather, watch);
    if (why != NULL)
        return why;
    take_watch(gather, watch);
    note_lines(gather);
    if (WIFSIGNALED(gather->status)) {
        note_unknown(gather, "more than one run shows: signal %d ended the program, and it is not run again",
                     WTERMSIG(gather->status));
        return NULL;
    }
    if (facts->system > 0.1 * (facts->user + facts->system))
        run_plain(gather);
    if (watch->job && facts->ranks == 0)
        note_unknown(gather,
                     "what the ranks wait for: no process that %s started ran on this machine for long",
                     path_base(gather->program[0]));
    if (facts->threads > 1 && facts->processors > 1 && !watch->job)
        run_alone(gather);
    run_measured(gather);
    run_counted(gather);
    find_roofs(gather);
    if (!facts->decoded)
        note_unknown(gather, "what the loops consist of: %s", why_not_decoded);
    return NULL;
}

void gather_end(struct gather *gather)
{
    facts_free(&gather->facts);
    for (int i = 0; i < gather->n_roots; i++)
        json_decref(gather->root[i]);
    for (int i = 0; i < gather->n_unknown; i++)
        free(gather->unknown[i]);
    if (gather->symbols != NULL)
        papi_symbols_close(gather->symbols);
    bool held = gather->folder != NULL;
    folder_remove(gather->folder);
    if (held)
        stops_release(&gather->stops);
    watch_free(&gather->watch);
}
