/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pages of papi_exporter without HTTP, whose library the nodes do not have: one on standard output for
 * each line of standard input.
 */
#include "tools/site/page_server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int page_server_listen(const char *address, const char **why)
{
    (void)address;
    *why = "standard input";
    return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

void page_server_address(int fd, char *text, size_t size)
{
    (void)fd;
    snprintf(text, size, "standard input");
}

bool page_server_open(struct page_server *server, int fd, const char **why)
{
    (void)why;
    server->events = fd;
    return true;
}

void page_server_run(struct page_server *server, int until)
{
    char word;
    (void)until;
    while (read(server->events, &word, 1) == 1) {
        size_t size;
        const char *type;
        char *page = server->page(server->context, "application/openmetrics-text", &size, &type);
        if (page == NULL)
            return;
        fwrite(page, 1, size, stdout);
        fflush(stdout);
        free(page);
    }
}

void page_server_close(struct page_server *server)
{
    close(server->events);
}
