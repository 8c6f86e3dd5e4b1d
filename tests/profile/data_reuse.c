/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is of one allocation after the other, and stacks of threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096 };

static double total(const double *x)
{
    double s = 0;
    for (int i = 0; i < N; i++)
        s += x[i]; /* total */
    return s;
}

static void *in_thread(void *s)
{
    double local[N];
    memset(local, 0, sizeof local);
    *(double *)s = total(local);
    return NULL;
}

int main(void)
{
    double s = 0, t = 0;
    pthread_t thread;
    double *first = calloc(N, sizeof *first); /* first */
    s += total(first);
    free(first);
    double *second = calloc(N, sizeof *second); /* second */
    int same = second == first;
    s += total(second);
    second[0] = s;
    s += total(second);
    free(second);
    char *small[64];
    for (int i = 0; i < 64; i++)
        memset(small[i] = malloc(512), 0, 512); /* too small for rows of their own, in the same memory */
    double *third = realloc(NULL, N * sizeof *third); /* third */
    memset(third, 0, N * sizeof *third);
    third = realloc(third, 64 * N * sizeof *third); /* grown */
    s += total(third);
    pthread_create(&thread, NULL, in_thread, &t);
    pthread_join(thread, NULL);
    printf("%d %g\n", same, s + t + small[63][0]);
    return 0;
}
