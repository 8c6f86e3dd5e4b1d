/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which container the process is in. A file in the image proves nothing: images are made into the disks of
 * virtual machines, too. What the kernel tells of mounts, groups and namespaces settles it.
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

/* The name for the first sign that is in the text; NULL: none is. */
static const char *name_in(const char *text, const struct sign *signs)
{
    for (; signs->word != NULL; signs++)
        if (strstr(text, signs->word) != NULL)
            return signs->name;
    return NULL;
}

/* ---------------------------------------------------------- what settles it */

static const char *by_groups(const char *root)
{
    static const struct sign groups[] = {
        {"kubepods", "Kubernetes"}, {"docker", "Docker"}, {"libpod", "Podman"}, {"lxc", "LXC"}, {NULL, NULL}};
    char line[512];
    const char *name = NULL;
    FILE *file = sysroot_open(root, "/proc/1/cgroup");
    while (file != NULL && name == NULL && fgets(line, sizeof line, file) != NULL)
        name = name_in(line, groups);
    if (file != NULL)
        fclose(file);
    return name;
}

/* Containers get files like /etc/hostname from the host, by a mount of their own for each. On the host itself
 * the same folders are mounted elsewhere. */
static const char *by_mounts(const char *root)
{
    static const struct sign sources[] = {
        {"/docker/containers/", "Docker"}, {"/overlay-containers/", "Podman"}, {"/libpod/", "Podman"},
        {"/kubelet/pods/", "Kubernetes"},  {"/io.containerd", "containerd"},   {NULL, NULL}};
    char *line = NULL, source[512], place[64];
    size_t size = 0;
    const char *name = NULL;
    FILE *file = sysroot_open(root, "/proc/self/mountinfo");
    while (file != NULL && name == NULL && getline(&line, &size, file) > 0)
        if (sscanf(line, "%*s %*s %*s %511s %63s", source, place) == 2 &&
            (strncmp(place, "/etc/", 5) == 0 || strcmp(place, "/run/.containerenv") == 0))
            name = name_in(source, sources);
    free(line);
    if (file != NULL)
        fclose(file);
    return name;
}

/* What systemd and the container's maker leave for programs: "docker", "podman", "lxc", "systemd-nspawn" ...
 */
static const char *by_word(const char *root)
{
    static const struct sign words[] = {
        {"docker", "Docker"}, {"podman", "Podman"}, {"lxc", "LXC"}, {NULL, NULL}};
    char word[80] = "", variables[4096];
    if (sysroot_line(root, "/run/systemd/container", word, sizeof word) <= 0) {
        FILE *file = sysroot_open(root, "/proc/1/environ");
        size_t length = file != NULL ? fread(variables, 1, sizeof variables - 1, file) : 0;
        variables[length] = '\0';
        for (char *text = variables; text < variables + length; text += strlen(text) + 1)
            if (strncmp(text, "container=", 10) == 0)
                snprintf(word, sizeof word, "%s", text + 10);
        if (file != NULL)
            fclose(file);
    }
    const char *name = name_in(word, words);
    return name != NULL || word[0] == '\0' ? name : "a container";
}

static const char *by_variables(void)
{
    if (getenv("APPTAINER_CONTAINER") != NULL || getenv("SINGULARITY_CONTAINER") != NULL)
        return "Apptainer";
    return getenv("KUBERNETES_SERVICE_HOST") != NULL ? "Kubernetes" : NULL;
}

/* -------------------------------------------------------------- namespaces */

enum namespaces { HIDDEN, FIRST, OWN };

/* The first ones have these numbers since they have any. */
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

/* ------------------------------------------------------------------- files */

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
