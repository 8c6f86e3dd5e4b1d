/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of counters on x86-64.
 */
#include "assembler.h"

#include <inttypes.h>

/* Saves RAX below the red zone, where the code has no data. */
#define PUSH "\tleaq -128(%%rsp), %%rsp\n\tpushq %%rax\n"
#define POP "\tpopq %%rax\n\tleaq 128(%%rsp), %%rsp\n"

static void count_local(FILE *out, struct slot slot, struct spot spot)
{
    if (spot.flags)
        fprintf(out, "\tincq %%fs:.Lpapi_slots%d@tpoff+%u\n", slot.unit, slot.at);
    else
        fprintf(out,
                PUSH "\tmovq %%fs:.Lpapi_slots%d@tpoff+%u, %%rax\n\tleaq 1(%%rax), %%rax\n"
                     "\tmovq %%rax, %%fs:.Lpapi_slots%d@tpoff+%u\n" POP,
                slot.unit, slot.at, slot.unit, slot.at);
}

static void count_initial(FILE *out, struct slot slot, struct spot spot)
{
    const char *scratch = spot.scratch[0] != NOWHERE ? register_name(spot.scratch[0], 8) : NULL;
    if (spot.flags && scratch != NULL)
        fprintf(out, "\tmovq .Lpapi_slots%d@gottpoff(%%rip), %%%s\n\tincq %%fs:%u(%%%s)\n", slot.unit,
                scratch, slot.at, scratch);
    else if (spot.flags)
        fprintf(out, PUSH "\tmovq .Lpapi_slots%d@gottpoff(%%rip), %%rax\n\tincq %%fs:%u(%%rax)\n" POP,
                slot.unit, slot.at);
    else
        fprintf(out,
                PUSH "\tpushq %%rcx\n\tmovq .Lpapi_slots%d@gottpoff(%%rip), %%rax\n"
                     "\tmovq %%fs:%u(%%rax), %%rcx\n\tleaq 1(%%rcx), %%rcx\n"
                     "\tmovq %%rcx, %%fs:%u(%%rax)\n\tpopq %%rcx\n" POP,
                slot.unit, slot.at, slot.at);
}

static void count_process(FILE *out, struct slot slot, struct spot spot)
{
    const char *before = spot.flags ? "" : "\tleaq -128(%rsp), %rsp\n\tpushfq\n";
    const char *behind = spot.flags ? "" : "\tpopfq\n\tleaq 128(%rsp), %rsp\n";
    fprintf(out, "%s\tlock incq .Lpapi_slots%d+%u(%%rip)\n%s", before, slot.unit, slot.at, behind);
}

void put_count(FILE *out, enum slots slots, struct slot slot, struct spot spot)
{
    static void (*const put[])(FILE *, struct slot, struct spot) = {
        [SLOTS_LOCAL] = count_local, [SLOTS_INITIAL] = count_initial, [SLOTS_PROCESS] = count_process};
    put[slots](out, slot, spot);
}

void put_jump(FILE *out, struct span target)
{
    fprintf(out, "\tjmp %.*s\n", (int)target.n, target.at);
}

void put_place(FILE *out, int32_t unit)
{
    fprintf(out, "\t.quad .Lpapi_slots%d@dtpoff\n", unit);
}

/* ---- trip counts */

/* The inverse of an odd number modulo 2^64, by Newton's iteration: a multiplication by it divides without a
 * rest. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd; /* right in 3 bits, then in twice as many each time */
    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

static void put_division(FILE *out, const struct trip *trip, const char *scratch, uint32_t mark)
{
    uint64_t step = trip->step > 0 ? (uint64_t)trip->step : -(uint64_t)trip->step;
    char size = trip->bytes == 8 ? 'q' : 'l';
    int shift = __builtin_ctzll(step);
    if (shift > 0)
        fprintf(out, "\tshr%c $%d, %%%s\n", size, shift, scratch);
    if (step >> shift == 1)
        return;
    if (size == 'l')
        fprintf(out, "\timull $%" PRId32 ", %%%s, %%%s\n", (int32_t)inverse(step >> shift), scratch, scratch);
    else
        fprintf(out,
                "\t.pushsection .rodata.cst8,\"aM\",@progbits,8\n\t.balign 8\n.Lpapi_%u: .quad %" PRIu64
                "\n\t.popsection\n\timulq .Lpapi_%u(%%rip), %%%s\n",
                mark, inverse(step >> shift), mark, scratch);
}

static void name_limit(const struct trip *trip, char limit[32])
{
    if (trip->limit != NOWHERE)
        snprintf(limit, 32, "%%%s", register_name(trip->limit, trip->bytes));
    else
        snprintf(limit, 32, "$%" PRId64, trip->number);
}

/* Writes the distance from the counter to the limit, as a positive number. */
static void put_distance(FILE *out, const struct trip *trip, const char *scratch)
{
    const char *counter = register_name(trip->counter, trip->bytes);
    char size = trip->bytes == 8 ? 'q' : 'l', limit[32];
    name_limit(trip, limit);
    if (trip->step > 0)
        fprintf(out, "\tmov%c %s, %%%s\n\tsub%c %%%s, %%%s\n", size, limit, scratch, size, counter, scratch);
    else
        fprintf(out, "\tmov%c %%%s, %%%s\n", size, counter, scratch);
    if (trip->step < 0 && (trip->limit != NOWHERE || trip->number != 0))
        fprintf(out, "\tsub%c %s, %%%s\n", size, limit, scratch);
}

/* Writes the distances for loops without a second iteration: 0; and for those that go on where the counter
 * equals the limit, 1 upwards and -1 downwards. */
void put_trip_numbers(FILE *out)
{
    fputs("\t.section .rodata.papi_counted,\"a\",@progbits\n\t.balign 8\n.Lpapi_no_turn:\n\t.quad 0, 1, -1\n",
          out);
}

/* Writes the number of iterations: the first one, and those for which the counter has not passed the limit,
 * by the distance from what is compared first, unless that has passed it. 2^32 iterations are no less than
 * 1. */
static void put_turns(FILE *out, const struct trip *trip, const char *scratch)
{
    static const char *const passed[2][2][2] = {{{"le", "l"}, {"ge", "g"}}, {{"be", "b"}, {"ae", "a"}}};
    bool up = trip->step > 0;
    char size = trip->bytes == 8 ? 'q' : 'l', limit[32];
    const char *whole = register_name(trip->scratch[0], 8);
    name_limit(trip, limit);
    fprintf(out, "\tleaq %d(%%%s), %%%s\n\tsub%c %s, %%%s\n", trip->behind ? 0 : (int)trip->step,
            register_name(trip->counter, 8), whole, size, limit, scratch);
    fprintf(out, "\tcmov%s%c .Lpapi_no_turn+%d(%%rip), %%%s\n",
            passed[trip->until == UNTIL_UNSIGNED][up][trip->once_more], size,
            !trip->once_more ? 0
            : up             ? 8
                             : 16,
            scratch);
    if (up)
        fprintf(out, "\tneg%c %%%s\n", size, scratch);
    if (trip->once_more)
        fprintf(out, "\tinc%c %%%s\n", size, scratch);
    fprintf(out, "\tincq %%%s\n", whole);
}

static void put_sum(FILE *out, enum slots slots, struct slot slot, const struct trip *trip)
{
    const char *scratch = register_name(trip->scratch[0], 8);
    if (slots == SLOTS_LOCAL) {
        fprintf(out, "\taddq %%%s, %%fs:.Lpapi_slots%d@tpoff+%u\n", scratch, slot.unit, slot.at);
    } else if (slots == SLOTS_PROCESS) {
        fprintf(out, "\tlock addq %%%s, .Lpapi_slots%d+%u(%%rip)\n", scratch, slot.unit, slot.at);
    } else {
        const char *second = register_name(trip->scratch[1], 8);
        fprintf(out, "\tmovq .Lpapi_slots%d@gottpoff(%%rip), %%%s\n\taddq %%%s, %%fs:%u(%%%s)\n", slot.unit,
                second, scratch, slot.at, second);
    }
}

static void put_saving(FILE *out, const struct trip *trip, bool restores)
{
    if (!trip->saved[0] && !trip->saved[1])
        return;
    if (!restores)
        fputs("\tleaq -128(%rsp), %rsp\n", out);
    for (int i = 0; i < 2; i++) {
        int which = restores ? 1 - i : i;
        if (trip->saved[which])
            fprintf(out, "\t%s %%%s\n", restores ? "popq" : "pushq", register_name(trip->scratch[which], 8));
    }
    if (restores)
        fputs("\tleaq 128(%rsp), %rsp\n", out);
}

void put_trip(FILE *out, enum slots slots, struct slot slot, const struct trip *trip, uint32_t mark)
{
    const char *scratch = register_name(trip->scratch[0], trip->bytes);
    put_saving(out, trip, false);
    if (trip->until != UNTIL_EQUAL) {
        put_turns(out, trip, scratch);
    } else {
        put_distance(out, trip, scratch);
        put_division(out, trip, scratch, mark);
        if (trip->behind)
            fprintf(out, "\tincq %%%s\n", register_name(trip->scratch[0], 8));
    }
    put_sum(out, slots, slot, trip);
    put_saving(out, trip, true);
}

/* ---- counters in registers */

/* The instructions of counters that are in registers. */

/* Writes an instruction on vector registers, in the form of VEX or the older one. */
static void put_two(FILE *out, const struct carried *loop, const char *name, int from, int to)
{
    from -= FIRST_VECTOR;
    to -= FIRST_VECTOR;
    if (loop->vex)
        fprintf(out, "\tv%s %%xmm%d, %%xmm%d, %%xmm%d\n", name, from, to, to);
    else
        fprintf(out, "\t%s %%xmm%d, %%xmm%d\n", name, from, to);
}

void put_carried_entry(FILE *out, const struct carried *loop)
{
    for (unsigned i = 0; i < loop->n; i++)
        if (loop->number[i] >= FIRST_VECTOR)
            put_two(out, loop, "pxor", loop->number[i], loop->number[i]);
        else
            fprintf(out, "\tmovl $0, %%%s\n", register_name(loop->number[i], 4));
}

void put_carried_step(FILE *out, const struct carried *loop, int number)
{
    int vector = number - FIRST_VECTOR;
    if (number >= FIRST_VECTOR && loop->vex)
        fprintf(out, "\tvpaddq .Lpapi_one(%%rip), %%xmm%d, %%xmm%d\n", vector, vector);
    else if (number >= FIRST_VECTOR)
        fprintf(out, "\tpaddq .Lpapi_one(%%rip), %%xmm%d\n", vector);
    else
        fprintf(out, "\tleaq 1(%%%s), %%%s\n", register_name(number, 8), register_name(number, 8));
}

void put_carried_one(FILE *out)
{
    fputs("\t.section .rodata.cst16,\"aM\",@progbits,16\n\t.balign 16\n.Lpapi_one:\n\t.quad 1, 0\n", out);
}

/* Adds a counter to its slot: with a dead register and dead flags if there are any, otherwise with a vector,
 * which takes longer to come back from memory. */
static void put_addition(FILE *out, const struct carried *loop, int number, int dead, const char *slot)
{
    const char *move = loop->vex ? "vmovq" : "movq";
    if (number < FIRST_VECTOR) {
        fprintf(out, "\taddq %%%s, %s\n", register_name(number, 8), slot);
    } else if (dead != NOWHERE) {
        fprintf(out, "\t%s %%xmm%d, %%%s\n\taddq %%%s, %s\n", move, number - FIRST_VECTOR,
                register_name(dead, 8), register_name(dead, 8), slot);
    } else {
        fprintf(out, "\t%s %s, %%xmm%d\n", move, slot, loop->spare - FIRST_VECTOR);
        put_two(out, loop, "paddq", number, loop->spare);
        fprintf(out, "\t%s %%xmm%d, %s\n", move, loop->spare - FIRST_VECTOR, slot);
    }
}

static void put_local(FILE *out, const struct carried *loop, int number, struct carried_place place)
{
    char slot[64];
    snprintf(slot, sizeof slot, "%%fs:.Lpapi_slots%" PRId32 "@tpoff+%" PRIu32, place.slot.unit,
             place.slot.at);
    put_addition(out, loop, number, place.flags ? place.scratch[0] : NOWHERE, slot);
}

/* Adds a counter to a slot of a shared library, with RAX, which is saved below the red zone meanwhile. */
static void put_initial(FILE *out, const struct carried *loop, int number, struct carried_place place)
{
    bool saved = place.scratch[0] == NOWHERE;
    const char *scratch = register_name(saved ? 0 : place.scratch[0], 8);
    char slot[64];
    snprintf(slot, sizeof slot, "%%fs:%" PRIu32 "(%%%s)", place.slot.at, scratch);
    fputs(saved ? "\tleaq -128(%rsp), %rsp\n\tpushq %rax\n" : "", out);
    fprintf(out, "\tmovq .Lpapi_slots%" PRId32 "@gottpoff(%%rip), %%%s\n", place.slot.unit, scratch);
    put_addition(out, loop, number, place.flags ? place.scratch[1] : NOWHERE, slot);
    fputs(saved ? "\tpopq %rax\n\tleaq 128(%rsp), %rsp\n" : "", out);
}

static void put_process(FILE *out, const struct carried *loop, int number, struct carried_place place)
{
    fprintf(out,
            "\tleaq -128(%%rsp), %%rsp\n\tpushq %%rax\n\tpushfq\n\t%s %%xmm%d, %%rax\n"
            "\tlock addq %%rax, .Lpapi_slots%" PRId32 "+%" PRIu32 "(%%rip)\n"
            "\tpopfq\n\tpopq %%rax\n\tleaq 128(%%rsp), %%rsp\n",
            loop->vex ? "vmovq" : "movq", number - FIRST_VECTOR, place.slot.unit, place.slot.at);
}

void put_carried_exit(FILE *out, const struct carried *loop, int number, enum slots slots,
                      struct carried_place place)
{
    static void (*const put[])(FILE *, const struct carried *, int, struct carried_place) = {
        [SLOTS_LOCAL] = put_local, [SLOTS_INITIAL] = put_initial, [SLOTS_PROCESS] = put_process};
    put[slots](out, loop, number, place);
}
