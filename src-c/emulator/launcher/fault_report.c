/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/launcher/launcher.h"
#include "tools/common/terminal.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Texts from the shared memory end within their room, but no program is to be trusted. */
#define TEXT(field) (int)strnlen(field, sizeof(field)), field

static const struct {
    const char *needs; /* begins so */
    const char *flags; /* what to compile without */
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

/* Both texts may be the ends of paths only, and one of them may have come through a link. */
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

/* How other programs ended than the one that was started, nobody here knows. */
void faults_explain(const struct run_counts *counts, const struct child *child)
{
    for (size_t i = 0; i < counts->n; i++) {
        const struct program_counts *program = &counts->program[i];
        bool is_child = program->process->pid == (uint32_t)child->pid;
        if (program->process->fault.known != 0 && !program->running && (!is_child || ended_by_fault(child)))
            explain(program->process);
    }
}
