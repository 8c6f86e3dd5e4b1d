/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is allocated, grown and freed, in a thread of its own, too, and in the child of a fork.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 10000, ROUNDS = 5 };

struct particle {
    double x, rest[15];
};

static double work(double s)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct particle *p = malloc(N * sizeof *p);
        for (int i = 0; i < N; i++)
            p[i].x = s;
        p = realloc(p, 2 * N * sizeof *p);
        for (int i = 0; i < 2 * N; i++)
            p[i].rest[7] = s;
        s += p[17].x;
        free(p);
    }
    return s;
}

/* Whole lines, by a string instruction where there are such. */
static void fill(void)
{
    char *q = aligned_alloc(64, 64 * N), *at = q;
#if defined(__x86_64__)
    long n = 64 * N;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(0) : "memory"); /* fill */
#endif
    free(q);
}

static void *in_thread(void *s)
{
    *(double *)s = work(1);
    return NULL;
}

int main(void)
{
    double s = 0;
    pthread_t thread;
    fill();
    pthread_create(&thread, NULL, in_thread, &s);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(work(s) < 0);
    int status = 1;
    waitpid(child, &status, 0);
    printf("%g\n", s);
    return status;
}
