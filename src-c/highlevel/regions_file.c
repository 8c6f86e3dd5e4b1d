/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file of the regions, in a folder that many ranks write to at the same time, on several machines,
 * without a word between them and without a lock, which not every file system has. A rank writes its file
 * under another name beside the folder and moves it there as a whole, under a name that nobody else has:
 * readers never see a part of it.
 * A folder with files of an earlier run must be moved away once, by whichever rank comes first, and never
 * after a file of this run is in it. All that tells runs apart is time: a file that is older than the start
 * of this run is of an earlier one. As clocks of file systems differ from those of machines, the rank
 * compares both when it has written its own file, with an accuracy of well below a tick of the kernel's
 * clock, and gives its file a fine stamp. The name that an old folder gets is made of its own time stamp, so
 * that all ranks that see it choose the same: the first one's rename succeeds, and those of the others fail,
 * since the target then exists and is not empty.
 * Limits: a rank of an earlier run that still writes may be moved away with its folder, and two runs in one
 * folder at the same time are taken for one.
 */
#include "api/client.h"
#include "base/json.h"
#include "base/trust.h"
#include "highlevel/regions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the JSON in it */

/* Writes a number as a text, as readers of this file expect all values. */
static void number(struct json *json, const char *key, long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    json_string(json, key, text);
}

/* A limit of the clock's rate, or, where the machine does not state it, the rate that it has. */
static long long rate(const PAPI_hw_info_t *hardware, int limit)
{
    return hardware == NULL || limit > 0 ? limit : (long long)(hardware->mhz + 0.5f);
}

static void machine(struct json *json)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
             PAPI_VERSION_INCREMENT(PAPI_VERSION));
    json_string(json, "papi_version", version);
    json_string(json, "cpu_info", hardware != NULL ? hardware->model_string : "");
    number(json, "max_cpu_rate_mhz", rate(hardware, hardware != NULL ? hardware->cpu_max_mhz : 0));
    number(json, "min_cpu_rate_mhz", rate(hardware, hardware != NULL ? hardware->cpu_min_mhz : 0));
}

/* Writes a member of an object that is opened before its first one. */
static void first_or_next(struct json *json, bool *open, const char *object, const char *key,
                          const char *text)
{
    if (!*open)
        json_open(json, object, '{');
    *open = true;
    json_string(json, key, text);
}

static void definitions(struct json *json, const struct regions *regions)
{
    bool open = false;
    json_open(json, "event_definitions", '{');
    for (int i = 0; i < regions->n_events; i++) {
        const struct region_event *event = &regions->event[i];

        if (event->set < 0)
            continue;
        json_open(json, event->name, '{');
        json_string(json, "component", event->component != NULL ? event->component : "");
        json_string(json, "type", event->instant ? "instant" : "delta");
        if (event->unit != NULL)
            json_string(json, "unit", event->unit);
        if (event->shared)
            json_string(json, "scope", regions_scope(event));
        json_close(json, '}');
    }
    json_close(json, '}');
    if (regions->doubt != NULL)
        json_string(json, "counts_in_doubt", regions->doubt);
    for (int i = 0; i < regions->n_events; i++)
        if (regions->event[i].reason != NULL)
            first_or_next(json, &open, "events_not_counted", regions->event[i].name,
                          regions->event[i].reason);
    if (open)
        json_close(json, '}');
}

static void metric_definitions(struct json *json, const struct regions *regions)
{
    if (regions->metrics.n == 0)
        return;
    json_open(json, "metric_definitions", '{');
    for (int i = 0; i < regions->metrics.n; i++) {
        const struct metrics_row *row = regions->metrics.pick[i].row;

        json_open(json, row->name, '{');
        json_string(json, "unit", row->unit);
        json_string(json, "formula", row->formula);
        json_string(json, "description", row->description);
        json_close(json, '}');
    }
    json_close(json, '}');
}

/* Writes the metrics that have a value, or those that have none, with the reason. */
static void metrics_of(struct json *json, const struct regions *regions, const long long *values, bool known)
{
    const struct metrics_picks *metrics = &regions->metrics;
    const char *key = known ? "metrics" : "metrics_without_value";
    char text[METRIC_TEXT];
    bool open = false;
    for (int i = 0; i < metrics->n; i++)
        if (regions_metric(regions, values, i, text) == known)
            first_or_next(json, &open, key, metrics->pick[i].row->name, text);
    if (open)
        json_close(json, '}');
}

/* Writes a value of an entry: the number, or an object with the readings inside of the region. */
static void value(struct json *json, const char *key, const struct region_entry *entry, int i,
                  long long whole)
{
    const struct region_read *read = atomic_load_explicit(&entry->reads, memory_order_acquire);
    char name[32];
    int n = 1;
    if (read == NULL) {
        number(json, key, whole);
        return;
    }
    json_open(json, key, '{');
    number(json, "region_value", whole);
    for (; read != NULL; read = atomic_load_explicit(&read->next, memory_order_acquire), n++) {
        long long part = __atomic_load_n(&read->value[i], __ATOMIC_RELAXED);

        snprintf(name, sizeof name, "read_%d", n);
        if (part != NOT_COUNTED)
            number(json, name, part);
    }
    json_close(json, '}');
}

static void one_entry(struct json *json, const struct region_thread *thread, const struct region_entry *entry,
                      long long *values)
{
    static const char *const times[] = {[VALUE_CYCLES] = "cycles", [VALUE_NSEC] = "real_time_nsec"};
    const struct regions *regions = thread->regions;
    bool whole = regions_known(thread, entry, values);
    long long calls = __atomic_load_n(&entry->calls, __ATOMIC_RELAXED);
    char id[16];
    snprintf(id, sizeof id, "%d", entry->id);
    json_open(json, id, '{');
    json_string(json, "name", entry->name);
    number(json, "parent_region_id", entry->parent);
    for (int i = 0; i < regions_values(regions); i++)
        if (values[i] != NOT_COUNTED)
            value(json, i < VALUE_EVENTS ? times[i] : regions->event[i - VALUE_EVENTS].name, entry, i,
                  values[i]);
    metrics_of(json, regions, values, true);
    metrics_of(json, regions, values, false);
    if (calls > 1)
        number(json, "calls", calls);
    if (!whole)
        json_string(json, "unfinished", "true");
    json_close(json, '}');
}

static void one_thread(struct json *json, const struct region_thread *thread, int id, long long *values)
{
    char name[16];
    snprintf(name, sizeof name, "%d", id);
    json_open(json, name, '{');
    json_open(json, "regions", '{');
    struct region_place place = {0};
    for (struct region_entry *entry; (entry = regions_next_entry(thread, &place)) != NULL;)
        one_entry(json, thread, entry, values);
    json_close(json, '}');
    if (thread->misplaced > 0)
        number(json, "misplaced_calls", thread->misplaced);
    if (thread->not_recorded > 0)
        number(json, "calls_not_recorded", thread->not_recorded);
    json_close(json, '}');
}

/* Writes the regions as JSON. 0, or -1 with errno: out of memory. */
static int print_json(const struct regions *regions, FILE *out)
{
    long long *values = calloc((size_t)regions_values(regions), sizeof *values);
    struct json json = {.out = out};
    int id = 0;
    if (values == NULL)
        return -1;
    json_open(&json, NULL, '{');
    machine(&json);
    definitions(&json, regions);
    metric_definitions(&json, regions);
    json_open(&json, "threads", '{');
    for (const struct region_thread *thread = atomic_load(&regions->threads); thread != NULL;
         thread = atomic_load(&thread->next))
        one_thread(&json, thread, id++, values);
    json_close(&json, '}');
    json_close(&json, '}');
    free(values);
    return 0;
}

/* ---- the file */

#define FOLDER "papi_hl_output"

/* Further processes with the same rank or with none, and rounds in which others change the folder. */
enum { MOST_FILES = 1000000, MOST_ROUNDS = 1000 };

struct output {
    struct regions *regions;
    int place;        /* the folder that has FOLDER */
    int folder;       /* FOLDER itself */
    char name[64];    /* of the file before it is moved */
    long long offset; /* of the file system's time to CLOCK_BOOTTIME */
    const char *what; /* the path that an error is of */
    const char *why;  /* a reason in place of errno's text; NULL: none */
    bool forbidden;   /* in every folder */
};

static long long nsec(const struct timespec *time)
{
    return time->tv_sec * 1000000000LL + time->tv_nsec;
}

/* ---- the file, beside its folder */

static int make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (size_t n = 1; n <= length; n++) {
        if (path[n] != '/' && path[n] != '\0')
            continue;
        memcpy(part, path, n);
        part[n] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST && errno != EISDIR && n == length)
            return -1;
    }
    return 0;
}

static int open_place(struct output *out)
{
    out->what = out->regions->settings.folder;
    out->place = open(out->what, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->place < 0 && errno == ENOENT && make_folders(out->what) == 0)
        out->place = open(out->what, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return out->place < 0 ? -1 : 0;
}

/* Finds out how far the clock with which the kernel stamps files is behind, up to one of its ticks. */
static int stamps_behind(long long *lag)
{
    struct timespec coarse, fine;
    if (clock_gettime(CLOCK_REALTIME_COARSE, &coarse) != 0 || clock_gettime(CLOCK_REALTIME, &fine) != 0)
        return -1;
    *lag = nsec(&fine) - nsec(&coarse);
    return 0;
}

/* Measures how the clock of the file system differs from this machine's. Between two calls much time may pass
 * on a busy machine: of some readings the shortest counts. */
static int compare_clocks(struct output *out, int fd)
{
    enum { MOST_READINGS = 5, SHORT_NSEC = 1000000 };
    long long least = LLONG_MAX, lag;

    for (int i = 0; i < MOST_READINGS && least > SHORT_NSEC; i++) {
        struct timespec before, after;
        struct stat status;

        if (clock_gettime(CLOCK_BOOTTIME, &before) != 0 || futimens(fd, NULL) != 0 ||
            stamps_behind(&lag) != 0 || clock_gettime(CLOCK_BOOTTIME, &after) != 0 || fstat(fd, &status) != 0)
            return -1;
        if (nsec(&after) - nsec(&before) < least) {
            least = nsec(&after) - nsec(&before);
            out->offset = nsec(&status.st_mtim) + lag - nsec(&after);
        }
    }
    return 0;
}

/* Takes the offset of this machine's own clock, if the measured one is within some ticks of it: a local file
 * system stamps files by the kernel's clock, some a tick early. */
static void take_own_clock(struct output *out)
{
    enum { TICKS_NSEC = 20000000 };
    struct timespec real, boot;
    if (clock_gettime(CLOCK_REALTIME, &real) != 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
        return;
    long long own = nsec(&real) - nsec(&boot);
    if (llabs(out->offset - own) < TICKS_NSEC)
        out->offset = own;
}

/* The kernel's own stamp is up to a tick early: a process that was started less than a tick ago would take
 * the file for one of a run before its own. A file system that refuses leaves that stamp. */
static void stamp_finely(const struct output *out, int fd)
{
    struct timespec now, times[2] = {{.tv_nsec = UTIME_OMIT}};
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return;
    long long moment = nsec(&now) + out->offset;
    times[1] = (struct timespec){(time_t)(moment / 1000000000LL), (long)(moment % 1000000000LL)};
    if (moment > 0)
        (void)!futimens(fd, times);
}

/* Writes and closes the file. The error of a full disk may come from any of these calls. */
static int fill(struct output *out, int fd)
{
    FILE *file = fdopen(fd, "w");
    if (file == NULL) {
        close(fd);
        return -1;
    }
    if (print_json(out->regions, file) == 0 && !ferror(file) && fflush(file) == 0 &&
        (fsync(fd) == 0 || errno == EINVAL) && compare_clocks(out, fd) == 0) {
        take_own_clock(out);
        stamp_finely(out, fd);
        return fclose(file) != 0 ? -1 : 0;
    }
    int saved = errno;
    fclose(file);
    errno = saved;
    return -1;
}

static int write_beside(struct output *out)
{
    int fd = -1;
    for (int n = 0; n < MOST_ROUNDS && fd < 0; n++) {
        snprintf(out->name, sizeof out->name, ".%s.%ld.%d", FOLDER, (long)getpid(), n);
        fd = openat(out->place, out->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        out->name[0] = '\0';
    return fd < 0 ? -1 : fill(out, fd);
}

/* ---- the folder */

/* A process without a rank takes the first number that is free. Beside a rank's own file another process
 * of that rank, the child of a fork say, has one with a further number. */
static void file_name(char *name, size_t size, int rank, int n)
{
    if (rank < 0)
        snprintf(name, size, "rank_%06d.json", n);
    else if (n == 0)
        snprintf(name, size, "rank_%06d.json", rank);
    else
        snprintf(name, size, "rank_%06d_%d.json", rank, n + 1);
}

/* True if a file in the folder is there and was written before the moment. */
static bool is_before(const struct output *out, const char *name, long long moment)
{
    struct stat status;
    return fstatat(out->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           nsec(&status.st_mtim) < moment + out->offset;
}

/* True if it has files, and none of this run, or one that must be of another run. */
static bool is_of_earlier_run(const struct output *out)
{
    int fd = openat(out->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rank = out->regions->settings.rank;
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    bool earlier = false, recent = false;
    const struct dirent *entry;
    if (folder == NULL) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while (!recent && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        recent = !is_before(out, entry->d_name, out->regions->run_nsec);
        earlier = true;
    }
    closedir(folder);
    char name[64];
    file_name(name, sizeof name, rank, 0);
    return (earlier && !recent) || (rank >= 0 && is_before(out, name, out->regions->started_nsec));
}

/* The new name is made of the folder's own time, so that it is the same for all ranks that see the folder:
 * the first one moves it, and the others fail, since there is such a folder and it is not empty. Nobody
 * moves the one that is made next. */
static int move_away(const struct output *out, int attempt)
{
    char stamp[32], name[96];
    struct stat status;
    struct tm local;
    if (fstat(out->folder, &status) != 0 || localtime_r(&status.st_mtim.tv_sec, &local) == NULL)
        return -1;
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    snprintf(name, sizeof name, FOLDER "-%s.%09ld", stamp, status.st_mtim.tv_nsec);
    if (attempt > 0) /* another folder of that time, where times are coarse */
        snprintf(name + strlen(name), sizeof name - strlen(name), ".%d", attempt);
    if (renameat(out->place, FOLDER, out->place, name) == 0)
        return 0;
    return errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST ? 0 : -1;
}

/* Finds out what is in the place of the folder, and notes it as the reason. */
static void look_in_the_way(struct output *out)
{
    int saved = errno;
    struct stat status;
    if (saved == ENOTDIR)
        out->why = "it is a file and no folder";
    else if (saved == ENOENT && fstatat(out->place, FOLDER, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
             S_ISLNK(status.st_mode))
        out->why = "it is a link to what is not there";
    else if (saved == EPERM)
        out->why = "it is a link that another user made";
    errno = saved;
}

/* True if the folder may be another user's. Where all may write, anybody may have created it, to get what
 * comes into it: whoever has a folder can exchange its files. A link has been followed only if it is not
 * another user's. */
static bool is_of_another_user(struct output *out)
{
    struct stat place, there, folder;
    if (fstat(out->place, &place) != 0 || (place.st_mode & S_IWOTH) == 0 || fstat(out->folder, &folder) != 0)
        return false;
    if (fstatat(out->place, FOLDER, &there, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(there.st_mode))
        there = folder;
    if (trust_owner(&there, &place))
        return false;
    out->why = "all users may write beside it, and another one made it";
    errno = EPERM;
    return true;
}

/* Opens FOLDER, and makes it if need be; one with files of earlier runs is moved away. */
static int open_folder(struct output *out)
{
    struct stat seen = {0}, status;
    int attempt = 0;
    out->what = FOLDER;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        out->folder = trust_openat(out->place, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
        if (out->folder < 0)
            look_in_the_way(out);
        if (out->folder < 0 && errno == ENOENT && out->why == NULL) {
            if (mkdirat(out->place, FOLDER, 0777) != 0 && errno != EEXIST)
                return -1;
            continue;
        }
        if (out->folder < 0 || is_of_another_user(out))
            return -1;
        if (!is_of_earlier_run(out))
            return 0;
        if (fstat(out->folder, &status) == 0) {
            attempt = status.st_ino == seen.st_ino && status.st_dev == seen.st_dev ? attempt + 1 : 0;
            seen = status;
        }
        if (move_away(out, attempt) != 0)
            return -1;
        close(out->folder);
        out->folder = -1;
    }
    errno = EBUSY;
    return -1;
}

/* ---- from one to the other */

/* Moves the file where there is none of that name; -1 with EEXIST where there is one. */
static int move_new(const struct output *out, const char *name)
{
    struct stat status;
    /* A bare system call, since not every C library has a function for it. */
    if (syscall(SYS_renameat2, out->place, out->name, out->folder, name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* A file system that cannot do that. */
    if (linkat(out->place, out->name, out->folder, name, 0) == 0) {
        unlinkat(out->place, out->name, 0);
        return 0;
    }
    if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP)
        return -1;
    if (fstatat(out->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(out->place, out->name, out->folder, name);
}

static int move(struct output *out)
{
    struct regions *regions = out->regions;
    char name[64];
    struct stat status;
    if (fstat(out->folder, &status) == 0 && regions->file != NULL && status.st_dev == regions->file_device &&
        status.st_ino == regions->file_folder) {
        out->what = regions->file;
        return renameat(out->place, out->name, out->folder, regions->file);
    }
    for (int n = 0; n < MOST_FILES; n++) {
        file_name(name, sizeof name, regions->settings.rank, n);
        if (move_new(out, name) == 0) {
            free(regions->file);
            regions->file = strdup(name);
            regions->file_device = status.st_dev;
            regions->file_folder = status.st_ino;
            return 0;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* ---- all of it */

/* The end of the message of a file that could not be written: what the user can do. */
static const char *advice(const struct output *out, int error)
{
    if (out->forbidden)
        return "";
    if (out->why != NULL)
        return "; move it away, or set PAPI_OUTPUT_DIRECTORY to another folder";
    if (error == EMFILE || error == ENFILE)
        return "; close some files before, or raise their limit (ulimit -n)";
    return error == ENOMEM ? "" : "; set PAPI_OUTPUT_DIRECTORY to a folder that can be written";
}

static int fail(struct output *out)
{
    int saved = errno, code = saved == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS;
    const char *folder = out->regions->settings.folder, *why = out->why ? out->why : strerror(saved);
    char part[80] = "";
    if (out->what != folder)
        snprintf(part, sizeof part, " (%.60s)", out->what);
    regions_lost(out->regions, "the regions are not written: %s%s: %s%s", folder, part, why,
                 advice(out, saved));
    if (out->place >= 0 && out->name[0] != '\0')
        unlinkat(out->place, out->name, 0);
    errno = saved;
    return client_failed(code, "the regions cannot be written into %.200s%s: %s%s", folder, part, why,
                         advice(out, saved));
}

/* Refuses to write a file in a program with more rights than its caller, as that would be made in a folder of
 * the caller's choice with the program's rights. */
static int may_write(struct output *out)
{
    if (trust_environment())
        return 0;
    out->what = out->regions->settings.folder;
    out->why = "the program has rights that its caller lacks (set-user-ID, capabilities) and makes no files";
    out->forbidden = true;
    errno = EPERM;
    return -1;
}

static int write_file(struct output *out)
{
    int code = PAPI_OK;
    if (may_write(out) != 0 || open_place(out) != 0 || write_beside(out) != 0 || open_folder(out) != 0 ||
        move(out) != 0)
        code = fail(out);
    else
        regions_say(out->regions, "the regions are in %s/%s/%s", out->regions->settings.folder, FOLDER,
                    out->regions->file != NULL ? out->regions->file : "");
    if (out->folder >= 0)
        close(out->folder);
    if (out->place >= 0)
        close(out->place);
    return code;
}

/* Writes the file while SIGXFSZ is held, so that a limit of the size of files (ulimit -f) is an error like a
 * full disk, and not the end of the program. */
static int write_within_limits(struct output *out)
{
    const struct timespec now = {0, 0};
    sigset_t beyond, before, waiting;
    sigemptyset(&beyond);
    sigaddset(&beyond, SIGXFSZ);
    sigpending(&waiting);
    pthread_sigmask(SIG_BLOCK, &beyond, &before);
    int code = write_file(out), saved = errno;
    if (!sigismember(&waiting, SIGXFSZ))
        sigtimedwait(&beyond, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return code;
}

int regions_write(struct regions *regions)
{
    struct output out = {.regions = regions, .place = -1, .folder = -1};
    bool ready = PAPI_is_initialized() != PAPI_NOT_INITED;
    long long calls = regions_calls(regions);
    if (calls == regions->calls_written)
        return PAPI_OK;
    /* A program that has shut the library down gets a file all the same, and finds the library as it left
     * it. */
    if (!ready && PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
        regions_lost(regions, "the regions are not written: out of memory");
        return client_failed(PAPI_ENOMEM, "out of memory");
    }
    int code = write_within_limits(&out), saved = errno;
    if (code == PAPI_OK)
        regions->calls_written = calls;
    if (!ready)
        PAPI_shutdown();
    errno = saved;
    return code;
}
