/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/presence.h"

#include "rank/rank.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What the launchers tell a rank: its number, and how many ranks this machine has. */
static const struct launcher {
    const char *rank, *here;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"}, {"PMI_RANK", "MPI_LOCALNRANKS"}};

static int number_of(const char *name, int otherwise)
{
    const char *value = secure_getenv(name);
    return value != NULL ? atoi(value) : otherwise;
}

/* NULL: none that is known. */
static const struct launcher *find_launcher(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (number_of(launchers[i].rank, -1) >= 0)
            return &launchers[i];
    return NULL;
}

/* Of the job on this machine: PMIx gives it a name, and MPICH's ranks share the process that started them, at
 * the other end of PMI_FD. A name that begins with a zero byte is of no file, and gone with its socket. */
static socklen_t make_name(struct sockaddr_un *name, int rank)
{
    const char *job = secure_getenv("PMIX_NAMESPACE");
    struct ucred launcher = {.pid = 0};
    socklen_t size = sizeof launcher;
    getsockopt(number_of("PMI_FD", -1), SOL_SOCKET, SO_PEERCRED, &launcher, &size);
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "papi_mpi.%ld.%ld.%.60s.%d",
                     (long)geteuid(), (long)launcher.pid, job != NULL ? job : "", rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

void presence_show(void)
{
    const struct launcher *launcher = find_launcher();
    struct sockaddr_un name;
    if (launcher == NULL || papi_mpi.presence > 0)
        return;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t length = make_name(&name, number_of(launcher->rank, 0));
    if (fd >= 0)
        (void)!bind(fd, (struct sockaddr *)&name, length);
    papi_mpi.presence = fd + 1;
}

int presence_absent(int ranks, int *absent)
{
    const struct launcher *launcher = find_launcher();
    int fd = -1, n = 0;
    if (launcher != NULL && number_of(launcher->here, 0) == ranks)
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (int rank = 0; fd >= 0 && rank < ranks; rank++) {
        struct sockaddr_un name;
        socklen_t length = make_name(&name, rank);
        if (connect(fd, (struct sockaddr *)&name, length) != 0)
            absent[n++] = rank;
    }
    if (fd >= 0)
        close(fd);
    return n;
}

void presence_end(void)
{
    if (papi_mpi.presence > 0)
        close(papi_mpi.presence - 1);
    papi_mpi.presence = 0;
}
