/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of counters on 64-bit Arm. Only what counts turns up to a limit changes flags. What is
 * below the stack pointer belongs to nobody.
 */
#include "arm64.h"

#include <inttypes.h>

/* ---- scratch */

static void put_pairs(FILE *out, const struct taken *taken, bool restores)
{
    for (unsigned i = 0; taken->saved && i < taken->n; i += 2) {
        unsigned at = restores ? (taken->n - 1) / 2 * 2 - i : i;
        const char *first = register_name(taken->number[at], 8);
        const char *second = at + 1 < taken->n ? register_name(taken->number[at + 1], 8) : "xzr";
        fprintf(out, restores ? "\tldp %s, %s, [sp], 16\n" : "\tstp %s, %s, [sp, -16]!\n", first, second);
    }
}

struct taken take_scratch(FILE *out, const int *scratch, unsigned n, uint64_t avoid)
{
    struct taken taken = {.n = n, .saved = scratch[n - 1] == NOWHERE};
    int next = 17;
    for (unsigned i = 0; i < n; i++) {
        taken.number[i] = scratch[i];
        for (; taken.saved && (avoid & REGISTER(next)) != 0; next--)
            ;
        if (taken.saved)
            taken.number[i] = next--;
    }
    put_pairs(out, &taken, false);
    return taken;
}

void give_back(FILE *out, const struct taken *taken)
{
    put_pairs(out, taken, true);
}

/* ---- addition */

/* Writes the code that computes the place of a thread's slot, and puts the operand between [ and ] into
 * place. */
static void put_thread_place(FILE *out, enum slots slots, struct slot slot, const char *base,
                             const char *other, char place[64])
{
    if (slots == SLOTS_LOCAL) {
        fprintf(out, "\tmrs %s, tpidr_el0\n\tadd %s, %s, #:tprel_hi12:.Lpapi_slots%d+%u, lsl #12\n", base,
                base, base, slot.unit, slot.at);
        snprintf(place, 64, "%s, #:tprel_lo12_nc:.Lpapi_slots%d+%u", base, slot.unit, slot.at);
        return;
    }
    unsigned low = slot.at % 4096 / 8 * 8, high = slot.at - low;
    fprintf(out,
            "\tadrp %s, :gottprel:.Lpapi_slots%d\n\tldr %s, [%s, :gottprel_lo12:.Lpapi_slots%d]\n"
            "\tmrs %s, tpidr_el0\n\tadd %s, %s, %s\n",
            base, slot.unit, base, base, slot.unit, other, base, base, other);
    if (high > 0)
        fprintf(out, "\tadd %s, %s, #%u\n", base, base, high);
    snprintf(place, 64, "%s, #%u", base, low);
}

void put_addition(FILE *out, enum slots slots, struct slot slot, const int *number, const char *what)
{
    const char *base = register_name(number[0], 8), *value = register_name(number[1], 8);
    char place[64];
    if (slots != SLOTS_PROCESS) {
        put_thread_place(out, slots, slot, base, value, place);
        fprintf(out, "\tldr %s, [%s]\n\tadd %s, %s, %s\n\tstr %s, [%s]\n", value, place, value, value, what,
                value, place);
        return;
    }
    fprintf(out,
            "\tadrp %s, .Lpapi_slots%d+%u\n\tadd %s, %s, :lo12:.Lpapi_slots%d+%u\n"
            "\tldxr %s, [%s]\n\tadd %s, %s, %s\n\tstxr %s, %s, [%s]\n\tcbnz %s, . - 12\n",
            base, slot.unit, slot.at, base, base, slot.unit, slot.at, value, base, value, value, what,
            register_name(number[2], 4), value, base, register_name(number[2], 4));
}

void put_count(FILE *out, enum slots slots, struct slot slot, struct spot spot)
{
    struct taken taken = take_scratch(out, spot.scratch, processor.for_counter[slots], 0);
    put_addition(out, slots, slot, taken.number, "#1");
    give_back(out, &taken);
}

void put_jump(FILE *out, struct span target)
{
    fprintf(out, "\tb %.*s\n", (int)target.n, target.at);
}

/* The place of a unit's slots: no relocation of data states it, but two of instructions do, which the weigher
 * reads. */
void put_place(FILE *out, int32_t unit)
{
    fprintf(out, "\tmovz x0, #:dtprel_g1:.Lpapi_slots%d\n\tmovk x0, #:dtprel_g0_nc:.Lpapi_slots%d\n", unit,
            unit);
}

/* ---- trip counts */

static void put_number(FILE *out, uint64_t number, const char *name, int bytes)
{
    fprintf(out, "\tmovz %s, #%u\n", name, (unsigned)(number & 0xffff));
    for (int shift = 16; shift < 8 * bytes; shift += 16)
        if ((number >> shift & 0xffff) != 0)
            fprintf(out, "\tmovk %s, #%u, lsl #%d\n", name, (unsigned)(number >> shift & 0xffff), shift);
}

/* The inverse of an odd number modulo 2^64, by Newton's iteration: a multiplication by it divides without a
 * rest. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd; /* right in 3 bits, then in twice as many each time */
    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

/* Writes the distance from the counter to the limit, as a positive number. */
static void put_distance(FILE *out, const struct trip *trip, const char *scratch)
{
    const char *counter = register_name(trip->counter, trip->bytes), *limit = scratch;
    if (trip->limit != NOWHERE)
        limit = register_name(trip->limit, trip->bytes);
    else
        put_number(out, (uint64_t)trip->number, scratch, trip->bytes);
    fprintf(out, "\tsub %s, %s, %s\n", scratch, trip->step > 0 ? limit : counter,
            trip->step > 0 ? counter : limit);
}

static void put_division(FILE *out, const struct trip *trip, const char *scratch, const char *factor)
{
    uint64_t step = trip->step > 0 ? (uint64_t)trip->step : -(uint64_t)trip->step;
    int shift = __builtin_ctzll(step);
    if (shift > 0)
        fprintf(out, "\tlsr %s, %s, #%d\n", scratch, scratch, shift);
    if (step >> shift == 1)
        return;
    put_number(out, inverse(step >> shift), factor, trip->bytes);
    fprintf(out, "\tmul %s, %s, %s\n", scratch, scratch, factor);
}

/* Writes the number of iterations: the first one, and those for which the counter has not passed the limit,
 * by the distance from what is compared first, unless that has passed it. */
static void put_turns(FILE *out, const struct trip *trip)
{
    static const char *const goes_on[2][2][2] = {{{"gt", "ge"}, {"lt", "le"}}, {{"hi", "hs"}, {"lo", "ls"}}};
    bool up = trip->step > 0;
    const char *scratch = register_name(trip->scratch[0], trip->bytes),
               *whole = register_name(trip->scratch[0], 8);
    const char *limit = register_name(trip->limit != NOWHERE ? trip->limit : trip->scratch[1], trip->bytes);
    const char *counter = register_name(trip->counter, trip->bytes),
               *compared = trip->behind ? counter : scratch;
    if (trip->limit == NOWHERE)
        put_number(out, (uint64_t)trip->number, limit, trip->bytes);
    if (!trip->behind)
        fprintf(out, "\t%s %s, %s, #1\n", up ? "add" : "sub", scratch, counter);
    fprintf(out, "\tcmp %s, %s\n\tsub %s, %s, %s\n", compared, limit, scratch, up ? limit : compared,
            up ? compared : limit);
    if (trip->once_more)
        fprintf(out, "\tadd %s, %s, #1\n", whole, whole);
    fprintf(out, "\tcsel %s, %s, xzr, %s\n\tadd %s, %s, #1\n", whole, whole,
            goes_on[trip->until == UNTIL_UNSIGNED][up][trip->once_more], whole, whole);
}

static void put_saving(FILE *out, const struct trip *trip, bool restores)
{
    for (int i = 0; i < MOST_SCRATCH; i++) {
        int which = restores ? MOST_SCRATCH - 1 - i : i;
        if (trip->saved[which])
            fprintf(out, restores ? "\tldr %s, [sp], 16\n" : "\tstr %s, [sp, -16]!\n",
                    register_name(trip->scratch[which], 8));
    }
}

void put_trip_numbers(FILE *out)
{
    (void)out;
}

void put_trip(FILE *out, enum slots slots, struct slot slot, const struct trip *trip, uint32_t mark)
{
    const char *scratch = register_name(trip->scratch[0], trip->bytes),
               *whole = register_name(trip->scratch[0], 8);
    (void)mark;
    put_saving(out, trip, false);
    if (trip->until != UNTIL_EQUAL) {
        put_turns(out, trip);
    } else {
        put_distance(out, trip, scratch);
        put_division(out, trip, scratch, register_name(trip->scratch[1], trip->bytes));
        if (trip->behind)
            fprintf(out, "\tadd %s, %s, #1\n", whole, whole);
    }
    put_addition(out, slots, slot, trip->scratch + 1, whole);
    put_saving(out, trip, true);
}

/* ---- counters in registers */

/* Counters in registers. All of them are general registers. */

void put_carried_entry(FILE *out, const struct carried *loop)
{
    for (unsigned i = 0; i < loop->n; i++)
        fprintf(out, "\tmov %s, #0\n", register_name(loop->number[i], 8));
}

void put_carried_one(FILE *out)
{
    (void)out;
}

void put_carried_step(FILE *out, const struct carried *loop, int number)
{
    (void)loop;
    fprintf(out, "\tadd %s, %s, #1\n", register_name(number, 8), register_name(number, 8));
}

void put_carried_exit(FILE *out, const struct carried *loop, int number, enum slots slots,
                      struct carried_place place)
{
    uint64_t avoid = 0;
    for (unsigned i = 0; i < loop->n; i++)
        avoid |= REGISTER(loop->number[i]);
    struct taken taken = take_scratch(out, place.scratch, processor.for_counter[slots], avoid);
    put_addition(out, slots, place.slot, taken.number, register_name(number, 8));
    give_back(out, &taken);
}
