/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Counts as monitoring systems read them: OpenMetrics 1.0, or the older text format of Prometheus, in which
 * node_exporter's textfile collector wants its files.
 *
 * A family of metrics has one name, kind and unit, and its values may be added up; so each event is a family,
 * and what it says of a device, "eth0" of net:::eth0:rx:bytes, is a label. Values are in Prometheus' base
 * units, which end the name: powercap:::ENERGY_UJ:ZONE0 is papi_powercap_energy_joules_total. The label
 * "event" has the event's own name. */

enum { OPENMETRICS_NAME = 192, OPENMETRICS_WORDS = 200 };

enum openmetrics_form { FORM_OPENMETRICS, FORM_PROMETHEUS };

/* The values of one event. */
struct series {
    char family[OPENMETRICS_NAME]; /* without _total */
    char words[OPENMETRICS_WORDS]; /* for its HELP */
    const char *unit;              /* a base unit; NULL: none */
    double times, by;              /* a value in the base unit is so many times it, divided by this */
    char *labels;                  /* as they are printed; to be freed */
    bool level, real;

    /* Values so far: what was lost is carried, a counter does not go back. */
    bool has_value;
    long long carried, last;
    double real_carried, real_last;
};

/* Names for what no event counts, such as a job's time in MPI: "papi_mpi_useful_seconds", seconds, by 1e9. */
struct figure_family {
    const char *name;  /* without _total */
    const char *unit;  /* the base unit that ends the name; NULL: none */
    const char *words; /* for its HELP, without quotes and backslashes */
    double by;         /* a value is that many parts of the unit */
    bool level, real;
};

/* Describes an event, and gives it no value. PAPI_OK, or PAPI_ENOMEM. Every series is to be closed.
 *   level, real  as struct count_event has them */
int series_open(struct series *series, const char *event, bool level, bool real);
void series_close(struct series *series);

/* Describes a figure that is no event: its values are so many parts of the base unit that ends the family's
 * name, which is a text of the caller's for as long as the series is there. */
int series_open_figure(struct series *series, const struct figure_family *family);

/* Puts one more label before those that a series has. The value may be others' text. PAPI_OK or PAPI_ENOMEM.
 */
int series_label(struct series *series, const char *name, const char *value);

/* Takes the value that an event set has of the event. An estimate may be a little less than the one before,
 * which then stays. false: a counter that is not an estimate has gone back, and what it counted in between is
 * lost; what is shown grows on from where it was. */
bool series_take(struct series *series, long long value, bool estimate);

/* The lines of all series that have a value. One that has the same name and labels as another is left out.
 * Families of one name of which some are levels and others counters get two names. PAPI_OK, or
 * PAPI_ENOMEM: none is printed. */
int openmetrics_series(FILE *out, enum openmetrics_form form, const struct series *series, int n);

/* A family of one value without labels, of the program that shows the others. */
void openmetrics_counter(FILE *out, enum openmetrics_form form, const char *family, const char *unit,
                         const char *words, double value);
void openmetrics_gauge(FILE *out, enum openmetrics_form form, const char *family, const char *unit,
                       const char *words, double value);

/* The end of all lines, without which OpenMetrics is not whole. */
void openmetrics_end(FILE *out, enum openmetrics_form form);

/* The form that a file of this name is in: a .prom is for the textfile collector, which reads no other. */
enum openmetrics_form openmetrics_form_of(const char *path);
