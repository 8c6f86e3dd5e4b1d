/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_kinds.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    enum call_kind kind;
} names[] = {
    {"open", CALL_OPEN},          {"openat", CALL_OPEN},        {"close", CALL_OPEN},
    {"fopen", CALL_OPEN},         {"fclose", CALL_OPEN},        {"stat", CALL_OPEN},
    {"fstat", CALL_OPEN},         {"lstat", CALL_OPEN},         {"fstatat", CALL_OPEN},
    {"statx", CALL_OPEN},         {"access", CALL_OPEN},        {"faccessat", CALL_OPEN},
    {"unlink", CALL_OPEN},        {"rename", CALL_OPEN},        {"st_open", CALL_OPEN},
    {"st_close", CALL_OPEN},      {"st_inquire", CALL_OPEN},    {"read", CALL_TRANSFER},
    {"write", CALL_TRANSFER},     {"pread", CALL_TRANSFER},     {"pwrite", CALL_TRANSFER},
    {"readv", CALL_TRANSFER},     {"writev", CALL_TRANSFER},    {"lseek", CALL_TRANSFER},
    {"fread", CALL_TRANSFER},     {"fwrite", CALL_TRANSFER},    {"fflush", CALL_TRANSFER},
    {"printf", CALL_TRANSFER},    {"fprintf", CALL_TRANSFER},   {"puts", CALL_TRANSFER},
    {"fputs", CALL_TRANSFER},     {"fgets", CALL_TRANSFER},     {"st_read", CALL_TRANSFER},
    {"st_write", CALL_TRANSFER},  {"transfer", CALL_TRANSFER},  {"st_flush", CALL_TRANSFER},
    {"st_rewind", CALL_TRANSFER}, {"memcpy", CALL_COPY},        {"memmove", CALL_COPY},
    {"mempcpy", CALL_COPY},       {"memset", CALL_COPY},        {"strcpy", CALL_COPY},
    {"strcat", CALL_COPY},        {"concat_string", CALL_COPY}, {"malloc", CALL_ALLOCATE},
    {"calloc", CALL_ALLOCATE},    {"realloc", CALL_ALLOCATE},   {"free", CALL_ALLOCATE},
    {"mmap", CALL_ALLOCATE},      {"munmap", CALL_ALLOCATE},    {"mremap", CALL_ALLOCATE},
    {"brk", CALL_ALLOCATE},       {"sbrk", CALL_ALLOCATE},      {"madvise", CALL_ALLOCATE},
    {"mprotect", CALL_ALLOCATE},
};

static const char *without_prefix(const char *routine)
{
    static const char *const prefixes[] = {"_", "libc_", "GI_", "gfortran_", "int_", "IO_", "new_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(routine, prefixes[i], strlen(prefixes[i])) == 0)
            return without_prefix(routine + strlen(prefixes[i]));
    return routine;
}

/* True if a name ends there, but for the width of offsets or a version (open64_nocancel). */
static bool ends(const char *rest)
{
    return *rest == '\0' || *rest == '_' || *rest == '@' || isdigit((unsigned char)*rest);
}

enum call_kind call_kind_of(const char *routine)
{
    const char *name = without_prefix(routine);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i].name);
        if (strncmp(name, names[i].name, length) == 0 && ends(name + length))
            return names[i].kind;
    }
    return CALL_OTHER;
}
