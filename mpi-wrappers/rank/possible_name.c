/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/possible_name.h"

#include "base/visible.h"

#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* As many bytes as are readable, in two parts: the second page may not be there. */
static size_t copy(char *to, const char *from, size_t length)
{
    enum { PAGE = 4096 };
    size_t here = PAGE - (uintptr_t)from % PAGE, first = length < here ? length : here;
    struct iovec local = {to, length};
    struct iovec parts[] = {{(void *)(uintptr_t)from, first},
                            {(void *)((uintptr_t)from + first), length - first}};
    ssize_t n = process_vm_readv(getpid(), &local, 1, parts, first < length ? 2 : 1, 0);

    return n > 0 ? (size_t)n : 0;
}

static int can_be_shown(const char *text)
{
    for (int length; *text != '\0'; text += length) {
        length = utf8_length(text);
        if (length == 0 || utf8_is_hidden(utf8_code(text, length)))
            return 0;
    }
    return 1;
}

int possible_name_read(char to[POSSIBLE_NAME], struct possible_name name)
{
    int fortran = name.length != SIZE_MAX;
    if (fortran && (name.length == 0 || name.length >= POSSIBLE_NAME))
        return 0;
    size_t n = copy(to, name.text, fortran ? name.length : POSSIBLE_NAME);
    if (fortran && n != name.length)
        return 0;
    size_t length = strnlen(to, n);
    if (!fortran && length == n)
        return 0;
    while (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
    return length > 0 && can_be_shown(to);
}
