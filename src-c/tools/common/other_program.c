/* SPDX-License-Identifier: BSD-3-Clause */
#include "other_program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

/* ------------------------------------------------------------- papi_emulate */

char *emulator_path(void)
{
    char path[4096] = "";
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
    char *slash = n > 0 ? strrchr(path, '/') : NULL;
    if (slash != NULL) {
        strcpy(slash + 1, "papi_emulate");
        if (access(path, X_OK) == 0)
            return strdup(path);
    }
    return strdup("papi_emulate");
}

static const struct {
    const char *preset, *events;
} emulated[] = {
#include "emulated_rows.h"
};
enum { N_EMULATED = sizeof emulated / sizeof emulated[0] };

const char *emulated_preset(const char *name, size_t length)
{
    for (size_t i = 0; i < N_EMULATED; i++)
        if (strncasecmp(emulated[i].preset, name, length) == 0 && emulated[i].preset[length] == '\0')
            return emulated[i].events;
    return NULL;
}

const char *emulated_preset_at(size_t i)
{
    return i < N_EMULATED ? emulated[i].preset : NULL;
}
