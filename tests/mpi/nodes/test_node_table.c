/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of papi_avail --nodes: what it merges to does not depend on the order.
 */
#include "tools/events/node_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 4000, ON_NODE = 4 };

/* Rank r as one of a job with so many kinds of nodes, a node for every four ranks. */
static void rank_table(struct node_table *table, int rank, int kinds)
{
    struct node_kind kind = {.sockets = 2};
    int node = rank / ON_NODE;
    snprintf(kind.processor, sizeof kind.processor, "processor %d", node % kinds);
    node_table_set(table, &kind, rank, rank % ON_NODE == 0, rank % ON_NODE == 0);
    if (table->row[0].n_hosts > 0) {
        memset(table->row[0].host[0].name, 0, sizeof table->row[0].host[0].name);
        snprintf(table->row[0].host[0].name, sizeof table->row[0].host[0].name, "n%04d", node);
    }
}

static struct node_table *tables_of(int kinds)
{
    struct node_table *table = calloc(RANKS, sizeof *table);
    assert_non_null(table);
    for (int r = 0; r < RANKS; r++)
        rank_table(&table[r], r, kinds);
    return table;
}

/* Merges all tables into the first, one after the other. */
static void merge_chain(struct node_table *table)
{
    for (int r = 1; r < RANKS; r++)
        node_table_merge(&table[0], &table[r]);
}

static void merge_tree(struct node_table *table)
{
    for (int step = 1; step < RANKS; step *= 2)
        for (int r = 0; r + step < RANKS; r += 2 * step)
            node_table_merge(&table[r], &table[r + step]);
}

/* Whichever two come, the later into the earlier or the other way round. */
static void merge_at_random(struct node_table *table)
{
    unsigned seed = 12345;
    for (int left = RANKS; left > 1; left--) {
        seed = seed * 1103515245u + 12345u;
        int a = (int)(seed >> 8) % left;
        struct node_table last = table[left - 1];
        if (a == left - 1)
            a = 0;
        if (seed >> 31)
            node_table_merge(&table[a], &last);
        else {
            node_table_merge(&last, &table[a]);
            table[a] = last;
        }
    }
}

static void any_order_merges_to_the_same(int kinds)
{
    void (*const ways[])(struct node_table *) = {merge_chain, merge_tree, merge_at_random};
    struct node_table first;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct node_table *table = tables_of(kinds);
        ways[i](table);
        if (i == 0)
            first = table[0];
        assert_memory_equal(&first, &table[0], sizeof first);
        free(table);
    }
    assert_int_equal(first.ranks, RANKS);
    assert_int_equal(first.nodes, RANKS / ON_NODE);
    assert_int_equal(first.n, kinds < NODES_MAX_KINDS ? kinds : NODES_MAX_KINDS);
    assert_int_equal(first.full, kinds > NODES_MAX_KINDS);
    for (int i = 0; i < first.n; i++) {
        int k = atoi(first.row[i].kind.processor + strlen("processor "));
        int nodes = RANKS / ON_NODE / kinds + (k < RANKS / ON_NODE % kinds);
        char host[16];
        assert_int_equal(first.row[i].nodes, nodes);
        assert_int_equal(first.row[i].ranks, nodes * ON_NODE);
        assert_int_equal(first.row[i].n_hosts, nodes < NODES_MAX_HOSTS ? nodes : NODES_MAX_HOSTS);
        for (int h = 0; h < first.row[i].n_hosts; h++) {
            snprintf(host, sizeof host, "n%04d", k + h * kinds);
            assert_string_equal(first.row[i].host[h].name, host);
        }
    }
}

static void few_kinds(void **state)
{
    (void)state;
    any_order_merges_to_the_same(1);
    any_order_merges_to_the_same(3);
}

static void as_many_as_there_is_room_for(void **state)
{
    (void)state;
    any_order_merges_to_the_same(NODES_MAX_KINDS);
}

static void more_kinds_than_there_is_room_for(void **state)
{
    (void)state;
    any_order_merges_to_the_same(NODES_MAX_KINDS + 1);
    any_order_merges_to_the_same(500);
}

static void the_table_stays_small(void **state)
{
    (void)state;
    assert_true(sizeof(struct node_table) <= 32 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_kinds),
        cmocka_unit_test(as_many_as_there_is_room_for),
        cmocka_unit_test(more_kinds_than_there_is_room_for),
        cmocka_unit_test(the_table_stays_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
