/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Settings of a test for the libraries that stand for NVIDIA's, and ways to have them do something
 * (double_cupti.c, double_cuda.c). */

struct double_cuda {
    int init, devices; /* answer of cuInit, and the number of devices */
    int started;       /* cuInit came, and succeeded */
    int first;         /* number of the first of them on the node: others are hidden from this process */
    int power_alone;   /* their energy is not known: for the library of management */
    int in_records;    /* calls of the driver from the thread that brings records */
    int injecting;     /* it loads a tool, and answers no other call */
};

struct double_cupti {
    uint64_t now;                  /* its clock; 0: that of the machine */
    int enable, subscribe, domain; /* answers */
    int enabled[64];               /* kinds */
    int subscribed, domains;
    uint64_t drop;   /* records that the next buffer lacks */
    int before_init; /* calls that came before the driver was started */
    int room;        /* records of a buffer; 0: as many as fit */
    int flushes[2];  /* plain, forced */
};

/* Something that runs on a device; end 0: it has not ended. */
struct double_record {
    uint32_t kind, device;
    uint64_t begin, end, bytes;
};

/* The same, and where it comes from. */
struct double_work {
    struct double_record record;
    uint32_t launch; /* number of the call */
    uint8_t copy;    /* kind of a copy */
    const char *name;
};

/* Gives records in this order, from another thread, in as many buffers as they take. */
typedef void double_give(const struct double_record *record, int n);
typedef void double_give_work(const struct double_work *work, int n);
/* A call of the runtime (domain 2) or the driver (1) begins (0) or ends (1) on this thread. */
typedef void double_call(int domain, int side);
/* Has the program call the runtime to start something on a device, which takes so many ns and is known to the
 * driver's buffers when they are asked for. function: the runtime's; NULL: no call is seen. kernel: its name;
 * NULL: kind and copy say what it is. */
struct double_start {
    const char *function, *kernel;
    uint32_t kind, device;
    uint8_t copy;
    uint64_t ns, bytes;
};
typedef void double_starter(const struct double_start *what);
/* A kernel of the first device. */
typedef void double_kernel_starter(const char *kernel, int64_t ns);
/* The same of a call that has a name and a number. */
typedef void double_call_of(int domain, int side, const char *name, uint32_t number);
/* Has the library's clock be one of the machine, and as many devices as a job's ranks: a moment of that
 * clock. */
typedef uint64_t double_job_clock(void);
/* Work begins on a device: where records are told of only if they were seen to begin. */
typedef void double_begin(uint32_t kind, uint32_t device);
