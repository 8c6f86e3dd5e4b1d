/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/agreement.h"

#include "job/rank_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 4, RADIX = 1 << BITS, LEVELS = 8, NAME = 64 };

/* Ranks, as runs that ascend and do not touch each other. */
struct set {
    int n, room;
    struct run {
        int from, to;
    } * run;
};

/* A machine, by its first rank with the library, and how many of its ranks have none. */
struct lack {
    int first, ranks;
    unsigned told; /* a bit for each level at which it has been */
};

/* A branch of a node at which this rank collects: who collects there, and how much of what that one has told
 * is known. */
struct branch {
    int collector, told; /* collector: its first rank + 1; 0: not known yet */
    bool open;           /* it has said that more follows */
};

struct agreement {
    struct agreement_names names;
    int ranks, own;                  /* own: this machine's first rank */
    int levels, top;                 /* of the tree: those at which this rank collects, and all of them */
    struct set known, fresh[LEVELS]; /* fresh: to be told, at each level */
    int told[LEVELS];                /* how often something was */
    struct lack *lack;
    int n_lacks;
    struct branch branch[LEVELS][RADIX];
    bool heard; /* something, at the last look */
    bool nobody, failed, has_answer;
    char answer[AGREEMENT_VALUE];
};

/* ---- sets of ranks */

/* Index of the first run that ends at or after a rank, or touches it. */
static int run_at(const struct set *set, int rank)
{
    int low = 0, high = set->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (set->run[middle].to < rank - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool set_add(struct set *set, int from, int to)
{
    int first = run_at(set, from), last = first;
    while (last < set->n && set->run[last].from <= to + 1)
        last++;
    if (last > first) { /* these become one */
        from = set->run[first].from < from ? set->run[first].from : from;
        to = set->run[last - 1].to > to ? set->run[last - 1].to : to;
    } else if (set->n == set->room) {
        int room = 2 * set->room + 8;
        struct run *more = realloc(set->run, (size_t)room * sizeof *more);
        if (more == NULL)
            return false;
        set->run = more;
        set->room = room;
    }
    if (last != first + 1)
        memmove(set->run + first + 1, set->run + last, (size_t)(set->n - last) * sizeof *set->run);
    set->n += 1 - (last - first);
    set->run[first] = (struct run){from, to};
    return true;
}

static bool set_has(const struct set *set, int from, int to)
{
    int at = run_at(set, from);
    if (at < set->n && set->run[at].to < from)
        at++;
    return at < set->n && set->run[at].from <= from && set->run[at].to >= to;
}

/* The ranks of a set one by one, or those that are not in it; NULL: no memory. The caller frees it. */
static int *set_list(const struct set *set, bool others, int ranks, int *n)
{
    int *list = malloc(((size_t)ranks + 1) * sizeof *list), before = 0;
    *n = 0;
    for (int i = 0; i <= set->n && list != NULL; i++) {
        int from = i < set->n ? set->run[i].from : ranks, to = i < set->n ? set->run[i].to : ranks - 1;
        for (int rank = before; rank < from && others; rank++)
            list[(*n)++] = rank;
        for (int rank = from; rank <= to && !others; rank++)
            list[(*n)++] = rank;
        before = to + 1;
    }
    return list;
}

static int set_count(const struct set *set)
{
    int n = 0;
    for (int i = 0; i < set->n; i++)
        n += set->run[i].to - set->run[i].from + 1;
    return n;
}

/* ---- ranks without the library */

static void add_lack(struct agreement *agreement, int first, int ranks)
{
    for (int i = 0; i < agreement->n_lacks; i++)
        if (agreement->lack[i].first == first)
            return;
    struct lack *more = realloc(agreement->lack, (size_t)(agreement->n_lacks + 1) * sizeof *more);
    agreement->failed |= more == NULL;
    if (more == NULL)
        return;
    agreement->lack = more;
    agreement->lack[agreement->n_lacks++] = (struct lack){first, ranks, 0};
}

static bool has_untold(const struct agreement *agreement, int level)
{
    bool untold = false;
    for (int i = 0; i < agreement->n_lacks; i++)
        untold |= (agreement->lack[i].told >> level & 1) == 0;
    return untold;
}

/* Writes as many as there is room for: "lacks 64:2,128:1,". */
static void write_lacks(struct agreement *agreement, int level, char *value, size_t room)
{
    size_t used = (size_t)snprintf(value, room, "lacks ");
    for (int i = 0; i < agreement->n_lacks && used + 24 < room; i++) {
        struct lack *lack = &agreement->lack[i];
        if ((lack->told >> level & 1) == 0)
            used += (size_t)snprintf(value + used, room - used, "%d:%d,", lack->first, lack->ranks);
        lack->told |= 1u << level;
    }
}

static void read_lacks(struct agreement *agreement, const char *text)
{
    int first, ranks, length;
    for (; sscanf(text, "%d:%d,%n", &first, &ranks, &length) == 2; text += length)
        if (first >= 0 && first < agreement->ranks && ranks > 0 && ranks < agreement->ranks)
            add_lack(agreement, first, ranks);
}

/* ---- what is told */

static void name_of(char name[NAME], int level, int collector, int told)
{
    snprintf(name, NAME, "papi_mpi.of.%d.%d.%d", level, collector, told);
}

static void publish(struct agreement *agreement, int level, char *value, bool more)
{
    char name[NAME];
    if (more)
        strcat(value, "+");
    name_of(name, level, agreement->own, agreement->told[level]++);
    agreement->names.publish(agreement->names.context, name, value);
}

/* Tells what is not told yet, in as many parts as it takes. */
static void tell(struct agreement *agreement, int level)
{
    char value[AGREEMENT_VALUE];
    size_t room = agreement->names.room - 1; /* for "+" behind it */
    int n = 0, at = 0, written = 1;          /* one rank always fits */
    int *list = set_list(&agreement->fresh[level], false, agreement->ranks, &n);
    agreement->failed |= list == NULL;
    while (list != NULL && at < n && written > 0) {
        written = ranks_write(value, room, ",", list + at, n - at);
        at += written;
        publish(agreement, level, value, at < n || has_untold(agreement, level));
    }
    free(list);
    while (has_untold(agreement, level)) {
        write_lacks(agreement, level, value, room);
        publish(agreement, level, value, has_untold(agreement, level));
    }
    agreement->fresh[level].n = 0;
}

/* Ranks that this one hears of at a level it tells there, and at those above. */
static bool learn(struct agreement *agreement, int level, int from, int to)
{
    bool fits = set_add(&agreement->known, from, to);
    for (; level <= agreement->levels && fits; level++)
        fits = set_add(&agreement->fresh[level], from, to);
    return fits;
}

/* Takes what a branch of a node at a level has told. */
static void hear(struct agreement *agreement, int level, char *value, bool *more)
{
    static const char lacks[] = "lacks ";
    int first, last, step;
    size_t length = strlen(value);
    const char *list = value;
    *more = length > 0 && value[length - 1] == '+';
    value[length - *more] = '\0';
    agreement->heard = true;
    if (strncmp(value, lacks, sizeof lacks - 1) == 0)
        read_lacks(agreement, value + sizeof lacks - 1);
    else
        while (ranks_next(&list, agreement->ranks, &first, &last, &step) > 0)
            for (int from = first; from <= last; from = step > 1 ? from + step : last + 1) {
                int to = step > 1 ? from : last;
                agreement->failed |= !learn(agreement, level, from, to);
            }
}

/* ---- who collects */

/* The one who collects at a node, + 1. 0: nobody yet. A launcher may give the name that was published last,
 * so that several take themselves for the one: each of them hears of all that is below the node, and tells
 * it. */
static int collector_of(const struct agreement *agreement, int level, int node)
{
    char name[NAME], value[AGREEMENT_VALUE];
    int collector;
    if (level == 0)
        return node + 1;
    snprintf(name, sizeof name, "papi_mpi.collects.%d.%d", level, node);
    return agreement->names.look_up(agreement->names.context, name, value) &&
                   sscanf(value, "%d", &collector) == 1
               ? collector + 1
               : 0;
}

/* Has this rank collect at a node, if nobody does. True if it does. */
static bool collects(struct agreement *agreement, int level)
{
    char name[NAME], own[16];
    int node = agreement->own >> BITS * level;
    snprintf(name, sizeof name, "papi_mpi.collects.%d.%d", level, node);
    snprintf(own, sizeof own, "%d", agreement->own);
    agreement->names.publish(agreement->names.context, name, own);
    int collector = collector_of(agreement, level, node);
    agreement->nobody |= level == 1 && collector == 0;
    return collector == agreement->own + 1;
}

/* Looks up what a branch at a level has told since. One whose ranks are all known has nothing more to tell,
 * unless it has said so. */
static void collect_of(struct agreement *agreement, int level, int i)
{
    char name[NAME], value[AGREEMENT_VALUE];
    int shift = BITS * (level - 1);
    long node = ((long)(agreement->own >> BITS * level) << BITS) + i;
    long from = node << shift, to = ((node + 1) << shift) - 1;
    to = to < agreement->ranks ? to : agreement->ranks - 1;
    struct branch *branch = &agreement->branch[level - 1][i];
    if (node == agreement->own >> shift || from > to)
        return;
    for (bool more = true; more && (branch->open || !set_has(&agreement->known, (int)from, (int)to));) {
        if (branch->collector == 0)
            branch->collector = collector_of(agreement, level - 1, (int)node);
        name_of(name, level - 1, branch->collector - 1, branch->told);
        more = branch->collector > 0 && agreement->names.look_up(agreement->names.context, name, value);
        if (more) {
            branch->told++;
            hear(agreement, level, value, &branch->open);
        }
    }
}

/* ---- the answer */

/* True if all ranks below the node at which this one collects are known, or nothing has come lately: a list
 * of what is known meanwhile would have gaps, and be long. */
static bool should_tell(const struct agreement *agreement, int level)
{
    int shift = BITS * level;
    long from = (long)(agreement->own >> shift) << shift, to = from + (1L << shift) - 1;
    to = to < agreement->ranks ? to : agreement->ranks - 1;
    return (agreement->fresh[level].n > 0 || has_untold(agreement, level)) &&
           (!agreement->heard || set_has(&agreement->known, (int)from, (int)to));
}

static void decide(struct agreement *agreement)
{
    int n = 0, *list = set_list(&agreement->known, true, agreement->ranks, &n);
    bool fits = list != NULL && ranks_write(agreement->answer, agreement->names.room - 1, ",", list, n) == n;
    char value[AGREEMENT_VALUE] = ":?"; /* there must be something in it */
    if (fits)
        snprintf(value, sizeof value, ":%.*s", (int)sizeof value - 2, agreement->answer);
    agreement->names.publish(agreement->names.context, "papi_mpi.absent", value);
    agreement->has_answer = fits;
    agreement->failed |= !fits;
    free(list);
}

/* Takes the answer of the one who decides, if it is there. */
static void look_for_answer(struct agreement *agreement)
{
    char value[AGREEMENT_VALUE];
    if (!agreement->names.look_up(agreement->names.context, "papi_mpi.absent", value))
        return;
    agreement->has_answer = value[0] == ':' && value[1] != '?';
    agreement->failed |= !agreement->has_answer;
    snprintf(agreement->answer, sizeof agreement->answer, "%s", agreement->has_answer ? value + 1 : "");
}

/* ---- all */

/* True if all ranks are known, or known to have no library. */
static bool is_whole(const struct agreement *agreement)
{
    int n = set_count(&agreement->known);
    for (int i = 0; i < agreement->n_lacks; i++)
        n += agreement->lack[i].ranks;
    return n >= agreement->ranks;
}

struct agreement *agreement_begin(const struct agreement_names *names, int ranks, const int *local, int n,
                                  int said)
{
    struct agreement *agreement = calloc(1, sizeof *agreement);
    if (agreement == NULL || n < 1) {
        free(agreement);
        return NULL;
    }
    agreement->names = *names;
    agreement->ranks = ranks;
    agreement->own = local[0];
    if (said > n)
        add_lack(agreement, local[0], said - n);
    for (agreement->top = 1; (ranks - 1) >> BITS * agreement->top != 0;)
        agreement->top++;
    while (agreement->levels < agreement->top && collects(agreement, agreement->levels + 1))
        agreement->levels++;
    for (int i = 0; i < n; i++)
        agreement->failed |= !learn(agreement, 0, local[i], local[i]);
    if (!agreement->nobody)
        tell(agreement, 0);
    return agreement;
}

bool agreement_has_names(const struct agreement *agreement)
{
    return !agreement->nobody;
}

bool agreement_decides(const struct agreement *agreement)
{
    return agreement->levels == agreement->top;
}

bool agreement_step(struct agreement *agreement, bool ends)
{
    agreement->heard = false;
    for (int level = 1; level <= agreement->levels; level++)
        for (int i = 0; i < RADIX; i++)
            collect_of(agreement, level, i);
    for (int level = 1; level <= agreement->levels && level < agreement->top; level++)
        if (should_tell(agreement, level))
            tell(agreement, level);
    look_for_answer(agreement);
    if (agreement_decides(agreement) && !agreement->has_answer &&
        (is_whole(agreement) || ends || agreement->failed))
        decide(agreement);
    return agreement->has_answer || agreement->failed;
}

const char *agreement_absent(const struct agreement *agreement)
{
    return agreement->has_answer ? agreement->answer : NULL;
}

void agreement_free(struct agreement *agreement)
{
    if (agreement == NULL)
        return;
    free(agreement->known.run);
    for (int level = 0; level < LEVELS; level++)
        free(agreement->fresh[level].run);
    free(agreement->lack);
    free(agreement);
}
