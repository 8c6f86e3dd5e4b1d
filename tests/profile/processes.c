/* SPDX-License-Identifier: BSD-3-Clause
 *
 * processes WORD LIBRARY: a child, another program and a library that is loaded later work a while each; then
 * the process ends as WORD says: "exit", or "signal".
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TURNS
#define TURNS 40000000L
#endif

static inline __attribute__((always_inline)) double chain(long turns)
{
    volatile double start = 1;
    double x = start;
    for (long i = 0; i < turns; i++)
        x = x * 0.999999 + 0.1;
    return x;
}

static __attribute__((noinline)) double in_child(void)
{
    return chain(TURNS);
}

static __attribute__((noinline)) double in_other_program(void)
{
    return chain(TURNS);
}

static void wait_for(pid_t child)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        exit(3);
}

static void load(const char *path)
{
    double (*function)(long) = NULL;
    void *library = dlopen(path, RTLD_NOW);
    if (library != NULL)
        *(void **)&function = dlsym(library, "in_library");
    if (function == NULL)
        exit(4);
    function(TURNS);
    dlclose(library);
}

int main(int argc, char **argv)
{
    char line[64];
    if (argc < 3)
        return in_other_program() < 0;
    pid_t child = fork();
    if (child == 0)
        _exit(in_child() < 0);
    wait_for(child);
    child = fork();
    if (child == 0) {
        execl(argv[0], "other", (char *)NULL);
        _exit(5);
    }
    wait_for(child);
    load(argv[2]);
    while (fgets(line, sizeof line, stdin) != NULL)
        fputs(line, stdout);
    fflush(stdout);
    if (strcmp(argv[1], "signal") == 0)
        raise(SIGTERM);
    return 7;
}
