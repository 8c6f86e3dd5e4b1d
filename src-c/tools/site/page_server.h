/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A page that is served by HTTP, to GET /metrics, by libmicrohttpd, in the caller's thread. What clients can
 * take is bounded: connections, memory for each, and seconds, however slowly they send or read. */

enum { SERVER_CONNECTIONS = 32, SERVER_MEMORY = 16384, SERVER_SECONDS = 10 };

struct page_server {
    /* The page, to be freed, and its type; NULL: there is no memory.
     *   accept  what the client says that it reads; NULL: nothing */
    char *(*page)(void *context, const char *accept, size_t *size, const char **type);
    void *context;
    long long cut; /* connections that took too long */

    /* page_server.c's own */
    void *daemon;
    int events;
    bool closed; /* a connection, meanwhile */
    struct connection {
        int fd; /* -1: none */
        double since;
    } connection[SERVER_CONNECTIONS];
};

/* A socket that listens at "127.0.0.1:9737" or "[::1]:9737". -1 with *why. */
int page_server_listen(const char *address, const char **why);

/* Writes the address of a socket in that form. */
void page_server_address(int fd, char *text, size_t size);

/* Serves from this socket, which is the server's from now on. false with *why. */
bool page_server_open(struct page_server *server, int fd, const char **why);

/* Serves until the descriptor can be read. */
void page_server_run(struct page_server *server, int until);

void page_server_close(struct page_server *server);
