/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions of the program's own (MPI_Op_create), which MPI calls in the middle of a call. Their work is the
 * program's: MPI gets a function of this file in place of each, which takes what they work out of the time of
 * the call. A function has no argument that would say which operation it is of, so that there is one for each
 * place. C's and Fortran's operations have four pointers, of which nothing is looked at here. */
#include "calls/wrapper.h"

typedef void operation(void *in, void *inout, void *length, void *type);

/* True if the call that the thread is in is counted. */
static int in_counted_call(const struct thread_record *thread)
{
    return thread && papi_mpi.record && atomic_load_explicit(&papi_mpi.counting, memory_order_relaxed) &&
           mpi_thread.outermost != 0 && thread->inside >= 0;
}

static void operate(int place, void *in, void *inout, void *length, void *type)
{
    operation *own = (operation *)atomic_load_explicit(&papi_mpi.operation[place], memory_order_relaxed);
    uint64_t begin = clock_ticks();
    own(in, inout, length, type);
    struct thread_record *thread = mpi_thread.record;
    if (in_counted_call(thread))
        thread->since += clock_ticks() - begin; /* as if the call had begun so much later */
}

#define OPERATION(n)                                                                                         \
    static void operation_##n(void *in, void *inout, void *length, void *type)                               \
    {                                                                                                        \
        operate(n, in, inout, length, type);                                                                 \
    }
#define EIGHT(what, tens)                                                                                    \
    what(tens##0) what(tens##1) what(tens##2) what(tens##3) what(tens##4) what(tens##5) what(tens##6)        \
        what(tens##7)
#define ALL(what) EIGHT(what, 0) EIGHT(what, 01) EIGHT(what, 02) EIGHT(what, 03)
ALL(OPERATION)

#define NAME(n) operation_##n,
static operation *const instead[] = {ALL(NAME)};
_Static_assert(sizeof instead / sizeof *instead == OPERATIONS, "one function for each place");

static int is_instead(uintptr_t function)
{
    for (int i = 0; i < OPERATIONS; i++)
        if (function == (uintptr_t)instead[i])
            return 1;
    return 0;
}

/* A place is never free again: MPI may keep the function of an operation that the program has freed. */
void (*operation_instead_of(void (*function)(void)))(void)
{
    uintptr_t own = (uintptr_t)function;
    if (!papi_mpi.record || !function || is_instead(own)) /* Fortran's MPI_Op_create calls C's */
        return function;
    for (int i = 0; i < OPERATIONS; i++) {
        uintptr_t there = 0;
        if (atomic_compare_exchange_strong(&papi_mpi.operation[i], &there, own) || there == own)
            return (void (*)(void))instead[i];
    }
    atomic_fetch_add(&papi_mpi.record->operations_left, 1);
    return function;
}
