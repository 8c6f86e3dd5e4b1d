/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The clocks that one thread of a program read, in the order of its calls: recorded while it ran
 * natively, given to it again while it is emulated (papi_emulate --native-times). The environment
 * tells the library which: PAPI_NATIVE_TIMES=record:FOLDER or replay:FOLDER.
 *
 *   FOLDER/RANK-PROGRAM-N/    the N-th process of that rank and program, from 0; RANK "x" without MPI
 *     tID or nK               a thread by its own number (PAPI_thread_init), or the K-th to read a clock
 *     replayed                a folder: the process has been taken by one of the emulated run
 *   FOLDER/RANK-PROGRAM-N.new/ a process that only the emulated run had */

#define TIMES_VARIABLE "PAPI_NATIVE_TIMES"
#define TIMES_NEW ".new"

enum times_kind { TIMES_END, TIMES_REAL, TIMES_VIRTUAL, TIMES_TICKS, TIMES_KINDS };

/* The program runs natively so that its clocks are recorded: it shall take the same way as in the
 * emulator, where all events of the emulator can be had and none of the kernel's. The library's answer, which
 * reads the variable once, and not where the program has rights that its caller lacks: core/times.c. */
bool times_recording(void);

struct times_record {
    int64_t value; /* nanoseconds, or ticks */
    uint32_t kind;
    uint32_t reserved;
};

struct times_head {
    uint64_t recorded, replayed; /* calls */
    uint64_t lost;               /* calls for which there was no room */
    uint64_t diverged;           /* the first call that differed, from 1; 0: none */
    uint32_t native, emulated;   /* enum times_kind: what it was; TIMES_END: no call any more */
};

/* The records begin behind the head, at a multiple of every machine's pages, and are mapped in pieces. */
enum {
    TIMES_HEAD_SIZE = 1 << 16,
    TIMES_PIECE_SIZE = 1 << 20,
    TIMES_PIECE_RECORDS = TIMES_PIECE_SIZE / (int)sizeof(struct times_record),
    TIMES_MOST_PIECES = 256, /* a quarter of a gigabyte for one thread */
};
