/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_COUNT_SETS_H
#define PAPI_UTILS_COUNT_SETS_H

#include "papi.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Events of any components, which are counted together: an event set for each component. */
enum { MAX_COUNT_EVENTS = 64, MAX_COUNT_SETS = 24 };

struct count_sets {
    pid_t target; /* the process that is counted, with what it starts; 0: this one */
    int n;
    struct {
        int component, es, n;
        long long value[MAX_COUNT_EVENTS]; /* of the last read or stop */
    } set[MAX_COUNT_SETS];
    char doubt[PAPI_HUGE_STR_LEN]; /* why the values of that may be too little; "": they are not */
};

/* Where an event's value is. */
struct count_place {
    int set, index;
    bool level; /* it shows how much there is of something now, and has no rate */
    bool real;  /* its values are the bits of real numbers */
};

/* A code of PAPI's; then why is a sentence. */
int count_sets_add(struct count_sets *sets, const char *name, struct count_place *place, char *why,
                   size_t size);

/* A code of PAPI's. Where counts may be too little, that is not an error but a doubt. */
int count_sets_start(struct count_sets *sets);
int count_sets_read(struct count_sets *sets);
int count_sets_stop(struct count_sets *sets);

long long count_sets_value(const struct count_sets *sets, const struct count_place *place);
void count_sets_end(struct count_sets *sets);

/* The number that a value is, where the event's are real. */
double count_real(long long value);

/* From one value of a counter to a later one. */
long long count_growth(const struct count_place *place, long long from, long long to);

#endif
