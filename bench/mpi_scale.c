/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_scale --node RANKS: messages of a node's ranks at the start, up and down in their tree, of all and most
 * of one. mpi_scale --start RANKS: what the ranks ask of the launcher at the start of a job, where each
 * machine has one rank, and where it has 64, one after the other or in turns. mpi_scale [RANKS]: what the end
 * of an MPI job costs at any size. The blocks of so many simulated ranks (1,000,000) are merged in trees of
 * several shapes, as an MPI_Reduce could have them. Printed are the longest path in messages and bytes, and
 * the time of a merge. The exit status is 1 where two trees differ in a bit. */
#include "base/hash.h"
#include "job/agreement.h"
#include "job/block.h"
#include "job/tree.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Bytes that travel; with PAPI_MPI_TIMES, the times do, too. */
#define BLOCK offsetof(struct job, times)

enum { CALLS = 24, REGIONS = 16, LEVELS = 512 };

static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Simulates the call sites of a rank; most ranks come to most of them. */
static void simulate_sites(struct job *block, uint64_t rank)
{
    for (uint64_t i = 0; i < MAX_JOB_SITES; i++) {
        uint64_t random = mixed(rank * 500009 + i) % 1000000;
        struct job_site *site = &block->site[i];
        if (random % 8 == 0)
            continue;
        site->ranks = 1;
        site->calls = random;
        site->bytes = random * 64;
        site->ns = site->least_ns = site->most_ns = random * 900;
        site->longest_ns = random;
        site->longest_rank = site->least_rank = site->most_rank = rank;
    }
}

/* Simulates the messages of a grid of three dimensions, as far as a matrix of parts of all ranks shows it. */
static void simulate_messages(struct job *block, uint64_t rank)
{
    static const uint64_t distance[] = {1, 100, 10000};
    uint64_t from = mixed(rank) % MATRIX_MOST;
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t random = mixed(rank * 70001 + i) % 1000000, to = (from + distance[i]) % MATRIX_MOST;
        block->matrix[from * MATRIX_MOST + to].messages += 1;
        block->matrix[from * MATRIX_MOST + to].bytes += random;
        block->neighbor[i] = (struct job_neighbor){1, 1, random, random, rank};
    }
    for (uint64_t i = 0; i < COURSE_STEPS; i++) {
        block->timeline.elapsed_ns[i] = 1000000;
        for (uint64_t k = 0; k < JOB_COURSE_CALLS; k++)
            block->timeline.mpi_ns[k][i] = mixed(rank * 4001 + 31 * i + k) % 80000;
    }
    for (uint64_t i = 0; i < MAX_JOB_SIZED; i++) { /* not all ranks make the same calls */
        block->sized[i].call = 1 + 2 * i + mixed(rank) % 2;
        block->sized[i].size[rank % SIZE_BUCKETS] = rank;
    }
}

/* A rank that has all metrics, calls and regions of a rich program, with values of its own: times that are
 * alike, counts of any size, many equal ones. */
static void simulate(struct job *block, uint64_t rank)
{
    memset(block, 0, sizeof *block);
    block->present = 1;
    block->unfinished = mixed(rank) % 1000 == 0;
    block->threads = 1 + mixed(rank) % 8;
    block->overhead_ns = mixed(rank) % 1000000;
    for (uint64_t i = 0; i < METRIC_COUNT; i++) {
        uint64_t random = mixed(rank * 64 + i);
        uint64_t value = i % 3 == 0   ? 3600000000000u + random % 1000000000u
                         : i % 3 == 1 ? random >> (1 + random % 60)
                                      : random % 5;
        metric_add(&block->metric[i], value, rank);
    }
    for (uint64_t i = 0; i < CALLS; i++) {
        uint64_t random = mixed(rank * 1000003 + i) % 1000000;
        block->call[i * 3] = (struct job_call){.calls = random,
                                               .ns = random * 900,
                                               .bytes = random * 64,
                                               .ranks = 1,
                                               .longest_ns = random,
                                               .longest_rank = rank,
                                               .most_ns = random * 900,
                                               .most_rank = rank};
    }
    for (uint64_t i = 0; i < REGIONS; i++) {
        uint64_t random = mixed(rank * 999983 + i) % 1000000;
        struct job_region *region = &block->region[i];
        if (random % 4 == 0)
            continue;
        region->ranks = region->visits = 1;
        region->ns = region->least_ns = region->most_ns = random;
        region->least_rank = region->most_rank = rank;
        region->counter[0] = random * 3;
    }
    block->sent[rank % SIZE_BUCKETS] = rank;
    simulate_sites(block, rank);
    simulate_messages(block, rank);
    if (mixed(rank) % 5000 == 1) {
        block->complaint.ranks = 1;
        block->complaint.rank = rank;
        snprintf(block->complaint.text, sizeof block->complaint.text, "rank %" PRIu64, rank);
    }
}

/* A tree over the ranks order[from] to order[to - 1]. */
struct tree {
    const char *name;
    int parts;             /* a node's, of equal size; 0: two of any size */
    const uint32_t *order; /* NULL: by rank */
    uint64_t random;
    struct job *level[LEVELS]; /* one a level, as each rank has one */
    uint64_t merges;
    double merge_time;
};

static struct job *level_of(struct tree *tree, int level)
{
    if (level >= LEVELS)
        return NULL;
    if (tree->level[level] == NULL)
        tree->level[level] = malloc(sizeof(struct job));
    return tree->level[level];
}

static uint64_t part_end(struct tree *tree, uint64_t from, uint64_t to, uint64_t at)
{
    uint64_t n = to - from;
    if (tree->parts == 0)
        return at > from ? to : from + 1 + mixed(tree->random++) % (n - 1);
    uint64_t size = (n + (uint64_t)tree->parts - 1) / (uint64_t)tree->parts;
    return at + size < to ? at + size : to;
}

/* Merges in level what the ranks have. Returns how many messages come one after the other on the way there:
 * a node takes its children's as they come, one at a time. */
static uint64_t merge(struct tree *tree, uint64_t from, uint64_t to, int level)
{
    struct job *into = level_of(tree, level);
    if (into == NULL) {
        fputs("mpi_scale: no memory, or a tree too deep\n", stderr);
        exit(2);
    }
    if (to - from == 1) {
        simulate(into, tree->order != NULL ? tree->order[from] : from);
        return 0;
    }
    uint64_t at = part_end(tree, from, to, from), steps = merge(tree, from, at, level);
    while (at < to) {
        uint64_t end = part_end(tree, from, to, at);
        uint64_t other = merge(tree, at, end, level + 1);
        double before = seconds();
        block_merge(into, tree->level[level + 1]);
        tree->merge_time += seconds() - before;
        tree->merges++;
        steps = (other > steps ? other : steps) + 1;
        at = end;
    }
    return steps;
}

static uint32_t *shuffled(uint64_t ranks)
{
    uint32_t *order = malloc(ranks * sizeof *order);
    for (uint64_t i = 0; order != NULL && i < ranks; i++) {
        uint64_t j = mixed(i ^ 0x5eed) % (i + 1);
        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
    return order;
}

/* Runs a tree and prints its figures. Returns 1 if its block differs from that of the first tree. */
static int run(struct tree *tree, uint64_t ranks, struct job *first, int is_first)
{
    double before = seconds();
    uint64_t steps = merge(tree, 0, ranks, 0);
    int differs = !is_first && memcmp(first, tree->level[0], sizeof *first) != 0;
    if (is_first)
        *first = *tree->level[0];
    printf("%-20s %9" PRIu64 " %15" PRIu64 " %9.2f %9.2f   %s\n", tree->name, steps, steps * BLOCK,
           1e6 * tree->merge_time / (double)(tree->merges + !tree->merges), seconds() - before,
           is_first  ? "-"
           : differs ? "DIFFERENT"
                     : "identical");
    fflush(stdout);
    for (int i = 0; i < LEVELS; i++)
        free(tree->level[i]);
    return differs;
}

/* Simulates a node of so many ranks that sum something on the first and hear the sum from it. Returns 1 where
 * a rank is not reached, or its sum is not that of all. */
static int run_node(uint64_t ranks)
{
    int n = (int)ranks, most = 0, child[TREE_MOST];
    uint64_t messages = 0, *sum = calloc(ranks, sizeof *sum), *heard = calloc(ranks, sizeof *heard),
             wrong = 0;
    if (sum == NULL || heard == NULL)
        exit(2);
    for (int i = n - 1; i >= 0; i--) { /* children have higher numbers */
        int children = tree_children(i, n, child), own = 2 * (children + (i > 0));
        sum[i] += (uint64_t)i + 1;
        if (i > 0)
            sum[tree_parent(i)] += sum[i];
        messages += 2 * (uint64_t)children;
        most = own > most ? own : most;
    }
    heard[0] = sum[0];
    for (int i = 0; i < n; i++)
        for (int k = tree_children(i, n, child) - 1; k >= 0; k--)
            heard[child[k]] = heard[i];
    for (int i = 0; i < n; i++)
        wrong += heard[i] != ranks * (ranks + 1) / 2;
    printf("%d ranks of a node: %" PRIu64 " messages, at most %d of one rank, %" PRIu64 " wrong sums\n", n,
           messages, most, wrong);
    free(sum);
    free(heard);
    return wrong > 0;
}

/* ---- the start on many machines */

/* The names that a launcher keeps, and what a rank has asked of it. */
struct launcher {
    struct kept {
        char name[64], *value;
    } * kept;
    size_t room, n;
};

struct asker {
    struct launcher *launcher;
    struct agreement *agreement;
    uint64_t looks, told;
};

static struct kept *place_of(struct launcher *launcher, const char *name)
{
    size_t at = hash_text(name) % launcher->room;
    while (launcher->kept[at].value != NULL && strcmp(launcher->kept[at].name, name) != 0)
        at = (at + 1) % launcher->room;
    return &launcher->kept[at];
}

static void publish(void *context, const char *name, const char *value)
{
    struct asker *asker = context;
    struct kept *kept = place_of(asker->launcher, name);
    asker->told++;
    if (kept->value != NULL)
        return;
    if (2 * ++asker->launcher->n > asker->launcher->room || strlen(name) >= sizeof kept->name ||
        (kept->value = strdup(value)) == NULL)
        exit(2);
    strcpy(kept->name, name);
}

static bool look_up(void *context, const char *name, char value[AGREEMENT_VALUE])
{
    struct asker *asker = context;
    const struct kept *kept = place_of(asker->launcher, name);
    asker->looks++;
    if (kept->value == NULL)
        return false;
    snprintf(value, AGREEMENT_VALUE, "%s", kept->value);
    return true;
}

/* The ranks of a machine: one after the other, or in turns. Returns their number. */
static int ranks_of(int machine, int machines, int ranks, int of_machine, bool in_turns, int *rank)
{
    int n = 0;
    for (int i = 0; i < of_machine; i++) {
        int next = in_turns ? machine + i * machines : machine * of_machine + i;
        if (next < ranks)
            rank[n++] = next;
    }
    return n;
}

/* Has all machines begin, and look in turns until each knows. Returns how often they did; 0: one does not
 * know in the end, or something else than that all ranks are there. */
static int agree(struct asker *asker, int machines, int ranks, int of_machine, bool in_turns, uint64_t *most)
{
    int rank[64], turns = 0, known = 0;
    uint32_t *order = shuffled((uint64_t)machines); /* nobody waits for another to begin */
    for (int i = 0; i < machines; i++) {
        int m = order != NULL ? (int)order[i] : i;
        int n = ranks_of(m, machines, ranks, of_machine, in_turns, rank);
        const struct agreement_names names = {publish, look_up, &asker[m], 256};
        asker[m].agreement = agreement_begin(&names, ranks, rank, n, n);
        if (asker[m].agreement == NULL)
            exit(2);
    }
    free(order);
    for (; known < machines && turns < 64; turns++)
        for (int m = known = 0; m < machines; m++) {
            if (agreement_absent(asker[m].agreement) == NULL) {
                uint64_t before = asker[m].looks;
                agreement_step(asker[m].agreement, false);
                *most = asker[m].looks - before > *most ? asker[m].looks - before : *most;
            }
            known += agreement_absent(asker[m].agreement) != NULL;
        }
    for (int m = 0; m < machines; m++)
        if (agreement_absent(asker[m].agreement) == NULL || agreement_absent(asker[m].agreement)[0] != '\0')
            return 0;
    return turns;
}

/* Simulates the start where machines have so many ranks each. Returns 1 where they do not agree. */
static int run_start(int ranks, int of_machine, bool in_turns)
{
    int machines = (ranks + of_machine - 1) / of_machine;
    uint64_t most = 0, looks = 0, told = 0, most_looks = 0, most_told = 0;
    struct launcher launcher = {calloc((size_t)machines * 12 + 64, sizeof(struct kept)),
                                (size_t)machines * 12 + 64, 0};
    struct asker *asker = calloc((size_t)machines, sizeof *asker);
    if (launcher.kept == NULL || asker == NULL)
        exit(2);
    for (int m = 0; m < machines; m++)
        asker[m].launcher = &launcher;
    int turns = agree(asker, machines, ranks, of_machine, in_turns, &most);
    for (int m = 0; m < machines; m++) {
        looks += asker[m].looks;
        told += asker[m].told;
        most_looks = asker[m].looks > most_looks ? asker[m].looks : most_looks;
        most_told = asker[m].told > most_told ? asker[m].told : most_told;
        agreement_free(asker[m].agreement);
    }
    printf("%9d %8d %-6s %6d %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %12.2f %12.2f   %s\n", ranks, machines,
           of_machine == 1 ? ""
           : in_turns      ? "turns"
                           : "blocks",
           turns, most, most_looks, most_told, (double)looks / machines, (double)told / machines,
           turns > 0 ? "agreed" : "NOT AGREED");
    for (size_t i = 0; i < launcher.room; i++)
        free(launcher.kept[i].value);
    free(launcher.kept);
    free(asker);
    return turns == 0;
}

static int run_starts(int ranks)
{
    printf("%9s %8s %-6s %6s %9s %9s %9s %12s %12s\n", "ranks", "machines", "ranks", "turns", "at a turn",
           "looked up", "told", "looked up", "told");
    printf("%9s %8s %-6s %6s %29s %25s\n", "", "", "in", "", "at most by one", "a machine");
    return run_start(ranks, 1, false) | run_start(ranks, 64, false) | run_start(ranks, 64, true);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    int node = argc > 2 && strcmp(argv[1], "--node") == 0,
        start = argc > 2 && strcmp(argv[1], "--start") == 0;
    uint64_t ranks = argc > 1 ? strtoull(argv[1 + (node | start)], &end, 10) : 1000000;
    if (argc > 2 + (node | start) || ((node | start) && ranks > INT32_MAX / 2) ||
        (end != NULL && *end != '\0') || ranks < 1 || ranks > UINT32_MAX) {
        fputs("usage: mpi_scale [--node | --start] [RANKS]\n", stderr);
        return 2;
    }
    if (start)
        return run_starts((int)ranks);
    if (node)
        return run_node(ranks);
    uint32_t *order = shuffled(ranks);
    struct job *first = calloc(1, sizeof *first);
    if (order == NULL || first == NULL)
        return 2;
    struct tree trees[] = {
        {.name = "binomial", .parts = 2},
        {.name = "16 children", .parts = 16},
        {.name = "random", .order = order},
        /* A node with as many children as there are ranks: each comes after the other. */
        {.name = "chain", .parts = ranks < INT32_MAX ? (int)ranks : INT32_MAX},
    };
    int differs = 0;
    printf("%" PRIu64 " ranks, a block of %zu bytes\n\n", ranks, BLOCK);
    printf("%-20s %25s\n", "", "on the longest path");
    printf("%-20s %9s %15s %9s %9s   %s\n", "tree", "messages", "bytes", "us/merge", "s in all", "result");
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        differs |= run(&trees[i], ranks, first, i == 0);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("\npeak memory %ld KB; a gather would bring %.3g bytes to rank 0\n", usage.ru_maxrss,
           (double)ranks * (double)BLOCK);
    free(order);
    free(first);
    return differs;
}
