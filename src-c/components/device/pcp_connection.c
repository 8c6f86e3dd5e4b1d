/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/pcp_connection.h"
#include "base/load.h"
#include "components/device/device_library.h"
#include "papi.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libpcp.so.3"

static const struct device_function functions[] = {
#define SYMBOL(member, name, type, arguments) {name, offsetof(struct pcp, member), DEVICE_NEEDED},
    PCP_FUNCTIONS(SYMBOL)};

#define START_PMCD                                                                                           \
    "systemctl start pmcd starts it, as root; in a batch job it may have to be asked for with the job"

/* ---- errors */

/* True if an error is in a list, which 0 ends. */
static bool is_among(int error, const int *list)
{
    while (*list != 0 && *list != error)
        list++;
    return *list != 0;
}

static bool connection_lost(int error)
{
    static const int lost[] = {PCP_ERR_IPC,     PCP_ERR_EOF,
                               PCP_ERR_TIMEOUT, PCP_ERR_NOTCONN,
                               -EPIPE,          -ECONNRESET,
                               -ECONNREFUSED,   -ENOTCONN,
                               -ETIMEDOUT, /* also where it was asked too soon after the last failure */
                               -ENOENT,    /* its socket */
                               -EBADF,          0};
    return is_among(error, lost);
}

static int code_of(int error)
{
    static const int absent[] = {
        PCP_ERR_VALUE, PCP_ERR_NAME, PCP_ERR_PMID, PCP_ERR_INDOM, PCP_ERR_INST, PCP_ERR_NOAGENT, 0};
    static const int refused[] = {PCP_ERR_PERMISSION, -EACCES, -EPERM, 0};
    static const int passing[] = {PCP_ERR_AGAIN, -EINTR, -EMFILE, 0};
    return is_among(error, absent)                              ? PAPI_ENOEVNT
           : is_among(error, refused)                           ? PAPI_EPERM
           : is_among(error, passing) || connection_lost(error) ? PAPI_ESYS
           : error == -ENOMEM                                   ? PAPI_ENOMEM
                                                                : PAPI_EMISC;
}

int pcp_failed(struct pcp *pcp, int error, const char *what, struct reason *why)
{
    char text[128] = "";
    pcp->error(error, text, sizeof text);
    text[sizeof text - 1] = '\0';
    if (connection_lost(error))
        return reason_set(why, code_of(error), "%s: pmcd does not answer (%s): " START_PMCD, what, text);
    return reason_set(why, code_of(error), "%s: pmcd answers \"%s\" (%d)", what, text, error);
}

/* ---- connection */

/* The library ends the program where it finds no configuration. */
static int check_configuration(struct reason *why)
{
    const char *file = secure_getenv("PCP_CONF"), *folder = secure_getenv("PCP_DIR");
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s%s", file ?: folder ?: "", file != NULL ? "" : "/etc/pcp.conf");
    if (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0)
        return PAPI_OK;
    if (error_passes(errno))
        return reason_unreadable(path, why);
    return reason_set(
        why, PAPI_ENOSUPP,
        "%.200s, which Performance Co-Pilot needs, cannot be read: apt-get install pcp-conf, or "
        "PCP_CONF names the file",
        path);
}

/* True if there may be a pmcd. Where there is none, the library is not loaded: it keeps memory for good. */
static bool may_have_pmcd(const char *root)
{
    void *used = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD); /* by the program */
    if (used != NULL)
        dlclose(used);
    return used != NULL || (root != NULL && root[0] != '\0') || secure_getenv("PAPI_PCP_ROOT") != NULL ||
           secure_getenv("PMCD_SOCKET") != NULL || secure_getenv("PMCD_PORT") != NULL ||
           secure_getenv("PCP_CONF") != NULL || secure_getenv("PCP_DIR") != NULL ||
           access("/run/pcp/pmcd.socket", F_OK) == 0 || access("/var/run/pcp/pmcd.socket", F_OK) == 0;
}

static int load(struct pcp *pcp, const char *root, struct reason *why)
{
    if (!may_have_pmcd(root))
        return reason_set(
            why, PAPI_ENOSUPP,
            "no pmcd, the daemon of Performance Co-Pilot, is running here (there is no "
            "/run/pcp/pmcd.socket): systemctl start pmcd, after apt-get install pcp or dnf install "
            "pcp; PCP_CONF names the configuration of one that is elsewhere");
    static const char *const files[] = {LIBRARY, NULL}, *const folders[] = {LIBRARY_FOLDERS};
    static const struct device_library_source source = {
        .files = files,
        .root_variable = "PAPI_PCP_ROOT",
        .folders = folders,
        .advice =
            "the library of Performance Co-Pilot: apt-get install pcp or dnf install pcp; or name the folder "
            "that has it in lib in PAPI_PCP_ROOT",
    };
    return device_library_open(&source, root, &pcp->library, functions, sizeof functions / sizeof *functions,
                               pcp, why);
}

static int connect_first(struct pcp *pcp, struct reason *why)
{
    enum { MEMORY = 1 << 20 };
    int code = check_configuration(why);
    if (code != PAPI_OK)
        return code;
    if (!load_room(MEMORY, LOAD_MOST_DESCRIPTORS))
        return reason_unreadable("pmcd's socket", why);
    pcp->owner = getpid();
    pcp->context = pcp->new_context(PCP_HOST, "local:");
    if (pcp->context >= 0)
        return PAPI_OK;
    code = pcp_failed(pcp, pcp->context, "this node", why);
    return connection_lost(pcp->context)
               ? reason_set(why, PAPI_ENOSUPP, "no pmcd answers on this node: " START_PMCD)
               : code;
}

int pcp_open(const char *root, struct pcp **out, struct reason *why)
{
    struct pcp *pcp = *out = calloc(1, sizeof *pcp);
    if (pcp == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    pcp->context = -1;
    int code = load(pcp, root, why) ?: connect_first(pcp, why);
    if (code != PAPI_OK)
        pcp_close(pcp);
    return code;
}

void pcp_close(void *opened)
{
    struct pcp *pcp = opened;
    struct device_pipe_hold hold;
    device_hold_pipe(&hold);
    if (pcp->context >= 0)
        pcp->end_context(pcp->context);
    for (int i = 0; i < pcp->n_metrics; i++)
        free(pcp->metric[i]);
    free(pcp->metric);
    if (pcp->library != NULL)
        dlclose(pcp->library);
    free(pcp);
    device_release_pipe(&hold);
}

int pcp_use(struct pcp *pcp, const char *what, struct reason *why)
{
    bool inherited = pcp->owner != getpid(); /* its socket is the parent's, too */
    int error = pcp->use_context(pcp->context);
    if (error >= 0 && (inherited || atomic_load(&pcp->down))) {
        error = pcp->reconnect(pcp->context);
        if (error >= 0) {
            pcp->owner = getpid();
            atomic_fetch_add(&pcp->breaches, 1);
            atomic_store(&pcp->down, false);
        }
    }
    return error < 0 ? pcp_failed(pcp, error, what, why) : PAPI_OK;
}

int pcp_fetch(struct pcp *pcp, int n, int *metric, struct pcp_result **result, const char *what,
              struct reason *why)
{
    int code = pcp_use(pcp, what, why);
    if (code != PAPI_OK)
        return code;
    int changed = pcp->fetch(n, metric, result);
    if (changed < 0) {
        if (connection_lost(changed))
            atomic_store(&pcp->down, true);
        return pcp_failed(pcp, changed, what, why);
    }
    if ((changed & PCP_AGENTS_CHANGED) != 0)
        atomic_fetch_add(&pcp->breaches, 1);
    if ((*result)->n == n)
        return PAPI_OK;
    pcp->free_result(*result);
    return reason_set(why, PAPI_EMISC, "%s: pmcd gives other metrics than it was asked for", what);
}
