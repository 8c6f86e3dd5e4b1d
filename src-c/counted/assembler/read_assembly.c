/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a compiler's text in AT&T syntax into statements.
 */
#include "assembler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECTION_STACK = 32 };

struct reader {
    struct source *source;
    const char *at, *end;
    uint32_t line;
    bool assembler, continues;
    bool to_call; /* up to the call: the linker knows what is between as one sequence */
    int opaque;   /* depth of macros, repetitions and conditions */
    int32_t section, previous;
    int32_t stack[MAX_SECTION_STACK][2];
    int n_stack;
};

/* ---- sections */

static bool starts_as_code(struct span name)
{
    return span_starts(name, ".text") || span_is(name, ".init") || span_is(name, ".fini");
}

static bool has_flag_x(struct span flags)
{
    return flags.n > 1 && flags.at[0] == '"' && memchr(flags.at, 'x', flags.n) != NULL;
}

static int32_t section_find(struct source *source, struct span directive, struct span name, struct span flags)
{
    bool code = starts_as_code(name) || has_flag_x(flags);
    for (size_t i = 0; i < source->n_sections; i++) {
        if (span_same(source->section[i].directive, directive))
            return (int32_t)i;
        if (span_same(source->section[i].name, name))
            code = code || source->section[i].code;
    }
    source->section = grown(source->section, source->n_sections, sizeof *source->section);
    source->section[source->n_sections] =
        (struct section){.directive = directive,
                         .name = name,
                         .code = code,
                         .debug = span_starts(name, ".debug") || span_starts(name, ".gnu.debug") ||
                                  span_starts(name, ".stab") || span_starts(name, ".gnu.lto")};
    return (int32_t)source->n_sections++;
}

static struct span unquoted(struct span name)
{
    if (name.n >= 2 && name.at[0] == '"')
        return (struct span){name.at + 1, name.n - 2};
    return name;
}

static void enter(struct reader *reader, int32_t section)
{
    reader->previous = reader->section;
    reader->section = section;
}

static void enter_named(struct reader *reader, struct span whole, struct span operands)
{
    struct span rest, flags, name = span_cut(operands, ',', &rest);
    flags = span_cut(rest, ',', &rest);
    enter(reader, section_find(reader->source, whole, unquoted(name), flags));
}

static void refuse(struct reader *reader, const char *why)
{
    if (reader->source->why == NULL) {
        reader->source->why = why;
        reader->source->why_line = reader->line;
    }
}

static void push_section(struct reader *reader, const struct statement *statement)
{
    if (reader->n_stack == MAX_SECTION_STACK) {
        refuse(reader, "too many nested .pushsection");
        return;
    }
    reader->stack[reader->n_stack][0] = reader->section;
    reader->stack[reader->n_stack++][1] = reader->previous;
    enter_named(reader, statement->whole, statement->rest);
}

static void pop_section(struct reader *reader)
{
    if (reader->n_stack == 0)
        return;
    reader->section = reader->stack[--reader->n_stack][0];
    reader->previous = reader->stack[reader->n_stack][1];
}

static void change_section(struct reader *reader, const struct statement *statement)
{
    struct span word = statement->word;
    if (span_in(word, ".text .data .bss"))
        enter(reader, section_find(reader->source, statement->whole, word, (struct span){"", 0}));
    else if (span_is(word, ".section"))
        enter_named(reader, statement->whole, statement->rest);
    else if (span_is(word, ".pushsection"))
        push_section(reader, statement);
    else if (span_is(word, ".popsection"))
        pop_section(reader);
    else if (span_is(word, ".previous"))
        enter(reader, reader->previous);
    else if (span_is(word, ".subsection"))
        refuse(reader, ".subsection");
}

/* ---- statements */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

static struct span first_word(struct span span, struct span *rest)
{
    size_t n = 0;
    while (n < span.n && !isspace((unsigned char)span.at[n]))
        n++;
    *rest = span_trim((struct span){span.at + n, span.n - n});
    return (struct span){span.at, n};
}

static void keep(struct reader *reader, struct statement statement)
{
    struct source *source = reader->source;
    statement.line = reader->line;
    statement.section = reader->section;
    statement.assembler = reader->assembler;
    statement.continues = reader->continues || reader->to_call;
    statement.landing = is_landing(&statement);
    reader->continues = false;
    source->statement = grown(source->statement, source->n, sizeof *source->statement);
    source->statement[source->n++] = statement;
}

static void keep_instruction(struct reader *reader, struct statement statement)
{
    struct span rest = statement.rest, word = statement.word;
    while (is_prefix(word) && rest.n > 0)
        word = first_word(rest, &rest);
    statement.word = word;
    statement.rest = rest;
    statement.kind = reader->opaque > 0 ? STATEMENT_OPAQUE : STATEMENT_INSTRUCTION;
    keep(reader, statement);
    if (is_call(word) && span_starts(rest, "__morestack"))
        refuse(reader, "divided stacks (-fsplit-stack), whose calls have to stay where they are");
    reader->continues = is_prefix(word) || continues_call(&statement);
    reader->to_call = !is_call(word) && (reader->to_call || begins_sequence(&statement));
}

static bool is_code_section(const struct reader *reader)
{
    return reader->source->section[reader->section].code;
}

static void keep_directive(struct reader *reader, struct statement statement)
{
    statement.kind = STATEMENT_DIRECTIVE;
    if (span_starts(statement.word, ".intel_syntax"))
        refuse(reader, "Intel's syntax (-masm=intel)");
    if (span_in(statement.word, ".macro .rept .irp .irpc .rep") || span_starts(statement.word, ".if"))
        reader->opaque++;
    if (reader->opaque > 0)
        statement.kind = STATEMENT_OPAQUE;
    else
        change_section(reader, &statement);
    if (span_in(statement.word, ".endm .endr .endif") && reader->opaque > 0)
        reader->opaque--;
    bool prefix = is_prefix_byte(&statement) && is_code_section(reader);
    if (prefix)
        statement.kind = STATEMENT_PREFIX;
    keep(reader, statement);
    reader->continues = prefix;
    reader->to_call = reader->to_call || begins_sequence(&statement);
}

static size_t label_length(struct span span)
{
    size_t n = 0;
    if (span.n > 0 && span.at[0] == '"') {
        const char *quote = memchr(span.at + 1, '"', span.n - 1);
        n = quote != NULL ? (size_t)(quote - span.at) + 1 : 0;
    } else {
        while (n < span.n && in_name(span.at[n]))
            n++;
    }
    return n > 0 && n < span.n && span.at[n] == ':' ? n : 0;
}

/* Takes the text between separators: labels, and one directive or instruction. */
static void take(struct reader *reader, struct span span)
{
    for (span = span_trim(span); span.n > 0;) {
        size_t n = label_length(span);
        struct statement statement = {.whole = span};
        if (n == 0) {
            statement.word = first_word(span, &statement.rest);
            bool assigned = statement.rest.n > 0 && statement.rest.at[0] == '=';
            if (span.at[0] == '.' || assigned)
                keep_directive(reader, statement);
            else
                keep_instruction(reader, statement);
            return;
        }
        statement.whole.n = n + 1;
        statement.word = unquoted((struct span){span.at, n});
        statement.kind = reader->opaque > 0 ? STATEMENT_OPAQUE : STATEMENT_LABEL;
        keep(reader, statement);
        span = span_trim((struct span){span.at + n + 1, span.n - n - 1});
    }
}

static const char *behind_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at + 1 : end;
}

static void note_comment(struct reader *reader, struct span comment)
{
    if (span_starts(comment, "#APP"))
        reader->assembler = true;
    else if (span_starts(comment, "#NO_APP"))
        reader->assembler = false;
}

static const char *line_end(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found != NULL ? found : end;
}

static const char *behind_comment(struct reader *reader, const char *at)
{
    for (at += 2; at + 1 < reader->end && !(at[0] == '*' && at[1] == '/'); at++)
        reader->line += *at == '\n';
    return at + 2 < reader->end ? at + 2 : reader->end;
}

/* Reads one statement, up to its separator, a comment or the end of the line. */
static void read_statement(struct reader *reader)
{
    const char *begin = reader->at, *at = begin;
    bool first = true;
    while (at < reader->end && *at != '\n' && *at != ';' && !begins_comment(at, first) &&
           !(at[0] == '/' && at[1] == '*')) {
        first = first && isspace((unsigned char)*at);
        at = *at == '"' ? behind_string(at, reader->end) : at + 1;
    }
    take(reader, (struct span){begin, (size_t)(at - begin)});
    if (at < reader->end && begins_comment(at, first)) {
        const char *end = line_end(at, reader->end);
        note_comment(reader, (struct span){at, (size_t)(end - at)});
        at = end;
    } else if (at < reader->end && *at == '/') {
        reader->at = behind_comment(reader, at);
        return;
    }
    if (at < reader->end && *at == '\n')
        reader->line++;
    reader->at = at < reader->end ? at + 1 : at;
}

/* True if a compiler wrote the text: compilers name their source at the beginning. */
static bool by_compiler(const struct source *source)
{
    for (size_t i = 0; i < source->n && i < 4; i++)
        if (span_is(source->statement[i].word, ".file"))
            return true;
    return false;
}

static bool has_code(const struct source *source)
{
    for (size_t i = 0; i < source->n; i++)
        if (source->statement[i].kind == STATEMENT_INSTRUCTION)
            return true;
    return false;
}

void source_read(struct source *source, const char *text, size_t size)
{
    *source = (struct source){.text = text, .size = size};
    struct reader reader = {.source = source, .at = text, .end = text + size, .line = 1};
    static const struct span none = {"", 0}, initial = {".text", 5};
    enter(&reader, section_find(source, initial, initial, none));
    while (reader.at < reader.end)
        read_statement(&reader);
    if (has_code(source) && !by_compiler(source) && source->why == NULL)
        source->why = "assembly that no compiler wrote (it has no .file at its beginning)";
}

void source_free(struct source *source)
{
    free(source->statement);
    free(source->section);
}

bool is_code(const struct source *source, const struct statement *statement)
{
    return source->section[statement->section].code;
}

/* ---- labels */

static bool is_number(struct span name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!isdigit((unsigned char)name.at[i]))
            return false;
    return name.n > 0;
}

static void put(struct labels *labels, size_t index)
{
    struct span name = labels->label[index].name;
    or_end(hash_grow(&labels->table) ? labels : NULL);
    hash_put(&labels->table, hash_bytes(name.at, name.n), index + 1);
}

void labels_find(struct labels *labels, const struct source *source)
{
    *labels = (struct labels){0};
    for (size_t i = 0; i < source->n; i++) {
        if (source->statement[i].kind != STATEMENT_LABEL)
            continue;
        labels->label = grown(labels->label, labels->n, sizeof *labels->label);
        labels->label[labels->n++] =
            (struct label){.name = source->statement[i].word, .statement = i, .block = -1};
    }
    for (size_t i = 0; i < labels->n; i++)
        if (!is_number(labels->label[i].name))
            put(labels, i);
}

void labels_free(struct labels *labels)
{
    free(labels->label);
    free(labels->table.slot);
}

/* The label of 1f or 1b: the next or the last one of that number. */
static int32_t numbered(const struct labels *labels, struct span name, size_t statement)
{
    struct span number = {name.at, name.n - 1};
    bool forward = name.at[name.n - 1] == 'f';
    int32_t last = NO_LABEL;
    for (size_t i = 0; i < labels->n; i++) {
        if (!span_same(labels->label[i].name, number))
            continue;
        if (labels->label[i].statement > statement)
            return forward ? (int32_t)i : last;
        last = (int32_t)i;
    }
    return forward ? NO_LABEL : last;
}

int32_t label_of(const struct labels *labels, struct span name, size_t statement)
{
    if (name.n > 1 && (name.at[name.n - 1] == 'f' || name.at[name.n - 1] == 'b') &&
        is_number((struct span){name.at, name.n - 1}))
        return numbered(labels, name, statement);
    uint64_t hash = hash_bytes(name.at, name.n);
    uintptr_t number;
    for (size_t at = 0; (number = hash_next(&labels->table, hash, &at)) != 0;)
        if (span_same(labels->label[number - 1].name, name))
            return (int32_t)number - 1;
    return NO_LABEL;
}
