/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/machine.h"
#include "base/hash.h"
#include "base/sysroot.h"
#include "rank/rank.h"
#include "record/record.h"

#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define GROUPS "/sys/fs/cgroup"

static uint64_t memory_of_node(const char *root)
{
    unsigned long long kilobytes = 0;
    char line[256];
    FILE *file = sysroot_open(root, "/proc/meminfo");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemTotal: %llu", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kilobytes * 1024u;
}

/* Lowers *least to the limit in a file of the group. A file with "max", which is no limit, has no number. */
static void lower(uint64_t *least, const char *root, const char *tree, const char *group, const char *name)
{
    char path[PATH_MAX];
    long long limit;
    snprintf(path, sizeof path, "%s%s/%s", tree, group, name);
    if (sysroot_number(root, path, &limit) == 0 && limit > 0 && (*least == 0 || (uint64_t)limit < *least))
        *least = (uint64_t)limit;
}

/* A group and all that it is in. A container's processes see the tree from their own group on, which is its
 * root there, and the path as the machine has it. */
static void lower_up(uint64_t *least, const char *root, const char *tree, char *group, const char *name)
{
    char *end = group + strlen(group);
    for (; end != NULL; end = strrchr(group, '/')) {
        *end = '\0';
        lower(least, root, tree, group, name);
    }
}

/* "4:memory:/job1" of version 1, which has a tree for each controller; "0::/job1" of version 2. */
static void lower_by_line(uint64_t *least, const char *root, char *line)
{
    char *first = strchr(line, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
    if (second == NULL)
        return;
    line[strcspn(line, "\n")] = '\0';
    *second = '\0';
    if (strcmp(first + 1, "memory") == 0)
        lower_up(least, root, GROUPS "/memory", second + 1, "memory.limit_in_bytes");
    else if (first[1] == '\0')
        lower_up(least, root, GROUPS, second + 1, "memory.max");
}

uint64_t machine_memory(const char *root)
{
    uint64_t least = memory_of_node(root);
    char line[PATH_MAX];
    FILE *file = sysroot_open(root, "/proc/self/cgroup");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        lower_by_line(&least, root, line);
    if (file != NULL)
        fclose(file);
    return least;
}

uint64_t machine_frequency(const char *root, int cpu)
{
    char path[128];
    long long kilohertz;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    return sysroot_number(root, path, &kilohertz) == 0 && kilohertz > 0 ? (uint64_t)kilohertz * 1000u : 0;
}

/* ---- this process */

static uint64_t nsec(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

/* The peak memory of this program, in bytes. The figure of getrusage may be that of the launcher from before
 * its exec. */
static uint64_t peak_memory(const struct rusage *otherwise)
{
    unsigned long long kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return (kilobytes != 0 ? kilobytes : (uint64_t)otherwise->ru_maxrss) * 1024u;
}

void usage_read(uint64_t *usage)
{
    struct rusage now;
    if (getrusage(RUSAGE_SELF, &now) != 0)
        return;
    usage[USAGE_CPU_USER] = nsec(&now.ru_utime);
    usage[USAGE_CPU_SYSTEM] = nsec(&now.ru_stime);
    usage[USAGE_MINOR_FAULTS] = (uint64_t)now.ru_minflt;
    usage[USAGE_MAJOR_FAULTS] = (uint64_t)now.ru_majflt;
    usage[USAGE_VOLUNTARY_SWITCHES] = (uint64_t)now.ru_nvcsw;
    usage[USAGE_INVOLUNTARY_SWITCHES] = (uint64_t)now.ru_nivcsw;
    usage[USAGE_PEAK_MEMORY] = peak_memory(&now);
}

void usage_since(const uint64_t *begin, uint64_t *used)
{
    uint64_t now[USAGE_COUNT] = {0};
    usage_read(now);
    for (int i = 0; i < USAGE_COUNT; i++)
        used[i] = now[i] > begin[i] ? now[i] - begin[i] : 0;
    used[USAGE_PEAK_MEMORY] = now[USAGE_PEAK_MEMORY];
}

/* ---- the job's ranks on this machine */

/* Variables in which launchers give a rank its number, the number of ranks, and the number of those on this
 * machine. */
static const struct launcher {
    const char *rank, *ranks, *here;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                 {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
                 {"PMIX_RANK", NULL, NULL}, /* Slurm has the numbers */
                 {"SLURM_PROCID", NULL, NULL},
                 {NULL, NULL, NULL}};

static int number_of(const char *name, int otherwise)
{
    const char *value = name != NULL ? secure_getenv(name) : NULL;
    return value != NULL ? atoi(value) : otherwise;
}

/* The launcher that started this process; the last row, without names, if there is none. */
static const struct launcher *launcher(void)
{
    const struct launcher *found = launchers;
    while (found->rank != NULL && number_of(found->rank, -1) < 0)
        found++;
    return found;
}

int presence_rank(void)
{
    return number_of(launcher()->rank, -1);
}

/* True if this is a task of Slurm's srun: a batch script has the variables of the job, and not of a step. */
static bool is_slurm_task(void)
{
    return number_of("SLURM_PROCID", -1) == presence_rank() && number_of("SLURM_STEP_NUM_TASKS", 0) > 0;
}

/* The number for a node in a list such as "4(x2),3", which has 4 tasks for each of two nodes, and 3 for a
 * third one. 0: the list has none. */
static int in_list(const char *list, int node)
{
    while (list != NULL && *list != '\0' && node >= 0) {
        char *end;
        long tasks = strtol(list, &end, 10),
             nodes = strncmp(end, "(x", 2) == 0 ? strtol(end + 2, &end, 10) : 1;
        if (end == list || tasks < 0 || nodes < 1)
            return 0;
        if (node < nodes)
            return (int)tasks;
        node -= (int)nodes;
        end += *end == ')';
        list = *end == ',' ? end + 1 : "";
    }
    return 0;
}

int presence_ranks(void)
{
    int ranks = number_of(launcher()->ranks, 0);
    return ranks == 0 && is_slurm_task() ? number_of("SLURM_STEP_NUM_TASKS", 0) : ranks;
}

int presence_here(void)
{
    int here = number_of(launcher()->here, 0);
    return here == 0 && is_slurm_task()
               ? in_list(secure_getenv("SLURM_STEP_TASKS_PER_NODE"), number_of("SLURM_NODEID", -1))
               : here;
}

/* Makes a name that all ranks of the job on this machine work out alike. PMIx gives the job a name, and its
 * server too; MPICH's ranks share the process that started them, at the other end of PMI_FD. A name that
 * begins with a zero byte is not a file's, and gone with its socket. */
static socklen_t make_name(struct sockaddr_un *name, int rank)
{
    const char *job = secure_getenv("PMIX_NAMESPACE"), *server = secure_getenv("PMIX_SERVER_URI2");
    struct ucred launcher = {.pid = 0};
    socklen_t size = sizeof launcher;
    getsockopt(number_of("PMI_FD", -1), SOL_SOCKET, SO_PEERCRED, &launcher, &size);
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n =
        snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "papi_mpi.%ld.%ld.%d.%d.%.20s.%.30s.%d",
                 (long)geteuid(), (long)launcher.pid, number_of("SLURM_JOB_ID", 0),
                 number_of("SLURM_STEP_ID", 0), job != NULL ? job : "", server != NULL ? server : "", rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

uint64_t presence_machine(void)
{
    struct sockaddr_un name;
    socklen_t length = make_name(&name, 0);
    return hash_bytes(&name, length);
}

void presence_show(void)
{
    struct sockaddr_un name;
    if (presence_here() == 0 || papi_mpi.presence > 0)
        return;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t length = make_name(&name, presence_rank());
    if (fd >= 0)
        (void)!bind(fd, (struct sockaddr *)&name, length);
    papi_mpi.presence = fd + 1;
}

static bool is_shown(int fd, int rank)
{
    struct sockaddr_un name;
    socklen_t length = make_name(&name, rank);
    return connect(fd, (struct sockaddr *)&name, length) == 0;
}

/* The ranks of a machine mostly follow each other: the search goes away from this one to both sides, and ends
 * when all of the machine are found, so that it does not grow with the job. */
int presence_absent(int ranks, int *absent)
{
    int here = presence_here(), own = presence_rank(), n = 0;
    int fd = here > 0 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0 || own < 0 || own >= ranks) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (int rank = 0; rank < ranks; rank++)
        absent[rank] = 1;
    for (int away = 0; away < ranks && here > 0; away++)
        for (int side = -1; side <= 1; side += 2) {
            int rank = own + side * away;
            if ((away == 0 && side == 1) || rank < 0 || rank >= ranks || !is_shown(fd, rank))
                continue;
            absent[rank] = 0;
            here--;
        }
    close(fd);
    for (int rank = 0; rank < ranks; rank++)
        if (absent[rank])
            absent[n++] = rank;
    return n;
}

int presence_tell(int rank, const char *text)
{
    struct sockaddr_un name;
    socklen_t length = make_name(&name, rank);
    ssize_t n = sendto(papi_mpi.presence - 1, text, strlen(text) + 1, 0, (struct sockaddr *)&name, length);
    return n < 0 ? -1 : 0;
}

int presence_hear(char *text, int room, int milliseconds)
{
    struct pollfd polled = {.fd = papi_mpi.presence - 1, .events = POLLIN};
    if (poll(&polled, 1, milliseconds) <= 0)
        return -1;
    ssize_t n = recv(polled.fd, text, (size_t)room - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : -1;
}

void presence_end(void)
{
    if (papi_mpi.presence > 0)
        close(papi_mpi.presence - 1);
    papi_mpi.presence = 0;
}
