/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <sys/time.h>

/* The interface of libpcp.so.3 (Performance Co-Pilot from 3.6 on), as much as is used here. Where the
 * library's own header is installed, tests/components/real_headers.c compares this with it. */

enum { PCP_NO_INSTANCES = -1, PCP_NO_METRIC = -1 }; /* of a metric's domain, and as the number of one */

struct pcp_description {
    int metric, type, domain, semantics;
    uint32_t units;
};

enum { PCP_INT32, PCP_UINT32, PCP_INT64, PCP_UINT64, PCP_FLOAT, PCP_DOUBLE, PCP_NUMBERS }; /* types */
enum { PCP_COUNTER = 1 };                                                                  /* semantics */

/* Values of a metric: in the value itself, or behind it in a block that begins with its length and type. */
struct pcp_value {
    int instance;
    union {
        const uint32_t *block; /* the length with this word in the lower 24 bits, the type above */
        int32_t whole;
    } at;
};

struct pcp_values {
    int metric, n; /* n: an error if it is negative */
    int format;
    struct pcp_value value[];
};

enum { PCP_IN_PLACE = 0, PCP_BLOCK_HEAD = 4, PCP_LENGTH_MASK = 0xffffff, PCP_TYPE_SHIFT = 24 };

struct pcp_result {
    struct timeval time;
    int n;
    struct pcp_values *values[];
};

enum { PCP_HOST = 1, PCP_ONE_LINE = 1 };

/* Bits of what a fetch returns: agents of pmcd that came, began anew or ended since the last one. */
enum { PCP_AGENTS_CHANGED = 7 };

/* Errors; others are errno, negative. */
enum {
    PCP_ERR_VALUE = -12351,
    PCP_ERR_TIMEOUT = -12353,
    PCP_ERR_NAME = -12357,
    PCP_ERR_PMID = -12358,
    PCP_ERR_INDOM = -12359,
    PCP_ERR_INST = -12360,
    PCP_ERR_IPC = -12366,
    PCP_ERR_EOF = -12368,
    PCP_ERR_NOAGENT = -12386,
    PCP_ERR_PERMISSION = -12387,
    PCP_ERR_AGAIN = -12389,
    PCP_ERR_NOTCONN = -12391,
};

/* Functions, and how the library names them. */
#define PCP_FUNCTIONS(FUNCTION)                                                                              \
    FUNCTION(new_context, "pmNewContext", int, (int type, const char *host))                                 \
    FUNCTION(use_context, "pmUseContext", int, (int context))                                                \
    FUNCTION(reconnect, "pmReconnectContext", int, (int context))                                            \
    FUNCTION(end_context, "pmDestroyContext", int, (int context))                                            \
    FUNCTION(each_name, "pmTraversePMNS_r", int,                                                             \
             (const char *below, void (*visit)(const char *name, void *context), void *context))             \
    FUNCTION(metrics, "pmLookupName", int, (int n, const char **name, int *metric))                          \
    FUNCTION(describe, "pmLookupDesc", int, (int metric, struct pcp_description *description))               \
    FUNCTION(instances, "pmGetInDom", int, (int domain, int **instance, char ***name))                       \
    FUNCTION(text, "pmLookupText", int, (int metric, int level, char **text))                                \
    FUNCTION(units, "pmUnitsStr_r", char *, (const uint32_t *units, char *out, int size))                    \
    FUNCTION(fetch, "pmFetch", int, (int n, int *metric, struct pcp_result **result))                        \
    FUNCTION(free_result, "pmFreeResult", void, (struct pcp_result * result))                                \
    FUNCTION(error, "pmErrStr_r", char *, (int error, char *out, int size))
