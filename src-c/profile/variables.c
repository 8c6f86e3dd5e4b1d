/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables by their addresses, from DWARF. The symbol of a variable that a routine keeps has its name alone,
 * which other routines may use as well, and that of a common block has the block's: only the description says
 * which routine, and which arrays are in the block. Routines that share a block may name its parts
 * differently: then no part is named.
 */
#include "variables.h"
#include "tools/common/allocate.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* ---- descriptions */

static bool address_of(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *step;
    size_t n;
    if (dwarf_attr_integrate(die, DW_AT_location, &attribute) == NULL ||
        dwarf_getlocation(&attribute, &step, &n) != 0 || n != 1 || step[0].atom != DW_OP_addr)
        return false;
    *address = step[0].number;
    return true;
}

static uint64_t size_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word size;
    bool known = dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &type) != NULL &&
                 dwarf_aggregate_size(&type, &size) == 0;
    return known ? size : 0;
}

static char *scoped(const char *scope, const char *name)
{
    return scope != NULL ? memory_print("%s::%s", scope, name) : memory_text(name);
}

static void add(struct variables *variables, const struct variable *variable)
{
    MEMORY_ONE_MORE(variables->variable, variables->n, variables->room);
    variables->variable[variables->n++] = *variable;
}

/* A variable that stands in no routine and no module may have the name of another file's. */
static void add_variable(struct variables *variables, Dwarf_Die *die, const char *scope)
{
    struct variable variable = {.size = size_of(die)};
    const char *name = dwarf_diename(die), *file = dwarf_decl_file(die);
    bool external = dwarf_hasattr_integrate(die, DW_AT_external) != 0;
    if (name == NULL || name[0] == '\0' || !address_of(die, &variable.address))
        return;
    if (scope == NULL && !external && file != NULL) {
        const char *slash = strrchr(file, '/');
        variable.name = memory_print("%s (%s)", name, slash != NULL ? slash + 1 : file);
    } else {
        variable.name = scoped(scope, name);
    }
    add(variables, &variable);
}

/* "/block/ (a, b)": the block begins at its first member. */
static void add_block(struct variables *variables, Dwarf_Die *block)
{
    struct variable whole = {.address = UINT64_MAX, .common = true};
    const char *name = dwarf_diename(block);
    uint64_t end = 0;
    char *members = NULL;
    Dwarf_Die die;
    if (name == NULL || dwarf_child(block, &die) != 0)
        return;
    do {
        uint64_t address, size = size_of(&die);
        if (dwarf_diename(&die) == NULL || !address_of(&die, &address))
            continue;
        char *more = members != NULL ? memory_print("%s, %s", members, dwarf_diename(&die))
                                     : memory_text(dwarf_diename(&die));
        free(members);
        members = more;
        whole.address = address < whole.address ? address : whole.address;
        end = address + size > end ? address + size : end;
    } while (dwarf_siblingof(&die, &die) == 0);
    if (members == NULL)
        return;
    whole.size = end - whole.address;
    whole.name = memory_print("/%s/ (%s)", strcmp(name, "__BLNK__") == 0 ? "" : name, members);
    free(members);
    add(variables, &whole);
}

static void walk(struct variables *variables, Dwarf_Die *parent, const char *scope, int depth)
{
    enum { DEEPEST = 64 };
    Dwarf_Die die;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        char *inside;
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            add_variable(variables, &die, scope);
            break;
        case DW_TAG_common_block:
            add_block(variables, &die);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_module:
        case DW_TAG_namespace:
            inside = dwarf_diename(&die) != NULL ? scoped(scope, dwarf_diename(&die)) : NULL;
            walk(variables, &die, inside != NULL ? inside : scope, depth + 1);
            free(inside);
            break;
        case DW_TAG_lexical_block:
            walk(variables, &die, scope, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* ---- the table */

/* Puts blocks before what is in them. */
static int by_address(const void *a, const void *b)
{
    const struct variable *one = a, *other = b;
    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    if (one->common != other->common)
        return one->common ? -1 : 1;
    return strcmp(one->name, other->name);
}

/* Makes one of two descriptions of the same address: a routine that was compiled for itself is described
 * without its module once more. */
static void merge(struct variable *to, struct variable *from)
{
    bool longer = strlen(from->name) > strlen(to->name);
    if (from->size > to->size)
        to->size = from->size;
    if (to->common && from->common && strcmp(to->name, from->name) != 0)
        to->name[strcspn(to->name, " ")] = '\0';
    else if (to->common == from->common && longer) {
        free(to->name);
        to->name = from->name;
        return;
    }
    free(from->name);
}

static void sort(struct variables *variables)
{
    int n = 0;
    if (variables->n > 0)
        qsort(variables->variable, (size_t)variables->n, sizeof *variables->variable, by_address);
    for (int i = 0; i < variables->n; i++) {
        if (n > 0 && variables->variable[n - 1].address == variables->variable[i].address)
            merge(&variables->variable[n - 1], &variables->variable[i]);
        else
            variables->variable[n++] = variables->variable[i];
    }
    variables->n = n;
}

static void read_all(struct variables *variables, Dwfl_Module *module)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    variables->read = true;
    if (dwfl_module_getdwarf(module, &bias) == NULL)
        return;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != NULL)
        walk(variables, unit, NULL, 0);
    sort(variables);
}

const struct variable *variables_at(struct variables *variables, Dwfl_Module *module, uint64_t address)
{
    if (!variables->read)
        read_all(variables, module);
    int low = 0, high = variables->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (variables->variable[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct variable *found = low > 0 ? &variables->variable[low - 1] : NULL;
    bool there = found != NULL && (address == found->address || address - found->address < found->size);
    return there ? found : NULL;
}

void variables_free(struct variables *variables)
{
    for (int i = 0; i < variables->n; i++)
        free(variables->variable[i].name);
    free(variables->variable);
}
