/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that need no counter inside: how many turns one makes is known before it begins, from a register that
 * changes by a fixed number in each turn until it equals another register or a number, or by 1 until it has
 * passed that. In front of the loop that is added to its last block's slot, with three to seven instructions
 * and a dead register:
 *
 *   .L3: ...                              before it: mov limit, R
 *        add $step, counter                          sub counter, R
 *        cmp limit, counter                          shr, imul: divided by the step, without a rest
 *        jne .L3                                     add R, slot
 *
 *   .L3: ...                              before it: lea 1(counter), R: what is compared first
 *        inc counter                                 sub limit, R
 *        cmp limit, counter                          cmovge 0, R: there is no second turn
 *        jl .L3                                      neg R, inc R
 *                                                    add R, slot
 *
 * The loop is entered at its head alone, left at its end alone, and calls nothing: nobody reads the slot
 * meanwhile. Compilers lay such a loop out in one piece.
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

struct finder {
    const struct graph *graph;
    struct trips *trips;
    struct trip trip; /* the one that is being looked at */
};

/* ------------------------------------------------------------------ the loop */

static bool within(int32_t block, int32_t low, int32_t high)
{
    return block >= low && block <= high;
}

/* A block before the last one goes on inside, and whoever comes to it is inside. */
static bool is_closed(const struct finder *finder, int32_t index)
{
    const struct block *block = &finder->graph->block[index];
    int32_t head = finder->trip.head, latch = finder->trip.latch;
    if (block->away || block->entry || block->flow == FLOW_CALL ||
        block->section != finder->graph->block[head].section)
        return false;
    if (index != latch && ((block->next != NOWHERE && !within(block->next, head + 1, latch)) ||
                           (block->target != NOWHERE && !within(block->target, head + 1, latch))))
        return false;
    for (uint32_t i = finder->graph->n_from[index]; index != head && i < finder->graph->n_from[index + 1];
         i++)
        if (!within(finder->graph->from[i], head, latch))
            return false;
    return true;
}

static bool is_loop(const struct finder *finder)
{
    for (int32_t i = finder->trip.head; i <= finder->trip.latch; i++)
        if (!is_closed(finder, i))
            return false;
    return finder->graph->block[finder->trip.latch].next != finder->trip.head;
}

/* ------------------------------------------------------------------ registers */

static const struct statement *statement_of(const struct finder *finder, size_t i)
{
    return &finder->graph->source->statement[i];
}

/* The only statement of the loop that may write a register; NOWHERE: there is none, or more than one. */
static int64_t only_writer(const struct finder *finder, int number, unsigned *n)
{
    int64_t writer = NOWHERE;
    *n = 0;
    for (int32_t b = finder->trip.head; b <= finder->trip.latch; b++) {
        const struct block *block = &finder->graph->block[b];
        for (size_t i = block->first; i <= block->last; i++)
            if (is_own(finder->graph, block, i) && (statement_of(finder, i)->uses.may & 1U << number) != 0) {
                writer = (int64_t)i;
                ++*n;
            }
    }
    return *n == 1 ? writer : NOWHERE;
}

static bool number_of(struct span operand, int64_t *number)
{
    char text[32], *end;
    if (operand.n < 2 || operand.n >= sizeof text || operand.at[0] != '$')
        return false;
    memcpy(text, operand.at + 1, operand.n - 1);
    text[operand.n - 1] = '\0';
    *number = strtoll(text, &end, 0);
    return *end == '\0';
}

/* lea 8(%rax), %rax */
static bool step_of_address(struct span operand, int counter, int64_t *step)
{
    char text[64], *end;
    int bytes;
    if (operand.n >= sizeof text)
        return false;
    memcpy(text, operand.at, operand.n);
    text[operand.n] = '\0';
    *step = strtoll(text, &end, 0);
    size_t skip = (size_t)(end - text);
    if (operand.n < skip + 3 || *end != '(' || text[operand.n - 1] != ')')
        return false;
    return register_of((struct span){operand.at + skip + 1, operand.n - skip - 2}, &bytes) == counter &&
           bytes == 8;
}

/* By how much a statement changes the counter each time. */
static bool step_of(const struct statement *statement, int counter, int64_t *step, int *bytes)
{
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand);
    if (n == 0 || register_of(operand[n - 1], bytes) != counter || *bytes < 4)
        return false;
    if (n == 1 && span_in(statement->word, "inc incl incq"))
        *step = 1;
    else if (n == 1 && span_in(statement->word, "dec decl decq"))
        *step = -1;
    else if (n == 2 && span_in(statement->word, "add addl addq"))
        return number_of(operand[0], step) && *step != 0;
    else if (n == 2 && span_in(statement->word, "sub subl subq") && number_of(operand[0], step))
        *step = -*step;
    else if (n == 2 && span_in(statement->word, "lea leal leaq"))
        return step_of_address(operand[0], counter, step) && *step != 0;
    else
        return false;
    return *step != 0;
}

/* ------------------------------------------------------------------ condition */

/* The counter is a register that changes once in the last block; compared is where its value is looked at. */
static bool set_counter(struct finder *finder, int counter, size_t compared)
{
    struct trip *trip = &finder->trip;
    const struct block *latch = &finder->graph->block[trip->latch];
    unsigned n;
    int bytes;
    int64_t writer = only_writer(finder, counter, &n);
    if (writer == NOWHERE || writer < (int64_t)latch->first ||
        !step_of(statement_of(finder, (size_t)writer), counter, &trip->step, &bytes))
        return false;
    trip->counter = counter;
    trip->bytes = bytes < trip->bytes ? bytes : trip->bytes;
    trip->behind = (size_t)writer > compared;
    return true;
}

static bool set_limit(struct finder *finder, struct span operand)
{
    struct trip *trip = &finder->trip;
    int bytes;
    unsigned n;
    trip->limit = register_of(operand, &bytes);
    if (trip->limit == NOWHERE)
        return number_of(operand, &trip->number);
    only_writer(finder, trip->limit, &n);
    return n == 0 && trip->limit != trip->counter;
}

static bool compares_with(struct finder *finder, struct span counter, struct span limit, size_t i)
{
    struct trip *trip = &finder->trip;
    int number = register_of(counter, &trip->bytes);
    return number != NOWHERE && trip->bytes >= 4 && set_counter(finder, number, i) &&
           set_limit(finder, limit);
}

/* Conditions by their jump: whether they hold while the second operand is less than the first one, and where
 * both are equal. */
static const struct order {
    const char *words;
    uint8_t until;
    bool less, equal;
} orders[] = {
    {"jl jnge", UNTIL_SIGNED, true, false},    {"jle jng", UNTIL_SIGNED, true, true},
    {"jg jnle", UNTIL_SIGNED, false, false},   {"jge jnl", UNTIL_SIGNED, false, true},
    {"jb jnae", UNTIL_UNSIGNED, true, false},  {"jbe jna", UNTIL_UNSIGNED, true, true},
    {"ja jnbe", UNTIL_UNSIGNED, false, false}, {"jae jnb", UNTIL_UNSIGNED, false, true},
};

static const struct order *order_of(struct span jump)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (span_in(jump, orders[i].words))
            return &orders[i];
    return NULL;
}

/* Upwards while it is less, downwards while it is greater. All of it changes that is compared. */
static bool passes(struct finder *finder, const struct order *order, struct span counter, bool is_second)
{
    struct trip *trip = &finder->trip;
    int bytes;
    register_of(counter, &bytes);
    trip->until = order->until;
    trip->once_more = order->equal;
    return bytes == trip->bytes && trip->step == (order->less == is_second ? 1 : -1);
}

static bool is_order(struct finder *finder, size_t i, const struct order *order)
{
    const struct statement *statement = statement_of(finder, i);
    struct span operand[MAX_OPERANDS];
    if (operands_of(statement->rest, operand) != 2 || !span_in(statement->word, "cmp cmpl cmpq"))
        return false;
    return (compares_with(finder, operand[1], operand[0], i) && passes(finder, order, operand[1], true)) ||
           (compares_with(finder, operand[0], operand[1], i) && passes(finder, order, operand[0], false));
}

/* The flags of the branch come from a comparison, or from the counter's change itself. */
static bool is_condition(struct finder *finder, size_t i)
{
    const struct statement *statement = statement_of(finder, i);
    static const struct span zero = {"$0", 2};
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand);
    if (n == 2 && span_in(statement->word, "cmp cmpl cmpq"))
        return compares_with(finder, operand[1], operand[0], i) ||
               compares_with(finder, operand[0], operand[1], i);
    if (n == 2 && span_in(statement->word, "test testl testq") && span_same(operand[0], operand[1]))
        return compares_with(finder, operand[0], zero, i);
    if (n > 0 && span_in(statement->word, "add addl addq sub subl subq inc incl incq dec decl decq"))
        return compares_with(finder, operand[n - 1], zero, i) && !finder->trip.behind;
    return false;
}

/* Or may do so: a repeated comparison of no bytes sets none, and what somebody wrote is not known. */
static bool sets_flags(const struct statement *statement)
{
    return statement->effect.kills != 0 || statement->assembler ||
           span_in(statement->word, "cmps cmpsb cmpsw cmpsl cmpsq scas scasb scasw scasl scasq");
}

static bool find_condition(struct finder *finder)
{
    const struct block *latch = &finder->graph->block[finder->trip.latch];
    struct span jump = statement_of(finder, latch->last)->word;
    const struct order *order = order_of(jump);
    if (order == NULL && !span_in(jump, "jne jnz"))
        return false;
    for (size_t i = latch->last; i-- > latch->first;)
        if (is_own(finder->graph, latch, i) && sets_flags(statement_of(finder, i)))
            return order != NULL ? is_order(finder, i, order) : is_condition(finder, i);
    return false;
}

/* -------------------------------------------------------------------- entries */

/* Where a block goes on to the head; NOWHERE: code cannot be put there. */
static int64_t place_behind(const struct finder *finder, int32_t from)
{
    const struct block *block = &finder->graph->block[from];
    bool jumps = block->target == finder->trip.head, falls = block->next == finder->trip.head;
    if (falls && !jumps)
        return (int64_t)block->last + 1;
    if (jumps && block->flow == FLOW_JUMP && !statement_of(finder, block->last)->continues)
        return (int64_t)block->last;
    return NOWHERE;
}

static bool find_entries(struct finder *finder)
{
    struct trip *trip = &finder->trip;
    for (uint32_t i = finder->graph->n_from[trip->head]; i < finder->graph->n_from[trip->head + 1]; i++) {
        int32_t from = finder->graph->from[i];
        if (from == trip->latch)
            continue;
        int64_t place = place_behind(finder, from);
        if (place == NOWHERE || trip->n_entries == MOST_ENTRIES)
            return false;
        trip->entry[trip->n_entries++] = (struct entry){from, (size_t)place};
    }
    return trip->n_entries > 0;
}

/* One that is neither of the loop's two, nor another one, nor the stack's. */
static int any_register(const struct trip *trip, int other)
{
    int number = 0;
    while (number == trip->counter || number == trip->limit || number == other)
        number++;
    return number;
}

/* Registers that are dead, or have to be saved meanwhile. */
static bool find_scratch(struct finder *finder)
{
    struct trip *trip = &finder->trip;
    const struct block *head = &finder->graph->block[trip->head];
    trip->scratch = dead_register(head, head->registers_in);
    trip->saved = trip->scratch == NOWHERE;
    if (trip->saved)
        trip->scratch = any_register(trip, NOWHERE);
    trip->second = dead_register(head, head->registers_in | 1U << trip->scratch);
    trip->second_saved = trip->second == NOWHERE && finder->trips->needs_second;
    if (trip->second_saved)
        trip->second = any_register(trip, trip->scratch);
    return head->live_in == 0;
}

static void look_at(struct finder *finder, int32_t latch)
{
    const struct block *block = &finder->graph->block[latch];
    if (block->flow != FLOW_BRANCH || block->target == NOWHERE || block->target > latch)
        return;
    finder->trip = (struct trip){.head = block->target, .latch = latch};
    if (!find_condition(finder) || !is_loop(finder) || !find_scratch(finder) || !find_entries(finder))
        return;
    struct trips *trips = finder->trips;
    trips->of[latch] = (int32_t)trips->n;
    trips->trip = grown(trips->trip, trips->n, sizeof *trips->trip);
    trips->trip[trips->n++] = finder->trip;
}

void trips_find(struct trips *trips, const struct graph *graph, bool needs_second)
{
    *trips = (struct trips){.needs_second = needs_second,
                            .of = or_end(malloc((graph->n + 1) * sizeof *trips->of))};
    struct finder finder = {.graph = graph, .trips = trips};
    for (int32_t i = 0; i < (int32_t)graph->n; i++) {
        trips->of[i] = NOWHERE;
        look_at(&finder, i);
    }
}

void trips_free(struct trips *trips)
{
    free(trips->of);
    free(trips->trip);
}
