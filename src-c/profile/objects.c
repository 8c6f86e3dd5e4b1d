/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"
#include "code.h"
#include "debug.h"
#include "routine_names.h"
#include "tools/common/allocate.h"
#include "variables.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- stubs */

static const char *section_name(Elf *elf, const GElf_Shdr *header)
{
    size_t names;
    const char *name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;
    return name != NULL ? name : "";
}

/* Finds a section by its name, or, if wanted is NULL, the section of code that has an address. NULL: there is
 * none. */
static Elf_Scn *find_section(Elf *elf, const char *wanted, uint64_t address, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, header) == NULL)
            continue;
        if (wanted != NULL
                ? strcmp(section_name(elf, header), wanted) == 0
                : (header->sh_flags & SHF_EXECINSTR) != 0 && address - header->sh_addr < header->sh_size)
            break;
    }
    return section;
}

/* The function that a relocation of .rela.plt is for; NULL: not by a name. */
static const char *function_of(Elf *elf, Elf_Data *relocations, const GElf_Shdr *header, int number)
{
    GElf_Rela relocation;
    GElf_Shdr symbols;
    GElf_Sym symbol;
    Elf_Scn *section = elf_getscn(elf, header->sh_link);
    if (gelf_getrela(relocations, number, &relocation) == NULL || GELF_R_SYM(relocation.r_info) == 0 ||
        section == NULL || gelf_getshdr(section, &symbols) == NULL ||
        gelf_getsym(elf_getdata(section, NULL), (int)GELF_R_SYM(relocation.r_info), &symbol) == NULL)
        return NULL;
    return elf_strptr(elf, symbols.sh_link, symbol.st_name);
}

/* The stubs are in the order of their relocations; what .plt has more, at its begin, is the way to the linker
 * that finds functions at their first call. */
static const char *called_at(Elf *elf, const GElf_Shdr *stubs, uint64_t address)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, ".rela.plt", 0, &header);
    if (section == NULL || header.sh_entsize == 0 || stubs->sh_entsize == 0)
        return NULL;
    uint64_t n = header.sh_size / header.sh_entsize, before = stubs->sh_size - n * stubs->sh_entsize;
    uint64_t at = address - stubs->sh_addr;
    if (before > stubs->sh_size || at < before)
        return NULL;
    return function_of(elf, elf_getdata(section, NULL), &header, (int)((at - before) / stubs->sh_entsize));
}

/* The stub at an address of a file, by which a program calls a function of a library: "name@plt", or the
 * section alone, "(.plt.got)", where the relocations do not name the function. The caller frees the text.
 * NULL: there is no stub. */
static char *plt_name(Elf *elf, uint64_t address)
{
    GElf_Shdr stubs;
    if (find_section(elf, NULL, address, &stubs) == NULL)
        return NULL;
    const char *name = section_name(elf, &stubs), *called = NULL;
    if (strncmp(name, ".plt", 4) != 0)
        return NULL;
    if (strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0)
        called = called_at(elf, &stubs, address);
    return called != NULL ? memory_print("%s@plt", called) : memory_print("(%s)", name);
}

struct object {
    Dwfl *dwfl; /* NULL: it is not a file of code, or cannot be read */
    Elf *elf;
    struct debug debug;
    struct variables variables;
    bool opened, has_symbols, has_lines;
};

struct address {
    int32_t object, reserved;
    uint64_t offset;
};

struct objects {
    struct profile *profile;
    struct index paths;
    struct object *object;
    int room;
    struct index addresses; /* that were looked up, and their places */
    struct places *places;
    int places_room;
    bool stays_here, trusts_own;
    objects_watcher *watcher; /* NULL: nobody */
    void *context;
};

struct objects *objects_open(struct profile *profile)
{
    struct objects *objects = memory_more(NULL, 1, sizeof *objects);
    *objects = (struct objects){.profile = profile};
    return objects;
}

void objects_close(struct objects *objects)
{
    for (int i = 0; i < objects->paths.n; i++) {
        debug_free(&objects->object[i].debug);
        variables_free(&objects->object[i].variables);
        dwfl_end(objects->object[i].dwfl);
    }
    for (int i = 0; i < objects->addresses.n; i++)
        free(objects->places[i].place);
    free(objects->object);
    free(objects->places);
    index_free(&objects->paths);
    index_free(&objects->addresses);
    free(objects);
}

int objects_number(struct objects *objects, const char *path)
{
    int before = objects->paths.n, number = index_of(&objects->paths, path, strlen(path) + 1);
    if (objects->paths.n > before) {
        MEMORY_ONE_MORE(objects->object, number, objects->room);
        objects->object[number] = (struct object){.dwfl = NULL};
    }
    return number;
}

const char *objects_path(const struct objects *objects, int object)
{
    return index_key(&objects->paths, object);
}

void objects_stay_here(struct objects *objects)
{
    objects->stays_here = true;
}

void objects_open_trusted(struct objects *objects)
{
    objects->trusts_own = true;
}

void objects_watch(struct objects *objects, objects_watcher *watcher, void *context)
{
    objects->watcher = watcher;
    objects->context = context;
}

/* ---- opening */

static bool has_section(Elf *elf, unsigned type)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == type)
            return true;
    }
    return false;
}

/* Debug information may be in a file of its own, with the symbols. */
static bool has_names(Dwfl_Module *module, Elf *elf)
{
    int local = dwfl_module_getsymtab_first_global(module);
    return has_section(elf, SHT_SYMTAB) || local > 1;
}

/* Answers libdwfl's question for a module's file with none: files are opened by their path alone. */
static int no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

/* Opens a regular file by its absolute path, without waiting if it is a pipe; with trusted_only, one of this
 * user or root. */
static int open_trusted(const char *path, bool trusted_only)
{
    struct stat is;
    int fd = path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode) &&
        (!trusted_only || is.st_uid == geteuid() || is.st_uid == 0))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void open_module(struct object *object, const char *path, int fd, bool here)
{
    static char *debug_path = NULL;
    static const Dwfl_Callbacks anywhere = {.find_elf = dwfl_build_id_find_elf,
                                            .find_debuginfo = dwfl_standard_find_debuginfo,
                                            .debuginfo_path = &debug_path};
    static const Dwfl_Callbacks only_here = {
        .find_elf = no_elf, .find_debuginfo = dwfl_build_id_find_debuginfo, .debuginfo_path = &debug_path};
    GElf_Addr bias;
    Dwarf_Addr debug_bias;
    object->dwfl = fd >= 0 ? dwfl_begin(here ? &only_here : &anywhere) : NULL;
    if (object->dwfl == NULL)
        return;
    dwfl_report_begin(object->dwfl);
    Dwfl_Module *module = dwfl_report_elf(object->dwfl, path, path, fd, 0, true);
    dwfl_report_end(object->dwfl, NULL, NULL);
    object->elf = module != NULL ? dwfl_module_getelf(module, &bias) : NULL;
    if (object->elf == NULL)
        return;
    object->debug.module = module;
    object->has_lines = dwfl_module_getdwarf(module, &debug_bias) != NULL;
    object->has_symbols = has_names(module, object->elf);
}

static struct object *opened(struct objects *objects, int number)
{
    struct object *object = &objects->object[number];
    const char *path = objects_path(objects, number);
    if (object->opened)
        return object;
    object->opened = true;
    int fd = open_trusted(path, objects->trusts_own);
    open_module(object, path, fd, objects->stays_here);
    if (fd >= 0 && object->elf == NULL)
        close(fd);
    object->debug.object = profile_string(objects->profile, path);
    if (object->elf != NULL)
        profile_lacks(objects->profile, object->debug.object, !object->has_lines, !object->has_symbols);
    return object;
}

/* ---- addresses */

/* The address that the file itself gives to what is at an offset of it. False: it loads nothing from there.
 */
static bool own_address(Elf *elf, uint64_t offset, uint64_t *address)
{
    size_t n = 0;
    GElf_Phdr segment;
    if (elf_getphdrnum(elf, &n) != 0)
        return false;
    for (int i = 0; i < (int)n; i++) {
        if (gelf_getphdr(elf, i, &segment) == NULL || segment.p_type != PT_LOAD ||
            (segment.p_flags & PF_X) == 0)
            continue;
        if (offset >= segment.p_offset && offset < segment.p_offset + segment.p_filesz) {
            *address = segment.p_vaddr + (offset - segment.p_offset);
            return true;
        }
    }
    return false;
}

bool objects_address(struct objects *objects, int object, uint64_t offset, uint64_t *address)
{
    struct object *at = opened(objects, object);
    return at->elf != NULL && own_address(at->elf, offset, address);
}

bool objects_offset(struct objects *objects, int object, uint64_t address, uint64_t *offset)
{
    struct object *at = opened(objects, object);
    size_t n = 0;
    GElf_Phdr segment;
    if (at->elf == NULL || elf_getphdrnum(at->elf, &n) != 0)
        return false;
    for (int i = 0; i < (int)n; i++) {
        if (gelf_getphdr(at->elf, i, &segment) == NULL || segment.p_type != PT_LOAD ||
            address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
            continue;
        *offset = address - segment.p_vaddr + segment.p_offset;
        return true;
    }
    return false;
}

struct debug *objects_debug(struct objects *objects, int object)
{
    struct object *at = opened(objects, object);
    return at->elf != NULL ? &at->debug : NULL;
}

int objects_build_id(struct objects *objects, int object, const unsigned char **id)
{
    struct object *at = opened(objects, object);
    GElf_Addr where;
    return at->elf != NULL ? dwfl_module_build_id(at->debug.module, id, &where) : 0;
}

/* Makes a place of a routine that only has a name; place has the file and line of the address. */
static int place_of_name(struct objects *objects, int object, const char *name, struct place place)
{
    struct routine routine = {
        .name = profile_string(objects->profile, name), .object = object, .file = PROFILE_NONE};
    place.routine = profile_routine(objects->profile, &routine);
    return profile_place(objects->profile, &place);
}

static const struct place no_place = {.file = PROFILE_NONE};

/* Names a function without a symbol after its first address, which the tables for unwinding have. In a
 * run-time library of OpenMP such an address tells a reader less than the name of the library. */
static char *name_by_start(Dwfl_Module *module, const char *path, Dwarf_Addr address)
{
    Dwarf_Addr bias, start = 0;
    Dwarf_Frame *frame;
    const char *base = path_base(path);
    if (name_is_openmp(path))
        return memory_text("(inside of OpenMP's run-time library)");
    Dwarf_CFI *table = dwfl_module_eh_cfi(module, &bias);
    if (table != NULL && dwarf_cfi_addrframe(table, address - bias, &frame) == 0) {
        dwarf_frame_info(frame, &start, NULL, NULL);
        free(frame);
        return memory_print("%s+0x%llx", base, (unsigned long long)(start + bias));
    }
    return memory_print("(no name) in %s", base);
}

/* The piece of code of a function without a description: by its symbol, or as far as the tables for unwinding
 * have one rule. */
static bool linked_function(Dwfl_Module *module, uint64_t address, uint64_t *low, uint64_t *high)
{
    GElf_Off offset;
    GElf_Sym symbol;
    Dwarf_Addr bias, start = 0, end = 0;
    Dwarf_Frame *frame;
    if (dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) != NULL &&
        offset < symbol.st_size) {
        *low = address - offset;
        *high = *low + symbol.st_size;
        return true;
    }
    Dwarf_CFI *table = dwfl_module_eh_cfi(module, &bias);
    if (table == NULL || dwarf_cfi_addrframe(table, address - bias, &frame) != 0)
        return false;
    dwarf_frame_info(frame, &start, &end, NULL);
    free(frame);
    *low = start + bias;
    *high = end + bias;
    return true;
}

bool objects_function(struct objects *objects, int number, uint64_t address, uint64_t *low, uint64_t *high)
{
    struct object *object = opened(objects, number);
    return object->elf != NULL &&
           (debug_function(&object->debug, address, low, high) ||
            linked_function(object->debug.module, address, low, high)) &&
           address >= *low && address < *high;
}

/* A symbol that is of one file alone may be there several times, as the saved "work" of several routines: the
 * description has the routine, and without one the address tells them apart. */
char *objects_variable(struct objects *objects, int number, uint64_t address)
{
    struct object *object = opened(objects, number);
    GElf_Off offset;
    GElf_Sym symbol;
    if (object->elf == NULL)
        return NULL;
    Dwfl_Module *module = object->debug.module;
    const char *linked = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    const struct variable *variable = variables_at(&object->variables, module, address);
    bool local = linked != NULL && GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    if (variable != NULL && (variable->common || local || linked == NULL))
        return memory_text(variable->name);
    if (linked == NULL || linked[0] == '\0')
        return NULL;
    return local ? memory_print("%s (at 0x%llx)", linked, (unsigned long long)(address - offset))
                 : name_of_symbol(linked);
}

/* The address that the file gives to its first byte. */
static bool first_address(Elf *elf, uint64_t *address)
{
    size_t n = 0;
    GElf_Phdr segment;
    if (elf_getphdrnum(elf, &n) != 0)
        return false;
    for (int i = 0; i < (int)n; i++)
        if (gelf_getphdr(elf, i, &segment) != NULL && segment.p_type == PT_LOAD && segment.p_offset == 0) {
            *address = segment.p_vaddr;
            return true;
        }
    return false;
}

bool objects_variable_at(struct objects *objects, int number, uint64_t distance, uint64_t *address,
                         uint64_t *size, uint64_t *within)
{
    struct object *object = opened(objects, number);
    GElf_Off offset;
    GElf_Sym symbol;
    uint64_t first;
    if (object->elf == NULL || !first_address(object->elf, &first) ||
        dwfl_module_addrinfo(object->debug.module, first + distance, &offset, &symbol, NULL, NULL, NULL) ==
            NULL ||
        GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
        return false;
    *address = first + distance - offset;
    *size = symbol.st_size;
    *within = offset;
    return true;
}

bool objects_code(struct objects *objects, int number, uint64_t address, uint64_t size, struct code *code)
{
    struct object *object = opened(objects, number);
    GElf_Ehdr head;
    if (object->elf == NULL || gelf_getehdr(object->elf, &head) == NULL)
        return false;
    code->machine = head.e_machine;
    return code_at(object->elf, address, size, code);
}

/* Makes a place by the symbol at an address, for code without a description of its routine. Assembly may have
 * lines all the same. */
static int place_by_symbol(struct objects *objects, struct object *object, const char *path, uint64_t address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    struct place place = no_place;
    Dwfl_Module *module = object->debug.module;
    const char *linked = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    bool named = linked != NULL && linked[0] != '\0';
    char *name = plt_name(object->elf, address);
    if (name == NULL)
        name = named ? name_of_symbol(linked) : name_by_start(module, path, address);
    debug_line(&object->debug, objects->profile, address, &place);
    int number = place_of_name(objects, object->debug.object, name, place);
    free(name);
    return number;
}

static int place_unknown(struct objects *objects, int number)
{
    char *name = memory_print("(no name) in %s", objects_path(objects, number));
    int place = place_of_name(objects, objects->object[number].debug.object, name, no_place);
    free(name);
    return place;
}

static int place_nowhere(struct objects *objects)
{
    return place_of_name(objects, profile_string(objects->profile, ""), "(in no file)", no_place);
}

static void look_up(struct objects *objects, int number, uint64_t offset, struct places *places)
{
    uint64_t address;
    if (number == PROFILE_NONE) {
        places_append(places, place_nowhere(objects));
        return;
    }
    struct object *object = opened(objects, number);
    if (object->elf == NULL || !own_address(object->elf, offset, &address)) {
        places_append(places, place_unknown(objects, number));
        return;
    }
    if (!debug_look_up(&object->debug, objects->profile, address, places))
        places_append(places, place_by_symbol(objects, object, objects_path(objects, number), address));
    if (objects->watcher != NULL)
        objects->watcher(objects->context, &object->debug, address, places->place[0]);
}

const struct places *objects_look_up(struct objects *objects, int object, uint64_t offset, bool before)
{
    struct address address = {.object = object, .offset = offset - (before && offset > 0)};
    int known = objects->addresses.n, number;
    if (object == PROFILE_NONE)
        address.offset = 0;
    number = index_of(&objects->addresses, &address, sizeof address);
    if (objects->addresses.n > known) {
        struct places places = {.n = 0};
        look_up(objects, object, address.offset, &places);
        MEMORY_ONE_MORE(objects->places, number, objects->places_room);
        objects->places[number] = places;
    }
    return &objects->places[number];
}

void objects_files(struct objects *objects, int number, objects_file *use, void *context)
{
    struct object *object = opened(objects, number);
    if (object->has_lines)
        debug_files(&object->debug, use, context);
}

/* ---- source files */

struct naming {
    const struct profile *profile;
    bool *named;
};

static void take(void *context, const char *path)
{
    struct naming *naming = context;
    int string = index_find(&naming->profile->strings, path, strlen(path) + 1);
    if (string >= 0)
        naming->named[string] = true;
}

/* Marks the strings that are objects with lines of routines. The caller frees the array. */
static bool *objects_of(const struct profile *profile)
{
    bool *wanted = memory_more(NULL, (size_t)profile->strings.n + 1, sizeof *wanted);
    memset(wanted, 0, ((size_t)profile->strings.n + 1) * sizeof *wanted);
    for (int i = 0; i < profile->places.n; i++) {
        const struct place *place = profile_place_at(profile, i);
        if (place->file >= 0)
            wanted[profile_routine_at(profile, place->routine)->object] = true;
    }
    return wanted;
}

void named_sources(const struct profile *profile, bool *named)
{
    struct profile unused = {.command = NULL}; /* what the objects say of themselves */
    struct naming naming = {profile, named};
    struct objects *objects = objects_open(&unused);
    bool *wanted = objects_of(profile);
    objects_open_trusted(objects);
    unsetenv("DEBUGINFOD_URLS");
    for (int i = 0; i < profile->strings.n; i++)
        if (wanted[i])
            objects_files(objects, objects_number(objects, profile_text(profile, i)), take, &naming);
    free(wanted);
    objects_close(objects);
    profile_free(&unused);
}
