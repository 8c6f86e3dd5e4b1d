/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the container that the process is in. A file in the image proves nothing: images are made into the
 * disks of virtual machines, too. Mounts, groups and namespaces, as the kernel reports them, settle it.
 */
#include "base/sysroot.h"
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool exists(const char *root, const char *path)
{
    FILE *file = sysroot_open(root, path); /* a folder opens too */
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

/* A word and what it is a sign of. */
struct sign {
    const char *word, *name;
};

/* The name for the first sign in a line of the file; NULL: there is none.
 *   part  of a line that is looked at; it gives NULL where the line does not matter */
static const char *name_in(const char *root, const char *path, int end_of_line, const char *(*part)(char *),
                           const struct sign *signs)
{
    char *line = NULL;
    size_t size = 0;
    const char *name = NULL;
    FILE *file = sysroot_open(root, path);
    while (file != NULL && name == NULL && getdelim(&line, &size, end_of_line, file) > 0) {
        const char *text = part(line);
        for (const struct sign *sign = signs; text != NULL && sign->word != NULL && name == NULL; sign++)
            name = strstr(text, sign->word) != NULL ? sign->name : NULL;
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return name;
}

/* ---- what settles it */

static const char *whole(char *line)
{
    return line;
}

static const char *by_groups(const char *root)
{
    static const struct sign groups[] = {
        {"kubepods", "Kubernetes"}, {"docker", "Docker"}, {"libpod", "Podman"}, {"lxc", "LXC"}, {NULL, NULL}};
    return name_in(root, "/proc/1/cgroup", '\n', whole, groups);
}

/* Returns the source of a mount, if it is mounted on a file that containers get. */
static const char *source_of(char *line)
{
    int from = 0, to = 0;
    char place[64];
    if (sscanf(line, "%*s %*s %*s %n%*s%n %63s", &from, &to, place) != 1 ||
        (strncmp(place, "/etc/", 5) != 0 && strcmp(place, "/run/.containerenv") != 0))
        return NULL;
    line[to] = '\0';
    return line + from;
}

/* Containers get files like /etc/hostname from the host, by a mount of their own for each. On the host itself
 * the same folders are mounted elsewhere. */
static const char *by_mounts(const char *root)
{
    static const struct sign sources[] = {
        {"/docker/containers/", "Docker"}, {"/overlay-containers/", "Podman"}, {"/libpod/", "Podman"},
        {"/kubelet/pods/", "Kubernetes"},  {"/io.containerd", "containerd"},   {NULL, NULL}};
    return name_in(root, "/proc/self/mountinfo", '\n', source_of, sources);
}

static const char *value_of(char *variable)
{
    return strncmp(variable, "container=", 10) == 0 && variable[10] != '\0' ? variable + 10 : NULL;
}

/* Reads the word that systemd and the container's maker leave for programs: "docker", "podman", "lxc",
 * "systemd-nspawn" ...
 */
static const char *by_word(const char *root)
{
    static const struct sign words[] = {
        {"docker", "Docker"}, {"podman", "Podman"}, {"lxc", "LXC"}, {"", "a container"}, {NULL, NULL}};
    const char *name = name_in(root, "/run/systemd/container", '\n', whole, words);
    return name != NULL ? name : name_in(root, "/proc/1/environ", '\0', value_of, words);
}

static const char *by_variables(void)
{
    if (getenv("APPTAINER_CONTAINER") != NULL || getenv("SINGULARITY_CONTAINER") != NULL)
        return "Apptainer";
    return getenv("KUBERNETES_SERVICE_HOST") != NULL ? "Kubernetes" : NULL;
}

/* ---- namespaces */

enum namespaces { HIDDEN, FIRST, OWN };

/* Tells from the numbers of the namespaces whether they are the machine's first ones, which have had these
 * numbers in each kernel since there are any. */
static enum namespaces look_at_namespaces(const char *root)
{
    static const char *const first[][2] = {{"/proc/self/ns/pid", "pid:[4026531836]"},
                                           {"/proc/self/ns/uts", "uts:[4026531838]"}};
    char path[PATH_MAX], text[64];
    for (int i = 0; i < 2; i++) {
        ssize_t length = sysroot_path(root, first[i][0], path, sizeof path) == 0
                             ? readlink(path, text, sizeof text - 1)
                             : -1;
        if (length <= 0)
            return HIDDEN;
        text[length] = '\0';
        if (strcmp(text, first[i][1]) != 0)
            return OWN;
    }
    return FIRST;
}

/* ---- files */

static const struct {
    const char *file, *name;
    bool shares; /* such containers share the machine's namespaces */
} markers[] = {
    {"/.singularity.d", "Apptainer", true},
    {"/run/.containerenv", "Podman", false},
    {"/.dockerenv", "Docker", false},
};

static void by_markers(struct container *container, const char *root)
{
    enum namespaces namespaces = look_at_namespaces(root);
    for (size_t i = 0; i < sizeof markers / sizeof markers[0] && container->name == NULL; i++) {
        if (!exists(root, markers[i].file))
            continue;
        container->file = markers[i].file;
        if (namespaces != FIRST || markers[i].shares)
            container->name = markers[i].name;
        container->sure = namespaces == OWN;
    }
    if (container->name == NULL && namespaces == OWN)
        container->name = "a container";
}

void container_find(struct container *container, const char *root, bool live)
{
    const char *name = live ? by_variables() : NULL;
    if (name == NULL)
        name = by_mounts(root);
    if (name == NULL)
        name = by_groups(root);
    if (name == NULL)
        name = by_word(root);
    *container = (struct container){.name = name, .sure = name != NULL};
    if (name == NULL)
        by_markers(container, root);
}
