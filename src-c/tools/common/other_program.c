/* SPDX-License-Identifier: BSD-3-Clause */
#include "other_program.h"

#include "formats/emulator_memory.h"
#include "formats/native_times.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void end_like(int status)
{
    static const struct rlimit none = {0, 0};
    sigset_t one;
    if (WIFEXITED(status))
        exit(WEXITSTATUS(status));
    int number = WTERMSIG(status);
    /* The program's core is of interest, this process's is not. */
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    exit(128 + number);
}

/* ---- papi_emulate */

char *tool_path(const char *name)
{
    char path[4096] = "";
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - strlen(name) - 2);
    char *slash = n > 0 ? strrchr(path, '/') : NULL;
    if (slash != NULL) {
        strcpy(slash + 1, name);
        if (access(path, X_OK) == 0)
            return strdup(path);
    }
    return strdup(name);
}

/* The native run of --native-times is a part of the emulated one. */
bool emulated_already(void)
{
    struct emulated_answer answer = {.size = sizeof answer, .fd = -1};
    syscall(SYS_getpid, EMULATED_QUESTION, &answer);
    if (answer.version != 0 && answer.fd >= 0)
        close(answer.fd);
    return answer.version != 0 || secure_getenv(TIMES_VARIABLE) != NULL;
}

static const struct {
    const char *preset, *events;
} emulated[] = {
#include "emulated_rows.h"
};
enum { N_EMULATED = sizeof emulated / sizeof emulated[0] };

/* The place of a preset among them; N_EMULATED: it is none of them. */
static size_t emulated_place(const char *name, size_t length)
{
    size_t i = 0;
    while (i < N_EMULATED &&
           (strncasecmp(emulated[i].preset, name, length) != 0 || emulated[i].preset[length] != '\0'))
        i++;
    return i;
}

const char *emulated_preset(const char *name, size_t length)
{
    size_t i = emulated_place(name, length);
    return i < N_EMULATED ? emulated[i].events : NULL;
}

const char *emulated_preset_at(size_t i)
{
    return i < N_EMULATED ? emulated[i].preset : NULL;
}

static bool is_of_caches(const char *name, size_t length)
{
    static const char *const of_caches[] = {
#define EVENT(name, description)
#define CACHE_EVENT(name, description) "emu::" #name,
#define ESTIMATED_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
    };
    for (size_t i = 0; i < sizeof of_caches / sizeof of_caches[0]; i++)
        if (strncmp(of_caches[i], name, length) == 0 && of_caches[i][length] == '\0')
            return true;
    return false;
}

bool emulated_by_caches(const char *name)
{
    size_t i = emulated_place(name, strlen(name));
    const char *event = i < N_EMULATED ? emulated[i].events : name;
    for (size_t n; event[0] != '\0'; event += n + (event[n] == ',')) {
        n = strcspn(event, ",");
        if (is_of_caches(event, n))
            return true;
    }
    return false;
}

int emulate_tool(char *const *options, char *const *word)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int n = 0, given = 0, words = 0;
    if (length <= 0)
        return errno;
    self[length] = '\0';
    while (options[given] != NULL)
        given++;
    while (word[words] != NULL)
        words++;
    char **all = calloc((size_t)(given + words) + 4, sizeof *all), *path = tool_path("papi_emulate");
    if (all == NULL || path == NULL)
        return ENOMEM;
    all[n++] = path;
    for (int i = 0; i < given; i++)
        all[n++] = options[i];
    all[n++] = (char *)"--";
    all[n++] = self;
    for (int i = 1; i < words; i++)
        all[n++] = word[i];
    execvp(path, all);
    int error = errno;
    free(path);
    free(all);
    return error;
}
