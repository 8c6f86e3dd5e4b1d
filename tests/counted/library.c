/* SPDX-License-Identifier: BSD-3-Clause */
static volatile double sink;
/* Thread-local, by a call that is one sequence of instructions to the linker. */
__thread long library_turns;

static __attribute__((noinline)) void note(long n)
{
    library_turns += n;
}

/* 2 n operations. */
void library_work(long n);
void library_work(long n)
{
    double value = sink;
    for (long i = 0; i < n; i++)
        value = value * 0.5 + 1;
    sink = value;
    note(n);
    library_turns++;
}
