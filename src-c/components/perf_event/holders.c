/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds who holds counters, where there is none for an event. The kernel keeps no list of that: processes
 * that have events of perf open show it in their descriptors, to root and to their own user; the NMI watchdog
 * is a setting.
 */
#include "components/perf_event/holders.h"
#include "base/sysroot.h"
#include "papi.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMED = 3 };

struct holders {
    const char *root;
    int n, hidden; /* hidden: processes whose descriptors this one may not see */
    char names[160];
};

static bool is_perf_event(int folder, const char *name)
{
    static const char event[] = "anon_inode:[perf_event]";
    char target[sizeof event + 1];
    return readlinkat(folder, name, target, sizeof target) == (ssize_t)sizeof event - 1 &&
           memcmp(target, event, sizeof event - 1) == 0;
}

static DIR *open_folder(const char *root, const char *path)
{
    char full[PATH_MAX];
    return sysroot_path(root, path, full, sizeof full) == 0 ? opendir(full) : NULL;
}

/* A process that ends meanwhile holds nothing. */
static bool holds_events(struct holders *holders, const char *pid)
{
    char path[64];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *folder = open_folder(holders->root, path);
    if (folder == NULL) {
        holders->hidden += errno == EACCES;
        return false;
    }
    for (struct dirent *entry; !found && (entry = readdir(folder)) != NULL;)
        found = is_perf_event(dirfd(folder), entry->d_name);
    closedir(folder);
    return found;
}

static void name_process(struct holders *holders, const char *pid)
{
    char path[64], name[32];
    size_t used = strlen(holders->names);
    if (holders->n++ >= MOST_NAMED)
        return;
    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    if (sysroot_line(holders->root, path, name, sizeof name) < 0)
        strcpy(name, "?");
    snprintf(holders->names + used, sizeof holders->names - used, "%s%.20s (%s)", used > 0 ? ", " : "", pid,
             name);
}

static void find_processes(struct holders *holders)
{
    DIR *folder = open_folder(holders->root, "/proc");
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]) && atol(entry->d_name) != getpid() &&
            holds_events(holders, entry->d_name))
            name_process(holders, entry->d_name);
    if (folder != NULL)
        closedir(folder);
}

/* ---- the NMI watchdog */

/* The watchdog of these takes no counter: it has a timer of its own. */
#if defined(__powerpc__) || defined(__s390__) || defined(__sparc__)

static bool watchdog_counts(const char *root)
{
    (void)root;
    return false;
}

#else

/* True if a line of a file of /boot on how the kernel was built is there. */
static bool built_with(FILE *config, const char *line)
{
    char text[256];
    size_t length = strlen(line);
    rewind(config);
    while (fgets(text, sizeof text, config) != NULL)
        if (strncmp(text, line, length) == 0 && text[length] == '\n')
            return true;
    return false;
}

static FILE *open_config(const char *root)
{
    char release[128], path[192];
    if (sysroot_line(root, "/proc/sys/kernel/osrelease", release, sizeof release) < 0 ||
        strchr(release, '/') != NULL)
        return NULL;
    snprintf(path, sizeof path, "/boot/config-%s", release);
    return sysroot_open(root, path);
}

/* True unless the kernel's watchdog is known to take no counter: later kernels can have each CPU look after
 * another one. */
static bool watchdog_counts(const char *root)
{
    FILE *config = open_config(root);
    bool counts = config == NULL || built_with(config, "CONFIG_HARDLOCKUP_DETECTOR_PERF=y");
    if (config != NULL)
        fclose(config);
    return counts;
}

#endif

static const char *watchdog(const char *root)
{
    long long on;
    return sysroot_number(root, "/proc/sys/kernel/nmi_watchdog", &on) == 0 && on == 1 && watchdog_counts(root)
               ? "; the NMI watchdog has one on each CPU (sudo sysctl kernel.nmi_watchdog=0 frees it)"
               : "";
}

void holders_add(const char *root, struct reason *why)
{
    struct holders holders = {.root = root};
    char more[32] = "";
    if (why == NULL)
        return;
    find_processes(&holders);
    if (holders.n > MOST_NAMED)
        snprintf(more, sizeof more, " and %d more", holders.n - MOST_NAMED);
    reason_add(why, "%s%s%s%s%s", holders.n > 0 ? "; events of perf are held by " : "", holders.names, more,
               watchdog(root), holders.hidden > 0 ? "; who else holds some, root alone can see" : "");
    reason_held(why, why->code);
}

int holders_reason(const char *root, struct reason *why)
{
    reason_set(
        why, PAPI_ECNFLCT,
        "the kernel could not give the event set its counters: other event sets or programs hold them");
    holders_add(root, why);
    return PAPI_ECNFLCT;
}
