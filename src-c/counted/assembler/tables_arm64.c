/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Jump tables of 64-bit Arm. Their entries are distances in code, in a byte or two where the compiler knows
 * that these suffice; with counters in between they may not, and the assembler does not say so. They are
 * written with four:
 *
 *   ldrb w2, [x2,w0,uxtw]              ldr w2, [x2,w0,uxtw #2]            gcc
 *   adr  x0, .Lrtx4                    adr x0, .Lrtx4
 *   add  x2, x0, w2, sxtb #2           add x2, x0, w2, sxtw #2
 *   br   x2                            br x2
 *   ...                                ...
 *   .byte (.L28 - .Lrtx4) / 4          .word (.L28 - .Lrtx4) / 4
 *
 *   adr  x14, .LBB9_2                  adr  x14, .LBB9_2                  LLVM
 *   ldrb w15, [x10, x13]               ldr  w15, [x10, x13, lsl #2]
 *   add  x14, x14, x15, lsl #2         add  x14, x14, x15, lsl #2
 *   br   x14                           br   x14
 *   ...                                ...
 *   .byte (.LBB9_5-.LBB9_2)>>2         .word (.LBB9_5-.LBB9_2)>>2
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    const char *at;    /* what has not been written yet */
    struct span *base; /* of the tables whose loads were written anew */
    size_t n_bases;
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

static void note_base(struct writer *writer, const struct statement *adr)
{
    struct span base;
    span_cut(adr->rest, ',', &base);
    writer->base = grown(writer->base, writer->n_bases, sizeof *writer->base);
    writer->base[writer->n_bases++] = base;
}

/* ------------------------------------------------------------------------ loads */

/* Each is one piece to its compiler, in which nothing else is. */
static bool widens_gcc(struct writer *writer, const struct statement *load)
{
    bool bytes = span_is(load->word, "ldrb");
    struct span scale = found(load->rest, bytes ? "uxtw]" : "uxtw #1]");
    struct span extension = found(load[2].rest, bytes ? "sxtb #2" : "sxth #2");
    if (scale.n == 0 || extension.n == 0 || !span_is(load[1].word, "adr") ||
        !span_contains(load[1].rest, ".Lrtx") || !span_is(load[2].word, "add"))
        return false;
    note_base(writer, &load[1]);
    replace(writer, load->word, "ldr");
    replace(writer, scale, "uxtw #2]");
    replace(writer, extension, "sxtw #2");
    return true;
}

static bool widens_llvm(struct writer *writer, const struct statement *load)
{
    struct span scale = found(load->rest, span_is(load->word, "ldrb") ? "]" : ", lsl #1]");
    if (scale.n == 0 || !span_is(load[-1].word, "adr") || !span_contains(load[-1].rest, ".LBB") ||
        !span_is(load[1].word, "add") || !span_contains(load[1].rest, "lsl #2"))
        return false;
    note_base(writer, &load[-1]);
    replace(writer, load->word, "ldr");
    replace(writer, scale, ", lsl #2]");
    return true;
}

static void widen_load(struct writer *writer, const struct source *source, size_t at)
{
    const struct statement *load = &source->statement[at];
    if (load->assembler || !span_in(load->word, "ldrb ldrh") || at == 0)
        return;
    if (at + 3 < source->n && span_is(load[3].word, "br") && widens_gcc(writer, load))
        return;
    if (at + 2 < source->n && span_is(load[2].word, "br"))
        widens_llvm(writer, load);
}

/* ---------------------------------------------------------------------- entries */

/* (.L28 - .Lrtx4) / 4, behind the load from this table. */
static bool is_entry(const struct writer *writer, const struct statement *statement)
{
    struct span rest, base;
    span_cut(statement->rest, '-', &base);
    base = span_cut(base, ')', &rest);
    bool known = false;
    for (size_t i = writer->n_bases; i-- > 0 && !known;)
        known = span_same(base, writer->base[i]);
    return known && span_starts(statement->rest, "(.L");
}

/* Any distance between labels of code. */
static bool is_distance(const struct statement *statement)
{
    return span_contains(statement->rest, "-.L") || span_contains(statement->rest, "- .L");
}

static bool is_narrow(const struct source *source, const struct statement *statement)
{
    return statement->kind == STATEMENT_DIRECTIVE && !source->section[statement->section].debug &&
           span_in(statement->word, ".byte .hword .2byte .short");
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
        if (statement->kind == STATEMENT_INSTRUCTION)
            widen_load(&writer, source, i);
        else if (!is_narrow(source, statement))
            continue;
        else if (is_entry(&writer, statement))
            replace(&writer, statement->word, ".word");
        else if (is_distance(statement))
            refuse(source, statement);
    }
    fwrite(writer.at, 1, (size_t)(source->text + source->size - writer.at), writer.out);
    or_end(fclose(writer.out) == 0 ? text : NULL);
    free(writer.base);
    return text;
}
