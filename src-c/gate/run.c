/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"
#include "formats/counted_totals.h"
#include "take.h"
#include "tools/common/allocate.h"
#include "tools/common/other_program.h"
#include "tools/common/tool_folder.h"
#include "tools/common/words.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- files */

static const char totals_folder[] = "totals", regions_folder[] = "regions";

static char *in_folder(const char *folder, const char *name)
{
    return memory_print("%s/%s", folder, name);
}

/* Makes a folder in that of the run. NULL, or the reason. */
static char *make_inside(const struct gate_run *run, const char *name)
{
    char *path = in_folder(run->folder, name);
    char *why = mkdir(path, 0700) == 0 ? NULL : memory_print("%s: %s", path, strerror(errno));
    free(path);
    return why;
}

void gate_run_end(struct gate_run *run)
{
    folder_remove(run->folder);
    run->folder = NULL;
}

char *gate_library(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    return memory_print("%.*s/" PAPI_COUNTED_RELATIVE "/totals.so", slash != NULL ? (int)(slash - path) : 0,
                        path);
}

/* ---- the process */

/* Events of regions: those that are judged. */
static const char region_events[] =
    "counted::INSTRUCTIONS,counted::FP_OPS,counted::FP_DIVIDE_INSTRUCTIONS,counted::FP_SQRT_INSTRUCTIONS,"
    "counted::LOADS,counted::STORES,counted::BRANCHES,counted::CALLS";

/* Has the counted processes of the command write what they counted. */
static void preload(const char *folder, const char *library)
{
    char *totals = in_folder(folder, totals_folder);
    const char *others = getenv("LD_PRELOAD");
    bool more = others != NULL && others[0] != '\0';
    char *regions = in_folder(folder, regions_folder);
    char *all = memory_print("%s%s%s", library, more ? ":" : "", more ? others : "");
    setenv("LD_PRELOAD", all, 1);
    setenv(TOTALS_FOLDER, totals, 1);
    free(totals);
    setenv("PAPI_OUTPUT_DIRECTORY", regions, 1);
    setenv("PAPI_EVENTS", region_events, 1);
    setenv("PAPI_REPORT", "0", 1);
    free(regions);
    free(all);
}

/* The run's own environment. */
struct surroundings {
    const char *folder, *library; /* library NULL: nothing is preloaded */
};

static void surround(const void *given)
{
    const struct surroundings *surroundings = given;
    setenv("OMP_WAIT_POLICY", "passive", 0);
    if (surroundings->library != NULL)
        preload(surroundings->folder, surroundings->library);
}

static char *run_words(struct gate_run *run, char *const *word, const char *library)
{
    struct surroundings surroundings = {run->folder, library};
    run->child.word = word;
    run->child.prepare = surround;
    run->child.given = &surroundings;
    return child_run(&run->child);
}

/* True if the program came to a good end. */
static bool ended_well(const struct gate_run *run)
{
    return run->child.signal == 0 && WIFEXITED(run->child.status) && WEXITSTATUS(run->child.status) == 0;
}

/* ---- ways to count */

/* True if there is a folder, and no file in it. */
static bool is_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry = directory != NULL ? readdir(directory) : NULL;
    while (entry != NULL && entry->d_name[0] == '.')
        entry = readdir(directory);
    if (directory != NULL)
        closedir(directory);
    return directory != NULL && entry == NULL;
}

static char *run_counted(struct gate_run *run, struct counts *counts)
{
    char *library = gate_library();
    char *why = access(library, R_OK) == 0 ? NULL : memory_print("%s: %s", library, strerror(errno));
    char *totals = in_folder(run->folder, totals_folder), *regions = in_folder(run->folder, regions_folder);
    if (why == NULL)
        why = make_inside(run, totals_folder);
    if (why == NULL)
        why = make_inside(run, regions_folder);
    if (why == NULL)
        why = run_words(run, run->command, library);
    if (why == NULL && ended_well(run)) {
        why = take_totals(counts, totals);
        run->uncounted = why != NULL && is_empty(totals);
        take_regions(counts, regions);
        take_estimate(counts, why == NULL ? run->model : NULL);
    }
    free(regions);
    free(totals);
    free(library);
    return why;
}

/* As many as a profile has room for. */
static const char *const emulated_events[] = {
    "INSTRUCTIONS", "FP_OPS",   "FP_DIVIDE_INSTRUCTIONS", "LOADS",
    "STORES",       "BRANCHES", "L1D_READ_MISSES",        "L2_READ_MISSES",
};

static char *run_emulated(struct gate_run *run, struct counts *counts)
{
    struct words words = {.n = 0};
    char *tool = or_end(tool_path("papi_profile")), *output = memory_print("%s/profile.json", run->folder);
    words_add(&words, "%s", tool);
    words_add(&words, "--exact");
    words_add(&words, "-o");
    words_add(&words, "%s", output);
    words_add(&words, "-n");
    words_add(&words, "0");
    for (int i = 0; i < run->events->n && i < OPTION_MOST_WORDS; i++) {
        words_add(&words, "-e");
        words_add(&words, "%s", run->events->word[i]);
    }
    for (size_t i = 0; run->events->n == 0 && i < sizeof emulated_events / sizeof *emulated_events; i++) {
        words_add(&words, "-e");
        words_add(&words, "emu::%s", emulated_events[i]);
    }
    words_add(&words, "--");
    for (int i = 0; run->command[i] != NULL; i++)
        words_add(&words, "%s", run->command[i]);
    char *why = run_words(run, words.word, NULL);
    if (why == NULL && ended_well(run))
        why = take_profile(counts, output);
    counts->no_time = counts_text(
        counts, "the emulator does not count how often each block of code ran; a counted build does");
    words_free(&words);
    free(output);
    free(tool);
    return why;
}

/* The sentence about a command that did not end well; NULL: it did. */
static char *ended(const struct gate_run *run)
{
    if (run->child.signal != 0)
        return memory_print("signal %d ended the run", run->child.signal);
    if (WIFSIGNALED(run->child.status))
        return memory_print("signal %d ended %s: its counts are not those of a whole run",
                            WTERMSIG(run->child.status), run->command[0]);
    if (WEXITSTATUS(run->child.status) != 0)
        return memory_print("%s ended with exit status %d: its counts are not those of a whole run",
                            run->command[0], WEXITSTATUS(run->child.status));
    return NULL;
}

/* Makes the folder of the run, by a path that is the same wherever the command goes. */
static char *make_folder(char **why)
{
    char *reason = NULL, *folder = folder_make("papi_gate", &reason);
    if (folder == NULL) {
        *why = memory_print("%s: set TMPDIR to a folder in which files can be made", reason);
        free(reason);
        return NULL;
    }
    char *whole = realpath(folder, NULL);
    if (whole == NULL)
        return folder;
    free(folder);
    return whole;
}

char *gate_run(struct gate_run *run, struct counts *counts)
{
    char *why = NULL;
    run->folder = make_folder(&why);
    counts->mode = run->emulate ? GATE_EMULATED : GATE_COUNTED;
    if (why == NULL)
        why = run->emulate ? run_emulated(run, counts) : run_counted(run, counts);
    if (why == NULL)
        why = ended(run);
    counts->processor_seconds = run->child.seconds;
    if (why == NULL)
        counts_settle(counts);
    return why;
}
