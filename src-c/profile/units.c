/* SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"
#include "routine_names.h"
#include "tools/common/allocate.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- reading a unit */

struct reading {
    struct units *units;
    struct unit *unit;
};

static void add_ranges(struct unit *unit, Dwarf_Die *die, const struct surroundings *around)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        MEMORY_ONE_MORE(unit->function, unit->n, unit->room);
        unit->function[unit->n++] =
            (struct function){.low = low, .high = high, .die = *die, .outer = around->outer};
    }
}

static void add_routine(struct reading *reading, Dwarf_Die *die, const struct surroundings *around)
{
    struct units *units = reading->units;
    Dwarf_Off offset = dwarf_dieoffset(die);
    int number = index_of(&units->routines, &offset, sizeof offset);
    MEMORY_ONE_MORE(units->around, number, units->around_room);
    units->around[number] = *around;
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

/* The class of a lambda expression has no name, and the operator of calls. */
static bool is_lambda(Dwarf_Die *type)
{
    Dwarf_Die die;
    bool found = false;
    if (dwarf_diename(type) != NULL)
        return false;
    for (int more = dwarf_child(type, &die); more == 0 && !found; more = dwarf_siblingof(&die, &die))
        found = dwarf_tag(&die) == DW_TAG_subprogram && dwarf_diename(&die) != NULL &&
                strncmp(dwarf_diename(&die), NAME_OF_CALLS, strlen(NAME_OF_CALLS)) == 0;
    return found;
}

/* A definition stands outside of what its declaration is in. */
static int scope_of_declaration(const struct units *units, Dwarf_Die *die, int otherwise)
{
    Dwarf_Attribute attribute;
    Dwarf_Die declared;
    if (dwarf_formref_die(dwarf_attr(die, DW_AT_specification, &attribute), &declared) == NULL &&
        dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &declared) == NULL)
        return otherwise;
    Dwarf_Off offset = dwarf_dieoffset(&declared);
    int number = index_find(&units->routines, &offset, sizeof offset);
    return number >= 0 ? units->around[number].scope : otherwise;
}

/* Steps into a routine or what holds routines; a block belongs to the routine around it. False: there are
 * none inside. */
static bool enter(struct reading *reading, Dwarf_Die *die, struct surroundings *around)
{
    struct units *units = reading->units;
    const char *name = dwarf_diename(die);
    switch (dwarf_tag(die)) {
    case DW_TAG_lexical_block:
        return true;
    case DW_TAG_subprogram:
        around->scope = scope_of_declaration(units, die, around->scope);
        add_routine(reading, die, around);
        if (dwarf_hasattr(die, DW_AT_declaration))
            return false;
        around->outer = *die;
        around->lambda = (Dwarf_Die){0};
        break;
    case DW_TAG_namespace:
        name = name != NULL ? name : "(anonymous namespace)";
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        around->lambda = is_lambda(die) ? *die : (Dwarf_Die){0};
        name = around->lambda.addr != NULL ? NAME_OF_LAMBDA : name;
        break;
    case DW_TAG_module:
        break;
    default:
        return false;
    }
    around->scope = scope_with(&units->names, around->scope, name);
    return true;
}

static void walk(struct reading *reading, Dwarf_Die *parent, const struct surroundings *around, int depth)
{
    enum { DEEPEST = 64 };
    Dwarf_Die die;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        struct surroundings inside = *around;
        if (enter(reading, &die, &inside))
            walk(reading, &die, &inside, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct function *one = a, *other = b;
    return one->low < other->low ? -1 : one->low > other->low;
}

static void sort(struct unit *unit)
{
    if (unit->n > 0)
        qsort(unit->function, (size_t)unit->n, sizeof *unit->function, by_address);
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
    struct surroundings around = {.scope = PROFILE_NONE};
    walk(&reading, die, &around, 0);
    sort(unit);
    return unit;
}

/* ------------------------------------------------------------------------- questions */

static struct function *function_at(const struct unit *unit, Dwarf_Addr pc)
{
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

/* By the module's table of them (.debug_aranges), which clang does not write, and else by what each says. */
Dwarf_Die *units_at(struct units *units, Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    const struct surroundings nothing = {.scope = PROFILE_NONE};
    Dwarf_Die *die = dwfl_module_addrdie(module, address, bias);
    if (die != NULL || dwfl_module_getdwarf(module, bias) == NULL)
        return die;
    if (!units->all_read) {
        Dwarf_Addr same;
        while ((die = dwfl_module_nextcu(module, die, &same)) != NULL)
            add_ranges(&units->all, die, &nothing);
        sort(&units->all);
        units->all_read = true;
    }
    struct function *found = function_at(&units->all, address - *bias);
    return found != NULL ? &found->die : NULL;
}

const struct function *units_find(struct units *units, Dwarf_Die *die, Dwarf_Addr pc)
{
    return function_at(unit_of(units, die), pc);
}

const char *units_scope(struct units *units, Dwarf_Die *die, Dwarf_Die *lambda)
{
    Dwarf_Off offset = dwarf_dieoffset(die);
    Dwarf_Die unit;
    if (dwarf_diecu(die, &unit, NULL, NULL) != NULL)
        unit_of(units, &unit);
    int number = index_find(&units->routines, &offset, sizeof offset);
    *lambda = number >= 0 ? units->around[number].lambda : (Dwarf_Die){0};
    return number >= 0 && units->around[number].scope >= 0
               ? index_key(&units->names, units->around[number].scope)
               : NULL;
}

void units_free(struct units *units)
{
    for (int i = 0; i < units->known.n; i++)
        free(units->unit[i].function);
    free(units->unit);
    free(units->all.function);
    free(units->around);
    index_free(&units->known);
    index_free(&units->routines);
    index_free(&units->names);
}
