/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"
#include "counted/assembler/assembler.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void put_counters(FILE *out, struct source *source, enum level level, enum slots slots)
{
    struct graph graph;
    graph_build(&graph, source);
    if (source->why == NULL) {
        struct placement placement;
        flags_analyse(&graph);
        registers_analyse(&graph);
        exclusive_analyse(&graph, source);
        placement_make(&placement, &graph, level, slots);
        if (placement.block_without == NOWHERE)
            emit(out, &graph, &placement, slots);
        placement_free(&placement);
    }
    graph_free(&graph);
}

/* Statements of the input stay in their order: each is found somewhere after the previous one. */
static void check_statements(const struct source *source, const char *text)
{
    for (size_t i = 0; i < source->n; i++) {
        const struct statement *statement = &source->statement[i];
        if (statement->kind != STATEMENT_LABEL || statement->word.n == 0)
            continue;
        const char *found = memmem(text, strlen(text), statement->word.at, statement->word.n);
        REQUIRE(found != NULL);
        text = found + statement->word.n;
    }
}

static void assemble(const char *text, size_t size, enum level level, enum slots slots)
{
    struct source source;
    char *counted = NULL, *widened;
    size_t length = 0;
    source_read(&source, text, size);
    widened = source.why == NULL ? tables_widened(&source, &size) : NULL;
    if (widened != NULL && source.why == NULL) {
        source_free(&source);
        source_read(&source, widened, size);
    }
    FILE *out = open_memstream(&counted, &length);
    if (source.why == NULL)
        put_counters(out, &source, level, slots);
    REQUIRE(fclose(out) == 0);
    if (source.why != NULL)
        fuzz_reason(source.why);
    else if (length > 0 && strlen(counted) == length)
        check_statements(&source, counted);
    source_free(&source);
    free(widened);
    free(counted);
}

void fuzz_assemble(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    unsigned how = (unsigned)fuzz_number(&bytes, 1);
    char *text = fuzz_text(bytes.next, (size_t)(bytes.end - bytes.next));
    assemble(text, (size_t)(bytes.end - bytes.next), (enum level)(how % 4), (enum slots)(how / 4 % 3));
    free(text);
}
