/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* aarch64-linux-gnu-gcc-12: what is before the compiler's own name, with the hyphen; its length. */
static size_t prefix_length(const char *name)
{
    static const char *const compilers[] = {"-gcc", "-g++", "-gfortran", "-cpp", "-clang", "-flang"};
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        const char *found = strstr(name, compilers[i]);
        if (found != NULL)
            return (size_t)(found - name) + 1;
    }
    return 0;
}

/* clang's --target=aarch64-linux-gnu; NULL: it has none. */
static const char *asked_for(char *const *arguments)
{
    const char *target = NULL;
    for (; *arguments != NULL; arguments++) {
        if (strncmp(*arguments, "--target=", 9) == 0)
            target = *arguments + 9;
        else if (strcmp(*arguments, "-target") == 0 && arguments[1] != NULL)
            target = arguments[1];
    }
    return target;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Sets the processor of a machine's name; c89-gcc and c99-gcc are for the own one. */
static void set_processor(struct target *target, const char *machine)
{
    if (begins(machine, "x86_64-") || begins(machine, "x86-64-"))
        target->processor = "x86-64";
    else if (begins(machine, "aarch64-") || begins(machine, "arm64-"))
        target->processor = "arm64";
    else if (!begins(machine, "c89-") && !begins(machine, "c99-"))
        target->other = true;
}

/* The assembler for a machine, beside the compiler, or by its name on PATH. */
static char *assembler_of(const char *compiler, const char *machine)
{
    const char *slash = strrchr(compiler, '/'), *hyphen = machine[0] != '\0' ? "-" : "";
    char *path;
    or_end(asprintf(&path, "%.*s%s%sas", slash != NULL ? (int)(slash + 1 - compiler) : 0, compiler, machine,
                    hyphen) < 0
               ? NULL
               : path);
    if (slash != NULL && access(path, X_OK) == 0)
        return path;
    free(path);
    or_end(asprintf(&path, "%s%sas", machine, hyphen) < 0 ? NULL : path);
    return path;
}

struct target target_of(char *const *arguments)
{
    const char *slash = strrchr(arguments[0], '/'), *name = slash != NULL ? slash + 1 : arguments[0];
    const char *asked = asked_for(arguments);
    size_t n = prefix_length(name);
    struct target target = {0};
    char *machine = or_end(strndup(asked != NULL ? asked : name, asked != NULL ? strlen(asked) : n));
    if (asked == NULL && n > 0)
        machine[n - 1] = '\0';
    if (machine[0] != '\0') {
        char *whole;
        or_end(asprintf(&whole, "%s-", machine) < 0 ? NULL : whole);
        set_processor(&target, whole);
        free(whole);
    }
    target.assembler = assembler_of(arguments[0], target.processor != NULL ? machine : "");
    free(machine);
    return target;
}

/* ---- installed parts */

static int missing(const char *what)
{
    complain("%s is missing: papi_counted is not installed as a whole", what);
    return 125;
}

static char *name_in(const char *folder, const char *name, const char *rest)
{
    char *path;
    or_end(asprintf(&path, "%s/%s/%s%s", folder, PAPI_COUNTED_RELATIVE, name, rest) < 0 ? NULL : path);
    return path;
}

/* Finds the parts by this program's own place: PAPI_COUNTED_RELATIVE is the way from its folder to theirs. */
int parts_find(struct parts *parts, const char *processor)
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    const char *folder = dirname(own);
    *parts = (struct parts){0};
    parts->folder = name_in(folder, processor != NULL ? processor : PAPI_COUNTED_PROCESSOR, "");
    parts->weigher = name_in(folder, "papi_counted_weigh", "");
    parts->share = name_in(folder, "share.so", "");
    parts->source = name_in(folder, "module.c", "");
    parts->sources = name_in(folder, "", "");
    parts->module = name_in(folder, processor != NULL ? processor : PAPI_COUNTED_PROCESSOR, "/module.o");
    if (access(parts->weigher, X_OK) != 0)
        return missing(parts->weigher);
    if (access(parts->folder, R_OK) != 0)
        return missing(parts->folder);
    return access(parts->module, R_OK) != 0 && access(parts->source, R_OK) != 0 ? missing(parts->source) : 0;
}

void parts_free(struct parts *parts)
{
    free(parts->folder);
    free(parts->weigher);
    free(parts->module);
    free(parts->source);
    free(parts->sources);
    free(parts->arithmetic);
    free(parts->share);
}
