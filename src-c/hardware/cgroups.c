/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds control groups. Version 2 is one tree, and in it the tasks of all groups can be counted; beside trees
 * of version 1, too, unless one of these has the controller perf_event.
 */
#include "hardware/cgroups.h"
#include "base/nearest.h"
#include "base/sysroot.h"
#include "papi.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

bool cgroup_exists(int folder)
{
    return faccessat(folder, "cgroup.procs", F_OK, 0) == 0 || error_passes(errno);
}

/* Finds where the tree is mounted of which the groups can be counted. PAPI_EINVAL: nowhere. */
static int find_tree(char tree[PATH_MAX], struct reason *why)
{
    FILE *mounts = sysroot_open("", "/proc/self/mounts");
    struct mntent entry;
    char text[2 * PATH_MAX];
    bool first_version = false;
    tree[0] = '\0';
    if (mounts == NULL)
        return reason_unreadable("the list of mounted file systems", why);
    while (getmntent_r(mounts, &entry, text, sizeof text) != NULL) {
        bool first = strcmp(entry.mnt_type, "cgroup") == 0 && hasmntopt(&entry, "perf_event") != NULL;
        bool second = strcmp(entry.mnt_type, "cgroup2") == 0 && !first_version && tree[0] == '\0';
        if ((first || second) && strlen(entry.mnt_dir) < PATH_MAX)
            strcpy(tree, entry.mnt_dir);
        first_version |= first;
    }
    fclose(mounts);
    if (tree[0] != '\0')
        return PAPI_OK;
    return reason_set(why, PAPI_EINVAL,
                      "no tree of control groups is mounted in which tasks can be counted: as root, mount -t "
                      "cgroup2 none /sys/fs/cgroup");
}

static bool is_cgroup(int folder)
{
    struct statfs status;
    return fstatfs(folder, &status) == 0 &&
           (status.f_type == CGROUP2_SUPER_MAGIC || status.f_type == CGROUP_SUPER_MAGIC);
}

/* Opens a folder, if it is that of a control group. -1 with errno. */
static int open_folder(const char *path)
{
    int any = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (any < 0)
        return -1;
    int folder = is_cgroup(any) ? fcntl(any, F_DUPFD_CLOEXEC, 3) : -1;
    int error = folder >= 0 ? 0 : is_cgroup(any) ? errno : ENOENT;
    close(any);
    errno = error;
    return folder;
}

/* ---- the nearest */

struct search {
    size_t tree;              /* the length of its path */
    int looked_at;            /* folders */
    struct nearest nearest;   /* by the last part of the path */
    char found[NEAREST_SIZE]; /* the whole path in the tree */
};

static void try_group(struct search *search, const char *path, const char *name)
{
    int before = search->nearest.distance;
    nearest_try(&search->nearest, name);
    if (search->nearest.distance < before && strlen(path + search->tree) < sizeof search->found)
        strcpy(search->found, path + search->tree);
}

/* Looks at all groups below a folder, but not for ever. */
static void look_below(struct search *search, char path[PATH_MAX])
{
    enum { MOST = 20000 };
    DIR *all = opendir(path);
    size_t length = strlen(path);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        int n = snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
        bool is_group = entry->d_type == DT_DIR && entry->d_name[0] != '.' && n < (int)(PATH_MAX - length);
        if (!is_group || search->looked_at++ >= MOST)
            continue;
        try_group(search, path, entry->d_name);
        look_below(search, path);
    }
    path[length] = '\0';
    if (all != NULL)
        closedir(all);
}

static int no_group(const char *path, char tree[PATH_MAX], struct reason *why)
{
    struct search search = {.tree = strlen(tree)};
    const char *slash = strrchr(path, '/');
    nearest_begin(&search.nearest, slash != NULL && slash[1] != '\0' ? slash + 1 : path);
    look_below(&search, tree);
    return reason_set(why, PAPI_EINVAL, "there is no control group \"%.150s\" in %.100s%s%s", path, tree,
                      search.found[0] != '\0' ? "; the nearest is "
                                              : "; \"cat /proc/PID/cgroup\" shows that of a process",
                      search.found);
}

int cgroup_open(const char *root, const char *path, int *folder, struct reason *why)
{
    char tree[PATH_MAX], whole[PATH_MAX];
    if (root != NULL && root[0] != '\0')
        return reason_set(
            why, PAPI_ECMP_DISABLED,
            "these are the files of another machine (PAPI_SYSROOT): its control groups cannot be "
            "counted here");
    int code = find_tree(tree, why);
    if (code != PAPI_OK)
        return code;
    int n = snprintf(whole, sizeof whole, "%s/%s", tree, path + strspn(path, "/"));
    errno = ENOENT;
    *folder = path[0] == '/' ? open_folder(path) : -1;
    if (*folder < 0 && path[0] != '\0' && n < (int)sizeof whole)
        *folder = open_folder(whole);
    if (*folder >= 0)
        return PAPI_OK;
    return error_passes(errno) ? reason_unreadable("the control group", why) : no_group(path, tree, why);
}
