/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

/* A repository, asked by git's command line. */
struct git {
    char *common;         /* the folder in which the repository keeps its own files */
    char *inside;         /* that of this process, below the top of the working tree; "" */
    const sigset_t *mask; /* of the git that is run */
    FILE *input;          /* that git reads; NULL: nothing */
    int signal;           /* that came while it ran; 0: none */
};

/* Finds the repository that this process is in. NULL, or a sentence to be freed. */
char *git_open(struct git *git);

/* Takes out of the environment what would lead git to another repository, tree or index than it is told: a
 * hook has such variables. */
void git_leave(void);
void git_close(struct git *git);

/* Runs git with these words, NULL behind the last, on the repository.
 *   printed  what it printed, without the line's end after it, to be freed; NULL: that is not needed
 * NULL, or a sentence to be freed. */
char *git_run(struct git *git, char **printed, char *const *words);
#define git_print(git, printed, ...) git_run(git, printed, (char *[]){__VA_ARGS__, NULL})

/* The same, on the working tree that this process is in. */
char *git_run_here(struct git *git, char **printed, char *const *words);
#define git_here(git, printed, ...) git_run_here(git, printed, (char *[]){__VA_ARGS__, NULL})

/* Runs git in the working tree at a path. */
char *git_run_in(struct git *git, const char *tree, char *const *words);
#define git_in(git, tree, ...) git_run_in(git, tree, (char *[]){__VA_ARGS__, NULL})

/* The commit that people name so in the working tree that this process is in. NULL with a sentence in why, to
 * be freed. */
char *git_commit(struct git *git, const char *name, char **why);
