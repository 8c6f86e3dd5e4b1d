/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of counters that are in vector registers.
 */
#include "assembler.h"

#include <inttypes.h>

static void put_two(FILE *out, const struct carried *loop, const char *name, int from, int to)
{
    if (loop->vex)
        fprintf(out, "\tv%s %%xmm%d, %%xmm%d, %%xmm%d\n", name, from, to, to);
    else
        fprintf(out, "\t%s %%xmm%d, %%xmm%d\n", name, from, to);
}

void put_carried_entry(FILE *out, const struct carried *loop)
{
    put_two(out, loop, "pcmpeqd", loop->ones, loop->ones);
    for (unsigned i = 0; i < loop->n; i++)
        put_two(out, loop, "pxor", loop->vector[i], loop->vector[i]);
}

void put_carried_step(FILE *out, const struct carried *loop, int32_t arc)
{
    for (unsigned i = 0; i < loop->n; i++)
        if (loop->arc[i] == arc)
            put_two(out, loop, "psubq", loop->ones, loop->vector[i]);
}

/* With a dead register and dead flags; else with the vector that is -1 inside, which takes longer to come
 * back from memory. */
static void put_addition(FILE *out, const struct carried *loop, int vector, int dead, const char *slot)
{
    const char *move = loop->vex ? "vmovq" : "movq";
    if (dead != NOWHERE) {
        fprintf(out, "\t%s %%xmm%d, %%%s\n\taddq %%%s, %s\n", move, vector, register_name(dead, 8),
                register_name(dead, 8), slot);
        return;
    }
    fprintf(out, "\t%s %s, %%xmm%d\n", move, slot, loop->ones);
    put_two(out, loop, "paddq", vector, loop->ones);
    fprintf(out, "\t%s %%xmm%d, %s\n", move, loop->ones, slot);
}

static void put_local(FILE *out, const struct carried *loop, int vector, struct carried_place place)
{
    char slot[64];
    snprintf(slot, sizeof slot, "%%fs:.Lpapi_slots%" PRId32 "@tpoff+%" PRIu32, place.unit, place.at);
    put_addition(out, loop, vector, place.flags ? place.scratch : NOWHERE, slot);
}

/* RAX is below the red zone meanwhile. */
static void put_initial(FILE *out, const struct carried *loop, int vector, struct carried_place place)
{
    bool saved = place.scratch == NOWHERE;
    const char *scratch = register_name(saved ? 0 : place.scratch, 8);
    char slot[64];
    snprintf(slot, sizeof slot, "%%fs:%" PRIu32 "(%%%s)", place.at, scratch);
    fputs(saved ? "\tleaq -128(%rsp), %rsp\n\tpushq %rax\n" : "", out);
    fprintf(out, "\tmovq .Lpapi_slots%" PRId32 "@gottpoff(%%rip), %%%s\n", place.unit, scratch);
    put_addition(out, loop, vector, place.flags ? place.second : NOWHERE, slot);
    fputs(saved ? "\tpopq %rax\n\tleaq 128(%rsp), %rsp\n" : "", out);
}

static void put_process(FILE *out, const struct carried *loop, int vector, struct carried_place place)
{
    fprintf(out,
            "\tleaq -128(%%rsp), %%rsp\n\tpushq %%rax\n\tpushfq\n\t%s %%xmm%d, %%rax\n"
            "\tlock addq %%rax, .Lpapi_slots%" PRId32 "+%" PRIu32 "(%%rip)\n"
            "\tpopfq\n\tpopq %%rax\n\tleaq 128(%%rsp), %%rsp\n",
            loop->vex ? "vmovq" : "movq", vector, place.unit, place.at);
}

void put_carried_exit(FILE *out, const struct carried *loop, int vector, enum slots slots,
                      struct carried_place place)
{
    static void (*const put[])(FILE *, const struct carried *, int, struct carried_place) = {
        [SLOTS_LOCAL] = put_local, [SLOTS_INITIAL] = put_initial, [SLOTS_PROCESS] = put_process};
    put[slots](out, loop, vector, place);
}
