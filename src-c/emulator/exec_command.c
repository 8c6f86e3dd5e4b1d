/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/exec_command.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is run */

static int read_head(const char *path, char *head, size_t size, size_t *n)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int error = fstat(fd, &status) != 0 ? errno : 0;
    if (error == 0 && S_ISDIR(status.st_mode))
        error = EISDIR;
    else if (error == 0 && (!S_ISREG(status.st_mode) || access(path, X_OK) != 0))
        error = EACCES;
    ssize_t got = error == 0 ? read(fd, head, size) : 0;
    if (got < 0)
        error = errno;
    close(fd);
    if (error == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0)
        error = EPERM;
    *n = got > 0 ? (size_t)got : 0;
    return error;
}

static bool is_program(const char *head, size_t n, uint16_t *machine)
{
    Elf64_Ehdr elf;
    if (n < sizeof elf || memcmp(head, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&elf, head, sizeof elf);
    *machine = elf.e_machine;
    return elf.e_ident[EI_CLASS] == ELFCLASS64 && elf.e_ident[EI_DATA] == ELFDATA2LSB;
}

/* Reads the first line of a script, "#! interpreter argument". The argument is the rest of the line, as the
 * kernel takes it. */
static int read_script(const char *head, size_t n, const char *path, struct command_target *target, int depth)
{
    char *text = target->text[depth];
    size_t length = 0;
    while (length < n && length + 1 < COMMAND_PATH && head[length] != '\n')
        length++;
    memcpy(text, head, length);
    text[length] = '\0';
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    char *interpreter = text + 2 + strspn(text + 2, " \t");
    char *argument = interpreter + strcspn(interpreter, " \t");
    if (*interpreter == '\0')
        return ENOEXEC;
    if (*argument != '\0') {
        *argument++ = '\0';
        argument += strspn(argument, " \t");
    }
    /* The outer script's words follow those of its interpreter. */
    int words = *argument != '\0' ? 2 : 1;
    char *script = text + COMMAND_PATH;
    memcpy(script, path, strlen(path) + 1);
    memmove(target->before + words, target->before, (size_t)target->n_before * sizeof *target->before);
    target->before[0] = words == 2 ? argument : script;
    target->before[words - 1] = script;
    target->n_before += words;
    size_t size = strlen(interpreter) + 1; /* a part of text, which is not longer than path */
    memcpy(target->path, interpreter, size);
    return 0;
}

int command_resolve(const char *path, struct command_target *target)
{
    char head[COMMAND_PATH], now[COMMAND_PATH];
    size_t n = 0;
    target->n_before = 0;
    if (strlen(path) >= sizeof target->path)
        return ENAMETOOLONG;
    snprintf(target->path, sizeof target->path, "%s", path);
    for (int depth = 0; depth <= COMMAND_MAX_SCRIPTS; depth++) {
        int error = read_head(target->path, head, sizeof head, &n);
        if (error != 0 || is_program(head, n, &target->machine))
            return error;
        if (n < 2 || memcmp(head, "#!", 2) != 0)
            return ENOEXEC;
        if (depth == COMMAND_MAX_SCRIPTS)
            break;
        memcpy(now, target->path, sizeof now);
        error = read_script(head, n, now, target, depth);
        if (error != 0)
            return error;
    }
    return ELOOP;
}

/* ---- the command */

static int count(char *const *words)
{
    int n = 0;
    while (words[n] != NULL)
        n++;
    return n;
}

/* True for variables that are meant for the program, not for the emulator, which has libraries of its own.
 * Its option -E takes a list with commas. */
static bool for_program_alone(const char *variable)
{
    static const char *const names[] = {"LD_PRELOAD=", "LD_LIBRARY_PATH=", "LD_AUDIT=", "LD_BIND_NOW="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return strchr(variable, ',') == NULL;
    return false;
}

static void fill(struct command *out, char *const *emulator, int n, const struct command_target *target,
                 char *const *argv, char *const *environment)
{
    char **word = out->argv, **kept = out->environment;
    for (int i = 0; i < n; i++)
        *word++ = emulator[i];
    for (int i = 0; environment[i] != NULL; i++) {
        if (for_program_alone(environment[i])) {
            *word++ = (char *)"-E";
            *word++ = environment[i];
        } else {
            *kept++ = environment[i];
        }
    }
    /* A script's interpreter has its own path as its name. */
    if (target->n_before == 0 && argv[0] != NULL) {
        *word++ = (char *)"-0";
        *word++ = argv[0];
    }
    *word++ = (char *)target->path;
    for (int i = 0; i < target->n_before; i++)
        *word++ = target->before[i];
    for (int i = 1; argv[0] != NULL && argv[i] != NULL; i++)
        *word++ = argv[i];
    *word = NULL;
    *kept = NULL;
}

int command_build(struct command *out, char *const *emulator, int n, const struct command_target *target,
                  char *const *argv, char *const *environment)
{
    size_t variables = (size_t)count(environment);
    size_t words = (size_t)(n + count(argv) + target->n_before) + 2 * variables + 8;
    out->argv = malloc(words * sizeof *out->argv);
    out->environment = malloc((variables + 1) * sizeof *out->environment);
    if (out->argv == NULL || out->environment == NULL) {
        command_free(out);
        return ENOMEM;
    }
    fill(out, emulator, n, target, argv, environment);
    return 0;
}

void command_free(struct command *command)
{
    free(command->argv);
    free(command->environment);
    *command = (struct command){0};
}
