/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/launcher/launcher.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- searching */

/* Checks that a file may be executed: 0 or errno. */
static int executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    if (!S_ISREG(status.st_mode))
        return EACCES;
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* The path of a name in a folder of PATH; an empty one is the current folder. */
static char *in_folder(const char *folder, size_t length, const char *name)
{
    return length == 0 ? memory_print("./%s", name) : memory_print("%.*s/%s", (int)length, folder, name);
}

static int search_folders(const char *folder, const char *name, char **path)
{
    int error = ENOENT;
    for (bool more = true; more;) {
        size_t length = strcspn(folder, ":");
        *path = in_folder(folder, length, name);
        int problem = executable(*path);
        if (problem == 0)
            return 0;
        free(*path);
        *path = NULL;
        if (problem == EACCES)
            error = EACCES; /* unless another folder has it */
        more = folder[length] == ':';
        folder += length + more;
    }
    return error;
}

int search_path(const char *name, char **path)
{
    const char *folders = getenv("PATH");
    *path = NULL;
    if (name[0] == '\0')
        return ENOENT;
    if (strchr(name, '/') == NULL)
        return search_folders(folders != NULL ? folders : "/bin:/usr/bin", name, path);
    int error = executable(name);
    if (error == 0)
        *path = memory_print("%s", name);
    return error;
}

/* ---- explaining */

static int exit_status_of(int error)
{
    return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static const char which_run[] = "only programs for x86-64 and 64-bit ARM can be run";

/* Explains that a file is not a program for a 64-bit machine with the small end first. */
static void explain_format(const char *path)
{
    char head[EI_NIDENT] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    if (n >= 2 && memcmp(head, "#!", 2) == 0)
        complain("%s: its first line has no interpreter", path);
    else if (n < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG) != 0)
        complain("%s: neither an ELF program nor a script that begins with #!", path);
    else if (head[EI_CLASS] == ELFCLASS32)
        complain("%s: a 32-bit program; %s", path, which_run);
    else
        complain("%s: a big-endian or damaged program; %s", path, which_run);
}

static int explain(const char *path, const struct command_target *target, int error)
{
    bool inner = strcmp(path, target->path) != 0; /* an interpreter */
    if (error == ENOEXEC)
        explain_format(target->path);
    else if (error == EPERM)
        complain(
            "%s: set-user-ID and set-group-ID programs do not run in an emulator; a copy (cp) has no such "
            "bit",
            target->path);
    else if (error == ELOOP)
        complain("%s: scripts that are interpreted by scripts", path);
    else if (error == EACCES && faccessat(AT_FDCWD, target->path, X_OK, AT_EACCESS) == 0)
        complain("%s: cannot be read, which an emulator has to", target->path);
    else
        complain("%s%s%s: %s", path, inner ? ": its interpreter " : "", inner ? target->path : "",
                 strerror(error));
    return exit_status_of(error);
}

/* ---- the whole */

static int find_guest(struct program *program)
{
    unsigned machine = program->target.machine;
    program->guest = machine == EM_X86_64 ? GUEST_X86_64 : GUEST_ARM64;
    if (machine == EM_X86_64 || machine == EM_AARCH64)
        return 0;
    complain("%s: for another processor (ELF machine %u); %s", program->target.path, machine, which_run);
    return EXIT_CANNOT_RUN;
}

int program_find(struct program *program, const char *name)
{
    char *path;
    int error = search_path(name, &path);
    if (error != 0) {
        bool searched = error == ENOENT && strchr(name, '/') == NULL;
        complain("%s: %s", name, searched ? "not found in PATH" : strerror(error));
        return exit_status_of(error);
    }
    error = command_resolve(path, &program->target);
    int status = error != 0 ? explain(path, &program->target, error) : find_guest(program);
    free(path);
    return status;
}
