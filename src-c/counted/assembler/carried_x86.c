/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of counters that are in registers.
 */
#include "assembler.h"

#include <inttypes.h>

/* Vector registers. */
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

/* With a dead register and dead flags; else with a vector, which takes longer to come back from memory. */
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

/* RAX is below the red zone meanwhile. */
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
