/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include "base/loaded.h"
#include "base/visible.h"
#include "profile/symbols/symbols.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An absolute path of an object that the program named by a relative one. */
struct path {
    struct path *next;
    const char *name;
    char whole[];
};

struct names {
    struct path *path;
    char program[PATH_MAX];
    void *library; /* NULL: libdw is not here, and names are those of the loader */
    struct papi_symbols *symbols;
    __typeof__(papi_symbols_look_up) *look_up;
    __typeof__(papi_symbols_close) *close;
};

struct names *names_open(void)
{
    struct names *names = calloc(1, sizeof *names);
    if (names == NULL)
        return NULL;
    ssize_t n = readlink("/proc/self/exe", names->program, sizeof names->program - 1);
    names->program[n > 0 ? n : 0] = '\0';
    names->library = dlopen(SYMBOLS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (names->library == NULL)
        return names;
    __typeof__(papi_symbols_open) *open =
        (__typeof__(papi_symbols_open) *)dlsym(names->library, "papi_symbols_open");
    names->look_up = (__typeof__(papi_symbols_look_up) *)dlsym(names->library, "papi_symbols_look_up");
    names->close = (__typeof__(papi_symbols_close) *)dlsym(names->library, "papi_symbols_close");
    if (open != NULL && names->look_up != NULL && names->close != NULL)
        names->symbols = open();
    return names;
}

/* The library stays loaded: this is the end of the program. */
void names_close(struct names *names)
{
    if (names != NULL && names->symbols != NULL)
        names->close(names->symbols);
    while (names != NULL && names->path != NULL) {
        struct path *path = names->path;
        names->path = path->next;
        free(path);
    }
    free(names);
}

/* The path as it can be opened. A program that has changed its folder since leaves it as it is. */
static const char *whole_path(struct names *names, const char *name)
{
    for (const struct path *path = names->path; path != NULL; path = path->next)
        if (path->name == name)
            return path->whole;
    char *whole = name[0] != '/' ? realpath(name, NULL) : NULL;
    struct path *path = whole != NULL ? malloc(sizeof *path + strlen(whole) + 1) : NULL;
    if (path != NULL) {
        *path = (struct path){.next = names->path, .name = name};
        strcpy(path->whole, whole);
        names->path = path;
    }
    free(whole);
    return path != NULL ? path->whole : name;
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void look_up(struct names *names, struct result_name *name)
{
    struct papi_symbols_frame frame;
    if (names->symbols == NULL || name->object[0] == '\0' ||
        names->look_up(names->symbols, name->object, NULL, 0, name->address, &frame, 1) < 1)
        return;
    name->routine = strncmp(frame.routine, ".omp_outlined", 13) == 0 ? "" : frame.routine; /* LLVM's name */
    name->file = frame.file;
    name->line = frame.line;
}

static void describe(struct result_name *name, const Dl_info *info, uintptr_t code)
{
    char text[sizeof name->text / VISIBLE_GROWTH];
    if (name->line > 0)
        snprintf(text, sizeof text, "%.60s:%llu%s%.60s", base(name->file), name->line,
                 name->routine[0] != '\0' ? " in " : "", name->routine);
    else if (name->routine[0] != '\0')
        snprintf(text, sizeof text, "%.60s in %.60s", name->routine, base(name->object));
    else if (info->dli_sname != NULL)
        snprintf(text, sizeof text, "%.60s+0x%llx in %.50s", info->dli_sname,
                 (unsigned long long)(code - (uintptr_t)info->dli_saddr), base(name->object));
    else
        snprintf(text, sizeof text, "0x%llx in %.60s", name->address, base(name->object));
    visible(name->text, sizeof name->text, text);
}

/* The object that is loaded at an address. */
struct search {
    uintptr_t code, bias;
    const char *name;
};

static int is_there(struct dl_phdr_info *object, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    search->name = object->dlpi_name != NULL ? object->dlpi_name : "";
    search->bias = object->dlpi_addr;
    return loaded_at(object, search->code);
}

static bool is_runtime(const char *object)
{
    const char *name = base(object);
    return strncmp(name, "libomp", 6) == 0 || strncmp(name, "libiomp", 7) == 0 ||
           strncmp(name, "libgomp", 7) == 0;
}

void names_find(struct names *names, uintptr_t code, struct result_name *name)
{
    Dl_info info = {0};
    struct search search = {.code = code};
    *name = (struct result_name){
        .routine = "", .file = "", .object = "", .text = "a place that the runtime does not tell"};
    if (code == 0)
        return;
    if (dl_iterate_phdr(is_there, &search) == 0) {
        snprintf(name->text, sizeof name->text, "code in no file");
        return;
    }
    dladdr((void *)code, &info);
    name->object = search.name[0] != '\0' ? whole_path(names, search.name) : names->program;
    name->address = code - search.bias;
    if (is_runtime(name->object))
        return;
    look_up(names, name);
    describe(name, &info, code);
}
