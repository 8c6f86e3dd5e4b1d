/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "facts.h"
#include "runs.h"

struct json_t;

/* Everything that is asked of a program, one run after the other. */
struct gather {
    char **program;    /* and its arguments */
    const char *roofs; /* a file for papi_roofline; NULL: the usual one */
    double limit;      /* seconds for the emulated run; 0: there is none */
    char *folder;      /* for files of this run */
    struct watch watch;
    struct facts facts;
    struct json_t *root[5]; /* which the facts' texts belong to */
    int n_roots;
    struct papi_symbols *symbols;
    char *unknown[16]; /* sentences: what is not known and what to do */
    int n_unknown;
    int status; /* of the program, as of waitpid */
    struct stops stops;
};

/* Gathers the facts. NULL, or what failed: a sentence to be freed. After a signal, of which stops knows, the
 * facts are not worth a report. */
char *gather_all(struct gather *gather);

/* Removes the files and what belongs to the facts; a signal that came ends the process. */
void gather_end(struct gather *gather);
