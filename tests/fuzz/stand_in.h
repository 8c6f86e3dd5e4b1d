/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library that a target stands for: dlopen finds it by its name, and dlsym its functions. The target is
 * linked with --wrap for both, and dlclose.
 */
#pragma once

struct stand_in_function {
    const char *name;
    void (*address)(void);
};

/* The library's name, and its functions up to one without a name: the target's. */
extern const char stand_in_library[];
extern const struct stand_in_function stand_in_functions[];

#define STAND_IN(name, function)                                                                             \
    {                                                                                                        \
        name, (void (*)(void))(function)                                                                     \
    }
