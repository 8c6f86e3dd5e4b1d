/* SPDX-License-Identifier: BSD-3-Clause */
#include "utils/profile/units.h"
#include "utils/allocate.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- reading a unit */

struct reading {
    struct units *units;
    struct unit *unit;
};

/* Where the walk is: in which routine, and what all that is around it is called. */
struct around {
    Dwarf_Die outer;
    int scope;
};

static void add_ranges(struct unit *unit, Dwarf_Die *die, const struct around *around)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        MEMORY_ONE_MORE(unit->function, unit->n, unit->room);
        unit->function[unit->n++] =
            (struct function){.low = low, .high = high, .die = *die, .outer = around->outer};
    }
}

static void add_routine(struct reading *reading, Dwarf_Die *die, const struct around *around)
{
    struct units *units = reading->units;
    Dwarf_Off offset = dwarf_dieoffset(die);
    int number = index_of(&units->routines, &offset, sizeof offset);
    MEMORY_ONE_MORE(units->scope, number, units->scope_room);
    units->scope[number] = around->scope;
    add_ranges(reading->unit, die, around);
}

static int scope_with(struct index *names, int scope, const char *name)
{
    if (name == NULL)
        return scope;
    if (scope == PROFILE_NONE)
        return index_of(names, name, strlen(name) + 1);
    char *whole = memory_print("%s::%s", (const char *)index_key(names, scope), name);
    int number = index_of(names, whole, strlen(whole) + 1);
    free(whole);
    return number;
}

/* Into modules and routines; what is in a block belongs to the routine around it. */
static void walk(struct reading *reading, Dwarf_Die *parent, const struct around *around, int depth)
{
    enum { DEEPEST = 64 };
    Dwarf_Die die;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        struct around inside = *around;
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram) {
            add_routine(reading, &die, around);
            inside.outer = die;
        }
        if (tag == DW_TAG_subprogram || tag == DW_TAG_module)
            inside.scope = scope_with(&reading->units->names, around->scope, dwarf_diename(&die));
        if (tag == DW_TAG_subprogram || tag == DW_TAG_module || tag == DW_TAG_namespace ||
            tag == DW_TAG_lexical_block)
            walk(reading, &die, &inside, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct function *one = a, *other = b;
    return one->low < other->low ? -1 : one->low > other->low;
}

static struct unit *unit_of(struct units *units, Dwarf_Die *die)
{
    Dwarf_Off offset = dwarf_dieoffset(die);
    int before = units->known.n, number = index_of(&units->known, &offset, sizeof offset);
    if (units->known.n == before)
        return &units->unit[number];
    MEMORY_ONE_MORE(units->unit, number, units->room);
    struct unit *unit = &units->unit[number];
    *unit = (struct unit){.n = 0};
    struct reading reading = {.units = units, .unit = unit};
    struct around around = {.scope = PROFILE_NONE};
    walk(&reading, die, &around, 0);
    if (unit->n > 0)
        qsort(unit->function, (size_t)unit->n, sizeof *unit->function, by_address);
    return unit;
}

/* ------------------------------------------------------------------------- questions */

const struct function *units_find(struct units *units, Dwarf_Die *die, Dwarf_Addr pc)
{
    const struct unit *unit = unit_of(units, die);
    int low = 0, high = unit->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (unit->function[middle].low <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && pc < unit->function[low - 1].high ? &unit->function[low - 1] : NULL;
}

const char *units_scope(struct units *units, Dwarf_Die *die)
{
    Dwarf_Off offset = dwarf_dieoffset(die);
    Dwarf_Die unit;
    if (dwarf_diecu(die, &unit, NULL, NULL) != NULL)
        unit_of(units, &unit);
    int number = index_find(&units->routines, &offset, sizeof offset);
    return number >= 0 && units->scope[number] >= 0 ? index_key(&units->names, units->scope[number]) : NULL;
}

void units_free(struct units *units)
{
    for (int i = 0; i < units->known.n; i++)
        free(units->unit[i].function);
    free(units->unit);
    free(units->scope);
    index_free(&units->known);
    index_free(&units->routines);
    index_free(&units->names);
}
