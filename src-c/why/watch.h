/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "timeline.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Looks a hundred times a second what the threads of a program do, by /proc. */

/* A system call in which a thread waited, and from where. */
struct watch_wait {
    long number;       /* of the system call */
    uint64_t address;  /* the return address in the program itself, as its file has it; 0: not known */
    char object[512];  /* the program */
    char file[256];    /* what descriptor the call is for names; "" */
    long looks, alone; /* alone: those in which no other thread wanted a processor */
};

struct watch {
    pid_t profiler; /* whose descendants are watched */
    bool job;       /* of these, the ranks of an MPI job alone */
    struct watch_wait *wait;
    int n_waits, room;
    struct watch_thread {
        pid_t id;
        double delay;      /* seconds for which it wanted a processor that others had */
        long ticks, looks; /* processor time; how often it was seen */
    } * thread;
    int n_threads, thread_room;
    long looks, idle,
        serial; /* with a thread at all; in which none wanted a processor; in which one did, of several */
    int most_threads;
    double reads, writes, bytes_read, bytes_written;
    struct watch_io {
        pid_t pid;
        double value[4];
    } * io;
    int n_io, io_room;
    struct timeline timeline;
};

/* Looks once. */
void watch_look(struct watch *watch);
void watch_free(struct watch *watch);
