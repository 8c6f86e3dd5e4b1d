/* SPDX-License-Identifier: BSD-3-Clause
 * A system call for each few bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char line[32];
    int fd = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 1500000; i++) {
        memset(line, i, sizeof line);
        if (write(fd, line, sizeof line) != sizeof line) /* fault */
            return 1;
    }
    close(fd);
}
