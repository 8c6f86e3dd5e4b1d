/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that a program or library calls and that do arithmetic without being counted: names that the
 * dynamic linker has to find, with the library that the linker found them in, functions that came from
 * archives, and libraries of numerical routines. All from the tables of its sections: a file without them has
 * nothing to say.
 */
#include "base/array.h"
#include "weigher.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of functions */

/* Names of functions of compilers' libraries, of C's mathematics and of Fortran's, that do arithmetic with
 * floating-point numbers. Roundings, comparisons and what takes numbers apart are none. */

static const char *const maths[] = {
    "acos",   "acosh",  "acospi",    "asin",   "asinh",  "asinpi", "atan",   "atan2",  "atan2pi",
    "atanh",  "atanpi", "cabs",      "cacos",  "cacosh", "carg",   "casin",  "casinh", "catan",
    "catanh", "cbrt",   "ccos",      "ccosh",  "cexp",   "clog",   "clog10", "cos",    "cosh",
    "cospi",  "cpow",   "csin",      "csinh",  "csqrt",  "ctan",   "ctanh",  "drem",   "erf",
    "erfc",   "exp",    "exp10",     "exp2",   "expm1",  "fdim",   "fma",    "fmod",   "gamma",
    "hypot",  "j0",     "j1",        "jn",     "lgamma", "log",    "log10",  "log1p",  "log2",
    "pow",    "pow10",  "remainder", "remquo", "rsqrt",  "sin",    "sincos", "sinh",   "sinpi",
    "sqrt",   "tan",    "tanh",      "tanpi",  "tgamma", "y0",     "y1",     "yn",     "lgamma_r"};

/* Suffixes of functions by the type of their numbers. */
static const char *const suffixes[] = {"", "f", "l", "q", "f32", "f64", "f128", "f32x", "f64x"};

static bool is_among(const char *name, size_t n, const char *const *names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++)
        if (strlen(names[i]) == n && strncmp(names[i], name, n) == 0)
            return true;
    return false;
}

#define IS_AMONG(name, n, names) is_among(name, n, names, sizeof(names) / sizeof *(names))

/* sin, sinf, __sinf_finite; lgammaf_r. */
static bool is_maths(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && strncmp(name + n - length, suffixes[i], length) == 0 &&
            IS_AMONG(name, n - length, maths))
            return true;
    }
    return false;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
    size_t n = strlen(name), length = strlen(with);
    return n >= length && strcmp(name + n - length, with) == 0;
}

/* glibc's for -ffast-math, and those on vectors: _ZGVdN4v_sin. */
static bool is_other_maths(const char *name)
{
    if (begins(name, "_ZGV"))
        return strchr(name + 4, '_') != NULL &&
               is_maths(strchr(name + 4, '_') + 1, strlen(strchr(name + 4, '_') + 1));
    return begins(name, "__") && ends(name, "_finite") &&
           is_maths(name + 2, strlen(name) - 2 - strlen("_finite"));
}

/* True for functions of libgcc: complex numbers, powers, arithmetic that the processor has no instructions
 * for (128 bits, half precision), and conversions between integers of 128 bits and floating-point numbers. s,
 * d, x, t or h says the type, as in __mulsc3. */
static bool is_of_compiler(const char *name)
{
    static const char *const forms[] = {"__mul?c3",      "__div?c3",  "__powi?f2",   "__addtf3",
                                        "__subtf3",      "__multf3",  "__divtf3",    "__floatti?f",
                                        "__floatunti?f", "__fix?fti", "__fixuns?fti"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *form = forms[i], *at = name;
        while (*form != '\0' &&
               (*form == *at || (*form == '?' && *at != '\0' && strchr("sdxthb", *at) != NULL))) {
            form++;
            at++;
        }
        if (*form == '\0' && *at == '\0')
            return true;
    }
    return false;
}

/* True for functions of gfortran's library on real and complex numbers: matmul_r8, pow_c4_i8. */
static bool is_of_gfortran(const char *name)
{
    static const char *const routines[] = {"matmul_",    "sum_",         "ssum_",   "msum_",   "product_",
                                           "sproduct_",  "mproduct_",    "norm2_",  "pow_",    "bessel_jn_",
                                           "bessel_yn_", "erfc_scaled_", "random_", "arandom_"};
    if (!begins(name, "_gfortran_"))
        return false;
    name += strlen("_gfortran_");
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        const char *kind = name + strlen(routines[i]);
        if (begins(name, routines[i]) && (*kind == 'r' || *kind == 'c') && isdigit((unsigned char)kind[1]))
            return true;
    }
    return false;
}

/* True for functions of flang's library that come into a program only if it calls them. Bessel functions are
 * left out: they come with all that moves arrays. */
static bool is_of_flang(const char *name)
{
    static const char *const routines[] = {"Sum",   "Product", "DotProduct", "Matmul",
                                           "Norm2", "FPow",    "cpow",       "zpow"};
    if (!begins(name, "_FortranA") || strstr(name, "Integer") != NULL || strstr(name, "Logical") != NULL)
        return false;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (begins(name + strlen("_FortranA"), routines[i]))
            return true;
    return false;
}

/* True if a function of C's, Fortran's or a compiler's library does arithmetic with floating-point numbers.
 */
static bool known_arithmetic(const char *name)
{
    return is_maths(name, strlen(name)) || is_other_maths(name) || is_of_compiler(name) ||
           is_of_gfortran(name) || is_of_flang(name);
}

/* True if such a function is another name of one that is there itself (sinf64). */
static bool known_alias(const char *name)
{
    return ends(name, "f32") || ends(name, "f64") || ends(name, "f32x") || ends(name, "f64x");
}

/* True if it is arithmetic that the processor has no instructions for. */
static bool known_software(const char *name)
{
    return ends(name, "tf3");
}

/* True if a shared library is one of numerical routines, all of which do arithmetic. */
static bool known_library(const char *name)
{
    static const char *const libraries[] = {
        "libblas",  "libcblas", "liblapack",  "libopenblas",  "libatlas",   "libsatlas",    "libtatlas",
        "libmkl_",  "libblis",  "libflame",   "libscalapack", "libfftw",    "libgsl.",      "libarpack",
        "libpetsc", "libHYPRE", "libsuperlu", "libcholmod",   "libumfpack", "libarmadillo", "libnvpl_",
        "libarmpl", "libsleef", "libsvml",    "libimf",       "libessl"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (begins(name, libraries[i]))
            return true;
    return false;
}

/* ---- calls */

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

/* ---- sections */

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

/* ---- names */

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

/* ---- text */

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
