/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what the weigher of counted builds makes of a linked file, which it changes in place. A file that it
 * has weighed once it weighs again, with the same result.
 */
#include "counted/weigher/weigher.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int weigh_file(const char *path)
{
    struct image image;
    int status = 0;
    if (image_open(&image, path, true) == IMAGE_OPEN) {
        struct counted_module *module = image_module(&image);
        if (module != NULL) {
            struct covered covered = {0};
            status = weigh(&image, module, &covered);
            for (int all = 0; all < 2; all++)
                free(outside_names(&image, &covered, all));
            free(covered.start);
            image_keep(&image);
        }
    }
    image_close(&image);
    return status;
}

static int weigh_quietly(const char *path)
{
    fuzz_listen();
    int status = weigh_file(path);
    char *said = fuzz_heard();
    fuzz_visible(said);
    REQUIRE(status == 0 || said[0] != '\0');
    free(said);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    char *once = malloc(size + 1), *twice = malloc(size + 1);
    bool small = size < 65536;
    if (weigh_quietly(path) == 0 && small) {
        REQUIRE(pread(fuzz_descriptor(0), once, size, 0) == (ssize_t)size);
        REQUIRE(weigh_quietly(path) == 0);
        REQUIRE(pread(fuzz_descriptor(0), twice, size, 0) == (ssize_t)size);
    }
    free(once);
    free(twice);
    return 0;
}
