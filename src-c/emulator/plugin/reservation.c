/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/plugin/plugin.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Up to QEMU 7.2 a mapping has a description of each of its pages, also where nothing is behind it: it takes
 * minutes, and more memory than there is, to reserve the terabytes in which the run time of a sanitizer keeps
 * its notes, and the emulator hears no signal meanwhile. */
enum { PAGE = 4096, DESCRIPTION = 24, LAST_WITH_DESCRIPTIONS = 7, EXIT_CANNOT_RUN = 126 };

/* ---- the emulator's version */

/* Runs a command so that neither the program nor its handlers get to see that a child ended. */
static void run_quietly(const posix_spawn_file_actions_t *actions, char *const *command)
{
    const struct timespec now = {0};
    sigset_t one, before;
    pid_t child;
    char *const environment[] = {NULL};
    sigemptyset(&one);
    sigaddset(&one, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    if (posix_spawn(&child, command[0], actions, NULL, command, environment) == 0)
        waitpid(child, NULL, 0);
    sigtimedwait(&one, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The beginning of what "qemu-x86_64 --version" prints; "" if that is not known. */
static void ask_version(char *text, size_t size)
{
    char option[] = "--version", *const command[] = {plugin.command[0], option, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    ssize_t n = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    run_quietly(&actions, command);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    n = read(ends[0], text, size - 1);
    close(ends[0]);
    text[n > 0 ? n : 0] = '\0';
}

/* The emulator's major version; 0: not known. */
static int major_version(void)
{
    char text[128] = "";
    if (plugin.command != NULL && plugin.command[0] != NULL)
        ask_version(text, sizeof text);
    const char *version = strstr(text, " version ");
    return version != NULL ? atoi(version + strlen(" version ")) : 0;
}

/* ---- the reservation */

/* True if a reservation is too large for the emulator. A terabyte, as Haskell's run time reserves, takes 6.4
 * GB and a minute. */
static bool is_too_large(uint64_t bytes)
{
    const uint64_t terabyte = UINT64_C(1) << 40;
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    return bytes > terabyte || bytes / PAGE * DESCRIPTION > memory / 2;
}

static _Noreturn void refuse(uint64_t bytes, int version)
{
    const char *name = plugin.program != NULL ? plugin.program : "the program";
    fprintf(stderr,
            "papi_emulate: %s reserves %.1f TB of addresses, as programs do that were built with "
            "-fsanitize=address, thread, memory or leak: QEMU %d would need minutes and %.0f GB to keep "
            "account of them\n"
            "papi_emulate: build it without -fsanitize; or PAPI_EMULATOR=FILE with QEMU 8 or later, and "
            "ASAN_OPTIONS=detect_leaks=0\n",
            name, (double)bytes / 1e12, version, (double)bytes / PAGE * DESCRIPTION / 1e9);
    memory_leave_process();
    _exit(EXIT_CANNOT_RUN);
}

void reservation_begins(uint64_t bytes)
{
    static int version = -1;
    if (!is_too_large(bytes))
        return;
    if (version < 0)
        version = major_version();
    if (version > 0 && version <= LAST_WITH_DESCRIPTIONS)
        refuse(bytes, version);
}
