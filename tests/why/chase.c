/* SPDX-License-Identifier: BSD-3-Clause
 * A list, whose nodes are in no order. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long value, unused[6];
};

int main(void)
{
    enum { N = 60000, TURNS = 12 };
    static struct node node[N];
    static int order[N];
    long sum = 0;
    for (int i = 0; i < N; i++)
        order[i] = i;
    srand(1);
    for (int i = N - 1; i > 0; i--) {
        int j = rand() % (i + 1), was = order[i];
        order[i] = order[j];
        order[j] = was;
    }
    for (int i = 0; i < N; i++) {
        node[order[i]].next = i + 1 < N ? &node[order[i + 1]] : NULL;
        node[order[i]].value = i;
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (const struct node *at = &node[order[0]]; at != NULL; at = at->next)
            sum += at->value; /* fault */
    printf("%ld\n", sum);
}
