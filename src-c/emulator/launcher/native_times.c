/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/native_times.h"
#include "base/seconds.h"
#include "emulator/launcher/launcher.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

/* ---- the native run */

/* The program's output comes from the emulated run, and its input shall still be there. */
struct streams {
    int input, output, error; /* the real ones */
    off_t place;              /* in a file on standard input, or -1 */
};

static void put(int fd, int standard)
{
    if (fd >= 0)
        dup2(fd, standard);
}

static int keep(int standard)
{
    return fcntl(standard, F_DUPFD_CLOEXEC, 3);
}

/* Hides standard streams from the native run. A pipe can be read once: by the emulated run. */
static void hide_streams(struct streams *streams)
{
    struct stat status;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    fflush(NULL);
    *streams = (struct streams){keep(0), keep(1), keep(2), lseek(0, 0, SEEK_CUR)};
    if (fstat(0, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        put(nothing, 0);
    put(nothing, 1);
    put(nothing, 2);
    close(nothing);
}

static void show_streams(const struct streams *streams)
{
    const int real[] = {streams->input, streams->output, streams->error};
    for (int i = 0; i < 3; i++) {
        put(real[i], i);
        if (real[i] >= 0)
            close(real[i]);
    }
    if (streams->place >= 0)
        lseek(0, streams->place, SEEK_SET);
}

static double seconds_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static int run_and_time(struct native_run *run, const struct program *program, char *const argv[])
{
    struct words words = {0};
    struct streams streams;
    words_add(&words, "%s", program->target.path);
    for (int i = 0; i < program->target.n_before; i++)
        words_add(&words, "%s", program->target.before[i]);
    for (int i = 1; argv[i] != NULL; i++)
        words_add(&words, "%s", argv[i]);
    struct command command = {.argv = words.word, .environment = environ};
    double start = seconds_now();
    hide_streams(&streams);
    int status = child_run(&run->child, &command, NULL);
    show_streams(&streams);
    run->real = seconds_now() - start;
    run->cpu = seconds_of_children();
    words_free(&words);
    return status;
}

static int make_folder(struct native_run *run)
{
    const char *top = getenv("TMPDIR");
    run->folder = memory_print("%s/papi_emulate-XXXXXX", top != NULL && top[0] != '\0' ? top : "/tmp");
    if (mkdtemp(run->folder) != NULL)
        return 0;
    complain("%s: %s", run->folder, strerror(errno));
    free(run->folder);
    run->folder = NULL;
    return EXIT_OWN_ERROR;
}

static void set_variable(const char *how, const char *folder)
{
    char *value = memory_print("%s:%s", how, folder);
    setenv(TIMES_VARIABLE, value, 1);
    free(value);
}

static void tell_status(const struct child *child)
{
    if (WIFSIGNALED(child->status))
        complain("the native run ended with signal %d (%s)", WTERMSIG(child->status),
                 strsignal(WTERMSIG(child->status)));
    else if (WEXITSTATUS(child->status) != 0)
        complain("the native run ended with status %d", WEXITSTATUS(child->status));
}

int native_run(struct native_run *run, const struct program *program, char *const argv[])
{
    if (program->target.machine != OWN_MACHINE) {
        complain("--native-times: %s is not for this machine's processor", argv[0]);
        return EXIT_OWN_ERROR;
    }
    int status = make_folder(run);
    if (status != 0)
        return status;
    set_variable("record", run->folder);
    status = run_and_time(run, program, argv);
    set_variable("replay", run->folder);
    if (status == 0)
        tell_status(&run->child);
    return status;
}

/* ---- the comparison */

/* Calls a function for each entry of a folder but . and .. */
static void for_each(const char *folder, void (*look)(const char *path, const char *name, void *context),
                     void *context)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char *path = memory_print("%s/%s", folder, entry->d_name);
            look(path, entry->d_name, context);
            free(path);
        }
    if (dir != NULL)
        closedir(dir);
}

static const char *clock_of(uint32_t kind)
{
    static const char *const names[] = {"missing", "for real time", "for CPU time", "for ticks"};
    return kind < TIMES_KINDS ? names[kind] : "of an unknown kind";
}

struct comparison {
    struct native_run *run;
    const char *process;
};

static void compare_head(const struct times_head *head, const char *process, const char *thread)
{
    unsigned long long recorded = head->recorded, replayed = head->replayed;
    if (head->diverged != 0)
        complain(
            "native times: in process %s, thread %s, call %llu of a PAPI timer was %s natively and %s in the "
            "emulator; from there on its times are the emulator's",
            process, thread, (unsigned long long)head->diverged, clock_of(head->native),
            clock_of(head->emulated));
    else if (replayed < recorded)
        complain("native times: in process %s, thread %s, the native run called PAPI timers %llu times, the "
                 "emulated "
                 "one %llu times",
                 process, thread, recorded, replayed);
    if (head->lost != 0)
        complain("native times: in process %s, thread %s, the last %llu calls of %llu were not recorded",
                 process, thread, (unsigned long long)head->lost, recorded + head->lost);
}

static void compare_thread(const char *path, const char *name, void *context)
{
    struct comparison *comparison = context;
    struct times_head head;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, &head, sizeof head) == (ssize_t)sizeof head) {
        comparison->run->threads++;
        comparison->run->calls += head.recorded;
        compare_head(&head, comparison->process, name);
    }
    if (fd >= 0)
        close(fd);
}

static void compare_process(const char *path, const char *name, void *context)
{
    struct comparison comparison = {.run = context, .process = name};
    size_t length = strlen(name), tail = strlen(TIMES_NEW);
    char *replayed = memory_print("%s/replayed", path);
    if (length > tail && strcmp(name + length - tail, TIMES_NEW) == 0)
        complain("native times: the native run had no process %.*s", (int)(length - tail), name);
    else if (access(replayed, F_OK) != 0)
        complain("native times: the emulated run had no process %s", name);
    else
        for_each(path, compare_thread, &comparison);
    free(replayed);
}

void native_compare(struct native_run *run)
{
    if (run->folder == NULL)
        return;
    for_each(run->folder, compare_process, run);
    if (run->calls == 0)
        complain("native times: the native run called no PAPI timer");
}

/* ---- the end */

static void remove_entry(const char *path, const char *name, void *context)
{
    (void)name;
    if (unlink(path) == 0)
        return;
    for_each(path, remove_entry, context);
    rmdir(path);
}

void native_free(struct native_run *run)
{
    if (run->folder == NULL)
        return;
    for_each(run->folder, remove_entry, NULL);
    rmdir(run->folder);
    free(run->folder);
    run->folder = NULL;
}
