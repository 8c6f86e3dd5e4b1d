/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions whose operations and bytes are known: program [N [TIMES [THREADS]]]
 *   triad    a = b + 3 c on N elements, TIMES times: 2 operations, 16 bytes read and 8 written for each
 *   product  a product of two matrices of 192 x 192 by blocks: 2 * 192^3 operations, by registers' widths
 * Each of the THREADS has arrays of its own.
 */
#include "papi.h"

#include <pthread.h>
#include <stdlib.h>

enum { ORDER = 192, BLOCK = 8 };
static long n = 100000, times = 3;

typedef double vector __attribute__((vector_size(32), aligned(8)));

static __attribute__((noinline)) void triad(double *restrict a, const double *restrict b,
                                            const double *restrict c)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

/* Four rows by two vectors at a time stay in registers. */
__attribute__((noinline, WIDE)) static void product(double *c, const double *a, const double *b)
{
    for (int i = 0; i < ORDER; i += 4)
        for (int j = 0; j < ORDER; j += BLOCK) {
            vector sum[4][2] = {{{0}}};
            for (int k = 0; k < ORDER; k++)
                for (int r = 0; r < 4; r++)
                    for (int v = 0; v < 2; v++)
                        sum[r][v] += a[(i + r) * ORDER + k] * *(const vector *)&b[k * ORDER + j + 4 * v];
            for (int r = 0; r < 4; r++)
                for (int v = 0; v < 2; v++)
                    *(vector *)&c[(i + r) * ORDER + j + 4 * v] = sum[r][v];
        }
}

static double *array(long length)
{
    double *all = malloc((size_t)length * sizeof *all);
    if (all == NULL)
        exit(1);
    for (long i = 0; i < length; i++)
        all[i] = 1.0;
    return all;
}

static void *work(void *data)
{
    double *a = array(n), *b = array(n), *c = array(n);
    double *x = array(ORDER * ORDER), *y = array(ORDER * ORDER), *z = array(ORDER * ORDER);
    for (long i = 0; i < times; i++) {
        PAPI_hl_region_begin("triad");
        triad(a, b, c);
        PAPI_hl_region_end("triad");
    }
    for (long i = 0; i < times; i++) {
        PAPI_hl_region_begin("product");
        product(z, x, y);
        PAPI_hl_region_end("product");
    }
    *(double *)data = a[n - 1] + z[0];
    free(a), free(b), free(c), free(x), free(y), free(z);
    return data;
}

int main(int argc, char **argv)
{
    enum { MOST = 16 };
    pthread_t thread[MOST];
    double result[MOST] = {0};
    long threads = argc > 3 ? atol(argv[3]) : 1;
    if (argc > 1)
        n = atol(argv[1]);
    if (argc > 2)
        times = atol(argv[2]);
    for (long i = 1; i < threads && i < MOST; i++)
        if (pthread_create(&thread[i], NULL, work, &result[i]) != 0)
            return 1;
    work(&result[0]);
    for (long i = 1; i < threads && i < MOST; i++)
        pthread_join(thread[i], NULL);
    return result[0] == 4.0 + ORDER ? 0 : 3;
}
