/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routines and lines of an address, from DWARF. A unit is read once, when the first address in it is looked
 * up: a walk through its namespaces, modules, classes and routines notes for each routine the ranges of its
 * code, its scope (the names around it, joined by "::") and the routine in which it stands. The ranges are
 * sorted, and an address is found by bisection.
 * An address has a place for each routine that was inlined there. From the function's own description
 * blocks_around goes inwards through the blocks and inlined routines whose ranges have the address. The
 * innermost routine is at the line that the line table has; each routine around it is at the line that its
 * inner one's description names as that of the call.
 * The name comes from the description in the source (to_source), since descriptions of copies refer to it.
 * Three kinds need more than that: a definition outside of its class has the scope of its declaration; a
 * lambda expression is the call operator of a class without a name; and the body of an OpenMP region, which
 * is a function of the compiler's, counts as the routine that it was cut out of.
 * Limits: routines nested deeper than DEEPEST are not seen, and code that no unit describes is left to the
 * symbol table (objects.c).
 */
#include "debug.h"
#include "routine_names.h"
#include "tools/common/allocate.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading a unit */

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

/* The scope of a declaration to which a definition refers, which itself stands outside of it. */
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

/* ---- questions */

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

/* Finds the unit in the module's table (.debug_aranges), or, since clang writes no such table, in the ranges
 * that each unit names. */
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

void places_append(struct places *places, int place)
{
    places->place = memory_more(places->place, (size_t)places->n + 1, sizeof *places->place);
    places->place[places->n++] = place;
}

/* ---- files */

/* The file's path, to be freed; one that is not absolute is seen from the folder of the compilation. */
static char *file_path(const char *folder, const char *file)
{
    if (file[0] == '/' || folder == NULL || folder[0] == '\0')
        return memory_text(file);
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    return memory_print("%s/%s", folder, file);
}

static int file_number(struct profile *profile, const char *folder, const char *file)
{
    if (file == NULL || file[0] == '\0' || strcmp(file, "???") == 0)
        return PROFILE_NONE;
    char *path = file_path(folder, file);
    int number = profile_string(profile, path);
    free(path);
    return number;
}

static const char *folder_of(Dwarf_Die *die)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL)
        return NULL;
    return dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
}

/* Since DWARF 5 a unit's own source may be file 0, as clang has it, which libdw 0.188 takes for none. */
static const char *declaring_file(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t n;
    const char *name = dwarf_decl_file(die);
    if (name != NULL || dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &file) != 0 ||
        file != 0 || dwarf_diecu(die, &unit, NULL, NULL) == NULL || dwarf_getsrcfiles(&unit, &files, &n) != 0)
        return name;
    return dwarf_filesrc(files, 0, NULL, NULL);
}

/* Sets file and line; a line without a file would mean nothing, so it is 0. */
static void set_line(struct place *place, int file, uint64_t line)
{
    place->file = file;
    place->line = file != PROFILE_NONE && line <= INT32_MAX ? (int32_t)line : 0;
}

void debug_line(struct debug *debug, struct profile *profile, Dwarf_Addr address, struct place *place)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = units_at(&debug->units, debug->module, address, &bias);
    Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *file = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;
    place->file = PROFILE_NONE;
    place->line = 0;
    if (file == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
        return;
    set_line(place, file_number(profile, folder_of(unit), file), (uint64_t)number);
}

/* ---- routines */

static bool refers(Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr(die, name, &attribute), to) != NULL;
}

/* Goes from a copy of a routine, inlined or outside of its class, to the description that stands where the
 * source has it. */
static void to_source(Dwarf_Die *die)
{
    Dwarf_Die next;
    for (int i = 0; i < 4; i++) {
        if (!refers(die, DW_AT_abstract_origin, &next) && !refers(die, DW_AT_specification, &next))
            return;
        *die = next;
    }
}

static const char *linkage_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return name != NULL ? name
                        : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
}

/* Compilers may say where a lambda expression is at its class alone. */
static Dwarf_Die *with_line(Dwarf_Die *routine, Dwarf_Die *lambda, int *line)
{
    bool elsewhere =
        dwarf_decl_line(routine, line) != 0 && lambda->addr != NULL && dwarf_decl_line(lambda, line) == 0;
    return elsewhere ? lambda : routine;
}

static int describe(struct debug *debug, struct profile *profile, Dwarf_Die *die)
{
    struct routine routine = {.object = debug->object, .file = PROFILE_NONE};
    Dwarf_Die source = *die, lambda;
    to_source(&source);
    const char *name = dwarf_diename(&source);
    const char *scope = units_scope(&debug->units, &source, &lambda);
    bool named = name != NULL && name[0] != '\0';
    char *whole = name_of_routine(named ? name : "(no name)", linkage_of(die), scope);
    routine.name = profile_string(profile, whole);
    Dwarf_Die *placed = with_line(&source, &lambda, &routine.line);
    routine.file = file_number(profile, folder_of(placed), declaring_file(placed));
    free(whole);
    return profile_routine(profile, &routine);
}

/* The number of a described routine. Describing one reads all of its unit, which is done once for each. */
static int routine_of(struct debug *debug, struct profile *profile, Dwarf_Die *die)
{
    Dwarf_Off offset = dwarf_dieoffset(die);
    int before = debug->routines.n, number = index_of(&debug->routines, &offset, sizeof offset);
    if (debug->routines.n == before)
        return debug->routine[number];
    MEMORY_ONE_MORE(debug->routine, number, debug->room);
    int routine = describe(debug, profile, die);
    debug->routine[number] = routine;
    return routine;
}

/* ---- address */

/* A part of a routine that the compiler made a function of its own, which is described inside of it: the body
 * of an OpenMP region. */
static bool is_outlined(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    bool artificial = false;
    const char *name = dwarf_diename(die);
    dwarf_formflag(dwarf_attr(die, DW_AT_artificial, &attribute), &artificial);
    return artificial && name != NULL &&
           (strstr(name, "_omp_fn") != NULL || strstr(name, "omp_outlined") != NULL);
}

/* Finds the file and line that call an inlined routine. */
static void calling_place(Dwarf_Die *die, struct profile *profile, struct place *place)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word file = 0, line = 0;
    size_t n;
    place->file = PROFILE_NONE;
    place->line = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) != 0 ||
        dwarf_diecu(die, &unit, NULL, NULL) == NULL || dwarf_getsrcfiles(&unit, &files, &n) != 0)
        return;
    set_line(place, file_number(profile, folder_of(die), dwarf_filesrc(files, file, NULL, NULL)), line);
}

enum { DEEPEST = 64 };

/* The blocks and inlined routines around an address in a function, from the outside in. Returns how many. */
static int blocks_around(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *block)
{
    Dwarf_Die at = *function, die;
    int n = 0;
    for (bool found = true; found && n < DEEPEST;) {
        found = false;
        for (int more = dwarf_child(&at, &die); more == 0 && !found; more = dwarf_siblingof(&die, &die)) {
            int tag = dwarf_tag(&die);
            found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
                    dwarf_haspc(&die, pc) > 0;
            if (found)
                at = block[n++] = die;
        }
    }
    return n;
}

/* Appends the places of a function, the innermost inlined routine first. */
static void take_function(struct debug *debug, struct profile *profile, const struct function *function,
                          Dwarf_Addr pc, struct place *place, struct places *places)
{
    Dwarf_Die block[DEEPEST], die = function->die;
    for (int i = blocks_around(&die, pc, block) - 1; i >= 0; i--) {
        if (dwarf_tag(&block[i]) != DW_TAG_inlined_subroutine)
            continue;
        place->routine = routine_of(debug, profile, &block[i]);
        places_append(places, profile_place(profile, place));
        calling_place(&block[i], profile, place);
    }
    if (is_outlined(&die) && function->outer.addr != NULL)
        die = function->outer;
    place->routine = routine_of(debug, profile, &die);
    places_append(places, profile_place(profile, place));
}

bool debug_look_up(struct debug *debug, struct profile *profile, Dwarf_Addr address, struct places *places)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = units_at(&debug->units, debug->module, address, &bias);
    const struct function *function = unit != NULL ? units_find(&debug->units, unit, address - bias) : NULL;
    struct place place;
    if (function == NULL)
        return false;
    debug_line(debug, profile, address, &place);
    take_function(debug, profile, function, address - bias, &place, places);
    return true;
}

bool debug_function(struct debug *debug, Dwarf_Addr address, Dwarf_Addr *low, Dwarf_Addr *high)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = units_at(&debug->units, debug->module, address, &bias);
    const struct function *function = unit != NULL ? units_find(&debug->units, unit, address - bias) : NULL;
    if (function == NULL)
        return false;
    *low = function->low + bias;
    *high = function->high + bias;
    return true;
}

void debug_files(struct debug *debug, void (*use)(void *context, const char *path), void *context)
{
    Dwarf_Addr bias;
    Dwarf_Files *files;
    size_t n;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(debug->module, unit, &bias)) != NULL;)
        for (size_t i = dwarf_getsrcfiles(unit, &files, &n) == 0 ? n : 0; i > 0; i--) {
            const char *file = dwarf_filesrc(files, i - 1, NULL, NULL);
            char *path = file != NULL ? file_path(folder_of(unit), file) : NULL;
            if (path != NULL)
                use(context, path);
            free(path);
        }
}

void debug_free(struct debug *debug)
{
    units_free(&debug->units);
    index_free(&debug->routines);
    free(debug->routine);
}
