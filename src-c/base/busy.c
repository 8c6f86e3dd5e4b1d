/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/busy.h"
#include "base/array.h"

#include <stdlib.h>

/* A moment at which something begins or ends, or which is marked. */
struct edge {
    uint64_t at;
    enum { EDGE_BEGIN, EDGE_END, EDGE_MARK } what;
    enum busy_kind kind;
    uint64_t of;
};

bool busy_add(struct busy *busy, enum busy_kind kind, uint64_t begin, uint64_t end)
{
    if (end < begin) {
        busy->backward++;
        return true;
    }
    if (!ARRAY_GROW(busy->span, busy->n_spans))
        return false;
    busy->span[busy->n_spans++] = (struct busy_span){begin, end, kind};
    return true;
}

bool busy_mark(struct busy *busy, uint64_t at, uint64_t of)
{
    if (!ARRAY_GROW(busy->mark, busy->n_marks))
        return false;
    busy->mark[busy->n_marks++] = (struct busy_mark){at, of};
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static uint64_t within(uint64_t at, uint64_t low, uint64_t high)
{
    return at < low ? low : at > high ? high : at;
}

/* Fills edges with the part of each span that is settled now, and notes what is too late. */
static int edges_of_spans(struct busy *busy, uint64_t until, struct edge *edge)
{
    int n = 0;
    for (int i = 0; i < busy->n_spans; i++) {
        const struct busy_span *span = &busy->span[i];
        uint64_t begin = within(span->begin, busy->until, until), end = within(span->end, busy->until, until);
        if (span->begin < busy->until)
            busy->late_ns += within(span->end, 0, busy->until) - span->begin;
        if (begin == end)
            continue;
        edge[n++] = (struct edge){begin, EDGE_BEGIN, span->kind, 0};
        edge[n++] = (struct edge){end, EDGE_END, span->kind, 0};
    }
    return n;
}

static int edges_of_marks(const struct busy *busy, uint64_t until, struct edge *edge)
{
    int n = 0;
    for (int i = 0; i < busy->n_marks; i++)
        if (busy->mark[i].at <= until)
            edge[n++] = (struct edge){within(busy->mark[i].at, busy->until, until), EDGE_MARK, BUSY_KERNEL,
                                      busy->mark[i].of};
    return n;
}

/* Keeps what goes on after a moment. */
static void drop_settled(struct busy *busy, uint64_t until)
{
    int spans = 0, marks = 0;
    for (int i = 0; i < busy->n_spans; i++)
        if (busy->span[i].end > until) {
            busy->span[spans] = busy->span[i];
            busy->span[spans].begin = within(busy->span[i].begin, until, UINT64_MAX);
            spans++;
        }
    for (int i = 0; i < busy->n_marks; i++)
        if (busy->mark[i].at > until)
            busy->mark[marks++] = busy->mark[i];
    busy->n_spans = spans;
    busy->n_marks = marks;
    busy->until = until;
}

/* Goes through the moments in their order, and adds up the time between them. */
static void sweep(struct busy *busy, const struct edge *edge, int n,
                  void (*tell)(void *to, uint64_t of, struct busy_time time), void *to)
{
    int running[BUSY_KINDS] = {0};
    uint64_t at = busy->until;
    for (int i = 0; i < n; i++) {
        uint64_t passed = edge[i].at - at;
        if (running[BUSY_KERNEL] > 0)
            busy->so_far.kernel += passed;
        else if (running[BUSY_COPY] > 0)
            busy->so_far.copy += passed;
        at = edge[i].at;
        if (edge[i].what == EDGE_MARK)
            tell(to, edge[i].of, busy->so_far);
        else
            running[edge[i].kind] += edge[i].what == EDGE_BEGIN ? 1 : -1;
    }
}

bool busy_settle(struct busy *busy, uint64_t until,
                 void (*tell)(void *to, uint64_t of, struct busy_time time), void *to)
{
    if (until <= busy->until)
        until = busy->until; /* the marks up to there may still wait */
    size_t most = 2 * (size_t)busy->n_spans + (size_t)busy->n_marks;
    struct edge *edge = malloc((most + 1) * sizeof *edge);
    if (edge == NULL)
        return false;
    int n = edges_of_spans(busy, until, edge);
    n += edges_of_marks(busy, until, edge + n);
    qsort(edge, (size_t)n, sizeof *edge, by_time);
    sweep(busy, edge, n, tell, to);
    free(edge);
    drop_settled(busy, until);
    return true;
}

void busy_free(struct busy *busy)
{
    free(busy->span);
    free(busy->mark);
    *busy = (struct busy){0};
}
