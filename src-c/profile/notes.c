/* SPDX-License-Identifier: BSD-3-Clause */
#include "notes.h"
#include "base/visible.h"
#include "routine_names.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

void notes_add(struct notes *notes, const char *format, ...)
{
    va_list arguments;
    size_t size = 0;
    MEMORY_ONE_MORE(notes->text, notes->n, notes->room);
    FILE *out = open_memstream(&notes->text[notes->n], &size);
    if (out == NULL)
        memory_is_out();
    va_start(arguments, format);
    visible_print_list(out, format, arguments);
    va_end(arguments);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed || notes->text[notes->n] == NULL)
        memory_is_out();
    notes->n++;
}

void notes_free(struct notes *notes)
{
    for (int i = 0; i < notes->n; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (struct notes){.n = 0};
}

/* ---- the samples */

/* Notes that an event had a counter for a part of the time only: others had it, as counters are few, perhaps
 * the program itself. */
static void note_part(struct notes *notes, const struct profile_event *event)
{
    const double nearly_all = 0.99;
    double part = event->enabled > 0 ? (double)event->running / (double)event->enabled : 1;
    if (part < nearly_all)
        notes_add(
            notes,
            "%s had a counter for %.0f %% of the time, because others had it, perhaps the program itself: "
            "what is shown is of that time",
            event->name, 100 * part);
}

void notes_on_samples(struct notes *notes, const struct profile *profile)
{
    if (profile->event[0].sum == 0)
        notes_add(notes,
                  "Nothing was found: the program ran for less than the time between two samples, or it "
                  "may not be sampled, as one that is set-user-ID");
    if (profile->lost > 0)
        notes_add(
            notes,
            "%llu samples were lost, because the machine was too busy to take them: use a longer period, or "
            "--stacks=none",
            (unsigned long long)profile->lost);
    if (profile->throttled > 0)
        notes_add(notes,
                  "The kernel stopped sampling %llu times for a moment, because it was too often "
                  "(kernel.perf_event_max_sample_rate): use a longer period",
                  (unsigned long long)profile->throttled);
    for (int i = 0; i < profile->n_events; i++)
        note_part(notes, &profile->event[i]);
}

/* ---- the devices */

void notes_on_devices(struct notes *notes, const struct profile *profile)
{
    const struct profile_devices *devices = &profile->devices;
    if (profile_device_event(profile) == PROFILE_NONE)
        return;
    if (profile->device_nodes.n > 0)
        notes_add(notes,
                  "The time of devices is the sum of their kernels and copies, also of those that ran at "
                  "the same time; it is beside the host's, and no part of it");
    if (devices->why != NULL)
        notes_add(notes, "%s: %s",
                  profile->device_nodes.n > 0 ? "Not all devices are shown" : "Of devices nothing is shown",
                  devices->why);
    if (devices->dropped > 0)
        notes_add(notes, "Kernels and copies that are missing, because there was no room for them: %llu",
                  (unsigned long long)devices->dropped);
    if (devices->unfinished > 0)
        notes_add(
            notes,
            "Kernels and copies that had not ended when the program did, and whose time is missing: %llu",
            (unsigned long long)devices->unfinished);
    if (devices->unended > 0)
        notes_add(notes,
                  "Processes that ended without giving all that their devices did (by a signal, or _exit): "
                  "%d of %d; "
                  "the last of it is missing",
                  devices->unended, devices->processes);
}

/* ---- the objects */

/* True for a library of the system, which the user cannot compile with debug information. */
static bool is_system_library(const char *path)
{
    static const char *const folders[] = {"/lib", "/usr/lib", "/usr/libexec"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return path[0] != '/';
}

static void note_object(struct notes *notes, const struct profile *profile, int object, double share)
{
    const char *name = path_base(profile_text(profile, object));
    if (profile_lacks_names(profile, object))
        notes_add(
            notes,
            "%.0f %% is in %s, which has neither routines' names nor lines: compile it with -g, and do not "
            "strip it (strip, -s)",
            share, name);
    else
        notes_add(notes,
                  "%.0f %% is in %s, which has no lines: compile it with -g beside the options that it has "
                  "(-O2 -g): the code stays the same",
                  share, name);
}

static void note_openmp(struct notes *notes, const char *path, double share)
{
    notes_add(
        notes,
        "%.0f %% is in %s, the run-time library of OpenMP, mostly threads that wait: at the end of a "
        "parallel "
        "loop for those with more of the work (schedule(dynamic) shares it otherwise), between two of them "
        "for the thread that runs what is not parallel, or at a lock. OMP_WAIT_POLICY=passive lets them "
        "sleep, which is not sampled",
        share, path_base(path));
}

void notes_on_objects(struct notes *notes, const struct profile *profile, const struct totals *totals)
{
    enum { LEAST_PERCENT = 5 };
    uint64_t *self = memory_more(NULL, (size_t)profile->strings.n, sizeof *self);
    double percent = profile->event[0].sum > 0 ? 100.0 / (double)profile->event[0].sum : 0;
    memset(self, 0, (size_t)profile->strings.n * sizeof *self);
    for (int i = 0; i < profile->routines.n; i++)
        self[profile_routine_at(profile, i)->object] += totals_of(totals->routine_self, i, 0);
    for (int i = 0; i < profile->strings.n; i++) {
        double share = (double)self[i] * percent;
        const char *path = profile_text(profile, i);
        if (share >= LEAST_PERCENT && name_is_openmp(path))
            note_openmp(notes, path, share);
        else if (share >= LEAST_PERCENT && profile_lacks_lines(profile, i) && !is_system_library(path))
            note_object(notes, profile, i, share);
    }
    free(self);
}

void notes_make(struct notes *notes, const struct profile *profile, const struct totals *totals)
{
    notes_on_samples(notes, profile);
    notes_on_devices(notes, profile);
    notes_on_objects(notes, profile, totals);
}
