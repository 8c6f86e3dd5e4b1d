/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/advice.h"
#include "base/reason.h"
#include "base/text_rows.h"
#include "core/library.h" /* its address is that of the library */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- what counts the presets */

/* The row of a preset below a CPU row of the library's tables, NULL: there is none. The tables of a component
 * that counts in place of the processor have its name as their CPU. They are searched as text, since a reason
 * may be asked for in a signal handler, and seldom is. */
static const char *row_of(const char *cpu, const char *preset)
{
    char wanted[PAPI_MAX_STR_LEN];
    snprintf(wanted, sizeof wanted, "\nCPU,%s\n", cpu);
    const char *table = strstr(preset_tables_csv, wanted);
    if (table == NULL)
        return NULL;
    table += strlen(wanted) - 1;
    const char *end = strstr(table, "\nCPU,");
    snprintf(wanted, sizeof wanted, "\nPRESET,%s,", preset);
    const char *row = strstr(table, wanted);
    return row != NULL && (end == NULL || row < end) ? row + strlen(wanted) : NULL;
}

enum emulated_by { NOT_EMULATED, EMULATED, EMULATED_WITH_CACHES, EMULATED_ESTIMATE };

/* The option that papi_emulate needs to count an event of its own. */
static enum emulated_by option_of(const char *name, size_t length)
{
    TEXT_ROWS_BEGIN
    static const char plain[][32] = {
#define EVENT(name, description) #name,
#define CACHE_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
#undef ESTIMATED_EVENT
    };
    TEXT_ROWS_END
    static const char estimate[] = "ESTIMATED_CYCLES";
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strncmp(name, plain[i], length) == 0 && plain[i][length] == '\0')
            return EMULATED;
    return length == strlen(estimate) && strncmp(name, estimate, length) == 0 ? EMULATED_ESTIMATE
                                                                              : EMULATED_WITH_CACHES;
}

/* The option that all events of a row need; the estimate is last, being the least true. */
static enum emulated_by emulated(const char *preset)
{
    static const char prefix[] = ",emu::";
    const char *row = row_of("emulated", preset), *end = row != NULL ? strchr(row, '\n') : NULL;
    enum emulated_by most = NOT_EMULATED;
    for (const char *at = row; at != NULL && (at = strstr(at, prefix)) != NULL && at < end;) {
        at += strlen(prefix);
        enum emulated_by option = option_of(at, strcspn(at, ",\n"));
        most = option > most ? option : most;
    }
    return most;
}

/* ---- what is installed */

static bool is_program(const char *folder, size_t length, const char *below, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s%s/%s", (int)length, folder, below, name);
    return n > 0 && (size_t)n < sizeof path && access(path, X_OK) == 0;
}

static bool is_in_path(const char *name)
{
    const char *path = secure_getenv("PATH");
    while (path != NULL && path[0] != '\0') {
        size_t length = strcspn(path, ":");
        if (length > 0 && length < PATH_MAX && is_program(path, length, "", name))
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* The folder of this library, in a file's name that the loader keeps; 0: it is not known. */
static size_t own_folder(const char **file)
{
    Dl_info info;
    *file = dladdr(&papi_library, &info) != 0 ? info.dli_fname : NULL;
    const char *slash = *file != NULL ? strrchr(*file, '/') : NULL;
    size_t length = slash != NULL ? (size_t)(slash - *file) : 0;
    return length < PATH_MAX ? length : 0;
}

/* lib/libpapi.so or lib/x86_64-linux-gnu/libpapi.so, and bin beside lib. */
static bool is_installed(const char *name)
{
    const char *file;
    size_t length = own_folder(&file);
    return is_in_path(name) || (length > 0 && (is_program(file, length, "/../bin", name) ||
                                               is_program(file, length, "/../../bin", name)));
}

/* True unless the plugin is known to be missing: a program that contains the library does not know. */
static bool has_plugin(void)
{
    char path[PATH_MAX];
    const char *file;
    size_t length = own_folder(&file);
    bool shared = length > 0 && strstr(file + length, "libpapi.so") != NULL;
    int n = shared ? snprintf(path, sizeof path, "%.*s/papi/libpapi_emulator.so", (int)length, file) : 0;
    return !shared || (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0);
}

/* True if papi_emulate can run a program: it needs QEMU, by its name or the variable's, and its plugin. */
static bool has_emulator(void)
{
#if defined(__x86_64__)
    static const char qemu[] = "qemu-x86_64";
#elif defined(__aarch64__)
    static const char qemu[] = "qemu-aarch64";
#else
    static const char qemu[] = "";
#endif
    const char *own = secure_getenv("PAPI_EMULATOR"), *plugin = secure_getenv("PAPI_EMULATE_PLUGIN");
    if (qemu[0] == '\0' || !is_installed("papi_emulate"))
        return false;
    if (!is_in_path(qemu) && (own == NULL || own[0] == '\0'))
        return false;
    /* An installation without Capstone has papi_emulate and no plugin. */
    return (plugin != NULL && plugin[0] != '\0') || has_plugin();
}

/* ---- the program's command */

enum { COMMAND_SIZE = 80 };

/* True if a shell takes each character as it is. */
static bool is_plain(const char *text)
{
    return text[strspn(text, NAME_CHARACTERS "/=:,+@%")] == '\0';
}

/* The command by which the program was started, if it is short and simple, else "./a.out". False for the
 * library's own tools, which are not what is to be counted. */
static bool own_command(char command[COMMAND_SIZE])
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, command, COMMAND_SIZE) : -1;
    if (fd >= 0)
        close(fd);
    bool fits = n > 1 && n < COMMAND_SIZE && command[n - 1] == '\0';
    for (const char *word = command; fits && word < command + n; word += strlen(word) + 1)
        fits = word[0] != '\0' && is_plain(word);
    bool tool = strncmp(program_invocation_short_name, "papi_", 5) == 0;
    if (!fits || tool)
        strcpy(command, "./a.out");
    for (ssize_t i = 0; fits && !tool && i < n - 1; i++)
        command[i] = command[i] == '\0' ? ' ' : command[i];
    return !tool;
}

/* ---- the sentence */

static void add_text(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add_text(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
}

/*   preset  the name to ask for in place of that of a native event; NULL: it was asked for */
static void add_commands(bool counted, enum emulated_by emulated, const char *preset, char *text, size_t size)
{
    static const char *const options[] = {
        [EMULATED] = "", [EMULATED_WITH_CACHES] = "--caches ", [EMULATED_ESTIMATE] = "--cycles=estimate "};
    char command[COMMAND_SIZE];
    bool own = own_command(command);
    counted = counted && is_installed("papi_counted");
    if (emulated != NOT_EMULATED && !has_emulator())
        emulated = NOT_EMULATED;
    if (!counted && emulated == NOT_EMULATED)
        return;
    add_text(text, size, ADVICE_BEGINS);
    if (preset != NULL)
        add_text(text, size, "ask for %s and ", preset);
    if (counted)
        add_text(text, size, "rebuild %s by \"papi_counted gfortran ...\"%s",
                 own ? "the program" : "a program that calls PAPI", emulated != NOT_EMULATED ? ", or " : "");
    if (emulated != NOT_EMULATED)
        add_text(text, size, "run \"papi_emulate %s%s%s\"", options[emulated], own ? "" : "--report ",
                 command);
}

/* Names what counts beside those that have the counters, or once they are free. */
static void add_sharing(char *text, size_t size)
{
    bool tool = strncmp(program_invocation_short_name, "papi_", 5) == 0;
    if (!tool)
        add_text(text, size,
                 ADVICE_BEGINS
                 "PAPI_set_opt with PAPI_SHARE counts beside them, with scaled values, and with "
                 "PAPI_WAIT PAPI_start waits for them");
    else if (strcmp(program_invocation_short_name, "papi_command_line") == 0 ||
             is_installed("papi_command_line"))
        add_text(text, size,
                 ADVICE_BEGINS
                 "\"papi_command_line --share ...\" counts beside them, with scaled values, and "
                 "\"papi_command_line --wait=SECONDS ...\" waits for them");
}

int advice_for(int preset, bool native)
{
    return (preset >= 0 ? preset + 1 : 0) | (native ? ADVICE_NATIVE : 0);
}

void advice_text(int advice, char *text, size_t size)
{
    int preset = (advice & ADVICE_PRESET) - 1, error = errno;
    text[0] = '\0';
    if (advice == 0)
        return;
    if (preset >= 0 && preset < PRESET_COUNT) {
        const char *name = preset_list[preset].symbol;
        add_commands(row_of("counted", name) != NULL, emulated(name), advice & ADVICE_NATIVE ? name : NULL,
                     text, size);
    }
    if (text[0] == '\0' && (advice & ADVICE_BLIND) && is_installed("papi_doctor"))
        add_text(text, size, ADVICE_BEGINS "do what \"papi_doctor\" says");
    if (text[0] == '\0' && (advice & ADVICE_HELD))
        add_sharing(text, size);
    errno = error;
}
