/* SPDX-License-Identifier: BSD-3-Clause */
#include "identity.h"
#include "papi.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- programs */

static const char *build_id(struct counts *counts, Elf *elf)
{
    enum { MOST = 64 };
    const void *id;
    char text[2 * MOST + 1] = "";
    ssize_t n = elf != NULL ? dwelf_elf_gnu_build_id(elf, &id) : -1;
    for (ssize_t i = 0; i < n && i < MOST; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
    return counts_text(counts, text);
}

/* Cuts out options that say where something was built, which another folder has otherwise. */
static char *without_folders(const char *producer)
{
    char *text = memory_text(producer), *rest = text, *word, *made = memory_text("");
    while ((word = strsep(&rest, " ")) != NULL) {
        if (strchr(word, '/') != NULL)
            continue;
        char *more = memory_print("%s%s%s", made, made[0] != '\0' ? " " : "", word);
        free(made);
        made = more;
    }
    free(text);
    return made;
}

/* The compiler and its flags, of the first unit of the program's own that says so. */
static const char *compiler(struct counts *counts, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    Dwarf_Attribute attribute;
    while (dwarf != NULL && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        const char *producer =
            dwarf_attr(&die, DW_AT_producer, &attribute) != NULL ? dwarf_formstring(&attribute) : NULL;
        if (producer == NULL || strncmp(producer, "GNU AS", 6) == 0)
            continue;
        char *clean = without_folders(producer);
        const char *kept = counts_text(counts, clean);
        free(clean);
        return kept;
    }
    return counts_text(counts, "");
}

static void note_object(struct counts *counts, struct gate_object *object)
{
    int file = open(object->path, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
    Elf *elf = dwarf != NULL ? dwarf_getelf(dwarf) : NULL;
    object->build_id = build_id(counts, elf);
    object->compiler = compiler(counts, dwarf);
    dwarf_end(dwarf);
    if (file >= 0)
        close(file);
}

/* ---- the tree, the machine */

/* The first line that a command prints; "": none. */
static const char *first_line(struct counts *counts, const char *command)
{
    char line[256] = "";
    FILE *in = popen(command, "re");
    if (in != NULL && fgets(line, sizeof line, in) == NULL)
        line[0] = '\0';
    if (in != NULL)
        pclose(in);
    line[strcspn(line, "\n")] = '\0';
    return counts_text(counts, line);
}

/* Shortens the paths of programs and sources. */
static void shorten(struct counts *counts, const char *here)
{
    for (size_t i = 0; i < counts->n_objects; i++)
        counts->object[i].path = counts_below(counts, here, counts->object[i].path);
    for (size_t i = 0; i < counts->n_routines; i++) {
        struct gate_routine *routine = &counts->routine[i];
        routine->file = counts_below(counts, here, routine->file);
        for (size_t j = 0; j < routine->n_lines; j++)
            routine->line[j].file = counts_below(counts, here, routine->line[j].file);
    }
    const char *program = counts->command[0], *shorter = counts_below(counts, here, program);
    if (shorter == program)
        return;
    char *word = memory_print("./%s", shorter);
    counts->command[0] = (char *)(uintptr_t)counts_text(counts, word);
    free(word);
}

static char **copied(struct counts *counts, char *const *command)
{
    size_t n = 0;
    while (command[n] != NULL)
        n++;
    char **word = memory_more(NULL, n + 1, sizeof *word);
    for (size_t i = 0; i < n; i++)
        word[i] = (char *)(uintptr_t)counts_text(counts, command[i]);
    word[n] = NULL;
    return word;
}

void identity_note(struct counts *counts, char *const *command)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    elf_version(EV_CURRENT);
    for (size_t i = 0; i < counts->n_objects; i++)
        note_object(counts, &counts->object[i]);
    counts->command = copied(counts, command);
    char *here = realpath(".", NULL);
    if (here != NULL)
        shorten(counts, here);
    free(here);
    counts->revision = first_line(counts, "git rev-parse --verify -q HEAD 2>/dev/null");
    counts->host = counts_text(counts, host);
    counts->processor = counts_text(counts, hardware != NULL ? hardware->model_string : "");
    counts->made = (long long)time(NULL);
}

char *identity_input(struct counts *counts, const char *path)
{
    enum { PIECE = 1 << 16 };
    const char *why;
    unsigned char *bytes = memory_more(NULL, PIECE, 1);
    uint64_t hash = HASH_OF_NOTHING;
    char text[32];
    FILE *in = input_open(path, &why);
    if (in == NULL) {
        free(bytes);
        return memory_print("%s: %s", path, why);
    }
    for (size_t n; (n = fread(bytes, 1, PIECE, in)) > 0;)
        hash = hash_more(hash, bytes, n);
    free(bytes);
    bool failed = ferror(in) != 0;
    fclose(in);
    if (failed)
        return memory_print("%s: it cannot be read", path);
    snprintf(text, sizeof text, "fnv1a:%016llx", (unsigned long long)hash);
    MEMORY_ONE_MORE(counts->input, counts->n_inputs, counts->room_inputs);
    counts->input[counts->n_inputs++] =
        (struct gate_input){counts_text(counts, path), counts_text(counts, text)};
    return NULL;
}
