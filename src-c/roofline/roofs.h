/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream.h"

#include <stdbool.h>

struct points;

/* Roofs of a machine: operations in a second, and bytes in a second from each cache and from memory. */

enum { ROOFS_PEAKS = 16, ROOFS_LEVELS = 6, ROOFS_NAME = 256 };

/* A rate of a roof. spread: how far the median of its repetitions lies below the best, which the rate is, as
 * a part of it; negative: not known. */
struct roof_rate {
    double rate, spread;
};

/* Rates are of one core, and of all together. */
enum roofs_cores { ROOFS_ONE, ROOFS_ALL, ROOFS_TEAMS };

/* Half precision is a device's alone. */
enum roof_precision { ROOF_SINGLE, ROOF_DOUBLE, ROOF_HALF, ROOF_PRECISIONS };
extern const char *const roof_precisions[ROOF_PRECISIONS];

struct roof_peak {
    char name[32]; /* of the instructions */
    int bits;
    enum roof_precision precision;
    double rate[ROOFS_TEAMS];   /* operations a second */
    double spread[ROOFS_TEAMS]; /* as struct roof_rate */
};

struct roof_level {
    char name[8];                           /* L1d, L2, L3, memory */
    long long size;                         /* of one cache; 0 of memory */
    int line;                               /* bytes */
    double rate[STREAM_LOOPS][ROOFS_TEAMS]; /* bytes a second; 0: it cannot be told from the level below */
    double spread[STREAM_LOOPS][ROOFS_TEAMS];
};

struct roofs {
    /* Model of a device, whose roofs these are, as a whole: the rates of all cores, of which it has one; "":
     * they are a machine's. source: "measured", "given" or "computed", of a device's. */
    char device[ROOFS_NAME], source[16];
    char driver[64]; /* with which a device's were measured; "" */
    char host[ROOFS_NAME], processor[ROOFS_NAME];
    int cores;
    long long measured; /* seconds since 1970 */
    double clock;       /* cycles a second of one core; 0: not known */
    bool bound;         /* each thread to its core */
    bool busy;          /* others took time in all rounds of a test */
    struct roof_peak peak[ROOFS_PEAKS];
    int n_peaks;
    struct roof_level level[ROOFS_LEVELS]; /* the first cache first, memory last */
    int n_levels;
};

/* The device, or else the host. */
const char *roofs_name(const struct roofs *roofs);

/* Says from where a device's roofs are: "computed from its properties, not measured". */
const char *roofs_source(const struct roofs *roofs);

/* The largest rate of a precision, in operations a second; 0: there is none. With threads: as many cores, at
 * least one and at most all. */
double roofs_peak(const struct roofs *roofs, enum roof_precision precision, int threads);
struct roof_rate roofs_peak_rate(const struct roofs *roofs, enum roof_precision precision, int threads);

/* Bytes in a second from a level, of so many threads: for programs that only read, or else for those that
 * write a part of the bytes. */
double roofs_bandwidth(const struct roofs *roofs, int level, bool reads_only, int threads);
struct roof_rate roofs_bandwidth_rate(const struct roofs *roofs, int level, bool reads_only, int threads);

/* True for a cache that measures like memory, as all between it and memory do: a virtual machine may name one
 * that it does not have. It is no roof, and what comes from it is taken to come from memory. */
bool roofs_doubtful(const struct roofs *roofs, int level);

/* The level whose bytes count as those from a level: for memory the first doubtful cache, if there is one. */
int roofs_bytes_level(const struct roofs *roofs, int level);

/* ---- measuring */

/* Called during the measurement; part: how much of it is done, from 0 to 1. */
typedef void roofs_progress(void *data, double part);

/* Measures all roofs. Each test takes about so many seconds, and the best of its rounds counts. NULL, or what
 * failed, a sentence. */
struct roofs_care {
    double seconds;
    int rounds;
    roofs_progress *progress;
    void *data;
};
const char *roofs_measure(struct roofs *roofs, const struct roofs_care *care);

/* Measures the roofs of one of NVIDIA's devices, in so many turns of which the best counts. NULL, or why
 * there are none, a sentence to be freed. */
char *roofs_measure_device(int number, int rounds, struct roofs *roofs);

/* Computes the roofs of one of NVIDIA's devices from what its driver says. Of a chip that is not known
 * here there is no peak. NULL, or why there are none, a sentence to be freed. */
char *roofs_of_device(int number, struct roofs *roofs);

/* ---- files */

/* Roofs are kept in a file, because they take seconds to measure and stay the same.
 * Sentences that say what failed are to be freed. */

/* Path of the file with the roofs of this machine: in XDG_CACHE_HOME or .cache of HOME, in the folder papi.
 * The caller frees it. NULL: neither variable names a folder. */
char *roofs_path(void);

/* NULL, or why they could not be written. Folders are made; a file that was there is replaced as a whole.
 * points: of a program, or NULL. */
char *roofs_write(const char *path, const struct roofs *roofs, const struct points *points);

/* NULL, or why they could not be read; points: NULL, or for those that the file must have. */
char *roofs_read(const char *path, struct roofs *roofs, struct points *points);
