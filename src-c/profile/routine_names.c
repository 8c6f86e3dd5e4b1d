/* SPDX-License-Identifier: BSD-3-Clause */
#include "routine_names.h"
#include "tools/common/allocate.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- what compilers append */

/* True for a text of digits alone. */
static bool is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '\0';
}

static const char *const appended[] = {
    "._omp_fn",       ".constprop", ".isra",         ".part",
    ".lto_priv",      ".cold",      ".omp_outlined", ".omp_outlined_debug__",
    "__omp_outlined", ".llvm"};

/* Cuts one such part off, with the number after it. False: there is none. */
static bool cut_one(char *name)
{
    char *end = name + strlen(name), *dot = strrchr(name, '.');
    if (dot != NULL && dot > name && (is_number(dot + 1) || dot[1] == '\0'))
        end = dot;
    for (size_t i = 0; i < sizeof appended / sizeof appended[0]; i++) {
        size_t length = strlen(appended[i]), whole = (size_t)(end - name);
        if (whole > length && strncmp(end - length, appended[i], length) == 0) {
            end[-(ptrdiff_t)length] = '\0';
            return true;
        }
    }
    return false;
}

/* Cuts a number off, as in "inner.0": a local routine of Fortran, or a copy that the compiler made. */
static void cut_number(char *name)
{
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot > name && is_number(dot + 1))
        *dot = '\0';
}

static void cut(char *name)
{
    while (cut_one(name))
        ;
    cut_number(name);
}

/* ---- Fortran */

/* "__module_MOD_routine"; ifort and nvfortran: "module_mp_routine_", "module_routine_" is anybody's. NULL: it
 * is not one. */
static char *of_fortran(const char *symbol)
{
    const char *mark = strncmp(symbol, "__", 2) == 0 ? strstr(symbol + 2, "_MOD_") : NULL;
    if (mark != NULL && mark[5] != '\0')
        return memory_print("%.*s::%s", (int)(mark - symbol - 2), symbol + 2, mark + 5);
    mark = strstr(symbol, "_mp_");
    size_t length = strlen(symbol);
    if (mark != NULL && mark > symbol && symbol[length - 1] == '_')
        return memory_print("%.*s::%.*s", (int)(mark - symbol), symbol,
                            (int)(length - 1 - (size_t)(mark + 4 - symbol)), mark + 4);
    /* flang: _QMmoduleProutine */
    mark = strncmp(symbol, "_QM", 3) == 0 ? strchr(symbol, 'P') : NULL;
    return mark != NULL ? memory_print("%.*s::%s", (int)(mark - symbol - 3), symbol + 3, mark + 1) : NULL;
}

/* ---- C++ */

typedef char *demangle(const char *name, char *out, size_t *length, int *status);

/* Asks the C++ library, which is there where a program of C++ runs. NULL: it is not a name of C++. */
static char *of_cplusplus(const char *symbol)
{
    static demangle *function;
    static bool looked;
    if (strncmp(symbol, "_Z", 2) != 0)
        return NULL;
    if (!looked) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            *(void **)&function = dlsym(library, "__cxa_demangle");
        looked = true;
    }
    int status = -1;
    char *name = function != NULL ? function(symbol, NULL, NULL, &status) : NULL;
    return status == 0 ? name : NULL;
}

/* ---- both ways */

char *name_of_symbol(const char *symbol)
{
    char *plain = memory_text(symbol), *name;
    char *version = strchr(plain, '@'); /* of the symbol: memcpy@@GLIBC_2.14 */
    if (version != NULL && version > plain)
        *version = '\0';
    cut(plain);
    name = of_cplusplus(plain);
    if (name == NULL)
        name = of_fortran(plain);
    if (name == NULL)
        return plain;
    free(plain);
    return name;
}

static bool is_lambda(const char *name, const char *scope)
{
    size_t length = strlen(scope), lambda = strlen(NAME_OF_LAMBDA);
    return length >= lambda && strcmp(scope + length - lambda, NAME_OF_LAMBDA) == 0 &&
           strncmp(name, NAME_OF_CALLS, strlen(NAME_OF_CALLS)) == 0;
}

/* True if plain, the name of the linkage, has a scope that name lacks. */
static bool has_scope(const char *name, const char *plain)
{
    return strstr(plain, "::") != NULL && strstr(name, "::") == NULL;
}

char *name_of_routine(const char *name, const char *linkage, const char *scope)
{
    if (linkage != NULL && strncmp(linkage, "_Z", 2) == 0)
        return name_of_symbol(linkage);
    char *plain = name_of_symbol(name), *whole;
    if (scope == NULL || has_scope(name, plain))
        return plain;
    if (is_lambda(name, scope))
        whole = memory_text(scope);
    else
        whole = memory_print("%s::%s", scope, plain);
    free(plain);
    return whole;
}

bool name_is_openmp(const char *path)
{
    static const char *const libraries[] = {"libgomp.so", "libgomp-",    "libomp.so",
                                            "libomp-",    "libiomp5.so", "libnvomp.so"};
    const char *name = path_base(path);
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}
