/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/exec_command.h"
#include "emulator/plugin/plugin.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_WORDS = 1 << 17, MAX_TEXT = 1 << 25 }; /* more than the kernel takes */

/* ---- how the emulator was started */

static char *read_command_line(size_t *size)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t room = 0, n = 0, got;
    char *text = NULL;
    do {
        room = room ? 2 * room : 4096;
        char *grown = file ? realloc(text, room) : NULL;
        if (grown == NULL)
            break;
        text = grown;
        got = fread(text + n, 1, room - 1 - n, file);
        n += got;
    } while (n == room - 1);
    if (file != NULL)
        fclose(file);
    if (text != NULL)
        text[n] = '\0';
    *size = n;
    return text;
}

/* Splits the emulator's command line: papi_emulate names the plugin last of the options; it is followed by
 * variables (-E), the name for the program (-0), its path and its arguments. */
static void split(char *text, size_t size)
{
    char *end = text + size, *word = text;
    int n = 0;
    do {
        plugin.command[n++] = word;
        word += strlen(word) + 1;
    } while (word < end && (n < 2 || strcmp(plugin.command[n - 2], "-plugin") != 0));
    if (word >= end)
        return; /* started in another way: what this program executes runs natively */
    plugin.n_command = n;
    while (word < end && (strcmp(word, "-E") == 0 || strcmp(word, "-0") == 0)) {
        word += strlen(word) + 1;
        word += strlen(word) + 1;
    }
    plugin.program = word < end ? word : NULL;
}

void command_note(void)
{
    size_t size = 0, words = 1;
    char *text = read_command_line(&size);
    for (size_t i = 0; text != NULL && i < size; i++)
        words += text[i] == '\0';
    plugin.command = text ? calloc(words + 1, sizeof *plugin.command) : NULL;
    if (plugin.command != NULL)
        split(text, size);
}

/* ---- exec */

/* Strings of the program's, copied. */
struct copy {
    char **words;
    char *text, *next;
};

static int copy_string(struct copy *copy, uint64_t address)
{
    /* Copied in pieces that end with a page: the next one may not be there. */
    for (;;) {
        size_t room = (size_t)(copy->text + MAX_TEXT - copy->next), n = 4096 - address % 4096;
        if (n >= room || guest_read(address, copy->next, n) != 0)
            return -1;
        size_t length = strnlen(copy->next, n);
        copy->next += length < n ? length + 1 : n;
        address += n;
        if (length < n)
            return 0;
    }
}

static int copy_words(struct copy *copy, uint64_t address)
{
    int n = 0;
    for (; address != 0 && n < MAX_WORDS - 1; n++, address += 8) {
        uint64_t word;
        if (guest_read(address, &word, sizeof word) != 0)
            return -1;
        if (word == 0)
            break;
        copy->words[n] = copy->next;
        if (copy_string(copy, word) != 0)
            return -1;
    }
    copy->words[n] = NULL;
    return n < MAX_WORDS - 1 ? 0 : -1;
}

/* Allocates pages: between fork and exec of a program with threads malloc may be locked for ever. */
static void *pages(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* All that an exec needs, in one mapping. */
struct execution {
    struct command_target target;
    char path[COMMAND_PATH];
    char *arguments[MAX_WORDS], *environment[MAX_WORDS];
    char text[2 * (size_t)MAX_TEXT];
};

static bool fetch(struct execution *e, uint64_t path, uint64_t arguments, uint64_t environment)
{
    struct copy first = {.words = e->arguments, .text = e->text, .next = e->text};
    if (copy_string(&first, path) != 0 || strlen(e->text) >= sizeof e->path)
        return false;
    strcpy(e->path, e->text);
    /* /proc/self/exe leads to the emulator. */
    if (strcmp(e->path, "/proc/self/exe") == 0 && plugin.program != NULL &&
        strlen(plugin.program) < sizeof e->path)
        strcpy(e->path, plugin.program);
    if (copy_words(&first, arguments) != 0)
        return false;
    struct copy second = {.words = e->environment, .text = first.next, .next = first.next};
    return copy_words(&second, environment) == 0;
}

/* True if a program runs as it is: another emulator, papi_emulate's own work or a program for another
 * machine. */
static bool runs_here(const struct command_target *target)
{
    const char *slash = strrchr(target->path, '/');
    const char *name = slash ? slash + 1 : target->path;
    return target->machine == (plugin.architecture == X86_64 ? EM_X86_64 : EM_AARCH64) &&
           strncmp(name, "qemu-", 5) != 0;
}

void follow_exec(uint64_t path, uint64_t arguments, uint64_t environment)
{
    struct command command;
    if (!plugin.follow || plugin.n_command == 0)
        return;
    struct execution *e = pages(sizeof *e);
    if (e == NULL)
        return;
    if (fetch(e, path, arguments, environment) && command_resolve(e->path, &e->target) == 0 &&
        runs_here(&e->target) &&
        command_build(&command, plugin.command, plugin.n_command, &e->target, e->arguments, e->environment) ==
            0) {
        lines_write();
        execve(command.argv[0], command.argv, command.environment);
        command_free(&command);
    }
    munmap(e, sizeof *e);
}
