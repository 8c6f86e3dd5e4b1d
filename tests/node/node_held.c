/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_held HOW STATUS PATTERN... -- PROGRAM [ARGUMENTS]: runs a program while another process has all
 * counters: "always", in "turns", "never", or for so many milliseconds. Passes if the program's exit status
 * is STATUS and each pattern (an extended regular expression, in which "_" is a blank) is in what it prints.
 */
#include "node_holder.h"

#include <regex.h>
#include <stdbool.h>

/* Takes what the program prints on both of its outputs. */
static size_t take_output(char *const *program, char *text, size_t size, int *status)
{
    int ends[2];
    size_t n = 0;
    ssize_t got;
    if (pipe(ends) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execv(program[0], program);
        perror(program[0]);
        _exit(127);
    }
    close(ends[1]);
    while (n < size - 1 && (got = read(ends[0], text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(ends[0]);
    if (waitpid(pid, status, 0) != pid)
        *status = -1;
    return n;
}

static int is_in(const char *text, char *pattern)
{
    regex_t regex;
    for (char *c = pattern; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    int found = regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB) == 0 &&
                regexec(&regex, text, 0, NULL, 0) == 0;
    if (!found)
        printf("  WRONG it does not print \"%s\"\n", pattern);
    return found;
}

int main(int argc, char **argv)
{
    static char text[65536];
    int program = 3, status, fine = 1;
    while (program < argc && strcmp(argv[program], "--") != 0)
        program++;
    if (program + 1 >= argc) {
        fprintf(
            stderr,
            "usage: node_held always|turns|never|MILLISECONDS STATUS PATTERN... -- PROGRAM [ARGUMENTS]\n");
        return 2;
    }
    bool held = strcmp(argv[1], "never") != 0;
    struct holder holder = {-1};
    if (held)
        holder = hold_counters(strcmp(argv[1], "always") == 0  ? HOLD_ALWAYS
                               : strcmp(argv[1], "turns") == 0 ? HOLD_IN_TURNS
                                                               : atoi(argv[1]));
    take_output(argv + program + 1, text, sizeof text, &status);
    if (held)
        let_counters_go(&holder);
    printf("%s", text);
    for (int i = 3; i < program; i++)
        fine = is_in(text, argv[i]) && fine;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != atoi(argv[2])) {
        printf("  WRONG its status is %#x, not %s\n", (unsigned)status, argv[2]);
        fine = 0;
    }
    return !fine;
}
