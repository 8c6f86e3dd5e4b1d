/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "components/device/libpcp.h"

#include "papi.h"

#include <stdatomic.h>
#include <sys/types.h>

/* A connection to this node's pmcd, the daemon of Performance Co-Pilot, by its library. */

struct pcp_metric {
    int number, type, domain;
    bool counts; /* it only grows, and is no level */
    char name[PAPI_MAX_STR_LEN];
    char unit[64];
};

struct pcp {
    void *library;
#define PCP_MEMBER(member, name, type, arguments) type(*member) arguments;
    PCP_FUNCTIONS(PCP_MEMBER)
    int context;
    pid_t owner;          /* the process whose connection it is */
    atomic_bool down;     /* the connection was lost, and the next question makes a new one */
    atomic_uint breaches; /* how often counters may have begun anew: by a lost connection, an agent's end */
    int n_metrics;
    struct pcp_metric **metric;
};

/* Functions for while signals are held. pcp_open loads the library and connects: PAPI_ENOSUPP with what to
 * do. */
int pcp_open(const char *root, struct pcp **out, struct reason *why);
void pcp_close(void *opened);

/* Turns an error of the library into a code, with a reason. */
int pcp_failed(struct pcp *pcp, int error, const char *what, struct reason *why);

/* Asks pmcd for metrics. PAPI_ESYS: it does not answer; the next call connects anew. */
int pcp_fetch(struct pcp *pcp, int n, int *metric, struct pcp_result **result, const char *what,
              struct reason *why);

/* Makes the connection this thread's current one; anew where it was lost, or is that of a parent. */
int pcp_use(struct pcp *pcp, const char *what, struct reason *why);
