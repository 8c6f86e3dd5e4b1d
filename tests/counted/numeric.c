/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thirty numerical kernels: linear algebra, stencils, dynamic programming, statistics. Each is measured by
 * itself.
 */
#include "marks.h"

#include <string.h>

#ifndef N
#define N 40
#endif

#ifndef TIMES
#define TIMES 1
#endif

enum { LONG = N * N };

static double a[N][N], b[N][N], c[N][N], d[N][N], x[N], y[N], z[N], w[N], u[LONG], v[LONG];
static float f[LONG], g[LONG];
static int table[N][N], keys[LONG], counts[64];
static volatile double result;

/* Full rank, no number too small or too large. */
static void prepare(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j * 3) % 11 + (i == j ? 4 * N : 0);
            b[i][j] = (i + j * 5) % 13 * 0.25;
            c[i][j] = d[i][j] = 1;
            table[i][j] = (i * 31 + j * 17) % 23 + 1;
        }
        x[i] = i % 5 + 1;
        y[i] = z[i] = 1;
        w[i] = 0.5;
    }
    for (int i = 0; i < LONG; i++) {
        u[i] = (i * 7919) % 1009 * 0.001 + 0.1;
        v[i] = 1 / (i + 1.0);
        f[i] = (float)u[i];
        g[i] = (float)v[i];
        keys[i] = (i * 7919) % 1009;
    }
}

static void empty(void)
{
}

/* ---- linear algebra */

static void gemm(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            c[i][j] *= 0.5;
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += 1.5 * a[i][k] * b[k][j];
    }
}

static void product_by_dots(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            d[i][j] = sum;
        }
}

static void atax(void)
{
    for (int i = 0; i < N; i++)
        y[i] = 0;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += a[i][j] * x[j];
        for (int j = 0; j < N; j++)
            y[j] += a[i][j] * sum;
    }
}

static void bicg(void)
{
    for (int i = 0; i < N; i++) {
        z[i] = 0;
        for (int j = 0; j < N; j++) {
            w[j] += x[i] * b[i][j];
            z[i] += b[i][j] * y[j];
        }
    }
}

static void mvt(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] += 0.001 * b[i][j] * y[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            z[i] += 0.001 * b[j][i] * w[j];
}

static void syrk(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += 0.01 * b[i][k] * b[j][k];
}

static void triangular_product(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = i + 1; k < N; k++)
                d[i][j] += 0.01 * a[k][i] * d[k][j];
}

static void triangular_solution(void)
{
    for (int i = 0; i < N; i++) {
        double sum = y[i];
        for (int j = 0; j < i; j++)
            sum -= a[i][j] * x[j];
        x[i] = sum / a[i][i];
    }
}

static void factorisation(void)
{
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < N; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

static void orthogonalisation(void)
{
    for (int k = 0; k < N; k++) {
        double norm = 0;
        for (int i = 0; i < N; i++)
            norm += b[i][k] * b[i][k];
        for (int i = 0; i < N; i++)
            b[i][k] /= norm + 1;
        for (int j = k + 1; j < N; j++) {
            double sum = 0;
            for (int i = 0; i < N; i++)
                sum += b[i][k] * b[i][j];
            for (int i = 0; i < N; i++)
                b[i][j] -= b[i][k] * sum;
        }
    }
}

static void sparse_product(void)
{
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = i % 7; k < LONG; k += 5 + i % 3)
            sum += u[k] * x[keys[k] % N];
        z[i] = sum;
    }
}

static void contraction(void)
{
    for (int i = 0; i < N / 4; i++)
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < N; k++) {
                w[k] = 0;
                for (int l = 0; l < N; l++)
                    w[k] += c[j][l] * d[l][k];
            }
            for (int k = 0; k < N; k++)
                c[j][k] = 0.001 * w[k];
        }
}

/* ---- vectors */

static void triad(void)
{
    for (int i = 0; i < LONG; i++)
        u[i] = v[i] + 0.25 * u[i];
}

static void dot_of_floats(void)
{
    float sum = 0;
    for (int i = 0; i < LONG; i++)
        sum += f[i] * g[i];
    result = sum;
}

static void horner(void)
{
    for (int i = 0; i < N; i++) {
        double value = 0;
        for (int k = 0; k < N; k++)
            value = value * 0.5 * x[i] + y[k];
        z[i] = value;
    }
}

static void recurrence(void)
{
    for (int i = 2; i < LONG; i++)
        u[i] = 0.5 * u[i - 1] + 0.25 * u[i - 2] + v[i];
}

/* ---- stencils */

static void jacobi_1d(void)
{
    for (int t = 0; t < 10; t++) {
        for (int i = 1; i < LONG - 1; i++)
            v[i] = (u[i - 1] + u[i] + u[i + 1]) / 3;
        for (int i = 1; i < LONG - 1; i++)
            u[i] = v[i];
    }
}

static void jacobi_2d(void)
{
    for (int t = 0; t < 5; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                d[i][j] = 0.2 * (c[i][j] + c[i][j - 1] + c[i][j + 1] + c[i - 1][j] + c[i + 1][j]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                c[i][j] = d[i][j];
    }
}

static void seidel(void)
{
    for (int t = 0; t < 5; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                c[i][j] = (c[i - 1][j - 1] + c[i - 1][j] + c[i - 1][j + 1] + c[i][j - 1] + c[i][j] +
                           c[i][j + 1] + c[i + 1][j - 1] + c[i + 1][j] + c[i + 1][j + 1]) /
                          9;
}

static void waves(void)
{
    for (int t = 0; t < 5; t++) {
        for (int i = 1; i < N; i++)
            for (int j = 0; j < N; j++)
                c[i][j] -= 0.5 * (d[i][j] - d[i - 1][j]);
        for (int i = 0; i < N; i++)
            for (int j = 1; j < N; j++)
                b[i][j] -= 0.5 * (d[i][j] - d[i][j - 1]);
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++)
                d[i][j] -= 0.7 * (b[i][j + 1] - b[i][j] + c[i + 1][j] - c[i][j]);
    }
}

static void upwind(void)
{
    for (int t = 0; t < 5; t++)
        for (int i = 1; i < LONG - 1; i++)
            v[i] = u[i] > 0.5 ? u[i] - u[i - 1] : u[i + 1] - u[i];
}

static void smoothing_of_floats(void)
{
    for (int i = 1; i < LONG - 1; i++)
        g[i] = 0.25f * f[i - 1] + 0.5f * f[i] + 0.25f * f[i + 1];
}

/* ---- dynamic programming */

static void shortest_paths(void)
{
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                table[i][j] =
                    table[i][j] < table[i][k] + table[k][j] ? table[i][j] : table[i][k] + table[k][j];
}

static void folding(void)
{
    for (int i = N - 1; i >= 0; i--)
        for (int j = i + 1; j < N; j++) {
            if (table[i][j] < table[i][j - 1])
                table[i][j] = table[i][j - 1];
            for (int k = i + 1; k < j; k++)
                if (table[i][j] < table[i][k] + table[k + 1][j])
                    table[i][j] = table[i][k] + table[k + 1][j] - keys[k] % 3;
        }
}

static void alignment(void)
{
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++) {
            int best = table[i - 1][j - 1] + (keys[i] % 4 == keys[j] % 4 ? 2 : -1);
            if (table[i - 1][j] - 1 > best)
                best = table[i - 1][j] - 1;
            if (table[i][j - 1] - 1 > best)
                best = table[i][j - 1] - 1;
            table[i][j] = best;
        }
}

static void knapsack(void)
{
    for (int i = 0; i < N; i++)
        for (int room = LONG - 1; room >= keys[i] % 50; room--) {
            double with = u[room - keys[i] % 50] + x[i];
            if (with > u[room])
                u[room] = with;
        }
}

/* ---- statistics */

static void covariance(void)
{
    for (int j = 0; j < N; j++) {
        double mean = 0;
        for (int i = 0; i < N; i++)
            mean += b[i][j];
        for (int i = 0; i < N; i++)
            b[i][j] -= mean / N;
    }
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += b[k][i] * b[k][j];
            d[i][j] = d[j][i] = sum / (N - 1);
        }
}

static void histogram(void)
{
    for (int i = 0; i < LONG; i++)
        counts[keys[i] % 64]++;
}

static void random_walk(void)
{
    unsigned state = 12345;
    int at = 0;
    for (int i = 0; i < LONG; i++) {
        state = state * 1664525 + 1013904223;
        at += (state >> 30) == 0 ? 1 : (state >> 30) == 1 ? -1 : 0;
        if (at > N)
            at = 0;
    }
    result = at;
}

static void sort(void)
{
    for (int gap = LONG / 2; gap > 0; gap /= 2)
        for (int i = gap; i < LONG; i++) {
            int key = keys[i], j = i;
            for (; j >= gap && keys[j - gap] > key; j -= gap)
                keys[j] = keys[j - gap];
            keys[j] = key;
        }
}

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {{"empty", empty},
               {"gemm", gemm},
               {"product_by_dots", product_by_dots},
               {"atax", atax},
               {"bicg", bicg},
               {"mvt", mvt},
               {"syrk", syrk},
               {"triangular_product", triangular_product},
               {"triangular_solution", triangular_solution},
               {"factorisation", factorisation},
               {"orthogonalisation", orthogonalisation},
               {"sparse_product", sparse_product},
               {"contraction", contraction},
               {"triad", triad},
               {"dot_of_floats", dot_of_floats},
               {"horner", horner},
               {"recurrence", recurrence},
               {"jacobi_1d", jacobi_1d},
               {"jacobi_2d", jacobi_2d},
               {"seidel", seidel},
               {"waves", waves},
               {"upwind", upwind},
               {"smoothing_of_floats", smoothing_of_floats},
               {"shortest_paths", shortest_paths},
               {"folding", folding},
               {"alignment", alignment},
               {"knapsack", knapsack},
               {"covariance", covariance},
               {"histogram", histogram},
               {"random_walk", random_walk},
               {"sort", sort}};

/* True if the name is in the list, or the list is empty. */
static int is_wanted(const char *name, char **wanted)
{
    if (*wanted == NULL)
        return 1;
    for (; *wanted != NULL; wanted++)
        if (strcmp(name, *wanted) == 0)
            return 1;
    return 0;
}

static void measure(const char *name, void (*volatile run)(void))
{
    for (int i = 0; i < TIMES; i++) {
        prepare();
        mark_begin();
        run();
        mark_end(name);
        __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(x), "r"(y), "r"(z) : "memory");
        __asm__ volatile(""
                         :
                         : "r"(w), "r"(u), "r"(v), "r"(f), "r"(g), "r"(table), "r"(keys), "r"(counts)
                         : "memory");
    }
}

int main(int argc, char **argv)
{
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (argc < 1 || is_wanted(kernels[i].name, argv + 1))
            measure(kernels[i].name, kernels[i].run);
    return 0;
}
