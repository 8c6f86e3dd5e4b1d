/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"
#include "tools/common/machine_head.h"

/* papi_doctor: the facts about a machine and a process (doctor_patient.c), what the kernel answers when it is
 * asked for counters (doctor_patient.c), and the checks, each of which makes one finding of them. */

/* ---- what is found */

enum verdict { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_OBSTACLE };

enum { DOCTOR_MAX_CHANGES = 4 };

/* Remedy for a finding: who must apply it or where ("as root"), and the command. */
struct change {
    char who[80];
    char command[240];
};

struct finding {
    enum verdict verdict;
    char seen[1024]; /* a sentence or two */
    int n_changes;
    struct change change[DOCTOR_MAX_CHANGES];
};

void finding_set(struct finding *finding, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define finding_ok(finding, ...) finding_set(finding, DOCTOR_OK, __VA_ARGS__)
#define finding_note(finding, ...) finding_set(finding, DOCTOR_NOTE, __VA_ARGS__)
#define finding_obstacle(finding, ...) finding_set(finding, DOCTOR_OBSTACLE, __VA_ARGS__)
/* Appends to the finding's text of what is seen. */
void finding_add(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_change(struct finding *finding, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- what is known */

enum { DOCTOR_UNKNOWN = INT_MIN, DOCTOR_MAX_PMUS = 8 };

/* Rights of the process, from /proc/self/status. */
struct rights {
    bool known;
    int user;               /* the effective one */
    bool perfmon, admin;    /* CAP_PERFMON, CAP_SYS_ADMIN */
    bool of_user_namespace; /* they do not hold outside, where perf_event_open looks */
    int seccomp;            /* 0, 1 or 2 (a filter); DOCTOR_UNKNOWN */
};

/* Answers of the kernel to perf_event_open: 0, or the errno. */
struct trials {
    int software;   /* its own event, in user mode */
    int hardware;   /* cycles or instructions in user mode */
    int group;      /* hardware events that one group takes, by the kernel's own account */
    bool any_group; /* the kernel opens a group of any size, so that its account says nothing */
    int at_once;    /* number of them that ran at once; -1: not tried */
    int filter;     /* the errno of a filter that keeps the call from the kernel; 0: there is none */
};

/* Container that the process runs in. */
struct container {
    const char *name; /* NULL: in no known container */
    bool sure;        /* the kernel says so, too */
    const char *file; /* that is there as in a container; NULL: not needed, or none */
};

/* live: the process's own variables count. */
void container_find(struct container *container, const char *root, bool live);

struct patient {
    const char *root; /* machine_root */
    bool live;        /* this machine: the kernel can be asked. Otherwise files that were taken from one */
    bool emulated;    /* papi_emulate counts */
    char release[80]; /* of the kernel; "": not told */
    int major, minor;
    int paranoid; /* DOCTOR_UNKNOWN */
    struct rights rights;
    struct container container;
    const char *hypervisor; /* that the processor or the firmware names; NULL: none */
    char firmware[80];      /* its vendor: clouds are told apart by it */
    bool devices_seen;      /* /sys/bus/event_source/devices could be read */
    int n_pmus;             /* of the processor's cores */
    char pmu[DOCTOR_MAX_PMUS][MACHINE_PMU_NAME];
    const PAPI_component_info_t *perf; /* the component of perf_event */
    struct trials trials;
    /* The library's own count of a loop */
    const char *counted_event; /* NULL: none counts */
    long long counted;
    char counting_failed[PAPI_HUGE_STR_LEN]; /* why */
};

/* Examines what a diagnosis needs. The library has been initialised. */
void patient_examine(struct patient *patient);

/* True if kernel.perf_event_paranoid does not restrict this process. */
bool patient_is_privileged(const struct patient *patient);
/* True if its level stops an ordinary user from counting at all: distributions have levels above 2. */
bool patient_is_refused_by_level(const struct patient *patient);

/* The options by which the process's container is given the devices of a vendor; NULL: it has none, or it is
 * not known. */
const char *container_gives_devices(const struct container *container, bool nvidia);

/* The words for the user who can set what all containers share: "as root", or "as root, on the host". */
const char *patient_root(const struct patient *patient);

void trials_run(struct trials *trials, bool alike_cores);

/* ---- the checks */

/* Each is a function check_NAME: who may count (doctor_access.c), what there is to count with
 * (doctor_counters.c), the library and what is around it (doctor_software.c).
 *   live  there is nothing to say of a snapshot */
#define DOCTOR_CHECKS(CHECK)                                                                                 \
    CHECK(kernel, "Kernel", false)                                                                           \
    CHECK(container, "Container", false)                                                                     \
    CHECK(perf_event_open, "perf_event_open", false)                                                         \
    CHECK(paranoid, "Paranoid level", false)                                                                 \
    CHECK(capabilities, "Capabilities", false)                                                               \
    CHECK(virtual_machine, "Virtual machine", false)                                                         \
    CHECK(pmu, "PMU", false)                                                                                 \
    CHECK(counting, "Counting", true)                                                                        \
    CHECK(counters_at_once, "Counters at once", true)                                                        \
    CHECK(nmi_watchdog, "NMI watchdog", false)                                                               \
    CHECK(core_types, "Types of cores", false)                                                               \
    CHECK(user_reads, "User-space reads", false)                                                             \
    CHECK(overflow, "Overflow", false)                                                                       \
    CHECK(libpfm, "libpfm4", true)                                                                           \
    CHECK(presets, "Presets", true)                                                                          \
    CHECK(software_events, "Software events", true)                                                          \
    CHECK(descriptors, "File descriptors", true)                                                             \
    CHECK(energy, "Energy", false)                                                                           \
    CHECK(devices, "Devices", false)                                                                         \
    CHECK(hwloc, "hwloc", true)                                                                              \
    CHECK(environment, "Environment", true)                                                                  \
    CHECK(emulator, "Emulator", true)                                                                        \
    CHECK(mpi, "MPI", true)

#define CHECK(name, title, live) void check_##name(const struct patient *patient, struct finding *finding);
DOCTOR_CHECKS(CHECK)
#undef CHECK
