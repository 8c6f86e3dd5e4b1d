/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Closes the descriptors of a probe: by one system call if their numbers follow each other, as they do unless
 * another thread opened or closed some meanwhile. */
static void close_all(const int fd[], int n)
{
#ifdef SYS_close_range
    int in_row = 0;
    while (in_row < n && fd[in_row] == fd[0] + in_row)
        in_row++;
    if (n > 0 && in_row == n && syscall(SYS_close_range, fd[0], fd[n - 1], 0) == 0)
        return;
#endif
    while (n > 0)
        close(fd[--n]);
}

bool load_room(size_t memory, int descriptors)
{
    int fd[LOAD_MOST_DESCRIPTORS], n = 0, saved = errno;
    void *volatile probe = malloc(memory); /* volatile: else the compiler leaves it out */
    while (probe != NULL && n < descriptors && (fd[n] = open("/", O_PATH | O_CLOEXEC)) >= 0)
        n++;
    bool enough = n == descriptors && probe != NULL;
    int error = enough ? saved : probe == NULL ? ENOMEM : errno;
    close_all(fd, n);
    free(probe);
    errno = error;
    return enough;
}

bool load_symbols(void *library, const struct load_symbol *symbols, size_t n, void *structure)
{
    for (size_t i = 0; i < n; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (address == NULL)
            return false;
        memcpy((char *)structure + symbols[i].place, &address, sizeof address);
    }
    return true;
}
