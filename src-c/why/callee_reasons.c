/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the reasons of what the program's lines call in libraries of the system.
 */
#include "reasons.h"
#include "tools/common/allocate.h"

#include <string.h>

static double share_of(const struct facts *facts, double seconds)
{
    return facts->sampled > 0 ? seconds / facts->sampled : 0;
}

/* Waiting at a line of a parallel part: there is no end of a part that it could be. */
static void say_lock(struct reasons *reasons, const struct facts *facts, const struct why_callee *callee)
{
    struct why_reason *reason = reasons_add(reasons, REASON_LOCK, CONFIDENCE_LIKELY, &callee->at);
    reason->share = share_of(facts, callee->seconds);
    reason->sentence =
        memory_text("threads wait for one another at this line of a parallel part: at a critical section, a "
                    "lock or a barrier, or for the next iterations");
    reason->helps = memory_text("reduction(+:s) or atomic in the place of a critical section, locks that are "
                                "held for shorter, larger pieces (schedule(dynamic, 100))");
}

/* A reason of a kind behind the first so many; NULL: there is none. */
static struct why_reason *find_kind(struct reasons *reasons, int first, enum reason_kind kind)
{
    for (int i = first; i < reasons->n; i++)
        if (reasons->reason[i].kind == kind)
            return &reasons->reason[i];
    return NULL;
}

static void say_openmp(struct reasons *reasons, const struct facts *facts, const struct why_callee *callee,
                       struct why_reason *said)
{
    if (callee->within && callee->at.line > 0) {
        say_lock(reasons, facts, callee);
        return;
    }
    double share = share_of(facts, callee->seconds);
    if (said != NULL) { /* another line's, or the library's own threads' */
        said->share += share;
        if (said->at.line == 0)
            said->at = callee->at;
        return;
    }
    struct why_reason *reason =
        reasons_add(reasons, REASON_WAIT, CONFIDENCE_LIKELY, callee->at.line > 0 ? &callee->at : NULL);
    reason->share = share;
    reason->sentence =
        memory_text("waiting in OpenMP's run-time library: at the end of a parallel loop for threads with "
                    "more of the work, or between two of them");
    reason->helps = memory_text("schedule(dynamic) where iterations differ, longer parallel parts; "
                                "OMP_WAIT_POLICY=passive where the processors have other work");
}

/* Copies. Where the line allocates, too, it is likely that something grows. */
static void say_copies(struct reasons *reasons, const struct facts *facts, const struct why_callee *callee)
{
    bool allocates = callee->of_kind[CALL_ALLOCATE] > 0 || callee->faults > 0;
    struct why_reason *reason = reasons_add(reasons, REASON_COPIES, CONFIDENCE_CERTAIN, &callee->at);
    reason->share = share_of(facts, callee->seconds);
    reason->sentence = memory_print("copies: this line copies memory (%s of %s)%s", callee->routine,
                                    path_base(callee->object),
                                    allocates ? ", and allocates it: something that grows by appending to "
                                                "it is copied as a whole each time"
                                              : "");
    reason->helps =
        memory_text(allocates ? "allocate twice as much whenever it is full, count what is used, and cut it "
                                "down at the end; move_alloc in the place of a copy"
                              : "pass sections that are contiguous (-Warray-temporaries names the others), "
                                "and pointers or move_alloc in the place of copies");
}

static const char *fortran_helps(const struct why_callee *callee)
{
    static const char *const texts[] = {"string_", "compare_string", "adjust", "select_string"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strstr(callee->routine, texts[i]) != NULL)
            return "go through each text once and keep where its parts are; short variables: what is not "
                   "used "
                   "of them is searched, too";
    if (strstr(callee->routine, "matmul") != NULL)
        return "a fast BLAS: -fexternal-blas -lopenblas";
    return "fewer and larger records, unformatted ones, whole arrays in the place of elements; numbers "
           "turned "
           "into text and back less often";
}

static const char *library_helps(const struct why_callee *callee)
{
    if (strstr(callee->object, "libgfortran") != NULL)
        return fortran_helps(callee);
    if (strstr(callee->routine, "pow") != NULL)
        return "a whole exponent as an integer (x**2, not x**2.0 or x**p); halves by sqrt (x*sqrt(x)); a "
               "table "
               "of what is asked for again";
    if (callee->of_kind[CALL_ALLOCATE] > 0.5 * callee->seconds)
        return "allocate once, outside of the loop, and use it again";
    return "call it less often, or a faster one: for vectors (-ffast-math -O3 for libmvec), a better BLAS";
}

static void say_library(struct reasons *reasons, const struct facts *facts, const struct why_callee *callee)
{
    struct why_reason *reason = reasons_add(reasons, REASON_LIBRARY, CONFIDENCE_CERTAIN, &callee->at);
    reason->share = share_of(facts, callee->seconds);
    bool named = strstr(callee->routine, "+0x") == NULL; /* a stripped library has no names of its own */
    reason->sentence =
        memory_print("a library's function: what this line calls takes the time, mostly %s%s%s",
                     named ? callee->routine : "", named ? " of " : "in ", path_base(callee->object));
    reason->helps = memory_text(library_helps(callee));
}

/* The command of a job with the library that tells waiting and transfer apart. To be freed. */
static char *with_wrappers(const char *command)
{
    const char *words = strchr(command, ' ');
    return memory_print("papi_mpirun%s", words != NULL ? words : " -n 2 ./a.out");
}

static void say_mpi(struct reasons *reasons, const struct facts *facts, const struct why_callee *callee,
                    const char *command)
{
    struct why_reason *reason = reasons_add(reasons, REASON_WAIT, CONFIDENCE_LIKELY, &callee->at);
    reason->share = share_of(facts, callee->seconds);
    reason->sentence = memory_print(
        "MPI: ranks are in its library, for other ranks or for what they send; most in %s", callee->routine);
    reason->helps =
        memory_text("the same work for each rank; fewer and larger messages; other work while they are "
                    "on their way");
    reason->ask = facts->ranks > 0 ? with_wrappers(command) : NULL;
}

static bool is_mpi(const char *object)
{
    static const char *const names[] = {"libmpi", "libopen-pal", "libopen-rte", "libucp",
                                        "libuct", "libfabric",   "mca_"};
    const char *base = path_base(object);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* True if one of the reasons from a place in the list to another says what the line does; pages that it
 * touches first do not explain what else it does. */
static bool explained(const struct reasons *reasons, int first, int behind, const struct where *at)
{
    for (int i = first; i < behind; i++)
        if (reasons->reason[i].kind != REASON_PAGE_FAULTS && reasons->reason[i].kind != REASON_UNKNOWN &&
            where_equal(&reasons->reason[i].at, at))
            return true;
    return false;
}

void callee_judge(struct reasons *reasons, const struct facts *facts, const struct why_callee *callee,
                  int whole, const char *command)
{
    if (strstr(callee->object, "libgomp") != NULL || strstr(callee->object, "libomp") != NULL) {
        say_openmp(reasons, facts, callee, find_kind(reasons, whole, REASON_WAIT));
        return;
    }
    bool copies = callee->of_kind[CALL_COPY] > 0.5 * callee->seconds;
    if (callee->at.line == 0 || explained(reasons, 0, copies ? whole : reasons->n, &callee->at))
        return;
    if (is_mpi(callee->object))
        say_mpi(reasons, facts, callee, command);
    else if (copies)
        say_copies(reasons, facts, callee);
    else
        say_library(reasons, facts, callee);
}
