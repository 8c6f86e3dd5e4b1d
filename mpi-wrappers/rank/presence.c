/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/presence.h"

#include "rank/rank.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What the launchers tell a rank: its number, how many there are, and how many of them on this machine. */
static const struct launcher {
    const char *rank, *ranks, *here;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                 {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
                 {"PMIX_RANK", NULL, NULL},
                 {"SLURM_PROCID", NULL, NULL},
                 {NULL, NULL, NULL}};

static int number_of(const char *name, int otherwise)
{
    const char *value = name != NULL ? secure_getenv(name) : NULL;
    return value != NULL ? atoi(value) : otherwise;
}

/* The last one has nothing to say. */
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

int presence_ranks(void)
{
    return number_of(launcher()->ranks, 0);
}

int presence_here(void)
{
    return number_of(launcher()->here, 0);
}

/* Of the job on this machine: PMIx gives it a name, and its server too; MPICH's ranks share the process that
 * started them, at the other end of PMI_FD. A name that begins with a zero byte is of no file, and gone with
 * its socket. */
static socklen_t make_name(struct sockaddr_un *name, int rank)
{
    const char *job = secure_getenv("PMIX_NAMESPACE"), *server = secure_getenv("PMIX_SERVER_URI2");
    struct ucred launcher = {.pid = 0};
    socklen_t size = sizeof launcher;
    getsockopt(number_of("PMI_FD", -1), SOL_SOCKET, SO_PEERCRED, &launcher, &size);
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "papi_mpi.%ld.%ld.%.20s.%.30s.%d",
                     (long)geteuid(), (long)launcher.pid, job != NULL ? job : "",
                     server != NULL ? server : "", rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
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

int presence_absent(int ranks, int *absent)
{
    int fd = presence_here() > 0 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1, n = 0;
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
