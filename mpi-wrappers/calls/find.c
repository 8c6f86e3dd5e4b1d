/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/flavour.h"
#include "calls/wrapper.h"
#include "mpi/symbols.h"

#include <ctype.h>
#include <stdio.h>

/* What stands behind a call's name, in lower case but for the last one. */
static const struct {
    const char *suffix[3], *upper;
} names[FORM_COUNT] = {
    [FORM_C] = {{""}, NULL},
    [FORM_C_LARGE] = {{"_c"}, NULL},
    [FORM_FORTRAN] = {{"_", "", "__"}, ""},
    [FORM_FORTRAN_CPTR] = {{"_cptr_", "_cptr", "_cptr__"}, "_CPTR"},
    [FORM_F08] = {{"_f08_"}, NULL},
    [FORM_F08TS] = {{"_f08ts_"}, NULL},
    [FORM_F08_LARGE] = {{"_f08_large_"}, NULL},
    [FORM_F08TS_LARGE] = {{"_f08ts_large_"}, NULL},
};

enum { NAME_ROOM = 80 };

static void *find_name(enum call call, int (*letter)(int), const char *suffix)
{
    char name[NAME_ROOM];
    int length = 0;

    for (const char *from = call_name[call]; *from; from++)
        name[length++] = (char)(letter ? letter((unsigned char)*from) : *from);
    snprintf(name + length, sizeof name - (size_t)length, "%s", suffix);
    return mpi_symbol_behind(name);
}

void *call_find(enum call call, enum call_form form)
{
    int is_c = form == FORM_C || form == FORM_C_LARGE;
    void *found = NULL;

    for (int i = 0; i < 3 && names[form].suffix[i] && !found; i++)
        found = find_name(call, is_c ? NULL : tolower, names[form].suffix[i]);
    if (!found && names[form].upper)
        found = find_name(call, toupper, names[form].upper);
    if (found && !flavour_fits())
        return NULL;
    atomic_store_explicit(&papi_mpi.next[call][form], found, memory_order_relaxed);
    return found;
}
