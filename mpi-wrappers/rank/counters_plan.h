/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "metrics/metrics.h"
#include "record/record.h"
#include "record/settings.h"

/* The plan of a rank's events and event sets: a component has one event set, with several events. */
enum { MAX_SETS = 8 };

struct plan_set {
    int component;
    int multiplexed, inherited;
    int whole_program; /* an emulator's: with threads that are there already, and for nothing */
    int of_program;    /* counts of the program's own code: a counted build */
    int of_threads;    /* 0: what it counts is the process's or the node's, whichever thread reads it */
    int n;
    int counter[MAX_COUNTERS]; /* its events: places in the record */
    int es;                    /* of the calling thread; the plan was made with it */
};

struct counters_plan {
    int n_sets;
    int by_kernel; /* all events are the kernel's own: to read them takes a system call */
    struct plan_set set[MAX_SETS];
};

/* Plans event sets for all events that the settings name, or else for the usual ones; they are not started.
 * The record gets the names, the units and the reason why some are left out. */
void plan_make(struct counters_plan *plan, struct settings *settings, struct rank_record *record);

/* Creates another event set with the same events: of the calling thread alone (tid 0), or with inheritance of
 * the thread tid. Returns a code of PAPI's. */
int plan_copy(const struct plan_set *set, const struct rank_record *record, unsigned long tid, int *es);

void plan_destroy_set(int *es);

/* Puts a reason into the record, if that has none yet. */
void plan_reason(struct rank_record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Expands a word like "@flops" of PAPI_EVENTS: passes each event that the metrics need to take, with context,
 * and puts the metrics into the record. PAPI_OK, with the reason why the first of them that is
 * not counted is not; or a code with the reason. why has none before. */
int plan_metrics(const char *word, struct rank_record *record, int (*take)(void *context, const char *event),
                 void *context, struct reason *why);
