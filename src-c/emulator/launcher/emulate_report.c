/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "base/nearest.h"
#include "emulator/launcher/launcher.h"
#include "tools/common/emulated_metrics.h"
#include "tools/common/other_program.h"
#include "tools/common/terminal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the file */

/* The number that MPI gave this process; NULL: none did. A batch script without MPI has the last
 * one too. */
static const char *mpi_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *rank = getenv(variables[i]);
        size_t digits = rank != NULL ? strspn(rank, "0123456789") : 0;
        if (digits > 0 && digits < 10 && rank[digits] == '\0')
            return rank;
    }
    return NULL;
}

/* Text in the place of %r, %p and %%; NULL: there is no such sign. */
static char *expand_sign(char sign)
{
    const char *rank = mpi_rank();
    if (sign == 'r')
        return memory_print("%s", rank != NULL ? rank : "0");
    if (sign == 'p')
        return memory_print("%ld", (long)getpid());
    return sign == '%' ? memory_print("%%") : NULL;
}

static char *expand(const char *pattern)
{
    char *file = memory_print("%s", "");
    while (*pattern != '\0') {
        size_t plain = strcspn(pattern, "%");
        bool sign = pattern[plain] == '%';
        char *value = sign ? expand_sign(pattern[plain + 1]) : memory_print("%s", "");
        char *longer = value != NULL ? memory_print("%s%.*s%s", file, (int)plain, pattern, value) : NULL;
        free(value);
        free(file);
        file = longer;
        if (file == NULL)
            return NULL;
        pattern += plain + (sign ? 2 : 0);
    }
    return file;
}

int report_open(struct report *report, const char *pattern)
{
    report->fd = STDERR_FILENO;
    report->file = NULL;
    if (!report->wanted || pattern == NULL)
        return 0;
    report->file = expand(pattern);
    if (report->file == NULL) {
        complain("--report=%s: %%r is the rank, %%p the process and %%%% one %%", pattern);
        return EXIT_OWN_ERROR;
    }
    if (strcmp(pattern, "-") == 0)
        report->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else {
        const char *why = output_open(&report->output, report->file);
        if (why != NULL) {
            complain("report %s: %s", report->file, why);
            return EXIT_OWN_ERROR;
        }
        report->fd = fileno(report->output.file);
    }
    if (report->fd >= 0)
        return 0;
    complain("report %s: %s", report->file, strerror(errno));
    return EXIT_OWN_ERROR;
}

void report_close(struct report *report)
{
    output_drop(&report->output);
    free(report->file);
}

/* ---- text */

/* Writes a number with its digits in groups: 1,234,567. */
static void write_number(uint64_t number, char out[32])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (int i = 0; i < n; i++) {
        *out++ = digits[i];
        if (i + 1 < n && (n - i - 1) % 3 == 0)
            *out++ = ',';
    }
    *out = '\0';
}

static void print_counts(FILE *out, const struct report *report, const uint64_t *count)
{
    for (unsigned i = 0; i < EMULATED_EVENTS; i++) {
        char number[32];
        if (!event_in(report->events, i) || (count[i] == 0 && !report->only_chosen))
            continue;
        write_number(count[i], number);
        fprintf(out, "  %-33s %20s%s\n", events[i].name, number,
                events[i].cache      ? "  simulated"
                : events[i].estimate ? "  estimated"
                                     : "");
    }
}

static void print_program(FILE *out, const struct report *report, const struct program_counts *program)
{
    const struct emulated_process *process = program->process;
    fprintf(out, "\n%.*s, process %u, %u %s%s\n", (int)strnlen(process->name, sizeof process->name),
            process->name, process->pid, process->threads, process->threads == 1 ? "thread" : "threads",
            program->running ? ", still running: its counts so far" : "");
    print_counts(out, report, program->count);
}

static void print_note(FILE *out, const char *text)
{
    fputs("\nNote: ", out);
    print_wrapped(out, text, 6, 6);
}

static const struct emulated_fault *next_unknown(const struct memory *memory, uint32_t *i)
{
    while (*i < EMULATED_UNKNOWN) {
        const struct emulated_fault *unknown = &memory->shared->unknown[(*i)++];
        if (__atomic_load_n(&unknown->known, __ATOMIC_ACQUIRE) != 0)
            return unknown;
    }
    return NULL;
}

static void print_unknown(FILE *out, const struct memory *memory)
{
    const struct emulated_fault *unknown;
    for (uint32_t i = 0; (unknown = next_unknown(memory, &i)) != NULL;) {
        char *text =
            memory_print("%.*s, at 0x%" PRIx64 " of %.*s", (int)sizeof unknown->instruction,
                         unknown->instruction, unknown->file[0] != '\0' ? unknown->offset : unknown->address,
                         (int)sizeof unknown->file, unknown->file[0] != '\0' ? unknown->file : "the memory");
        fputs("      ", out);
        print_wrapped(out, text, 6, 8);
        free(text);
    }
    if (memory->shared->n_unknown > EMULATED_UNKNOWN)
        fprintf(out, "      and others\n");
}

static void print_notes(FILE *out, const struct memory *memory, const struct run_counts *counts)
{
    char note[256], number[32];
    uint64_t unknown = counts->sum[EMULATED_UNKNOWN_INSTRUCTIONS], lost = memory->shared->lost_programs;
    if (unknown > 0) {
        write_number(unknown, number);
        snprintf(
            note, sizeof note,
            "the disassembler does not know %s of the instructions: they are counted as INSTRUCTIONS and "
            "as nothing else. In the order in which they were met:",
            number);
        print_note(out, note);
        print_unknown(out, memory);
    }
    if (lost > 0) {
        write_number(lost, number);
        snprintf(note, sizeof note, "no room was left to tell more programs apart; in the sum only: %s.",
                 number);
        print_note(out, note);
    }
    if (counts->n == 0 && lost == 0)
        print_note(out, "no program was counted.");
}

/* Millions of floating-point operations in a second of CPU time; 0: not known. */
static double native_rate(const struct native_run *native, const struct run_counts *counts)
{
    return native->cpu > 0 ? (double)counts->sum[EMULATED_FP_OPS] * 1e-6 / native->cpu : 0;
}

static void print_native(FILE *out, const struct native_run *native, const struct run_counts *counts)
{
    if (native->folder == NULL)
        return;
    fprintf(out, "\nNative run of the same: %.6f s of real time, %.6f s of CPU time\n", native->real,
            native->cpu);
    if (counts->sum[EMULATED_FP_OPS] > 0)
        fprintf(out, "  %-33s %20.1f\n", "FP_OPS in a second of CPU, millions", native_rate(native, counts));
}

static void write_text(FILE *out, const struct report *report, const struct memory *memory,
                       const struct run_counts *counts)
{
    const char *rank = mpi_rank();
    uint64_t programs = counts->n + memory->shared->lost_programs;
    fputs("papi_emulate: events of the whole run, counted in the emulator", out);
    fprintf(out, "%s%s\n", rank != NULL ? ", rank " : "", rank != NULL ? rank : "");
    if (report->caches != NULL)
        fprintf(out, "Simulated caches: %s\n", report->caches);
    for (size_t i = 0; i < counts->n; i++)
        print_program(out, report, &counts->program[i]);
    if (programs > 1) {
        fprintf(out, "\nSum of %" PRIu64 " programs, %" PRIu64 " %s\n", programs, counts->threads,
                counts->threads == 1 ? "thread" : "threads");
        print_counts(out, report, counts->sum);
    }
    print_native(out, report->native, counts);
    print_notes(out, memory, counts);
}

/* ---- JSON */

static void counts_json(struct json *json, const char *key, const struct report *report,
                        const uint64_t *count)
{
    json_open(json, key, '{');
    for (unsigned i = 0; i < EMULATED_EVENTS; i++)
        if (event_in(report->events, i))
            json_integer(json, events[i].name, (long long)count[i]);
    json_close(json, '}');
}

/* A text of the shared memory, with its end. */
static void text_json(struct json *json, const char *key, const char *text, size_t size)
{
    char *copy = memory_print("%.*s", (int)strnlen(text, size), text);
    json_string(json, key, copy);
    free(copy);
}

static void fault_json(struct json *json, const char *key, const struct emulated_fault *fault)
{
    char address[32];
    snprintf(address, sizeof address, "0x%" PRIx64, fault->address);
    json_open(json, key, '{');
    text_json(json, "instruction", fault->instruction, sizeof fault->instruction);
    text_json(json, "needs", fault->needs, sizeof fault->needs);
    json_string(json, "address", address);
    text_json(json, "file", fault->file, sizeof fault->file);
    json_integer(json, "offset", (long long)fault->offset);
    json_close(json, '}');
}

static void unknown_json(struct json *json, const struct memory *memory)
{
    const struct emulated_fault *unknown;
    json_open(json, "unknown_instructions", '[');
    for (uint32_t i = 0; (unknown = next_unknown(memory, &i)) != NULL;)
        fault_json(json, NULL, unknown);
    json_close(json, ']');
}

static void program_json(struct json *json, const struct report *report, const struct program_counts *program)
{
    const struct emulated_process *process = program->process;
    json_open(json, NULL, '{');
    text_json(json, "name", process->name, sizeof process->name);
    json_integer(json, "process", process->pid);
    json_integer(json, "parent", process->parent);
    json_integer(json, "threads", process->threads);
    json_boolean(json, "running", program->running);
    if (process->fault.known != 0 && !program->running)
        fault_json(json, "lacking_instruction", &process->fault);
    counts_json(json, "counts", report, program->count);
    json_close(json, '}');
}

static void integer_or_null(struct json *json, const char *key, bool known, long long value)
{
    if (known)
        json_integer(json, key, value);
    else
        json_string(json, key, NULL);
}

static void run_json(struct json *json, const struct report *report, const struct child *child)
{
    const char *rank = mpi_rank();
    integer_or_null(json, "rank", rank != NULL, rank != NULL ? atol(rank) : 0);
    json_open(json, "command", '[');
    for (int i = 0; report->program[i] != NULL; i++)
        json_string(json, NULL, report->program[i]);
    json_close(json, ']');
    json_string(json, "emulator", report->emulator);
    json_string(json, "simulated_caches", report->caches);
    integer_or_null(json, "status", WIFEXITED(child->status), WEXITSTATUS(child->status));
    integer_or_null(json, "signal", WIFSIGNALED(child->status), WTERMSIG(child->status));
}

static void native_json(struct json *json, const struct native_run *native, const struct run_counts *counts)
{
    if (native->folder == NULL)
        return;
    json_open(json, "native_run", '{');
    json_number(json, "real_seconds", native->real);
    json_number(json, "cpu_seconds", native->cpu);
    json_integer(json, "timer_calls", (long long)native->calls);
    json_integer(json, "threads", (long long)native->threads);
    json_number(json, "fp_ops_per_cpu_second", native_rate(native, counts) * 1e6);
    json_close(json, '}');
}

static void write_json(FILE *out, const struct report *report, const struct memory *memory,
                       const struct run_counts *counts, const struct child *child)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    run_json(&json, report, child);
    json_open(&json, "programs", '[');
    for (size_t i = 0; i < counts->n; i++)
        program_json(&json, report, &counts->program[i]);
    json_close(&json, ']');
    unknown_json(&json, memory);
    json_integer(&json, "lost_programs", (long long)memory->shared->lost_programs);
    json_integer(&json, "threads", (long long)counts->threads);
    counts_json(&json, "sum", report, counts->sum);
    native_json(&json, report->native, counts);
    json_close(&json, '}');
}

/* ---- the whole */

/* Writes all of a text. 0 or errno. */
static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno != EINTR)
            return errno;
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Writes it in one piece: several ranks may write to the same place. */
void report_write(struct report *report, const struct memory *memory, const struct run_counts *counts,
                  const struct child *child)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = or_end(open_memstream(&text, &size));
    if (report->json)
        write_json(out, report, memory, counts, child);
    else
        write_text(out, report, memory, counts);
    fclose(out);
    int error = write_all(report->fd, text, size);
    const char *why = error != 0 ? output_reason(error) : NULL;
    free(text);
    if (why != NULL)
        output_drop(&report->output);
    else if (report->output.file != NULL) /* a full disk may show only now */
        why = output_close(&report->output);
    else if (report->file != NULL && close(report->fd) != 0)
        why = output_reason(errno);
    if (why != NULL)
        complain("report %s: %s", report->file != NULL ? report->file : "to standard error", why);
}

/* ---- names of events */

#define PREFIX "emu::"

const struct event events[EMULATED_EVENTS] = {
#define EVENT(name, description) {PREFIX #name, description, false, false},
#define CACHE_EVENT(name, description) {PREFIX #name, description, true, false},
#define ESTIMATED_EVENT(name, description) {PREFIX #name, description, false, true},
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

/* ---- choosing */

static bool is_called(const struct event *event, const char *name, size_t length)
{
    const char *full = event->name;
    if (strncasecmp(name, PREFIX, strlen(PREFIX)) != 0)
        full += strlen(PREFIX);
    return strlen(full) == length && strncasecmp(full, name, length) == 0;
}

/* The event of a name; EMULATED_EVENTS: there is none. */
static unsigned event_called(const char *name, size_t length)
{
    unsigned i = 0;
    while (i < EMULATED_EVENTS && !is_called(&events[i], name, length))
        i++;
    return i;
}

static int no_event(const char *name, size_t length)
{
    char wanted[NEAREST_SIZE], near[NEAREST_TEXT];
    struct nearest nearest;
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    nearest_begin(&nearest, wanted);
    for (unsigned i = 0; i < EMULATED_EVENTS; i++) {
        nearest_try(&nearest, events[i].name);
        nearest_try(&nearest, events[i].name + strlen(PREFIX));
    }
    for (size_t i = 0; emulated_preset_at(i) != NULL; i++)
        nearest_try(&nearest, emulated_preset_at(i));
    complain("--events: there is no event \"%.*s\"%s; --events alone lists them", (int)length, name,
             nearest_text(&nearest, near));
    return EXIT_OWN_ERROR;
}

/* The events of a list, each of which exists. */
static event_set events_listed(const char *list)
{
    event_set set = 0;
    while (list != NULL && list[0] != '\0') {
        size_t n = strcspn(list, ",");
        set |= (event_set)1 << event_called(list, n);
        list = list[n] == ',' ? list + n + 1 : NULL;
    }
    return set;
}

/* The events of a name: one, or those that a preset is computed of. 0: there are none. */
static event_set events_called(const char *name, size_t length)
{
    unsigned event = event_called(name, length);
    return event < EMULATED_EVENTS ? (event_set)1 << event : events_listed(emulated_preset(name, length));
}

/* The events that metrics are computed of. 0, after a message: there are none. */
static event_set events_of_metric(const char *name, size_t length)
{
    char *why, *word = memory_print("%.*s", (int)length, name), *list = emulated_metric(word, false, &why);
    event_set set = events_listed(list);
    if (list == NULL)
        complain("--events: %s", why);
    free(why);
    free(list);
    free(word);
    return set;
}

int events_choose(const char *list, event_set *set)
{
    *set = 0;
    for (bool more = true; more;) {
        size_t length = strcspn(list, ",");
        bool metric = list[0] == '@';
        event_set called = metric ? events_of_metric(list, length) : events_called(list, length);
        if (called == 0)
            return metric ? EXIT_OWN_ERROR : no_event(list, length);
        *set |= called;
        more = list[length] == ',';
        list += length + more;
    }
    return 0;
}

event_set events_counted(bool caches, bool estimates)
{
    event_set set = 0;
    for (unsigned i = 0; i < EMULATED_EVENTS; i++)
        if ((caches || !events[i].cache) && (estimates || !events[i].estimate))
            set |= (event_set)1 << i;
    return set;
}

/* ---- listing */

static void list_text(void)
{
    enum { INDENT = 4 };
    puts("Events that are counted in the emulator; those marked * with --caches,\n"
         "those marked ~ estimated with --cycles=estimate");
    for (unsigned i = 0; i < EMULATED_EVENTS; i++) {
        printf("\n%s%s\n%*s", events[i].name,
               events[i].cache      ? " *"
               : events[i].estimate ? " ~"
                                    : "",
               INDENT, "");
        print_wrapped(stdout, events[i].description, INDENT, INDENT);
    }
}

static void list_json(void)
{
    struct json json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_open(&json, "events", '[');
    for (unsigned i = 0; i < EMULATED_EVENTS; i++) {
        json_open(&json, NULL, '{');
        json_string(&json, "name", events[i].name);
        json_string(&json, "description", events[i].description);
        json_boolean(&json, "needs_caches", events[i].cache);
        json_boolean(&json, "estimated", events[i].estimate);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

void events_list(bool json)
{
    if (json)
        list_json();
    else
        list_text();
}

/* ---- faults */

/* A text of the shared memory as an argument of %.*s: it ends within its room, whatever a program has written
 * there. */
#define TEXT(field) (int)strnlen(field, sizeof(field)), field

static const struct {
    const char *needs; /* begins so */
    const char *flags; /* option to compile without */
    const char *use;   /* and with */
    const char *library;
} advice[] = {
    {"AVX-512", "-march=native, -mavx512f and the like",
     "-march=haswell (x86-64-v3) gives gcc and gfortran AVX2 and FMA",
     "Some choose their code by a variable, e.g. OPENBLAS_CORETYPE=Haswell or MKL_ENABLE_INSTRUCTIONS=AVX2."},
    {"SVE", "-march=native, +sve and the like", "-march=armv8.2-a gives gcc and gfortran NEON",
     "Some choose their code by a variable, e.g. OPENBLAS_CORETYPE=NEOVERSEN1."},
    {"SME", "-march=native, +sme and the like", "-march=armv8.2-a gives gcc and gfortran NEON",
     "Some choose their code by a variable, e.g. OPENBLAS_CORETYPE=NEOVERSEN1."},
    {"", "-march=native and the like", "the architecture's base instructions always run",
     "Perhaps there is a build of it for an older processor."},
};

enum { N_ADVICE = sizeof advice / sizeof advice[0] };

static int advice_for(const struct emulated_fault *fault)
{
    int i = 0;
    while (i < N_ADVICE - 1 && strncmp(fault->needs, advice[i].needs, strlen(advice[i].needs)) != 0)
        i++;
    return i;
}

static const char *last_part(const char *path, size_t size)
{
    const char *slash = memrchr(path, '/', strnlen(path, size));
    return slash != NULL ? slash + 1 : path;
}

/* True if the fault is in a library. Both texts may be the ends of paths only, and one of them may have come
 * through a link. */
static bool in_library(const struct emulated_process *process)
{
    const char *file = last_part(process->fault.file, sizeof process->fault.file);
    return process->fault.file[0] != '\0' && strstr(file, ".so") != NULL &&
           strcmp(file, last_part(process->name, sizeof process->name)) != 0;
}

static void advise(const struct emulated_fault *fault, bool library)
{
    int i = advice_for(fault);
    char lacks[64] = "", text[512];
    if (fault->needs[0] != '\0')
        snprintf(lacks, sizeof lacks, "The emulated processor has no %.*s. ", TEXT(fault->needs));
    if (library)
        snprintf(text, sizeof text, "%sThe instruction is in a library: compile that without %s. %s", lacks,
                 advice[i].flags, advice[i].library);
    else
        snprintf(text, sizeof text, "%sCompile without %s: %s.", lacks, advice[i].flags, advice[i].use);
    print_wrapped(stderr, text, 0, 0);
}

static void explain(const struct emulated_process *process)
{
    const struct emulated_fault *fault = &process->fault;
    char where[512] = "", needs[sizeof fault->needs + 1];
    if (fault->file[0] != '\0')
        snprintf(where, sizeof where, " (+0x%" PRIx64 " in %.*s)", fault->offset, TEXT(fault->file));
    snprintf(needs, sizeof needs, "%.*s", TEXT(fault->needs));
    complain("%.*s needs %s: %.*s at 0x%" PRIx64 "%s", TEXT(process->name),
             needs[0] != '\0' ? needs : "an instruction that the emulator lacks", TEXT(fault->instruction),
             fault->address, where);
    advise(fault, in_library(process));
}

/* The signal for such an instruction may have had a handler: those of Fortran programs print where they
 * are, and end with an error or another signal. A program that tried what the processor can do goes on,
 * and one that somebody else ended may have been anywhere. */
static bool ended_by_fault(const struct child *child)
{
    static const int own[] = {SIGILL, SIGSEGV, SIGBUS, SIGABRT};
    if (WIFEXITED(child->status))
        return WEXITSTATUS(child->status) != 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (WTERMSIG(child->status) == own[i])
            return true;
    return false;
}

/* Explains programs that ended by an instruction which the emulator lacks. How programs ended is known only
 * of the one that was started. */
void faults_explain(const struct run_counts *counts, const struct child *child)
{
    for (size_t i = 0; i < counts->n; i++) {
        const struct program_counts *program = &counts->program[i];
        bool is_child = program->process->pid == (uint32_t)child->pid;
        if (program->process->fault.known != 0 && !program->running && (!is_child || ended_by_fault(child)))
            explain(program->process);
    }
}
