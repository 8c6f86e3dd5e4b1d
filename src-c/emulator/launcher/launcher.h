/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "emulator/exec_command.h"
#include "formats/emulator_memory.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"
#include "tools/common/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* papi_emulate: runs a program in an emulator with the plugin that counts.
 *
 *   papi_emulate.c    options, and the order of things
 *   messages.c        messages, and the end where memory lacks
 *   find_program.c    the program to be run, and its processor
 *   emulator.c        the emulator, the plugin, the command line of both, and the emulated processor
 *   caches.c          the caches that are simulated
 *   shared_memory.c   the memory in which the plugin counts, and the sums of it
 *   child.c           the running program: signals, stops, how it ended
 *   event_names.c     the names of the events
 *   emulate_report.c  the totals at the end
 *   fault_report.c    advice about an instruction that the emulator does not have
 *   native_times.c    a first run that is not emulated
 *
 * Functions that return an exit status return 0 for success, and have said what is wrong otherwise. */

/* Like those of env, nohup and timeout: all other statuses are the program's. */
enum { EXIT_OWN_ERROR = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/* ---- messages.c */

/* Prints a line on standard error, with the name of the tool before it. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* A descriptor that is none of the three standard ones, which the caller may have left closed. */
int above_standard(int fd);

/* ---- find_program.c */

enum guest { GUEST_X86_64, GUEST_ARM64 };

struct program {
    enum guest guest;
    struct command_target target;
};

/* Looks for a file to execute as execvp does: 0 and its path, or errno and NULL. */
int search_path(const char *name, char **path);

/* Returns an exit status. */
int program_find(struct program *program, const char *name);

/* ---- emulator.c */

struct emulator {
    char *path, *plugin; /* absolute: the program may change its folder and execute others */
};

/* Returns an exit status. */
int emulator_find(struct emulator *emulator, enum guest guest);
void emulator_free(struct emulator *emulator);

/* The emulator and its options; the program follows behind. The plugin's options are "key=value".
 *   cpu  the emulated processor, as the emulator names it; NULL: QEMU_CPU, or a modern one of the host's
 * vendor */
void emulator_words(struct words *words, const struct emulator *emulator, enum guest guest, const char *cpu,
                    const struct words *plugin_options);

/* Settings for programs that run in an emulator and not on the machine. */
void emulator_environment(void);

/* ---- caches.c */

/* The geometry in a form that cache_geometry_parse takes. asked: by the user; NULL: this machine's.
 * Returns an exit status. */
int caches_choose(const char *asked, char **geometry);

/* ---- shared_memory.c */

struct memory {
    int fd;
    struct emulated_memory *shared;
    bool estimates; /* are to be read, too */
};

/* Returns an exit status. */
int memory_make(struct memory *memory, bool caches, bool estimates);
void memory_free(struct memory *memory);

/* The counts of one program. */
struct program_counts {
    const struct emulated_process *process;
    uint64_t count[EMULATED_ROOM];
    bool running; /* still: these are its counts so far */
};

/* Counts of the whole run. */
struct run_counts {
    struct program_counts *program; /* in the order of the table */
    size_t n;
    uint64_t sum[EMULATED_ROOM];
    uint64_t threads; /* all that ever ran */
};

void memory_read(const struct memory *memory, struct run_counts *counts);

/* ---- child.c */

struct child {
    pid_t pid;
    int status; /* as of waitpid */
};

/* Runs a command to its end, and is meanwhile to signals and to the terminal what the program would
 * be. An emulator that neither executes anything nor takes a signal is killed.
 *   memory  in which it counts; NULL: the command is no emulator
 * Returns an exit status: not 0 only if there is no child. */
int child_run(struct child *child, const struct command *command, const struct memory *memory);

/* ---- event_names.c */

struct event {
    const char *name, *description;
    bool cache;    /* counts with --caches */
    bool estimate; /* exists with --cycles=estimate */
};

extern const struct event events[EMULATED_EVENTS];

/* A set of events: one bit each. */
typedef uint64_t event_set;

static inline bool event_in(event_set set, unsigned event)
{
    return (set >> event & 1) != 0;
}

/* Names, separated by commas, with emu:: before them or not. Returns an exit status. */
int events_choose(const char *list, event_set *set);

/* All that count: those of the caches only with caches, what is estimated only with estimates. */
event_set events_counted(bool caches, bool estimates);

void events_list(bool json);

struct native_run;

/* ---- emulate_report.c */

struct report {
    bool wanted, json, only_chosen; /* only_chosen: those events also where they are 0 */
    event_set events;
    int fd;
    struct output output; /* of the file */
    char *file;           /* NULL: standard error */
    char *const *program; /* the command that was typed */
    const char *emulator; /* its path */
    const char *caches;   /* geometry, or NULL */
    const struct native_run *native;
};

/* Opens the report's file, before the program runs: it is better to know then that it cannot be written.
 * pattern: NULL for standard error, "-" for standard output. Returns an exit status. */
int report_open(struct report *report, const char *pattern);
void report_write(struct report *report, const struct memory *memory, const struct run_counts *counts,
                  const struct child *child);
void report_close(struct report *report);

/* ---- fault_report.c */

/* Explains each program's end at an instruction that the emulator does not have. */
void faults_explain(const struct run_counts *counts, const struct child *child);

/* ---- native_times.c */

/* A run of the program as it is, before the emulated one, in which its clocks are recorded. */
struct native_run {
    char *folder; /* of the recordings; NULL: there was no such run */
    struct child child;
    double real, cpu;      /* seconds of the whole run, of all its processes */
    unsigned long threads; /* that read a clock */
    unsigned long calls;
};

/* Runs it, and sets the variable with which the emulated run gets the recorded times. Returns an exit
 * status. */
int native_run(struct native_run *run, const struct program *program, char *const argv[]);

/* Says where the emulated run read its clocks in another order. */
void native_compare(struct native_run *run);
void native_free(struct native_run *run);
