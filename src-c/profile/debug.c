/* SPDX-License-Identifier: BSD-3-Clause */
#include "debug.h"
#include "routine_names.h"
#include "tools/common/allocate.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

void places_append(struct places *places, int place)
{
    places->place = memory_more(places->place, (size_t)places->n + 1, sizeof *places->place);
    places->place[places->n++] = place;
}

/* -------------------------------------------------------------------------- files */

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

/* Of no file no line is known. */
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

/* ------------------------------------------------------------------------ routines */

static bool refers(Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr(die, name, &attribute), to) != NULL;
}

/* The description as it stands in the source, in its module. */
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

/* Finding what a routine is in reads all of its unit: once for each. */
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

/* ------------------------------------------------------------------------- address */

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

/* From where an inlined routine is called. */
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

/* From the inside out. */
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
