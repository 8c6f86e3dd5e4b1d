/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a tool that has to refuse on this node: it ends with status 1, and says on standard error what is
 * wanted. node_refused WORDS TOOL [ARGUMENT]..., with "_" for the blanks in WORDS
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes one blank of each row of blanks and line ends. */
static void join(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (*from != '\n' && *from != ' ')
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

int main(int argc, char **argv)
{
    static char said[1 << 16];
    int pipes[2], status;
    if (argc < 3 || pipe(pipes) != 0)
        return 2;
    for (char *at = argv[1]; (at = strchr(at, '_')) != NULL;)
        *at = ' ';
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        execv(argv[2], argv + 2);
        _exit(127);
    }
    close(pipes[1]);
    FILE *in = fdopen(pipes[0], "r");
    if (in == NULL)
        return 2;
    said[fread(said, 1, sizeof said - 1, in)] = '\0';
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2;
    fputs(said, stdout);
    join(said);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || strstr(said, argv[1]) == NULL) {
        printf("FAILED: status %d, and \"%s\" is not said\n", status, argv[1]);
        return 1;
    }
    return 0;
}
