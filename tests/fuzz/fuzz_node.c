/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The components that read the kernel's files, over files that say anything: each of them lists what it finds
 * there, and counts it. The input has files with "%%" between them: the path in a line, then the text.
 */
#include "component.h"
#include "components/components.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Components of the folder device ask a library. */
static const struct component *const all[] = {
    &powercap_component,   &rapl_component,         &coretemp_component,    &net_component,
    &infiniband_component, &io_component,           &lustre_component,      &stealtime_component,
    &disk_component,       &cgroup_component,       &pressure_component,    &numa_component,
    &frequency_component,  &powercap_ppc_component, &sensors_ppc_component,
};
enum { MOST_FILES = 24 };

static bool is_inside(const char *path)
{
    return path[0] != '\0' && path[0] != '/' && strstr(path, "..") == NULL && strstr(path, "//") == NULL;
}

static void make_file(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t length = line != NULL ? (size_t)(line - data) : size;
    char *path = fuzz_text(data, length);
    if (is_inside(path))
        fuzz_put(path, line != NULL ? line + 1 : data, line != NULL ? size - length - 1 : 0);
    free(path);
}

static void make_files(const uint8_t *data, size_t size)
{
    for (int i = 0; i < MOST_FILES && size > 0; i++) {
        const uint8_t *end = memmem(data, size, "%%", 2);
        size_t length = end != NULL ? (size_t)(end - data) : size;
        make_file(data, length);
        length += end != NULL ? 2 : 0;
        data += length;
        size -= length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    unsigned first = (unsigned)fuzz_number(&bytes, 1), n = sizeof all / sizeof *all;
    make_files(bytes.next, (size_t)(bytes.end - bytes.next));
    if (first < n)
        fuzz_component(all[first], (int)first, fuzz_folder(), true);
    for (unsigned i = 0; first >= n && i < n; i++)
        fuzz_component(all[i], (int)i, fuzz_folder(), true);
    fuzz_clear();
    return 0;
}
