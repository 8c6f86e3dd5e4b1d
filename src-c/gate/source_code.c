/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_code.h"
#include "base/hash.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_one_of(const char *ending, const char *const *endings)
{
    while (*endings != NULL && strcasecmp(*endings, ending) != 0)
        endings++;
    return *endings != NULL;
}

void source_begin(struct source_reader *reader, const char *path)
{
    static const char *const c[] = {".c",   ".h",   ".cc", ".cpp", ".cxx", ".c++", ".hh",
                                    ".hpp", ".hxx", ".cu", ".inl", ".ipp", ".tcc", NULL};
    static const char *const free_form[] = {".f90", ".f95", ".f03", ".f08", ".f18", NULL};
    static const char *const fixed_form[] = {".f", ".for", ".ftn", ".f77", NULL};
    const char *dot = strrchr(path, '.');
    const char *ending = dot != NULL ? dot : "";
    *reader = (struct source_reader){.language = is_one_of(ending, c)            ? SOURCE_C
                                                 : is_one_of(ending, free_form)  ? SOURCE_FREE_FORTRAN
                                                 : is_one_of(ending, fixed_form) ? SOURCE_FIXED_FORTRAN
                                                                                 : SOURCE_OTHER};
}

/* The hash of a line so far. */
struct hashing {
    uint64_t hash, shape;
    bool any, blank; /* blank: one is to come before the next character */
    bool in_name, in_number;
};

/* Adds to the shape, in which all names are one. */
static void add_shape(struct hashing *to, char character)
{
    bool part = isalnum((unsigned char)character) || character == '_';
    bool goes_on = part && !to->blank && (to->in_name || to->in_number);
    bool names = goes_on ? to->in_name : part && !isdigit((unsigned char)character);
    if (goes_on && names)
        return;
    to->in_name = names;
    to->in_number = part && !names;
    to->shape = hash_more(to->shape, names ? "a" : &character, 1);
}

static void add(struct hashing *to, char character)
{
    if (isspace((unsigned char)character)) {
        to->blank = to->any;
        return;
    }
    add_shape(to, character);
    if (to->blank)
        to->hash = hash_more(to->hash, " ", 1);
    to->hash = hash_more(to->hash, &character, 1);
    to->any = true;
    to->blank = false;
}

static uint64_t folded(uint64_t hash, int bits)
{
    return (hash ^ hash >> 24 ^ hash >> 48) & ((UINT64_C(1) << bits) - 1);
}

static uint64_t code_of(const struct hashing *of)
{
    uint64_t code = folded(of->hash, SOURCE_SHAPE_FROM) | folded(of->shape, 12) << SOURCE_SHAPE_FROM;
    return !of->any ? 0 : code != 0 ? code : 1;
}

/* Adds a text in quotes from its beginning. Returns where it ends, behind the quote or with the line. */
static const char *add_quoted(struct hashing *to, const char *at, bool escapes)
{
    char quote = *at;
    add(to, *at++);
    while (*at != '\0' && *at != quote) {
        if (escapes && *at == '\\' && at[1] != '\0')
            add(to, *at++);
        add(to, *at++);
    }
    if (*at != '\0')
        add(to, *at++);
    return at;
}

/* True if a quote begins a text: in C++'s 1'000 it does not. */
static bool begins_text(const char *line, const char *at)
{
    return *at == '"' || (*at == '\'' && (at == line || !isalnum((unsigned char)at[-1])));
}

static void read_c(struct source_reader *reader, const char *line, struct hashing *to)
{
    for (const char *at = line; *at != '\0';) {
        if (reader->in_comment) {
            const char *end = strstr(at, "*/");
            if (end == NULL)
                return;
            reader->in_comment = false;
            add(to, ' ');
            at = end + 2;
        } else if (at[0] == '/' && at[1] == '/') {
            return;
        } else if (at[0] == '/' && at[1] == '*') {
            reader->in_comment = true;
            at += 2;
        } else if (begins_text(line, at)) {
            at = add_quoted(to, at, true);
        } else {
            add(to, *at++);
        }
    }
}

/* Directives to the compiler look like comments: "!$omp". */
static bool is_comment(const char *at)
{
    return at[1] != '$' && strncasecmp(at + 1, "dir$", 4) != 0 && strncasecmp(at + 1, "gcc$", 4) != 0;
}

static void read_fortran(const struct source_reader *reader, const char *line, struct hashing *to)
{
    bool fixed = reader->language == SOURCE_FIXED_FORTRAN;
    if (fixed && line[0] != '\0' && strchr("cC*dD", line[0]) != NULL && is_comment(line))
        return;
    for (const char *at = line; *at != '\0';) {
        bool continues = fixed && at - line == 5;
        if (*at == '!' && !continues && is_comment(at))
            return;
        if (*at == '"' || *at == '\'')
            at = add_quoted(to, at, false);
        else
            add(to, *at++);
    }
}

uint64_t source_line(struct source_reader *reader, const char *line)
{
    struct hashing hashing = {.hash = HASH_OF_NOTHING, .shape = HASH_OF_NOTHING};
    if (reader->language == SOURCE_C)
        read_c(reader, line, &hashing);
    else if (reader->language != SOURCE_OTHER)
        read_fortran(reader, line, &hashing);
    else
        for (; *line != '\0'; line++)
            add(&hashing, *line);
    return code_of(&hashing);
}
