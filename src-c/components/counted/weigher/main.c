/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_counted_weigh FILE: what papi_counted runs after a link.
 */
#include "weigher.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int weigh_file(const char *path)
{
    struct image image;
    switch (image_open(&image, path)) {
    case IMAGE_FAILED:
        if (errno == ENOENT) /* the compiler has made something else, a header perhaps */
            return EXIT_SUCCESS;
        complain("%s: %s", path, strerror(errno));
        return EXIT_FAILURE;
    case IMAGE_OTHER:
        image_close(&image);
        return EXIT_SUCCESS;
    default:
        break;
    }
    struct counted_module *module = image_module(&image);
    int status = module != NULL ? weigh(&image, module) : EXIT_SUCCESS;
    if (module != NULL)
        image_keep(&image);
    image_close(&image);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        complain("papi_counted_weigh FILE");
        return EXIT_FAILURE;
    }
    return weigh_file(argv[1]);
}
