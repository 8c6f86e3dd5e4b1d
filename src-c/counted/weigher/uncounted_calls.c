/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that a program or library calls and that do arithmetic without being counted: names that the
 * dynamic linker has to find, with the library that the linker found them in, functions that came from
 * archives, and libraries of numerical routines. All from the tables of its sections: a file without them has
 * nothing to say.
 */
#include "base/array.h"
#include "weigher.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 6 }; /* of a library, in a message */

struct table {
    const unsigned char *bytes;
    uint64_t size;
    uint32_t link; /* the section of its texts, or of its symbols */
};

/* A name of a function (NULL: all functions of a library), and the library that it is of ("": the program's
 * own, or unknown). */
struct name {
    const char *text, *library;
};

struct outside {
    const struct image *image;
    const struct covered *covered;
    struct name *name;
    size_t n;
};

/* --------------------------------------------------------------------- sections */

static bool section_at(const struct image *image, uint32_t index, Elf64_Shdr *section)
{
    Elf64_Ehdr head;
    memcpy(&head, image->bytes, sizeof head);
    if (head.e_shentsize != sizeof *section || head.e_shoff > image->size || index >= head.e_shnum ||
        (image->size - head.e_shoff) / sizeof *section <= index)
        return false;
    memcpy(section, image->bytes + head.e_shoff + index * sizeof *section, sizeof *section);
    return true;
}

static struct table table_at(const struct image *image, uint32_t index)
{
    Elf64_Shdr section;
    if (!section_at(image, index, &section) || section.sh_type == SHT_NOBITS ||
        section.sh_offset > image->size || section.sh_size > image->size - section.sh_offset)
        return (struct table){0};
    return (struct table){image->bytes + section.sh_offset, section.sh_size, section.sh_link};
}

/* The first one of a type; of size 0: there is none. */
static struct table table_of(const struct image *image, uint32_t type)
{
    Elf64_Shdr section;
    for (uint32_t i = 1; section_at(image, i, &section); i++)
        if (section.sh_type == type)
            return table_at(image, i);
    return (struct table){0};
}

static bool read_at(const struct table *table, uint64_t at, void *to, size_t n)
{
    if (at > table->size || n > table->size - at)
        return false;
    memcpy(to, table->bytes + at, n);
    return true;
}

/* The text at a place of a table; "": it does not end within the table. */
static const char *text_at(const struct table *texts, uint64_t at)
{
    bool whole = at < texts->size && memchr(texts->bytes + at, '\0', texts->size - at) != NULL;
    return whole ? (const char *)texts->bytes + at : "";
}

/* ------------------------------------------------------------------------ names */

static void add(struct outside *outside, const char *text, const char *library)
{
    for (size_t i = 0; i < outside->n; i++)
        if (strcmp(outside->name[i].library, library) == 0 &&
            (text == NULL || (outside->name[i].text != NULL && strcmp(outside->name[i].text, text) == 0)))
            return;
    outside->name = or_end(array_room(outside->name, outside->n, sizeof *outside->name));
    outside->name[outside->n++] = (struct name){text, library};
}

/* The library that has a version of a name; "": it has none. */
static const char *library_of(const struct image *image, uint16_t version)
{
    struct table needs = table_of(image, SHT_GNU_verneed), texts = table_at(image, needs.link);
    Elf64_Verneed need;
    Elf64_Vernaux one;
    for (uint64_t at = 0; read_at(&needs, at, &need, sizeof need); at += need.vn_next) {
        uint64_t of = at + need.vn_aux;
        for (unsigned i = 0; i < need.vn_cnt && read_at(&needs, of, &one, sizeof one);
             i++, of += one.vna_next)
            if (one.vna_other == version)
                return text_at(&texts, need.vn_file);
        if (need.vn_next == 0)
            break;
    }
    return "";
}

static void add_wanted(struct outside *outside)
{
    struct table symbols = table_of(outside->image, SHT_DYNSYM),
                 texts = table_at(outside->image, symbols.link),
                 versions = table_of(outside->image, SHT_GNU_versym);
    Elf64_Sym symbol;
    for (uint64_t i = 0; read_at(&symbols, i * sizeof symbol, &symbol, sizeof symbol); i++) {
        uint16_t version = 0;
        const char *text = text_at(&texts, symbol.st_name);
        if (symbol.st_shndx != SHN_UNDEF || !known_arithmetic(text))
            continue;
        read_at(&versions, i * sizeof version, &version, sizeof version);
        add(outside, text, library_of(outside->image, version & 0x7fff));
    }
}

static bool is_covered(const struct covered *covered, const Elf64_Sym *symbol)
{
    uint64_t size = symbol->st_size > 0 ? symbol->st_size : 1;
    for (size_t i = 0; i < covered->n; i++)
        if (covered->start[i] - symbol->st_value < size)
            return true;
    return false;
}

/* Reads the next function that is a part of the program; its name is "" where there is none. */
static const char *next_part(const struct table *symbols, const struct table *texts, uint64_t *i,
                             Elf64_Sym *symbol)
{
    for (; read_at(symbols, *i * sizeof *symbol, symbol, sizeof *symbol); ++*i) {
        int type = ELF64_ST_TYPE(symbol->st_info);
        const char *text = text_at(texts, symbol->st_name);
        if (symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) && text[0] != '\0') {
            ++*i;
            return text;
        }
    }
    return "";
}

/* True if Fortran's library is a part of the program: its output of numbers calculates with 128 bits. */
static bool has_fortran(const struct table *symbols, const struct table *texts)
{
    Elf64_Sym symbol;
    uint64_t i = 0;
    const char *text;
    while ((text = next_part(symbols, texts, &i, &symbol))[0] != '\0')
        if (strncmp(text, "_FortranA", strlen("_FortranA")) == 0 ||
            strncmp(text, "_gfortran_", strlen("_gfortran_")) == 0)
            return true;
    return false;
}

/* Adds functions that came from archives: the compiler's own library, and those of a static program. */
static void add_parts(struct outside *outside)
{
    struct table symbols = table_of(outside->image, SHT_SYMTAB),
                 texts = table_at(outside->image, symbols.link);
    bool fortran = has_fortran(&symbols, &texts);
    Elf64_Sym symbol;
    uint64_t i = 0;
    const char *text;
    while ((text = next_part(&symbols, &texts, &i, &symbol))[0] != '\0')
        if (known_arithmetic(text) && !known_alias(text) && !(fortran && known_software(text)) &&
            !is_covered(outside->covered, &symbol))
            add(outside, text, "");
}

static void add_libraries(struct outside *outside)
{
    struct table entries = table_of(outside->image, SHT_DYNAMIC),
                 texts = table_at(outside->image, entries.link);
    Elf64_Dyn entry;
    for (uint64_t i = 0; read_at(&entries, i * sizeof entry, &entry, sizeof entry) && entry.d_tag != DT_NULL;
         i++)
        if (entry.d_tag == DT_NEEDED && known_library(text_at(&texts, entry.d_un.d_val)))
            add(outside, NULL, text_at(&texts, entry.d_un.d_val));
}

/* ------------------------------------------------------------------------- text */

static int in_order(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int libraries = strcmp(x->library, y->library);
    return libraries != 0 || x->text == NULL || y->text == NULL ? libraries : strcmp(x->text, y->text);
}

/* The names of one library from the first on; returns how many there are. */
static size_t put_library(FILE *out, const struct outside *outside, size_t first, size_t most)
{
    const struct name *name = outside->name + first;
    size_t n = 0;
    while (first + n < outside->n && strcmp(name[n].library, name->library) == 0)
        n++;
    for (size_t i = 0; i < n && i < most; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", name[i].text != NULL ? name[i].text : "all");
    if (n > most)
        fprintf(out, " and %zu more", n - most);
    fprintf(out, name->library[0] != '\0' ? " of %s" : " (linked in)", name->library);
    return n;
}

static char *put(const struct outside *outside, const char *between, size_t most)
{
    char *text = NULL;
    size_t size;
    FILE *out = or_end(open_memstream(&text, &size));
    for (size_t i = 0; i < outside->n;) {
        fputs(i > 0 ? between : "", out);
        i += put_library(out, outside, i, most);
    }
    fclose(out);
    return or_end(text);
}

char *outside_names(const struct image *image, const struct covered *covered, bool all)
{
    struct outside outside = {.image = image, .covered = covered};
    add_libraries(&outside);
    add_wanted(&outside);
    add_parts(&outside);
    if (outside.n > 0)
        qsort(outside.name, outside.n, sizeof *outside.name, in_order);
    char *text = outside.n > 0 ? put(&outside, all ? "\n" : "; ", all ? SIZE_MAX : MOST_NAMES) : NULL;
    free(outside.name);
    return text;
}
