/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Memory that is there, or memory_is_out is called: for tools of which half a result would be a wrong one. */
void *memory_more(void *old, size_t count, size_t size);
char *memory_text(const char *text);
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *memory_print_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Room for one more element in an array of n, which grows by halves. Its room stands beside it, where an
 * array of base/array.h has none: n may be a number that an index gave, and be given again. */
#define MEMORY_ONE_MORE(array, n, room)                                                                      \
    ((n) < (room) ? (void)0                                                                                  \
                  : (void)((room) = (n) + (n) / 2 + 8,                                                       \
                           (array) = memory_more((array), (size_t)(room), sizeof *(array))))

/* Called when an allocation fails; each program defines its own: it prints a message and exits, or leaves the
 * work by longjmp. */
_Noreturn void memory_is_out(void);

/* Memory from a function that says by NULL that there is none. */
static inline void *or_end(void *allocated)
{
    if (allocated == NULL)
        memory_is_out();
    return allocated;
}

/* Returns the last part of a path, as people name a program or a file; a path that ends with a slash is
 * returned whole. */
static inline const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}
