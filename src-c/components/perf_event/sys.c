/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The system calls of counters, with errors that say what to do. perf_event_open tells by one errno of many
 * causes: EACCES may be the paranoid level, a seccomp filter, a security module or another user's thread, and
 * EINVAL or ENOENT an event that this processor has not or one that only whole CPUs count. When a call has
 * failed, what else can be found out is asked then: the level and the rights of the process, or the event for
 * a whole CPU. So a call that succeeds costs nothing more.
 * Errors of lacking memory or descriptors are kept apart from all others, by their code: they may pass, and
 * nobody may conclude from them that an event does not count.
 */
#include "components/perf_event/sys.h"
#include "base/sysroot.h"
#include "formats/native_times.h"
#include "hardware/cgroups.h"
#include "papi.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* True if the process has CAP_PERFMON or CAP_SYS_ADMIN: then no paranoid level stops it. */
static bool privileged(const char *root)
{
    enum { SYS_ADMIN = 21, PERFMON = 38 };
    char line[256];
    unsigned long long capabilities = 0;
    FILE *f = sysroot_open(root, "/proc/self/status");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "CapEff: %llx", &capabilities) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return (capabilities >> SYS_ADMIN & 1) || (capabilities >> PERFMON & 1);
}

/* The greatest kernel.perf_event_paranoid with which an ordinary user may open the counter. */
static int paranoid_needed(const struct group_options *options, const struct perf_event_attr *attr,
                           const char **what)
{
    int needed = attr->exclude_kernel ? 2 : 1;
    *what = attr->exclude_kernel ? "an ordinary user" : "counting in kernel mode";
    if (options->whole_cpu) {
        needed = 0;
        *what = options->cgroup != 0 ? "counting a control group" : "counting a whole CPU";
    }
    if (attr->type == PERF_TYPE_TRACEPOINT) {
        needed = -1;
        *what = "a tracepoint";
    }
    return needed;
}

static long open_event(const struct group_options *options, struct perf_event_attr *attr, int leader);

/* True if the calling thread may not be counted either: it is not the other one's owner that matters. */
static bool refused_for_all(const struct group_options *options, const struct perf_event_attr *attr)
{
    struct group_options own = *options;
    struct perf_event_attr same = *attr;
    own.target = 0;
    long fd = open_event(&own, &same, -1);
    int error = errno;
    if (fd >= 0)
        close((int)fd);
    return fd < 0 && (error == EPERM || error == EACCES);
}

/* Options that help where a container hides the call: its default profile has it for those with the
 * capability.
 */
#define IN_CONTAINER                                                                                         \
    "(in a container: \"docker run --cap-add=PERFMON ...\" or the same of podman; else --security-opt "      \
    "seccomp=unconfined)"

static int refused(const char *root, const struct group_options *options, const struct perf_event_attr *attr,
                   int error, struct reason *why)
{
    long long paranoid = 0;
    const char *what;
    int needed = paranoid_needed(options, attr, &what);
    errno = 0;
    bool read = sysroot_number(root, "/proc/sys/kernel/perf_event_paranoid", &paranoid) == 0;
    if (!read && error_passes(errno))
        return reason_unreadable("kernel.perf_event_paranoid", why);
    if (!read)
        return reason_set(why, PAPI_EPERM,
                          "perf_event_open is refused (%s) and kernel.perf_event_paranoid cannot be read: a "
                          "seccomp filter or container policy blocks it " IN_CONTAINER,
                          strerror(error));
    if (paranoid > needed && !privileged(root))
        return reason_set(why, PAPI_EPERM,
                          "kernel.perf_event_paranoid is %lld and %s needs %d or less: as root, sysctl "
                          "kernel.perf_event_paranoid=%d, or give the program CAP_PERFMON",
                          paranoid, what, needed, needed);
    if (options->target != 0 && !refused_for_all(options, attr))
        return reason_set(why, PAPI_EPERM,
                          "thread %d may not be counted (%s): it is another user's or protected from being "
                          "traced; the program needs the same user, or CAP_PERFMON or CAP_SYS_PTRACE",
                          options->target, strerror(error));
    return reason_set(
        why, PAPI_EPERM,
        "perf_event_open is refused (%s) although kernel.perf_event_paranoid (%lld) would allow it: "
        "a seccomp filter or security module blocks it " IN_CONTAINER,
        strerror(error), paranoid);
}

/* The emulator, whose run a recording is for, has no counters of a kernel. */
static long open_event(const struct group_options *options, struct perf_event_attr *attr, int leader)
{
    int thread = options->whole_cpu ? -1 : options->target, cpu = options->whole_cpu ? options->cpu : -1;
    unsigned long flags = PERF_FLAG_FD_CLOEXEC;
    if (options->cgroup != 0) {
        thread = options->cgroup;
        flags |= PERF_FLAG_PID_CGROUP;
    }
    if (times_recording()) {
        errno = ENOSYS;
        return -1;
    }
    return syscall(SYS_perf_event_open, attr, thread, cpu, leader, flags);
}

/* A PMU outside of the cores cannot tell which thread or mode it counts for, and the kernel refuses its
 * events where either is asked for. 0: it counts whole CPUs in all modes, else errno. */
static int try_whole_cpu(const struct group_options *options, const struct perf_event_attr *attr)
{
    struct group_options whole = {.whole_cpu = true,
                                  .cpu = options->whole_cpu ? options->cpu : sched_getcpu()};
    struct perf_event_attr all = {.type = attr->type,
                                  .size = sizeof all,
                                  .config = attr->config,
                                  .config1 = attr->config1,
                                  .config2 = attr->config2,
                                  .disabled = 1};
    if (attr->type < PERF_TYPE_MAX)
        return EINVAL;
    int fd = (int)open_event(&whole, &all, -1), error = errno;
    sys_close(fd);
    return fd >= 0 ? 0 : error;
}

static int no_such_event(const struct group_options *options, const struct perf_event_attr *attr, int error,
                         struct reason *why)
{
    if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT)
        return reason_set(why, PAPI_ENOEVNT, "this kernel has no such software event (%s)", strerror(error));
    int whole = try_whole_cpu(options, attr);
    errno = whole;
    if (error_passes(whole))
        return reason_unreadable("whether the event counts for a whole CPU", why);
    if (whole == 0)
        return reason_set(why, PAPI_ENOEVNT,
                          "the event's PMU counts whole CPUs in all modes alone: attach the event set to a "
                          "CPU (PAPI_CPU_ATTACH) with the domain PAPI_DOM_ALL before adding it");
    if (whole == EACCES || whole == EPERM)
        return reason_set(
            why, PAPI_ENOEVNT,
            "the kernel refuses the event (%s); whether its PMU counts whole CPUs alone "
            "(PAPI_CPU_ATTACH with PAPI_DOM_ALL) may not be tried here: that needs CAP_PERFMON, or "
            "sysctl kernel.perf_event_paranoid=0",
            strerror(error));
    return reason_set(why, PAPI_ENOEVNT,
                      "the kernel refuses the event (%s): this processor or virtual machine does not have "
                      "it, or what it needs; papi_native_avail --validate lists the events that count here",
                      strerror(error));
}

static int open_failed(const char *root, const struct group_options *options,
                       const struct perf_event_attr *attr, int error, struct reason *why)
{
    if (options->cgroup != 0 && !cgroup_exists(options->cgroup))
        return reason_set(why, PAPI_EINVAL, "the control group was removed");
    switch (error) {
    case EACCES:
    case EPERM:
        return refused(root, options, attr, error, why);
    case ESRCH:
        return reason_set(
            why, PAPI_EINVAL,
            "there is no thread %d: it has ended, or the number is not the kernel's (of gettid() "
            "or fork(), not of pthread_self())",
            options->target);
    case ENOSYS:
        return reason_set(why, PAPI_ECMP_DISABLED,
                          "the kernel answers that it has no perf_event_open: it was built without it, or a "
                          "seccomp filter, a sandbox or an emulator (papi_emulate) hides it " IN_CONTAINER
                          "; papi_avail -a lists what is counted all the same");
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
    case EINVAL:
        return no_such_event(options, attr, error, why);
    case EBUSY:
        return reason_set(why, PAPI_ECNFLCT, "another user has the counters for itself");
    case ENOMEM:
        return reason_set(why, PAPI_ENOMEM, "the kernel is out of memory for a counter");
    case EMFILE:
    case ENFILE:
        return reason_set(why, PAPI_ESYS, "no file descriptor is free for a counter (ulimit -n)");
    default:
        return reason_set(why, PAPI_ESYS, "perf_event_open: %s", strerror(error));
    }
}

/* RISC-V: with kernel.perf_user_access=2 the kernel has cycles and instructions on the counters of the base
 * instruction set, which count in all modes: a count of one mode would be wrong, and nothing would say so. */
static int check_modes(const char *root, const struct perf_event_attr *attr, struct reason *why)
{
#if defined(__riscv)
    long long access = 0;
    bool fixed = attr->type == PERF_TYPE_HARDWARE &&
                 (attr->config == PERF_COUNT_HW_CPU_CYCLES || attr->config == PERF_COUNT_HW_INSTRUCTIONS);
    if (fixed && (attr->exclude_user || attr->exclude_kernel) &&
        sysroot_number(root, "/proc/sys/kernel/perf_user_access", &access) == 0 && access == 2)
        return reason_set(
            why, PAPI_EPERM,
            "kernel.perf_user_access is 2, with which this kernel counts cycles and instructions "
            "of all modes as those of one: as root, sysctl kernel.perf_user_access=1");
#else
    (void)root;
    (void)attr;
    (void)why;
#endif
    return PAPI_OK;
}

int sys_open(const char *root, const struct group_options *options, struct perf_event_attr *attr, int leader,
             int *fd, struct reason *why)
{
    static const struct group_options calling_thread;
    if (options == NULL)
        options = &calling_thread;
    attr->size = sizeof *attr;
    if (root != NULL && root[0] != '\0') {
        *fd = -1;
        return reason_set(why, PAPI_ECMP_DISABLED,
                          "these are the files of another machine (PAPI_SYSROOT): what its counters count "
                          "cannot be tried here");
    }
    int refused_modes = check_modes(root, attr, why);
    if (refused_modes != PAPI_OK) {
        *fd = -1;
        errno = EPERM;
        return refused_modes;
    }
    long result = open_event(options, attr, leader);
    if (result < 0) {
        *fd = -1;
        int error = errno;
        int code = open_failed(root, options, attr, error, why);
        if (!code_passes(code)) /* which has an errno of its own */
            errno = error;
        return code;
    }
    *fd = (int)result;
    return PAPI_OK;
}

static int no_cgroup(struct reason *why)
{
    return reason_set(why, PAPI_EINVAL,
                      "the kernel counts nothing for this control group: it is in a tree without perf_event "
                      "(/proc/self/cgroup has that of version 2 as \"0::\"), or in one of version 2 whose "
                      "groups were never given a controller (as root, echo +pids "
                      ">/sys/fs/cgroup/cgroup.subtree_control), or the kernel was built without "
                      "CONFIG_CGROUP_PERF");
}

int sys_try(const char *root, const struct group_options *options, int leader, struct reason *why)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .disabled = 1,
                                   .inherit = options->inherit,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    struct group_options one = *options;
    int fd;
    if (options->whole_cpu && options->cpu == EVERY_CPU)
        one.cpu = sched_getcpu();
    int code = sys_open(root, &one, &attr, leader, &fd, why);
    sys_close(fd);
    if (code == PAPI_ENOEVNT && options->cgroup != 0)
        return no_cgroup(why);
    if (code == PAPI_ENOEVNT && options->whole_cpu)
        return reason_set(why, PAPI_EINVAL, "this machine has no CPU %d, or it is switched off",
                          options->cpu);
    if (code == PAPI_ENOEVNT && leader >= 0)
        return reason_set(why, PAPI_EINVAL, "thread %d has ended", options->target);
    return code;
}

int sys_ioctl_failed(long result, const char *what, struct reason *why)
{
    errno = (int)-result;
    return reason_set(why, PAPI_ESYS, "%s the counters: %s", what, strerror(errno));
}

int sys_read_failed(long got, struct reason *why)
{
    if (got < 0) {
        errno = (int)-got;
        return reason_set(why, PAPI_ESYS, "reading the counters: %s", strerror(errno));
    }
    /* A pinned group that lost its counters reads as an end of file. */
    reason_set(
        why, PAPI_ECNFLCT,
        "the kernel could not give the event set its counters: other event sets or programs hold them");
    return reason_held(why, PAPI_ECNFLCT);
}

int sys_read_alone(int fd, uint64_t *count)
{
    struct group_reading reading;
    long got = system_call(SYS_read, fd, (long)&reading, sizeof reading);
    if (got < (long)offsetof(struct group_reading, count[1]))
        return sys_read_failed(got, NULL);
    *count = reading.count[0];
    return PAPI_OK;
}

static size_t length_of(uint32_t pages)
{
    return (1 + (size_t)pages) * (size_t)sysconf(_SC_PAGESIZE);
}

struct perf_event_mmap_page *sys_map(int fd, uint32_t pages)
{
    int access = pages > 0 ? PROT_READ | PROT_WRITE : PROT_READ;
    void *page = mmap(NULL, length_of(pages), access, MAP_SHARED, fd, 0);
    return page == MAP_FAILED ? NULL : page;
}

void sys_unmap(struct perf_event_mmap_page *page, uint32_t pages)
{
    if (page != NULL)
        munmap(page, length_of(pages));
}

int sys_send_signal(int fd, int signal, struct reason *why)
{
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETOWN_EX, &owner) != 0 || fcntl(fd, F_SETSIG, signal) != 0 ||
        fcntl(fd, F_SETFL, flags | O_ASYNC) != 0)
        return reason_set(why, PAPI_ESYS, "the kernel does not send signal %d for overflows: %s", signal,
                          strerror(errno));
    return PAPI_OK;
}

int sys_set_period(int fd, uint64_t period, struct reason *why)
{
    long result = system_call(SYS_ioctl, fd, PERF_EVENT_IOC_PERIOD, (long)&period);
    return result == 0 ? PAPI_OK : sys_ioctl_failed(result, "setting the period of", why);
}

void sys_close(int fd)
{
    if (fd >= 0)
        close(fd);
}
