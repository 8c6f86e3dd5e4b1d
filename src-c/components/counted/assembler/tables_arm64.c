/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Jump tables of 64-bit Arm. Their entries are distances in code, in a byte or two where the compiler knows
 * that these suffice; with counters in between they may not, and the assembler does not say so. They are
 * written with four:
 *
 *   ldrb w2, [x2,w0,uxtw]              ldr w2, [x2,w0,uxtw #2]
 *   adr  x0, .Lrtx4                    adr x0, .Lrtx4
 *   add  x2, x0, w2, sxtb #2           add x2, x0, w2, sxtw #2
 *   br   x2                            br x2
 *   ...                                ...
 *   .byte (.L28 - .Lrtx4) / 4          .word (.L28 - .Lrtx4) / 4
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    const char *at;   /* what has not been written yet */
    struct span base; /* of the last table whose load was written anew */
};

static void replace(struct writer *writer, struct span old, const char *new)
{
    fwrite(writer->at, 1, (size_t)(old.at - writer->at), writer->out);
    fputs(new, writer->out);
    writer->at = old.at + old.n;
}

static struct span found(struct span in, const char *text)
{
    const char *at = in.n > 0 ? memmem(in.at, in.n, text, strlen(text)) : NULL;
    return at != NULL ? (struct span){at, strlen(text)} : (struct span){0};
}

/* The load of what gcc makes one piece: at is where it begins. */
static bool is_load(const struct source *source, size_t at)
{
    const struct statement *load = &source->statement[at];
    bool bytes = span_is(load->word, "ldrb"), halves = span_is(load->word, "ldrh");
    if (at + 3 >= source->n || !(bytes || halves) || load->assembler ||
        !span_contains(load->rest, bytes ? "uxtw]" : "uxtw #1]"))
        return false;
    return span_is(load[1].word, "adr") && span_contains(load[1].rest, ".Lrtx") &&
           span_is(load[2].word, "add") && span_contains(load[2].rest, bytes ? "sxtb #2" : "sxth #2") &&
           span_is(load[3].word, "br");
}

static void widen_load(struct writer *writer, const struct statement *load)
{
    bool bytes = span_is(load->word, "ldrb");
    span_cut(load[1].rest, ',', &writer->base);
    replace(writer, load->word, "ldr");
    replace(writer, found(load->rest, bytes ? "uxtw]" : "uxtw #1]"), "uxtw #2]");
    replace(writer, found(load[2].rest, bytes ? "sxtb" : "sxth"), "sxtw");
}

/* (.L28 - .Lrtx4) / 4, behind the load from this table. */
static bool is_entry(const struct writer *writer, const struct statement *statement)
{
    struct span rest, base;
    span_cut(statement->rest, '-', &base);
    base = span_cut(base, ')', &rest);
    return span_starts(statement->rest, "(.L") && base.n > 0 && span_same(base, writer->base);
}

/* Any distance between labels of code, (.LBB0_2-.LBB0_1)>>2. */
static bool is_distance(const struct statement *statement)
{
    return span_contains(statement->rest, "-.L") || span_contains(statement->rest, "- .L");
}

static bool is_narrow(struct span word)
{
    return span_in(word, ".byte .hword .2byte .short");
}

static void refuse(struct source *source, const struct statement *statement)
{
    if (source->why != NULL)
        return;
    source->why = "a jump table whose entries have one or two bytes: -fno-jump-tables makes none";
    source->why_line = statement->line;
}

char *tables_widened(struct source *source, size_t *size)
{
    char *text = NULL;
    struct writer writer = {.out = open_memstream(&text, size), .at = source->text};
    or_end(writer.out);
    for (size_t i = 0; i < source->n; i++) {
        const struct statement *statement = &source->statement[i];
        if (statement->kind == STATEMENT_INSTRUCTION && is_load(source, i))
            widen_load(&writer, statement);
        else if (statement->kind != STATEMENT_DIRECTIVE || !is_narrow(statement->word) ||
                 source->section[statement->section].debug)
            continue;
        else if (is_entry(&writer, statement))
            replace(&writer, statement->word, ".word");
        else if (is_distance(statement))
            refuse(source, statement);
    }
    fwrite(writer.at, 1, (size_t)(source->text + source->size - writer.at), writer.out);
    or_end(fclose(writer.out) == 0 ? text : NULL);
    return text;
}
