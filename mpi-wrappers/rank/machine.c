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
static uint64_t peak_memory(void)
{
    unsigned long long kilobytes = 0;
    struct rusage otherwise = {.ru_maxrss = 0};
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    if (kilobytes == 0)
        getrusage(RUSAGE_SELF, &otherwise);
    return (kilobytes != 0 ? kilobytes : (uint64_t)otherwise.ru_maxrss) * 1024u;
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
}

void usage_since(const uint64_t *begin, uint64_t *used)
{
    uint64_t now[USAGE_COUNT] = {0};
    usage_read(now);
    for (int i = 0; i < USAGE_COUNT; i++)
        used[i] = now[i] > begin[i] ? now[i] - begin[i] : 0;
    used[USAGE_PEAK_MEMORY] = peak_memory();
}

/* ---- the job's ranks on this machine */

/* Variables in which launchers give a rank its number, the number of ranks, and the number of those on this
 * machine. A launcher inside of another one's job comes before that. */
static const struct launcher {
    const char *rank, *ranks, *here;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}, /* PRRTE, too */
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"PALS_RANKID", NULL, "PALS_LOCAL_SIZE"},                                 /* Cray's mpiexec and aprun */
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_SIZE"}, /* jsrun */
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL},
    {"PMIX_RANK", NULL, NULL},
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

/* The number in a column of the launchers' variables: of the row that gives this process its rank, or of
 * another one by which it has the same, as Slurm and PALS tell more than the PMI below them. 0: none has it.
 */
static int number_in(size_t column)
{
    int rank = presence_rank(), found = 0;
    for (const struct launcher *row = launchers; row->rank != NULL && rank >= 0 && found <= 0; row++)
        if (number_of(row->rank, -1) == rank)
            found = number_of(*(const char *const *)(const void *)((const char *)row + column), 0);
    return found > 0 ? found : 0;
}

int presence_ranks(void)
{
    int ranks = number_in(offsetof(struct launcher, ranks));
    return ranks == 0 && is_slurm_task() ? number_of("SLURM_STEP_NUM_TASKS", 0) : ranks;
}

int presence_here(void)
{
    int here = number_in(offsetof(struct launcher, here));
    if (here == 0 && is_slurm_task())
        here = in_list(secure_getenv("SLURM_STEP_TASKS_PER_NODE"), number_of("SLURM_NODEID", -1));
    if (here == 0 && number_of("FLUX_TASK_RANK", -1) == presence_rank() &&
        number_of("FLUX_JOB_NNODES", 0) == 1)
        here = number_of("FLUX_JOB_SIZE", 0);
    return here;
}

/* A number that all ranks of the job on this machine work out alike, and no other job does: PMIx gives the
 * job a name, and its server too; MPICH's ranks share the process that started them, at the other end of
 * PMI_FD; others have a number for what they start at once. 0: there is none of it. */
static uint64_t job_here(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMIX_SERVER_URI2", "PALS_APID", "FLUX_JOB_ID",
                                        "SLURM_STEP_ID",  "SLURM_JOB_ID",     "PMI_PORT",  "JSM_NAMESPACE"};
    struct ucred server = {.pid = 0};
    socklen_t size = sizeof server;
    getsockopt(number_of("PMI_FD", -1), SOL_SOCKET, SO_PEERCRED, &server, &size);
    uint64_t all = (uint64_t)server.pid;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = secure_getenv(names[i]);
        all = all * 31 + (value != NULL ? hash_text(value) : 0);
    }
    return all;
}

/* Makes the name of a rank's socket, or of that of the one who asks. A name that begins with a zero byte is
 * not a file's, and gone with its socket. */
enum { ASKS = -1 };

static socklen_t make_name(struct sockaddr_un *name, int rank)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "papi_mpi.%ld.%llx.%d", (long)geteuid(),
                     (unsigned long long)job_here(), rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

uint64_t presence_machine(void)
{
    struct sockaddr_un name;
    socklen_t length = make_name(&name, 0);
    return hash_bytes(&name, length);
}

/* A socket of this name, with 1 added; 0: somebody else has one, or there are none. */
static int show(int rank, bool unnamed_too)
{
    struct sockaddr_un name;
    socklen_t length = make_name(&name, rank);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&name, length) == 0 || unnamed_too)
        return fd + 1;
    close(fd);
    return 0;
}

void presence_show(void)
{
    if (presence_rank() < 0 || job_here() == 0 || papi_mpi.presence > 0)
        return;
    papi_mpi.presence = show(presence_rank(), true);
    papi_mpi.asks = show(ASKS, false);
}

bool presence_is_shown(void)
{
    return papi_mpi.presence > 0;
}

bool presence_asks(void)
{
    return papi_mpi.asks > 0;
}

static bool is_shown(int fd, int rank)
{
    struct sockaddr_un name;
    socklen_t length = make_name(&name, rank);
    return connect(fd, (struct sockaddr *)&name, length) == 0;
}

/* The ranks of a machine mostly follow each other: the search goes away from this one to both sides, and ends
 * when all of the machine are found, so that it does not grow with the job where the launcher says how many
 * those are. */
int presence_find(int ranks, char *is_here)
{
    int here = presence_here(), own = presence_rank(), found = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int most = here > 0 && here < ranks ? here : ranks;
    for (int away = 0; away < ranks && found < most && fd >= 0; away++)
        for (int side = -1; side <= 1 && found < most; side += 2) {
            int rank = own + side * away;
            if ((away == 0 && side == 1) || rank < 0 || rank >= ranks || !is_shown(fd, rank))
                continue;
            is_here[rank] = 1;
            found++;
        }
    if (fd >= 0)
        close(fd);
    return found;
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
    if (papi_mpi.asks > 0)
        close(papi_mpi.asks - 1);
    papi_mpi.presence = papi_mpi.asks = 0;
}
