/* SPDX-License-Identifier: BSD-3-Clause */
#include "attached.h"

#include "base/array.h"
#include "base/task_stat.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what the kernel shows */

static int read_line(pid_t pid, const char *file, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    FILE *in = fopen(path, "re");
    bool fine = in != NULL && fgets(text, (int)size, in) != NULL;
    if (in != NULL)
        fclose(in);
    if (!fine)
        text[0] = '\0';
    return fine;
}

/* True if a process exists and has not ended. *start: when it began, in ticks. */
static bool lives(pid_t pid, unsigned long long *start)
{
    struct task_stat stat;
    bool found = task_stat_of(pid, &stat) == 0;
    *start = stat.begin;
    return found &&
           (!task_state_is_end(stat.state) || stat.threads > 1); /* its first thread may end before others */
}

/* The name of a process's program, as long as the kernel keeps it: 15 characters. */
static void name_of(pid_t pid, char (*name)[16])
{
    char line[64];
    read_line(pid, "comm", line, sizeof line);
    line[strcspn(line, "\n")] = '\0';
    snprintf(*name, sizeof *name, "%.15s", line);
}

/* 0: it has none, or it has ended. */
static pid_t parent_of(pid_t pid)
{
    struct task_stat stat;
    task_stat_of(pid, &stat);
    return (pid_t)stat.parent;
}

/* ---- finding */

static bool has(const struct attached *attached, pid_t pid)
{
    for (int i = 0; i < attached->n; i++)
        if (attached->pid[i] == pid)
            return true;
    return false;
}

static int append(struct attached *attached, struct tool *tool, pid_t pid)
{
    unsigned long long start;
    if (has(attached, pid))
        return TOOL_FINE;
    if (!lives(pid, &start))
        return tool_error(tool, "there is no process %d, or it has ended", (int)pid);
    if (!ARRAY_GROW(attached->pid, attached->n) || !ARRAY_GROW(attached->start, attached->n) ||
        !ARRAY_GROW(attached->name, attached->n))
        return tool_error(tool, "out of memory");
    name_of(pid, &attached->name[attached->n]);
    attached->pid[attached->n] = pid;
    attached->start[attached->n++] = start;
    return TOOL_FINE;
}

static bool is_own(pid_t pid)
{
    char path[64];
    struct stat folder;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return geteuid() == 0 || (stat(path, &folder) == 0 && folder.st_uid == geteuid());
}

static bool runs_program(pid_t pid, const char *program)
{
    char name[16];
    name_of(pid, &name);
    return name[0] != '\0' && strncmp(name, program, sizeof name - 1) == 0;
}

/* Finds the processes that run a program of a name. */
static int append_program(struct attached *attached, struct tool *tool, const char *program)
{
    unsigned long long start;
    int before = attached->n, status = TOOL_FINE;
    DIR *all = opendir("/proc");
    if (all == NULL)
        return tool_error(tool, "/proc cannot be read: %s", strerror(errno));
    for (struct dirent *entry; status == TOOL_FINE && (entry = readdir(all)) != NULL;) {
        pid_t pid = atoi(entry->d_name);
        if (pid > 0 && pid != getpid() && is_own(pid) && runs_program(pid, program) && lives(pid, &start))
            status = append(attached, tool, pid);
    }
    closedir(all);
    if (status == TOOL_FINE && attached->n == before)
        return tool_error(tool, "no process of yours runs a program %s (\"ps -e\" has their names)", program);
    return status;
}

int attached_find(struct attached *attached, struct tool *tool, const struct option_words *words)
{
    int status = TOOL_FINE;
    if (words->n > OPTION_MOST_WORDS)
        return tool_usage_error(tool,
                                "more than %d --attach: the name of a program stands for all its processes",
                                (int)OPTION_MOST_WORDS);
    if (words->n > 0 && !task_files_are_ours())
        return tool_error(tool, "/proc does not show the processes of this PID namespace: mount one here "
                                "(mount -t proc proc /proc, unshare --mount-proc)");
    for (int i = 0; i < words->n && status == TOOL_FINE; i++) {
        char *end;
        long pid = strtol(words->word[i], &end, 10);
        if (words->word[i][0] == '\0')
            return tool_usage_error(tool, "--attach needs the number of a process or the name of a program");
        status = *end == '\0' && pid > 0 && pid < 0x7fffffff ? append(attached, tool, (pid_t)pid)
                                                             : append_program(attached, tool, words->word[i]);
    }
    return status;
}

static bool is_below_another(const struct attached *attached, pid_t pid)
{
    for (pid = parent_of(pid); pid > 0; pid = parent_of(pid))
        if (has(attached, pid))
            return true;
    return false;
}

void attached_keep_roots(struct attached *attached)
{
    for (int i = attached->n - 1; i >= 0; i--) {
        if (!is_below_another(attached, attached->pid[i]))
            continue;
        for (int j = i + 1; j < attached->n; j++) {
            attached->pid[j - 1] = attached->pid[j];
            attached->start[j - 1] = attached->start[j];
            memcpy(attached->name[j - 1], attached->name[j], sizeof *attached->name);
        }
        attached->n--;
    }
}

bool attached_runs(const struct attached *attached, int i)
{
    unsigned long long start;
    return lives(attached->pid[i], &start) && start == attached->start[i];
}

bool attached_run(const struct attached *attached)
{
    for (int i = 0; i < attached->n; i++)
        if (attached_runs(attached, i))
            return true;
    return false;
}

void attached_free(struct attached *attached)
{
    free(attached->pid);
    free(attached->start);
    free(attached->name);
    *attached = (struct attached){0};
}
