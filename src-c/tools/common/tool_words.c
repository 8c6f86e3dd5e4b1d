/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The options whose values are words of their own, by letter and by name. */
static const struct tool_options {
    const char *name, *letters, *names;
} tools[] = {
    {"papi_emulate", "", " cpu cycles "},
    {"papi_profile", "esonx", " event stacks output lines export sources "},
    {"papi_roofline", "o", " rounds roofs output svg html "},
    {"papi_mpirun", "", " "},
    {"papi_command_line", "in", " interval lines "},
    {"papi_openmp", "eo", " events output "},
    {"papi_why", "no", " html limit output reasons roofs show "},
};

static const struct tool_options *tool_of(char *const *word)
{
    const char *slash = word[0] != NULL ? strrchr(word[0], '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : word[0];
    for (size_t i = 0; name != NULL && i < sizeof tools / sizeof tools[0]; i++)
        if (strcmp(tools[i].name, name) == 0)
            return &tools[i];
    return NULL;
}

const char *tool_word(char *const *word)
{
    const struct tool_options *tool = tool_of(word);
    return tool != NULL ? tool->name : NULL;
}

/* True if the option's value is the next word. */
static bool takes_next(const struct tool_options *tool, const char *option)
{
    char name[32];
    if (option[1] != '-')
        return option[1] != '\0' && option[2] == '\0' && strchr(tool->letters, option[1]) != NULL;
    snprintf(name, sizeof name, " %.28s ", option + 2);
    return strstr(tool->names, name) != NULL;
}

static char *const *behind_options(const struct tool_options *tool, char *const *word)
{
    while (*word != NULL && (*word)[0] == '-' && strcmp(*word, "--") != 0) {
        bool next = takes_next(tool, *word);
        word++;
        word += next && *word != NULL;
    }
    return *word != NULL && strcmp(*word, "--") == 0 ? word + 1 : word;
}

static char *const *behind_dashes(char *const *word)
{
    char *const *at = word;
    while (*at != NULL && strcmp(*at, "--") != 0)
        at++;
    return *at != NULL ? at + 1 : at;
}

char *const *tool_program(char *const *word)
{
    const struct tool_options *tool = tool_of(word);
    while (tool != NULL && strcmp(tool->name, "papi_mpirun") != 0) {
        bool events = strcmp(tool->name, "papi_command_line") == 0;
        word = events ? behind_dashes(word + 1) : behind_options(tool, word + 1);
        tool = tool_of(word);
    }
    return word;
}

bool tool_can_run(const char *word)
{
    char path[4096];
    if (strchr(word, '/') != NULL)
        return access(word, X_OK) == 0;
    const char *folders = secure_getenv("PATH");
    for (const char *at = folders; at != NULL && at[0] != '\0'; at += at[strcspn(at, ":")] == ':') {
        snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(at, ":"), at, word);
        if (access(path, X_OK) == 0)
            return true;
        at += strcspn(at, ":");
    }
    return false;
}

char *const *tool_launched(char *const *word)
{
    while (*word != NULL && ((*word)[0] == '-' || !tool_can_run(*word)))
        word++;
    return word;
}

/* ---- as a text */

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=:,+@%-";

static void put_word(FILE *out, const char *word)
{
    fputc(' ', out);
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, out);
    fputc('\'', out);
}

char *tool_command(const char *name, const char *option, char *const *words, int n, char *const *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fputs(name, out);
    for (int i = 0; i < n && option != NULL; i++)
        if (strcmp(words[i], option) == 0)
            option = NULL;
    if (option != NULL)
        put_word(out, option);
    for (int i = 0; i < n; i++)
        put_word(out, words[i]);
    for (; *program != NULL; program++)
        put_word(out, *program);
    return fclose(out) == 0 ? text : NULL;
}
