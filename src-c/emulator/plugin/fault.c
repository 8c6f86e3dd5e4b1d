/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/plugin/plugin.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_X86 = 15, LONGEST_ARM64 = 4 };

/* The part of the instruction set that the emulator lacks, by the bytes; NULL: none of those. */
static const char *lacking(const uint8_t *bytes, size_t n)
{
    if (plugin.architecture == X86_64)
        return n > 0 && bytes[0] == 0x62 ? "AVX-512" : NULL; /* EVEX */
    if (n < 4)
        return NULL;
    if ((bytes[3] >> 1 & 0xf) == 2)
        return "SVE";
    return (bytes[3] & 0x9e) == 0x80 ? "SME" : NULL;
}

bool suspect_bytes(const uint8_t *bytes, size_t n, bool decoded)
{
    return !decoded || lacking(bytes, n) != NULL;
}

static void write_bytes(const uint8_t *bytes, size_t n, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "bytes");
    for (size_t i = 0; i < n && used + 4 < size; i++)
        used += (size_t)snprintf(out + used, size - used, " %02x", bytes[i]);
}

/* Describes the instruction at an address. The emulator passes what it had read of it when it gave up: this
 * reads all. */
static void describe(uint64_t address, struct emulated_fault *fault)
{
    uint8_t bytes[LONGEST_X86] = {0};
    size_t n = plugin.architecture == X86_64 ? LONGEST_X86 : LONGEST_ARM64;
    while (n > 0 && guest_read(address, bytes, n) != 0)
        n--;
    const char *needs = lacking(bytes, n);
    snprintf(fault->needs, sizeof fault->needs, "%s", needs ? needs : "");
    const uint8_t *code = bytes;
    size_t left = n;
    pthread_mutex_lock(&plugin.translating);
    if (cs_disasm_iter(plugin.disassembler, &code, &left, &address, plugin.insn))
        snprintf(fault->instruction, sizeof fault->instruction, "%.20s %.40s", plugin.insn->mnemonic,
                 plugin.insn->op_str);
    else
        write_bytes(bytes, n < 8 ? n : 8, fault->instruction, sizeof fault->instruction);
    pthread_mutex_unlock(&plugin.translating);
}

/* The file whose mapping has the address. */
static void find_file(uint64_t address, struct emulated_fault *fault)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4352];
    fault->file[0] = '\0';
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to, offset;
        int path = 0;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &from, &to, &offset, &path) < 3 || path == 0)
            continue;
        uint64_t here = address + plugin.guest_base;
        if (here < from || here >= to)
            continue;
        line[strcspn(line, "\n")] = '\0';
        const char *name = line + path;
        size_t length = strlen(name), room = sizeof fault->file - 1;
        memcpy(fault->file, length > room ? name + length - room : name, (length > room ? room : length) + 1);
        fault->offset = here - from + offset;
        break;
    }
    if (maps != NULL)
        fclose(maps);
}

static bool noted(const char *instruction)
{
    uint32_t n = __atomic_load_n(&plugin.memory->n_unknown, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < EMULATED_UNKNOWN; i++)
        if (strcmp(plugin.memory->unknown[i].instruction, instruction) == 0)
            return true;
    return false;
}

/* Notes an unknown instruction, for all programs of a run together. Two threads of different processes may
 * note the same one. */
void unknown_note(uint64_t address, const uint8_t *bytes, size_t n)
{
    struct emulated_fault fault = {.address = address};
    if (plugin.memory == NULL || lacking(bytes, n) != NULL)
        return; /* what the emulator lacks is not counted, but ends the program */
    write_bytes(bytes, n, fault.instruction, sizeof fault.instruction);
    if (noted(fault.instruction))
        return;
    find_file(address, &fault);
    uint32_t place = __atomic_fetch_add(&plugin.memory->n_unknown, 1, __ATOMIC_ACQ_REL);
    if (place >= EMULATED_UNKNOWN)
        return;
    plugin.memory->unknown[place] = fault;
    __atomic_store_n(&plugin.memory->unknown[place].known, 1, __ATOMIC_RELEASE);
}

/* Notes the first fault only: a later one is of what a handler of the program does about it. */
void fault_note(const struct block *block)
{
    if (plugin.process == NULL || plugin.process->fault.known)
        return;
    struct emulated_fault *fault = &plugin.process->fault;
    if (fault->address != block->last || fault->instruction[0] == '\0') {
        fault->address = block->last;
        describe(block->last, fault);
        find_file(block->last, fault);
    }
    __atomic_store_n(&fault->known, 1, __ATOMIC_RELEASE);
}

void fault_forget(const struct block *block)
{
    if (plugin.process != NULL && plugin.process->fault.address == block->last)
        plugin.process->fault.known = 0;
}
