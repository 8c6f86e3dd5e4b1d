/* SPDX-License-Identifier: BSD-3-Clause */
/* A search in a tree of pointers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *child[2];
    uint32_t key;
};

static struct node *insert(struct node *root, uint32_t key)
{
    if (root == NULL) {
        root = calloc(1, sizeof *root);
        root->key = key;
    } else if (key != root->key) {
        int side = key > root->key;
        root->child[side] = insert(root->child[side], key);
    }
    return root;
}

static int depth(const struct node *root, uint32_t key)
{
    int n = 0;
    for (; root != NULL && root->key != key; n++)
        root = root->child[key > root->key];
    return n;
}

int main(void)
{
    struct node *root = NULL;
    uint32_t key = 1;
    long sum = 0;
    for (int i = 0; i < 100000; i++)
        root = insert(root, key = key * 1664525 + 1013904223);
    for (int i = 0; i < 400000; i++)
        sum += depth(root, key = key * 1664525 + 1013904223);
    printf("%ld\n", sum);
    return 0;
}
