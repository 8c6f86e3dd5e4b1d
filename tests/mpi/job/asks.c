/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: counts the looks of the wrapper library for ranks of its machine, and says how many they were.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static atomic_int looks;

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
    const struct sockaddr_un *name = (const void *)address;
    if (address->sa_family == AF_UNIX && memcmp(name->sun_path, "\0papi_mpi.", 10) == 0)
        atomic_fetch_add(&looks, 1);
    return next(fd, address, length);
}

static __attribute__((destructor)) void say(void)
{
    if (atomic_load(&looks) > 0)
        fprintf(stderr, "LOOKS %d\n", atomic_load(&looks));
}
