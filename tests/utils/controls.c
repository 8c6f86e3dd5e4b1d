/* SPDX-License-Identifier: BSD-3-Clause
 *
 * controls CTL [ACK]: as programs do that perf stat's --control is told by, each a pipe's name or a
 * descriptor's number: of 1,110 pages 110 are touched between "enable" and "disable", in two parts, the
 * second one in a child.
 */
#include "../markers/touch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ctl, ack = -1;

static int take(const char *word, int how)
{
    return word[strspn(word, "0123456789")] == '\0' ? atoi(word) : open(word, how);
}

static void say(const char *command)
{
    char answer[5];
    if (write(ctl, command, strlen(command)) < 0)
        exit(2);
    if (ack >= 0 && (read(ack, answer, sizeof answer) != sizeof answer || strcmp(answer, "ack\n") != 0))
        exit(3);
}

int main(int argc, char **argv)
{
    ctl = take(argv[1], O_WRONLY);
    if (argc > 2)
        ack = take(argv[2], O_RDONLY);
    touch(300);
    say("ping\n");
    say("enable\n");
    touch(100);
    say("disable\n");
    touch(400);
    say("disable\n");
    pid_t child = fork();
    if (child == 0) {
        touch(300);
        say("enable\n");
        touch(10);
        say("disable\n");
        _exit(0);
    }
    int status;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 4;
}
