/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool says_target(const char *argument)
{
    return strncmp(argument, "--target=", 9) == 0 || strncmp(argument, "--sysroot=", 10) == 0;
}

void module_add_compiler(const struct job *job, struct words *words)
{
    char **word = job->words.word;
    for (size_t i = 0; word[i] != NULL; i++) {
        if (i <= job->compiler || says_target(word[i]))
            words_add(words, "%s", word[i]);
        if (i > job->compiler && strcmp(word[i], "-target") == 0 && word[i + 1] != NULL) {
            words_add(words, "-target");
            words_add(words, "%s", word[i + 1]);
        }
    }
}

char *module_file(const char *suffix)
{
    const char *folder = getenv("TMPDIR");
    char *name;
    or_end(asprintf(&name, "%s/papi_counted_XXXXXX%s", folder != NULL ? folder : "/tmp", suffix) < 0 ? NULL
                                                                                                     : name);
    int fd = mkstemps(name, (int)strlen(suffix));
    if (fd >= 0) {
        close(fd);
        return name;
    }
    complain("%s: %s", name, strerror(errno));
    free(name);
    return NULL;
}

int module_make(const struct job *job, struct parts *parts)
{
    if (access(parts->module, R_OK) == 0)
        return 0;
    char *name = module_file(".o");
    if (name == NULL)
        return EXIT_OWN_ERROR;
    free(parts->module);
    parts->module = name;
    parts->made = true;
    struct words words = {0};
    module_add_compiler(job, &words);
    words_add(&words, "-c");
    words_add(&words, "%s", parts->source);
    words_add(&words, "-o");
    words_add(&words, "%s", name);
    int status = run(words.word);
    words_free(&words);
    return status;
}

void module_remove(const struct parts *parts)
{
    if (parts->made)
        unlink(parts->module);
}
