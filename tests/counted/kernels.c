/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of loops, branches and calls of C, for all that compilers make of them: each kernel by itself
 * between two marks. None calls a library, which would not be counted.
 */
#include "marks.h"

#include <complex.h>
#include <setjmp.h>
#include <stdint.h>

#ifndef REAL
#define REAL double
#endif

enum { N = 37 };

static REAL a[N][N], b[N][N], c[N][N], x[N * N], y[N * N], z[N * N];
static int64_t whole[N * N];
static REAL _Complex u[N], v[N], w[N];
static volatile REAL result;
static volatile int64_t whole_result;

static void prepare(void)
{
    for (int i = 0; i < N * N; i++) {
        x[i] = 1 + (REAL)i / (N * N);
        y[i] = 2 - (REAL)i / (N * N);
        whole[i] = (i * 7919) % 1009;
        a[i / N][i % N] = x[i];
        b[i / N][i % N] = y[i];
    }
    for (int i = 0; i < N; i++) {
        u[i] = x[i] + y[i] * I;
        v[i] = y[i] - x[i] * I;
    }
}

static void empty(void)
{
}

static void matrix(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            REAL sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

static void dot(void)
{
    REAL sum = 0;
    for (int i = 0; i < N * N; i++)
        sum += x[i] * y[i];
    result = sum;
}

static void triad(void)
{
    for (int i = 0; i < N * N; i++)
        z[i] = x[i] + 3 * y[i];
}

static void division(void)
{
    for (int i = 0; i < N * N; i++)
        z[i] = x[i] / y[i] + 1;
}

static void complex_product(void)
{
    for (int i = 0; i < N; i++)
        w[i] = (creal(u[i]) * creal(v[i]) - cimag(u[i]) * cimag(v[i])) +
               (creal(u[i]) * cimag(v[i]) + cimag(u[i]) * creal(v[i])) * I;
}

/* Loops of all signs, sizes and conditions. */
static void strides(void)
{
    int64_t sum = 0;
    for (unsigned i = 3; i < N * N; i += 7)
        sum += whole[i];
    for (int64_t i = N * N - 1; i >= 0; i -= 3)
        sum -= whole[i];
    for (short i = 0; i <= N; i++)
        sum ^= whole[i];
    for (int64_t *at = whole; at != whole + N * N; at++)
        *at += 1;
    int i = N * N;
    do
        sum += whole[--i];
    while (i > 5);
    whole_result = sum;
}

static int64_t find(int64_t wanted)
{
    for (int i = 0; i < N * N; i++) {
        if (whole[i] == wanted)
            return i;
        if (whole[i] < 0)
            break;
    }
    return -1;
}

static void leave(void)
{
    whole_result = find(500) + find(-5) + find(whole[N]);
}

/* A jump table, conditions in conditions, continue. */
static void choose(void)
{
    int64_t sum = 0;
    for (int i = 0; i < N * N; i++) {
        switch (whole[i] % 11) {
        case 0:
            sum += 3;
            break;
        case 1:
            sum *= 5;
            continue;
        case 2:
        case 3:
            sum ^= i;
            break;
        case 4:
            if (sum > 100 && (i & 1) != 0)
                sum -= 50;
            else if (sum < -100 || i % 3 == 0)
                sum += 70;
            break;
        case 7:
            sum |= 12;
            break;
        case 9:
            sum >>= 1;
            break;
        default:
            sum++;
        }
        if (sum > 1000)
            sum = 0;
    }
    whole_result = sum;
}

static void computed(void)
{
    static const void *const places[] = {&&add, &&subtract, &&twice, &&done};
    int64_t sum = 0;
    int i = 0;
    goto *places[whole[i] % 3];
add:
    sum += whole[i];
    if (++i == N)
        goto *places[3];
    goto *places[whole[i] % 3];
subtract:
    sum -= 2;
    if (++i == N)
        goto *places[3];
    goto *places[whole[i] % 3];
twice:
    sum *= 2;
    if (++i == N)
        goto *places[3];
    goto *places[whole[i] % 3];
done:
    whole_result = sum;
}

static __attribute__((noinline)) int64_t fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void recursion(void)
{
    whole_result = fibonacci(12);
}

static __attribute__((noinline)) REAL step(REAL value)
{
    return value * (REAL)0.5 + 1;
}

static REAL (*volatile pointer)(REAL) = step;

static void calls(void)
{
    REAL value = 1;
    for (int i = 0; i < N; i++)
        value = i % 3 == 0 ? step(value) : i % 3 == 1 ? pointer(value) : value + 2;
    result = value;
}

/* Through three calls at once, N times. */
static jmp_buf jump;

static __attribute__((noinline)) void deep(int n)
{
    for (int i = 0; i < 5; i++)
        whole[i]++;
    if (n == 0)
        __builtin_longjmp((void **)jump, 1);
    deep(n - 1);
    whole[0]++;
}

static void jumps(void)
{
    for (volatile int i = 0; i < N; i = i + 1)
        if (__builtin_setjmp((void **)jump) == 0)
            deep(3);
        else
            whole[1]--;
}

/* Assembly of its own, with a loop. */
static void assembly(void)
{
    int64_t n = N, sum = 0;
#if defined __aarch64__
    __asm__("1: add %1, %1, %0 // turn\n\tsubs %0, %0, #1\n\tb.eq 2f; b 1b\n2: nop; nop"
            : "+r"(n), "+r"(sum)
            :
            : "cc");
#else
    __asm__("1: add %0, %1\n\tdec %0\n\tjz 2f\n\tjmp 1b\n2: nop; nop" : "+r"(n), "+r"(sum));
    __asm__ volatile("rep; stosb" : : "c"(9L), "a"(0), "D"(whole) : "memory");
#endif
    whole_result = sum;
}

/* Flags that live long: carries. */
static void carries(void)
{
    unsigned __int128 sum = 1;
    for (int i = 0; i < N * N; i++)
        sum = sum * 3 + (uint64_t)whole[i];
    whole_result = (int64_t)(sum >> 64);
}

static __attribute__((noinline)) int64_t sorted(int64_t *of, int n)
{
    int64_t moves = 0;
    for (int i = 1; i < n; i++) {
        int64_t value = of[i];
        int j = i;
        for (; j > 0 && of[j - 1] > value; j--, moves++)
            of[j] = of[j - 1];
        of[j] = value;
    }
    return moves;
}

static void sort(void)
{
    for (int i = 0; i < N * N; i++)
        whole[i] = (i * 7919) % 1009;
    whole_result = sorted(whole, 5 * N);
}

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {{"empty", empty},       {"matrix", matrix},       {"dot", dot},
               {"triad", triad},       {"division", division},   {"complex", complex_product},
               {"strides", strides},   {"leave", leave},         {"choose", choose},
               {"computed", computed}, {"recursion", recursion}, {"calls", calls},
               {"jumps", jumps},       {"assembly", assembly},   {"carries", carries},
               {"sort", sort}};

int main(void)
{
    prepare();
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        void (*volatile run)(void) = kernels[i].run;
        mark_begin();
        run();
        mark_end(kernels[i].name);
        __asm__ volatile("" : : "r"(c), "r"(z), "r"(w), "r"(whole) : "memory"); /* all results are needed */
    }
    return 0;
}
