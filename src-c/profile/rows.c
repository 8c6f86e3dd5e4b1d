/* SPDX-License-Identifier: BSD-3-Clause */
#include "rows.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

enum { NEAR = 256 }; /* bytes: a turn of an unrolled loop, and no other loop's if it can be helped */

struct rows {
    Dwarf_Lines *lines;
    size_t n;
};

static Dwarf_Addr start_of(const struct rows *rows, size_t i)
{
    Dwarf_Addr address = 0;
    dwarf_lineaddr(dwarf_onesrcline(rows->lines, i), &address);
    return address;
}

/* The last row that begins at an address or before it; n: there is none. */
static size_t row_at(const struct rows *rows, Dwarf_Addr address)
{
    size_t low = 0, high = rows->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (start_of(rows, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : rows->n;
}

static bool same_line(const struct rows *rows, size_t i, size_t j)
{
    Dwarf_Line *one = dwarf_onesrcline(rows->lines, i), *other = dwarf_onesrcline(rows->lines, j);
    int a = 0, b = 0;
    bool end = true;
    dwarf_lineno(one, &a);
    dwarf_lineno(other, &b);
    dwarf_lineendsequence(other, &end);
    return !end && a == b && dwarf_linesrc(one, NULL, NULL) == dwarf_linesrc(other, NULL, NULL);
}

static bool code_at(Elf *elf, uint64_t address, uint64_t size, struct code *code)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
            (header.sh_flags & SHF_EXECINSTR) == 0 || address < header.sh_addr ||
            address - header.sh_addr >= header.sh_size)
            continue;
        const Elf_Data *data = elf_getdata(section, NULL);
        uint64_t offset = address - header.sh_addr;
        if (data == NULL || data->d_buf == NULL || offset >= data->d_size)
            return false;
        uint64_t left = data->d_size - offset;
        code->bytes = (const unsigned char *)data->d_buf + offset;
        code->size = size < left ? size : left;
        code->address = address;
        return true;
    }
    return false;
}

void rows_near(struct debug *debug, uint64_t address, void (*take)(void *context, const struct code *code),
               void *context)
{
    struct rows rows;
    struct code code = {.size = 0};
    Dwarf_Addr bias, unused;
    GElf_Ehdr head;
    Elf *elf = dwfl_module_getelf(debug->module, &unused);
    Dwarf_Die *unit = units_at(&debug->units, debug->module, address, &bias);
    if (elf == NULL || unit == NULL || gelf_getehdr(elf, &head) == NULL ||
        dwarf_getsrclines(unit, &rows.lines, &rows.n) != 0)
        return;
    code.machine = head.e_machine;
    uint64_t pc = address - bias;
    size_t middle = row_at(&rows, pc), i = middle;
    if (middle == rows.n)
        return;
    while (i > 0 && start_of(&rows, i - 1) + NEAR >= pc)
        i--;
    for (; i + 1 < rows.n && start_of(&rows, i) <= pc + NEAR; i++) {
        uint64_t start = start_of(&rows, i), end = start_of(&rows, i + 1);
        if (end > start && same_line(&rows, middle, i) && code_at(elf, start + bias, end - start, &code))
            take(context, &code);
    }
}
