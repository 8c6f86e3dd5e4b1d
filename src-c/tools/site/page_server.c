/* SPDX-License-Identifier: BSD-3-Clause */
#include "page_server.h"

#include "base/seconds.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the socket */

static int listen_at(const struct addrinfo *at, const char **why)
{
    int yes = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, SERVER_CONNECTIONS) == 0)
        return fd;
    *why = strerror(errno);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* getaddrinfo takes a port that is too large modulo 65536. */
static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= 5 && text[digits] == '\0' && strtol(text, NULL, 10) <= 65535;
}

int page_server_listen(const char *address, const char **why)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    size_t length = colon != NULL ? (size_t)(colon - address) : 0;
    bool bracketed = length > 2 && address[0] == '[' && address[length - 1] == ']';
    *why = "not ADDRESS:PORT in numbers, such as 127.0.0.1:9737 or [::1]:9737";
    if (length == 0 || length >= sizeof host || !is_port(colon + 1))
        return -1;
    snprintf(host, sizeof host, "%.*s", (int)length - 2 * bracketed, address + bracketed);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return -1;
    int fd = listen_at(found, why);
    freeaddrinfo(found);
    return fd;
}

void page_server_address(int fd, char *text, size_t size)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[128], port[16];
    bool known = getsockname(fd, (struct sockaddr *)&address, &length) == 0 &&
                 getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                             NI_NUMERICHOST | NI_NUMERICSERV) == 0;
    if (!known)
        snprintf(text, size, "a socket");
    else
        snprintf(text, size, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

/* ---- answers */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, char *text, size_t size,
                              enum MHD_ResponseMemoryMode mode, const char *type)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, text, mode);
    if (response == NULL) {
        if (mode == MHD_RESPMEM_MUST_FREE)
            free(text);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Connection", "close");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return answer(connection, status, (char *)text, strlen(text), MHD_RESPMEM_PERSISTENT,
                  "text/plain; charset=utf-8");
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *body, size_t *size,
                              void **state)
{
    const struct page_server *server = context;
    (void)version;
    (void)state;
    (void)body;
    (void)size;
    /* Answered before a body is read, after which the library closes the connection. */
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD.\n");
    if (strcmp(path, "/") == 0)
        return say(connection, MHD_HTTP_OK, "papi_exporter: the counts are at /metrics\n");
    if (strcmp(path, "/metrics") != 0)
        return say(connection, MHD_HTTP_NOT_FOUND, "There is /metrics alone.\n");
    const char *type;
    size_t length;
    char *page = server->page(
        server->context, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"), &length, &type);
    if (page == NULL)
        return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "There is no memory for the page.\n");
    return answer(connection, MHD_HTTP_OK, page, length, MHD_RESPMEM_MUST_FREE, type);
}

/* ---- connections */

static void note(void *context, struct MHD_Connection *connection, void **place,
                 enum MHD_ConnectionNotificationCode what)
{
    struct page_server *server = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED && *place != NULL)
        *(struct connection *)*place = (struct connection){.fd = -1};
    server->closed = server->closed || what == MHD_CONNECTION_NOTIFY_CLOSED;
    for (int i = 0; what == MHD_CONNECTION_NOTIFY_STARTED && i < SERVER_CONNECTIONS; i++)
        if (server->connection[i].fd < 0 && info != NULL) {
            server->connection[i] = (struct connection){info->connect_fd, seconds_now()};
            *place = &server->connection[i];
            return;
        }
}

/* Serves whoever is there. With all its connections taken the library stops to listen, and only looks again
 * in a call after the one that closes some. */
static void serve(struct page_server *server)
{
    do {
        server->closed = false;
        MHD_run(server->daemon);
    } while (server->closed);
}

/* Ends the connections that are too old, whatever they do: the library's own limit begins again with each
 * byte. Returns how many seconds the next one has; -1: there is none. */
static double cut_old(struct page_server *server)
{
    double now = seconds_now(), next = -1;
    for (int i = 0; i < SERVER_CONNECTIONS; i++) {
        struct connection *connection = &server->connection[i];
        double left = connection->since + SERVER_SECONDS - now;
        if (connection->fd < 0)
            continue;
        if (left <= 0) {
            shutdown(connection->fd, SHUT_RDWR);
            connection->since = now; /* until the library has closed it */
            server->cut++;
            left = SERVER_SECONDS;
        }
        next = next < 0 || left < next ? left : next;
    }
    return next;
}

bool page_server_open(struct page_server *server, int fd, const char **why)
{
    for (int i = 0; i < SERVER_CONNECTIONS; i++)
        server->connection[i].fd = -1;
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVER_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)SERVER_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVER_SECONDS,
        MHD_OPTION_NOTIFY_CONNECTION, note, server, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        daemon != NULL ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    server->daemon = daemon;
    server->events = info != NULL ? info->epoll_fd : -1;
    *why = server->events >= 0 ? NULL : "libmicrohttpd does not start, with epoll";
    return server->events >= 0;
}

void page_server_run(struct page_server *server, int until)
{
    struct pollfd waits[] = {{until, POLLIN, 0}, {server->events, POLLIN, 0}};
    while (waits[0].revents == 0) {
        double left = cut_old(server);
        MHD_UNSIGNED_LONG_LONG soon;
        int wait = left < 0 ? -1 : (int)(left * 1000) + 1;
        if (MHD_get_timeout(server->daemon, &soon) == MHD_YES && (wait < 0 || soon < (unsigned)wait))
            wait = (int)soon;
        if (poll(waits, 2, wait) >= 0 || errno != EINTR)
            serve(server);
    }
}

void page_server_close(struct page_server *server)
{
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    server->daemon = NULL;
}
