/* SPDX-License-Identifier: BSD-3-Clause */
#include "git.h"
#include "child.h"
#include "tools/common/allocate.h"
#include "tools/common/words.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* All of a file from its beginning, without the ends of lines after it. */
static char *read_all(FILE *in)
{
    size_t n = 0, room = 4096, got;
    char *text = memory_more(NULL, room, 1);
    rewind(in);
    while ((got = fread(text + n, 1, room - n - 1, in)) > 0) {
        n += got;
        if (n + 1 == room)
            text = memory_more(text, room *= 2, 1);
    }
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    return text;
}

/* The sentence about a git that did not do it; errors: what it said. */
static char *failure(const struct child *child, const char *errors)
{
    if (child->signal != 0)
        return memory_print("signal %d ended git", child->signal);
    if (child->error != 0)
        return memory_text("git cannot be run: it is needed for this, \"apt install git\" or the like");
    if (strncmp(errors, "fatal: ", strlen("fatal: ")) == 0)
        errors += strlen("fatal: ");
    return memory_print("git: %s", errors[0] != '\0' ? errors : "it ended with an error and printed nothing");
}

/* Runs git with words, and takes what it prints. */
static char *ask(struct git *git, char **printed, char *const *words)
{
    FILE *out = tmpfile(), *errors = tmpfile();
    struct child child = {.word = words, .mask = git->mask};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char *why = NULL;
    if (out == NULL || errors == NULL || nothing < 0)
        why = memory_text("no temporary file can be made in /tmp");
    if (why == NULL) {
        child.file[0] = git->input != NULL ? fileno(git->input) : nothing;
        child.file[1] = fileno(out);
        child.file[2] = fileno(errors);
        fcntl(child.file[1], F_SETFD, FD_CLOEXEC);
        fcntl(child.file[2], F_SETFD, FD_CLOEXEC);
        why = child_run(&child);
    }
    git->signal = child.signal;
    if (child.error != 0) {
        free(why);
        why = failure(&child, "");
    } else if (why == NULL &&
               (child.signal != 0 || !WIFEXITED(child.status) || WEXITSTATUS(child.status) != 0)) {
        char *said = read_all(errors);
        why = failure(&child, said);
        free(said);
    }
    if (why == NULL && printed != NULL)
        *printed = read_all(out);
    if (nothing >= 0)
        close(nothing);
    if (out != NULL)
        fclose(out);
    if (errors != NULL)
        fclose(errors);
    return why;
}

/* Words for git in front of those that are given; hooks of the repository are not this tool's to run. */
static char *ask_with(struct git *git, char **printed, const char *place, const char *at, char *const *words)
{
    struct words all = {.n = 0};
    words_add(&all, "git");
    words_add(&all, "-c");
    words_add(&all, "core.hooksPath=/dev/null");
    if (place != NULL) {
        words_add(&all, "%s", place);
        words_add(&all, "%s", at);
    }
    for (; *words != NULL; words++)
        words_add(&all, "%s", *words);
    char *why = ask(git, printed, all.word);
    words_free(&all);
    return why;
}

char *git_run(struct git *git, char **printed, char *const *words)
{
    return ask_with(git, printed, git->common != NULL ? "--git-dir" : NULL, git->common, words);
}

char *git_run_here(struct git *git, char **printed, char *const *words)
{
    return ask_with(git, printed, NULL, NULL, words);
}

char *git_run_in(struct git *git, const char *tree, char *const *words)
{
    return ask_with(git, NULL, "-C", tree, words);
}

void git_leave(void)
{
    static const char *const variable[] = {"GIT_DIR",    "GIT_WORK_TREE",  "GIT_INDEX_FILE",
                                           "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"};
    for (size_t i = 0; i < sizeof variable / sizeof *variable; i++)
        unsetenv(variable[i]);
}

char *git_open(struct git *git)
{
    char *common = NULL;
    char *why = git_print(git, &common, "rev-parse", "--git-common-dir");
    if (why == NULL)
        why = git_print(git, &git->inside, "rev-parse", "--show-prefix");
    if (why == NULL) {
        git->common = realpath(common, NULL);
        if (git->common == NULL)
            why = memory_print("%s: the repository's folder cannot be found", common);
    }
    free(common);
    return why;
}

void git_close(struct git *git)
{
    free(git->common);
    free(git->inside);
    git->common = git->inside = NULL;
}

char *git_commit(struct git *git, const char *name, char **why)
{
    char *commit = NULL, *object = memory_print("%s^{commit}", name);
    char *const words[] = {"rev-parse", "--verify", "-q", object, NULL};
    char *none = name[0] != '-' ? ask_with(git, &commit, NULL, NULL, words) : memory_text("");
    if (none != NULL)
        *why = memory_print("%s is not a commit of this repository: \"git log --oneline\" lists them", name);
    free(none);
    free(object);
    return commit;
}
