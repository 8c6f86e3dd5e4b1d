/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that does a loop when it is let go, says when that is done, and stays until it is ended.
 */
#pragma once

#include "counted_loop.h"
#include "node_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct worker {
    pid_t pid;
    int go, done;
};

static struct worker begin_worker(long loops)
{
    int to[2], from[2];
    char byte;
    fflush(stdout);
    if (pipe(to) != 0 || pipe(from) != 0)
        exit(1);
    struct worker worker = {fork(), to[1], from[0]};
    if (worker.pid == 0) {
        if (read(to[0], &byte, 1) == 1) {
            counted_loop(loops);
            byte = (char)(write(from[1], "", 1) == 1);
        }
        for (;;)
            pause();
    }
    close(to[0]);
    close(from[1]);
    return worker;
}

static void let_work(const struct worker *worker)
{
    char byte;
    node_check(write(worker->go, "", 1) == 1 && read(worker->done, &byte, 1) == 1,
               "the other process has done its work");
}

static void end_worker(const struct worker *worker)
{
    kill(worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
    close(worker->go);
    close(worker->done);
}
