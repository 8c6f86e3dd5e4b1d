/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what papi_emulate and its plugin make of a program's file: ELF, or scripts whose interpreters are
 * scripts. The input has up to four files with "%%" between them, in which "@1" to "@4" are their paths.
 */
#include "emulator/launcher/launcher.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static const char *paths[FUZZ_FILES];

static void make_file(int number, const char *from, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    REQUIRE(out != NULL);
    for (size_t i = 0; i < size; i++)
        if (from[i] == '@' && i + 1 < size && from[i + 1] >= '1' && from[i + 1] < '1' + FUZZ_FILES)
            fputs(paths[from[++i] - '1'], out);
        else
            putc(from[i], out);
    fclose(out);
    fuzz_file(number, text, length);
    free(text);
}

static void make_files(const char *data, size_t size)
{
    for (int i = 0; i < FUZZ_FILES; i++) {
        const char *end = size > 0 ? memmem(data, size, "%%", 2) : NULL;
        size_t length = end != NULL ? (size_t)(end - data) : size;
        make_file(i, data, length);
        data += length + (end != NULL ? 2 : 0);
        size -= length + (end != NULL ? 2 : 0);
    }
}

static void check_target(const struct command_target *target)
{
    struct command command;
    char *const emulator[] = {(char *)"qemu", (char *)"-plugin"}, *const argv[] = {(char *)"name",
                                                                                   (char *)"x", NULL};
    char *const environment[] = {(char *)"LD_PRELOAD=a.so", (char *)"LD_LIBRARY_PATH=a,b", (char *)"HOME=/",
                                 NULL};
    int n = 0;
    REQUIRE(target->n_before >= 0 && target->n_before <= 2 * COMMAND_MAX_SCRIPTS);
    for (int i = 0; i < target->n_before; i++)
        REQUIRE(strlen(target->before[i]) < COMMAND_PATH);
    REQUIRE(command_build(&command, emulator, 2, target, argv, environment) == 0);
    while (command.argv[n] != NULL)
        n++;
    REQUIRE(strcmp(command.argv[n - 1], "x") == 0);
    command_free(&command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct program program;
    for (int i = 0; i < FUZZ_FILES; i++)
        paths[i] = fuzz_file(i, "", 0);
    make_files((const char *)data, size);
    for (int i = 0; i < FUZZ_FILES; i++) {
        fuzz_listen();
        int status = program_find(&program, paths[i]);
        char *said = fuzz_heard();
        fuzz_visible(said);
        REQUIRE((status != 0) == (said[0] != '\0'));
        free(said);
        if (status == 0)
            check_target(&program.target);
    }
    return 0;
}
