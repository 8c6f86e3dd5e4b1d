/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small loops that call nothing: their counters are in registers while they run, whatever ways lead in and
 * out. What each kernel computes is compared, too.
 */
#include "marks.h"

#include <stdint.h>
#include <stdio.h>

enum { N = 300 };

static int keys[N];
static double x[N], y[N];
static int64_t result;

static void prepare(void)
{
    for (int i = 0; i < N; i++) {
        keys[i] = i * 7919 % 1009;
        x[i] = 1 + (double)i / N;
        y[i] = 2 - (double)i / N;
    }
}

static void empty(void)
{
}

static void insertion(void)
{
    for (int i = 1; i < N; i++) {
        int key = keys[i], j = i - 1;
        for (; j >= 0 && keys[j] > key; j--)
            keys[j + 1] = keys[j];
        keys[j + 1] = key;
    }
    result = keys[N / 3];
}

/* Left in three ways, of which two meet others. */
static void search(void)
{
    for (int wanted = 0; wanted < 40; wanted++) {
        int i = 0;
        for (; i < N; i++) {
            if (keys[i] == wanted)
                break;
            if (keys[i] == 1000 - wanted)
                goto other;
            if ((keys[i] & 63) == 63 && i > 200)
                continue;
            result += keys[i] & 3;
        }
        result += i;
        continue;
    other:
        result -= i;
    }
}

/* Loops that lead into each other and back. */
static void chains(void)
{
    int64_t value = 27;
    for (int i = 0; i < N; i++) {
        while ((value & 1) == 0)
            value /= 2;
        while ((value & 3) == 3)
            value = value * 3 + 1;
        while (value % 3 == 0 && value > 1)
            value /= 3;
        value = value * 5 + i;
        value &= 0xffffff;
    }
    result += value;
}

/* A loop with two ways in is none that has a head. */
static void irreducible(void)
{
    int i = keys[3] & 1, sum = 0;
    if (keys[5] & 1)
        goto middle;
    for (;;) {
        sum += keys[i];
        if (sum & 4)
            i++;
    middle:
        sum ^= i;
        if (++i >= N)
            break;
    }
    result += sum;
}

/* The flags of a comparison go on from the loop. */
static void flags(void)
{
    int sum = 0;
    for (int i = 0; i < N; i++) {
        unsigned n = (unsigned)keys[i];
        while (n > 10) {
            n -= 7;
            if (n == 12)
                break;
        }
        sum += n < 10 ? 1 : n == 10 ? 2 : 5;
    }
    result += sum;
}

/* gcc knows which registers it leaves alone, and its callers keep numbers there. */
__attribute__((noinline)) static int steps(unsigned n)
{
    int count = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        count++;
    }
    return count;
}

static void kept(void)
{
    double a = x[1], b = x[2], c = x[3], d = x[4], e = x[5], f = x[6], g = x[7], h = x[8], p = x[9],
           q = x[10], r = x[11], s = x[12], t = x[13], u = x[14];
    for (int i = 1; i < 60; i++) {
        a += b * y[i], b += c, c += d * y[i], d += e, e += f * x[i], f += g, g += h * y[i], h += p,
            p += q * x[i];
        q += r, r += s * y[i], s += t, t += u, u += x[i];
        result += steps((unsigned)i);
    }
    result += (int64_t)(a + b + c + d + e + f + g + h + p + q + r + s + t + u);
}

/* All vector registers are in use. */
static void crowded(void)
{
    double sum[16] = {0};
    for (int i = 0; i < N - 16; i++)
        for (int j = 0; j < 16; j++)
            if (x[i + j] > y[j])
                sum[j] += x[i + j] * y[i];
    for (int j = 0; j < 16; j++)
        result += (int64_t)(sum[j] * 1000);
}

/* A table of jumps inside; the state of the loop goes around. */
static void machine(void)
{
    int state = 0, n = 0;
    for (int i = 0; i < N; i++) {
        switch (state) {
        case 0:
            state = keys[i] & 7;
            break;
        case 1:
            state = 2 + (keys[i] & 1);
            n++;
            break;
        case 2:
            state = 0;
            n += 3;
            break;
        case 3:
            state = 5;
            break;
        case 4:
            n ^= i;
            state = 1;
            break;
        case 5:
            state = keys[i] & 3;
            break;
        default:
            state = 0;
        }
    }
    result += n;
}

/* Loops that end when a register has passed another one, with and without a sign, upwards and downwards, the
 * limit included or not, some after one turn. What they compute depends on the turn before. */
#define BOUNDED(name, type, step, condition)                                                                 \
    static __attribute__((noinline)) uint32_t name(type i, type limit, uint32_t hash)                        \
    {                                                                                                        \
        do {                                                                                                 \
            hash = (hash ^ (uint32_t)i) * 16777619;                                                          \
            step;                                                                                            \
        } while (condition);                                                                                 \
        return hash;                                                                                         \
    }
#define BOUNDED_LATER(name, type, condition)                                                                 \
    static __attribute__((noinline)) uint32_t name(type i, type limit, uint32_t hash)                        \
    {                                                                                                        \
        do                                                                                                   \
            hash = (hash ^ (uint32_t)i) * 16777619;                                                          \
        while (condition);                                                                                   \
        return hash;                                                                                         \
    }
#define BOUNDS(DO, ...)                                                                                      \
    DO(int32_t, i32, __VA_ARGS__)                                                                            \
    DO(uint32_t, u32, __VA_ARGS__) DO(int64_t, i64, __VA_ARGS__) DO(uint64_t, u64, __VA_ARGS__)
#define BOUNDED_OF(type, name, ...)                                                                          \
    BOUNDED(up_less_##name, type, i++, i < limit)                                                            \
    BOUNDED(up_until_##name, type, i++, i <= limit)                                                          \
    BOUNDED(down_more_##name, type, i--, i > limit)                                                          \
    BOUNDED(down_until_##name, type, i--, i >= limit)                                                        \
    BOUNDED(up_number_##name, type, i++, ((void)limit, i < 70))                                              \
    BOUNDED(down_number_##name, type, i--, ((void)limit, i >= 3))                                            \
    BOUNDED_LATER(up_later_##name, type, i++ < limit)                                                        \
    BOUNDED_LATER(down_later_##name, type, i-- >= limit)
BOUNDS(BOUNDED_OF, 0)

#define RUN(type, name, from, to)                                                                            \
    hash = up_less_##name((type)(from), (type)(to), hash);                                                   \
    hash = up_until_##name((type)(from), (type)(to), hash);                                                  \
    hash = down_more_##name((type)(to), (type)(from), hash);                                                 \
    hash = down_until_##name((type)(to), (type)(from), hash);                                                \
    hash = up_number_##name((type)(from), (type)(to), hash);                                                 \
    hash = down_number_##name((type)(to), (type)(from), hash);                                               \
    hash = up_later_##name((type)(from), (type)(to), hash);                                                  \
    hash = down_later_##name((type)(to), (type)(from), hash);

static void bounds(void)
{
    uint32_t hash = 1;
    BOUNDS(RUN, 5, 40)
    BOUNDS(RUN, 7, 7)
    BOUNDS(RUN, 9, 8)
    BOUNDS(RUN, 90, 4)
    result = hash;
}

/* Past the greatest number, which only those without a sign go. */
static void wraps(void)
{
    uint32_t hash = up_less_u32(UINT32_MAX, 30, 1);
    hash = up_until_u64(UINT64_MAX - 1, 0, hash);
    hash = up_until_u64(UINT64_MAX, 12, hash);
    hash = down_more_u64(0, UINT64_MAX - 17, hash);
    hash = down_until_u32(0, UINT32_MAX - 9, hash);
    hash = up_less_i32(INT32_MIN, INT32_MIN + 20, hash);
    hash = down_more_i64(INT64_MAX, INT64_MAX - 20, hash);
    hash = up_less_i64(-20, 20, hash);
    hash = up_less_u64(UINT64_MAX / 2 - 9, UINT64_MAX / 2 + 9, hash);
    result = hash;
}

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {{"empty", empty},
               {"insertion", insertion},
               {"search", search},
               {"chains", chains},
               {"irreducible", irreducible},
               {"flags", flags},
               {"kept", kept},
               {"crowded", crowded},
               {"machine", machine},
               {"bounds", bounds},
               {"wraps", wraps}};

int main(void)
{
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        void (*volatile run)(void) = kernels[i].run;
        prepare();
        result = 0;
        mark_begin();
        run();
        mark_end(kernels[i].name);
        printf("%s RESULT %lld\n", kernels[i].name, (long long)result);
    }
    return 0;
}
