/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* A vendor's library, as components of devices use it: loaded when somebody asks for their events, called
 * while signals are held, and found by the variables that PAPI's users know. */

struct device_library_source {
    const char *name;          /* of it in sentences; NULL: the first of files */
    const char *const *files;  /* names of the library, the first that loads is taken; NULL ends */
    const char *file_variable; /* names the file itself: no other is tried; NULL: there is no such variable */
    const char *root_variable; /* names the folder of the vendor's installation; NULL */
    const char *usual_root;    /* that folder where the loader does not find the library; NULL */
    const char *const *folders; /* of the library below such a folder; NULL ends */
    const char *advice; /* where the library comes from: "which the driver of ... brings: install it" */
};

/* The folders of a library of a distribution. */
#define LIBRARY_FOLDERS                                                                                      \
    "lib64", "lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib/powerpc64le-linux-gnu",            \
        "lib/riscv64-linux-gnu", NULL

/* Loads the library. Not for the files of another machine (root: base/sysroot.h), unless a variable names one
 * that stands for that machine's; nor where the program has
 * rights that its caller lacks, since such libraries obey variables and write files. PAPI_ENOSUPP: it is not
 * there, or cannot be loaded; PAPI_ENOMEM, PAPI_ESYS: not now. Never while its signals are not held. */
int device_library_load(const struct device_library_source *source, const char *root, void **library,
                        struct reason *why);

/* A function of the library, and the place in a structure that its address goes to. */
struct device_function {
    char name[64]; /* not a pointer: the loader would have to relocate it at the start of each program */
    size_t place;
    enum { DEVICE_NEEDED, DEVICE_OPTIONAL } need; /* NULL in the structure where it is missing */
};

/* Puts the addresses of n functions into a structure. PAPI_ENOSUPP: the library lacks one that is needed. */
int device_library_functions(void *library, const char *name, const struct device_function *functions,
                             size_t n, void *structure, struct reason *why);

/* A row of such functions, of a list FUNCTION(member, name, ...) in the header of the vendor's declarations.
 */
#define DEVICE_FUNCTION(STRUCTURE, MEMBER, NAME, NEED)                                                       \
    {                                                                                                        \
        NAME, offsetof(struct STRUCTURE, MEMBER), NEED                                                       \
    }

/* Loads the library and looks for the functions; errors as above. Where some lack, the library stays loaded
 * in *library. */
int device_library_open(const struct device_library_source *source, const char *root, void **library,
                        const struct device_function *functions, size_t n, void *structure,
                        struct reason *why);

/* Writes the folder above that of the file which has a function: that of the installation. false: it cannot
 * be told. */
bool device_library_root(const void *function, char *folder, size_t size);

/* A variable's value; NULL: it is not set, or nothing. */
const char *device_setting(const char *variable);

/* Keep handlers away while the library is at work: it has locks, and one that asked it, too, would wait for
 * the call that it has interrupted. */
sigset_t device_hold_signals(void);
void device_release_signals(sigset_t before);

/* The same for a library that writes to sockets, and that has the process ignore SIGPIPE: neither that nor a
 * signal which it causes is the program's business. */
struct device_pipe_hold {
    sigset_t before;
    bool pending;
    struct sigaction of_pipe;
};
void device_hold_pipe(struct device_pipe_hold *hold);
void device_release_pipe(const struct device_pipe_hold *hold);
