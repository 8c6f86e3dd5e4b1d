/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The compiler's command that papi_counted runs, and what is added to it. The command is read as compilers
 * do: launchers before the compiler are skipped, files of arguments (@file) are put in their place, and
 * options with a separate value are known, so that a value is not taken for a file. Two things follow from
 * it: whether something is linked, and what processor the code is for. The compiler is told to look for its
 * assembler in a folder of ours first (-B; clang also not to assemble by itself), where the counting
 * assembler stands. A link gets the module that weighs blocks when the program starts, and counted
 * replacements of mathematical functions: these come before each -lm and at the end, since linkers take a
 * function from the first library that has it. If the code cannot be counted (32 bits, another processor,
 * clang's link-time optimisation), the command runs as it is, with a reason.
 */
#include "driver.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- compilers */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool says_clang(const char *compiler)
{
    struct words words = {0};
    char line[512] = "";
    bool clang = false;
    words_add(&words, "'%s' --version 2>/dev/null", compiler);
    FILE *out = strchr(compiler, '\'') == NULL ? popen(words.word[0], "r") : NULL;
    while (out != NULL && fgets(line, sizeof line, out) != NULL)
        clang = clang || strstr(line, "clang") != NULL || strstr(line, "flang") != NULL;
    if (out != NULL)
        pclose(out);
    words_free(&words);
    return clang;
}

static bool contains_one(const char *name, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strstr(name, *words) != NULL)
            return true;
    return false;
}

/* True for clang, by the compiler's name where that says it, because asking takes longer. cc and mpicc may be
 * either. */
static bool is_clang(const char *compiler)
{
    static const char *const gnu[] = {"gcc", "g++", "gfortran", NULL}, *const llvm[] = {"clang", "flang",
                                                                                        NULL};
    const char *name = base_name(compiler);
    if (contains_one(name, llvm))
        return true;
    return !contains_one(name, gnu) && says_clang(compiler);
}

/* ccache gcc: what follows is the compiler. */
static size_t compiler_at(char *const *command)
{
    static const char *const launchers[] = {"ccache", "distcc", "sccache", "nice", "time", "env", NULL};
    size_t i = 0;
    while (command[i + 1] != NULL && contains_one(base_name(command[i]), launchers))
        i++;
    return i;
}

/* ---- options */

static bool is_one(const char *option, const char *const *options)
{
    for (; *options != NULL; options++)
        if (strcmp(option, *options) == 0)
            return true;
    return false;
}

static bool has_value(const char *option)
{
    static const char *const options[] = {
        "-o",      "-x",       "-I",       "-L",       "-l",          "-D",
        "-U",      "-include", "-isystem", "-iquote",  "-idirafter",  "-imacros",
        "-MF",     "-MT",      "-MQ",      "-Xlinker", "-Xassembler", "-Xpreprocessor",
        "-T",      "-u",       "-z",       "-J",       "-B",          "-aux-info",
        "--param", "-target",  "-wrapper", "-e",       "-rpath",      NULL};
    return is_one(option, options);
}

/* True for options with which no program is linked. */
static bool ends_early(const char *option)
{
    static const char *const options[] = {
        "-c",      "-S",     "-E",        "-M",           "-MM",          "-fsyntax-only", "-r",
        "-###",    "--help", "--version", "-dumpversion", "-dumpmachine", "-dumpspecs",    "--showme",
        "-showme", "-show",  NULL};
    return is_one(option, options) || strncmp(option, "-print-", 7) == 0 ||
           strncmp(option, "--print-", 8) == 0 || strncmp(option, "--help=", 7) == 0 ||
           strncmp(option, "--showme:", 9) == 0;
}

/* True for headers: they are compiled by themselves, and nothing is linked. */
static bool is_header(const char *file)
{
    static const char *const suffixes[] = {".h", ".hh", ".hpp", ".hxx", ".H", ".h++", ".tcc", NULL};
    const char *dot = strrchr(base_name(file), '.');
    return dot != NULL && is_one(dot, suffixes);
}

static bool makes_header(const char *option, const char *value)
{
    const char *language = strcmp(option, "-x") == 0 && value != NULL ? value : option;
    return strncmp(option, "-x", 2) == 0 && strstr(language, "-header") != NULL;
}

static void take_option(struct job *job, char *option, char *value)
{
    static const char *const shared[] = {"-fPIC", "-fpic", "-shared", NULL};
    static const char *const own[] = {"-fPIE", "-fpie", "-fno-pic", "-fno-PIC", "-fno-pie", NULL};
    if (is_one(option, shared))
        job->shared = true;
    else if (is_one(option, own))
        job->shared = false;
    else if (strcmp(option, "-o") == 0 && value != NULL)
        job->output = value;
    else if (strncmp(option, "-o", 2) == 0 && option[2] != '\0')
        job->output = option + 2;
}

/* ---- response files */

/* The next word of a text, with quotes and backslashes as compilers read them; NULL: it was the last. */
static char *next_word(const char **at)
{
    while (isspace((unsigned char)**at))
        ++*at;
    if (**at == '\0')
        return NULL;
    char *word = or_end(malloc(strlen(*at) + 1)), *end = word, quote = '\0';
    for (; **at != '\0' && (quote != '\0' || !isspace((unsigned char)**at)); ++*at) {
        if (**at == '\\' && (*at)[1] != '\0')
            *end++ = *++*at;
        else if (quote == '\0' && (**at == '"' || **at == '\''))
            quote = **at;
        else if (**at == quote)
            quote = '\0';
        else
            *end++ = **at;
    }
    *end = '\0';
    return word;
}

static bool add_file(struct words *words, const char *path, int depth)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    ssize_t n = getdelim(&text, &size, '\0', file);
    const char *at = n > 0 ? text : "";
    for (char *word = next_word(&at); word != NULL; word = next_word(&at)) {
        if (word[0] != '@' || depth == 0 || !add_file(words, word + 1, depth - 1))
            words_add(words, "%s", word);
        free(word);
    }
    free(text);
    fclose(file);
    return true;
}

/* The command with what is in files that it names, @file. One that does not exist is an argument like others.
 */
static struct words whole_command(char *const *command)
{
    struct words words = {0};
    for (; *command != NULL; command++)
        if (**command != '@' || !add_file(&words, *command + 1, 8))
            words_add(&words, "%s", *command);
    return words;
}

/* ---- job */

static const char *why_not(const struct target *target, char *const *arguments, bool clang)
{
    if (target->other)
        return "it compiles for another processor than x86-64 or 64-bit Arm";
    for (; *arguments != NULL; arguments++) {
        if (strcmp(*arguments, "-m32") == 0 || strcmp(*arguments, "-mx32") == 0)
            return "code of 32 bits (-m32, -mx32)";
        if (strcmp(*arguments, "-mabi=ilp32") == 0 || strcmp(*arguments, "-mbig-endian") == 0)
            return "code of 32 bits, or with its bytes the other way round (-mabi=ilp32, -mbig-endian)";
        if (clang && strncmp(*arguments, "-flto", 5) == 0)
            return "clang's -flto has the linker make the code: compile without it";
    }
    return NULL;
}

struct job job_of(char **command)
{
    static char usual[] = "a.out";
    struct job job = {.command = command, .output = usual, .words = whole_command(command)};
    char **word = job.words.word;
    size_t compiler = compiler_at(word);
    bool early = false;
    job.compiler = compiler;
    job.clang = is_clang(word[compiler]);
    job.flang = strstr(base_name(word[compiler]), "flang") != NULL;
    for (size_t i = compiler + 1; word[i] != NULL; i++) {
        if ((word[i][0] != '-' && !is_header(word[i])) || strcmp(word[i], "-") == 0)
            job.links = true; /* something to link */
        early = early || ends_early(word[i]) || makes_header(word[i], word[i + 1]);
        take_option(&job, word[i], word[i + 1]);
        if (has_value(word[i]) && word[i + 1] != NULL)
            i++;
    }
    job.links = job.links && !early;
    struct target target = target_of(word + compiler);
    job.processor = target.processor;
    job.assembler = target.assembler;
    job.why_not = why_not(&target, word + compiler, job.clang);
    return job;
}

void job_free(struct job *job)
{
    words_free(&job->words);
    free(job->assembler);
}

static bool is_maths(const char *word)
{
    const char *name = base_name(word);
    return strcmp(word, "-lm") == 0 || strcmp(name, "libm.so") == 0 || strcmp(name, "libm.a") == 0;
}

/* -Xlinker: -x says no language of it. */
static void add_arithmetic(const struct job *job, const struct parts *parts, struct words *words)
{
    if (!job->links || job->why_not != NULL || parts->arithmetic == NULL)
        return;
    if (!job->flang)
        words_add(words, "-Xlinker");
    words_add(words, "%s", parts->arithmetic);
}

/* Assembles the command that compiles. Counted functions come before the library whose functions they
 * replace: before each -lm, and at the end. */
void job_words(const struct job *job, const struct parts *parts, struct words *words)
{
    size_t compiler = compiler_at(job->command);
    for (size_t i = 0; job->command[i] != NULL; i++) {
        if (is_maths(job->command[i]))
            add_arithmetic(job, parts, words);
        words_add(words, "%s", job->command[i]);
        if (i != compiler || job->why_not != NULL)
            continue;
        if (!job->flang)
            words_add(words, "-B%s", parts->folder);
        if (job->clang)
            words_add(words, "-fno-integrated-as");
        if (job->clang && !job->flang)
            words_add(words, "-Wno-unused-command-line-argument");
    }
    if (!job->links || job->why_not != NULL)
        return;
    if (!job->flang)
        words_add(words, "-Xlinker");
    words_add(words, "%s", parts->module);
    add_arithmetic(job, parts, words);
    /* Keeps a shared library in the process, as its counts would go with it. The weigher does the same,
     * except where the linker left no room. */
    if (job->shared)
        words_add(words, "-Wl,-z,nodelete");
}

/* ---- the module of the link */

static bool says_target(const char *argument)
{
    return strncmp(argument, "--target=", 9) == 0 || strncmp(argument, "--sysroot=", 10) == 0;
}

void module_add_compiler(const struct job *job, struct words *words)
{
    char **word = job->words.word;
    for (size_t i = 0; word[i] != NULL; i++) {
        if (i <= job->compiler || says_target(word[i]))
            words_add(words, "%s", word[i]);
        if (i > job->compiler && strcmp(word[i], "-target") == 0 && word[i + 1] != NULL) {
            words_add(words, "-target");
            words_add(words, "%s", word[i + 1]);
        }
    }
}

char *module_file(const char *suffix)
{
    const char *folder = getenv("TMPDIR");
    char *name;
    or_end(asprintf(&name, "%s/papi_counted_XXXXXX%s", folder != NULL ? folder : "/tmp", suffix) < 0 ? NULL
                                                                                                     : name);
    int fd = mkstemps(name, (int)strlen(suffix));
    if (fd >= 0) {
        close(fd);
        return name;
    }
    complain("%s: %s", name, strerror(errno));
    free(name);
    return NULL;
}

int module_make(const struct job *job, struct parts *parts)
{
    if (access(parts->module, R_OK) == 0)
        return 0;
    char *name = module_file(".o");
    if (name == NULL)
        return EXIT_OWN_ERROR;
    free(parts->module);
    parts->module = name;
    parts->made = true;
    struct words words = {0};
    module_add_compiler(job, &words);
    words_add(&words, "-c");
    words_add(&words, "%s", parts->source);
    words_add(&words, "-o");
    words_add(&words, "%s", name);
    int status = run(words.word);
    words_free(&words);
    return status;
}

void module_remove(const struct parts *parts)
{
    if (parts->made)
        unlink(parts->module);
}
