/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_counted: runs a compiler so that what it makes counts its own operations.
 */
#include "driver.h"
#include "papi.h"
#include "tools/common/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_counted [OPTIONS] COMPILER [ARGUMENTS]\n"
    "       papi_counted --share PROGRAM [ARGUMENTS]\n"
    "       papi_counted --report PROGRAM\n"
    "Compiles and links as the compiler does, and has the program count its own\n"
    "operations: exactly, at nearly its own speed, on any machine, for PAPI to read.\n"
    "\n"
    "  papi_counted gfortran -O3 -c a.f90      CC=\"papi_counted gcc\" ./configure\n"
    "  papi_counted gfortran a.o -lpapi        papi_counted mpicc -O2 b.c -lpapi\n"
    "\n"
    "For gcc, g++, gfortran, clang, flang and MPI's wrappers; x86-64, 64-bit Arm.\n"
    "The link, too, must be by it. What it does not compile is not counted.\n"
    "\n"
    "      --shared-by-threads  counters of the process in the place of counters of\n"
    "                           each thread: for libraries that are loaded by dlopen\n"
    "      --share              runs a program that was built so, and says at its end\n"
    "                           how much of its time was in code that is not counted\n"
    "      --report             of a program or shared library: the functions that it\n"
    "                           calls whose arithmetic is not counted\n"
    "      --version            the version of the interface\n"
    "  -h, --help               this text\n"
    "\n"
    "Exit status: the compiler's; 125 after an error of papi_counted, 127 if the\n"
    "compiler is not found.\n";

enum { EXIT_NOT_FOUND = 127 };

static int print_version(void)
{
    printf("papi_counted (fpapi) %d.%d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION),
           PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION));
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_OWN_ERROR;
}

int run(char *const *argv)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], argv);
        int error = errno;
        complain("%s: %s", argv[0], strerror(error));
        _exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_OWN_ERROR);
    }
    if (child < 0) {
        complain("%s", strerror(errno));
        return EXIT_OWN_ERROR;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_OWN_ERROR;
}

/* Puts the folder of our assembler into COMPILER_PATH, where LLVM's compilers look first. */
static void set_path(const struct parts *parts)
{
    struct words words = {0};
    const char *others = getenv("COMPILER_PATH");
    words_add(&words, "%s%s%s", parts->folder, others != NULL ? ":" : "", others != NULL ? others : "");
    setenv("COMPILER_PATH", words.word[0], 1);
    words_free(&words);
}

static int compile(const struct job *job, struct parts *parts, bool process)
{
    struct words words = {0};
    bool links = job->links && job->why_not == NULL;
    if (job->flang)
        set_path(parts);
    setenv("PAPI_COUNTED_SLOTS", process ? "process" : job->shared ? "initial" : "local", 1);
    setenv("PAPI_COUNTED_AS", job->assembler, 1);
    int status = links ? module_make(job, parts) ?: arithmetic_make(job, parts, process) : 0;
    if (status != 0)
        return status;
    job_words(job, parts, &words);
    status = run(words.word);
    if (status == 0 && links) {
        char *weigh[] = {parts->weigher, job->output, NULL};
        status = run(weigh);
    }
    words_free(&words);
    return status;
}

static int counted(char **command, bool process)
{
    struct parts parts;
    struct job job = job_of(command);
    int status = parts_find(&parts, job.processor);
    if (status == 0 && job.why_not != NULL)
        complain("not counted: %s", job.why_not);
    if (status == 0)
        status = compile(&job, &parts, process);
    module_remove(&parts);
    arithmetic_remove(&parts);
    parts_free(&parts);
    job_free(&job);
    return status != 0 ? status : EXIT_SUCCESS;
}

/* Runs a program with our library preloaded, before those that the user preloads. */
static int with_share(char *const *command)
{
    struct parts parts;
    struct words words = {0};
    int status = parts_find(&parts, NULL);
    if (status == 0) {
        const char *others = getenv("LD_PRELOAD");
        words_add(&words, "%s%s%s", parts.share, others != NULL ? ":" : "", others != NULL ? others : "");
        setenv("LD_PRELOAD", words.word[0], 1);
        execvp(command[0], command);
        status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_OWN_ERROR;
        complain("%s: %s", command[0], strerror(errno));
    }
    words_free(&words);
    parts_free(&parts);
    return status;
}

static int report_on(char *program)
{
    static char option[] = "--report";
    struct parts parts;
    int status = parts_find(&parts, NULL);
    char *command[] = {parts.weigher, option, program, NULL};
    status = status ?: run(command);
    parts_free(&parts);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"shared-by-threads", no_argument, NULL, 's'},
        {"share", no_argument, NULL, 'S'},
        {"report", no_argument, NULL, 'R'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    bool process = false, share = false, report = false;
    int c;
    argv[0] = "papi_counted"; /* as messages about options begin */
    /* +: what follows the compiler is the compiler's. */
    while ((c = options_next(argc, argv, "+h", long_options)) != -1) {
        if (c == 'V')
            return print_version();
        if (c == '?') {
            fputs("papi_counted --help lists the options\n", stderr);
            return EXIT_OWN_ERROR;
        }
        if (c == 'h') {
            fputs(usage_text, stdout);
            return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_OWN_ERROR;
        }
        share = share || c == 'S';
        report = report || c == 'R';
        process = process || c == 's';
    }
    if (argv[optind] == NULL) {
        complain("no compiler: papi_counted gcc ...");
        return EXIT_OWN_ERROR;
    }
    if (report)
        return report_on(argv[optind]);
    return share ? with_share(argv + optind) : counted(argv + optind, process);
}
