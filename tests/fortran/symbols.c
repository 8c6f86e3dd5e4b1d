/* SPDX-License-Identifier: BSD-3-Clause
 *
 * symbols FILE: libpapi.so has every symbol of the list, the four names of each Fortran routine are
 * one routine, and a routine works when called by each of them.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>

static int failed;

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "FAIL: %s: %s\n", name, what);
    failed++;
}

static int is_plain_routine(const char *name)
{
    return strncmp(name, "papi", 4) == 0 && name[strlen(name) - 1] != '_';
}

static void check_manglings(const char *plain, void *address)
{
    char name[128], upper[128];
    size_t i;
    for (i = 0; plain[i]; i++)
        upper[i] = (char)toupper((unsigned char)plain[i]);
    upper[i] = '\0';
    snprintf(name, sizeof name, "%s_", plain);
    if (dlsym(RTLD_DEFAULT, name) != address)
        fail("another routine", name);
    snprintf(name, sizeof name, "%s__", plain);
    if (dlsym(RTLD_DEFAULT, name) != address)
        fail("another routine", name);
    if (dlsym(RTLD_DEFAULT, upper) != address)
        fail("another routine", upper);
}

static int check_list(FILE *list)
{
    char name[128];
    int n = 0;
    while (fscanf(list, "%127s", name) == 1) {
        void *address = dlsym(RTLD_DEFAULT, name);

        if (!address)
            fail("not in the library", name);
        else if (is_plain_routine(name))
            check_manglings(name, address);
        n++;
    }
    return n;
}

void papif_is_initialized(int *level);
void papif_is_initialized_(int *level);
void papif_is_initialized__(int *level);
void PAPIF_IS_INITIALIZED(int *level);

/* Links and calls, not only looks up. */
static void check_calls(void)
{
    void (*const names[])(int *) = {papif_is_initialized, papif_is_initialized_, papif_is_initialized__,
                                    PAPIF_IS_INITIALIZED};

    for (int i = 0; i < 4; i++) {
        int level = -1;

        names[i](&level);
        if (level != PAPI_NOT_INITED)
            fail("wrong answer", "papif_is_initialized");
    }
}

int main(int argc, char *argv[])
{
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    int n;
    if (!list) {
        fprintf(stderr, "usage: symbols FILE\n");
        return 1;
    }
    n = check_list(list);
    fclose(list);
    if (n == 0)
        fail("no symbol in the list", argv[1]);
    check_calls();
    printf("%d symbols, %d failures\n", n, failed);
    return failed > 0;
}
