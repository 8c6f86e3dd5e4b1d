/* SPDX-License-Identifier: BSD-3-Clause */
#include "code.h"

bool code_at(Elf *elf, uint64_t address, uint64_t size, struct code *code)
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
