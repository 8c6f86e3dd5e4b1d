/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_counted_weigh FILE: what papi_counted runs after a link. papi_counted_weigh --report FILE: says what
 * of it is counted, and changes nothing.
 */
#include "weigher.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_outside(const struct image *image, const struct covered *covered)
{
    char *names = outside_names(image, covered, false);
    if (names != NULL)
        complain("%s calls functions whose arithmetic is not counted: %s", image->path, names);
    free(names);
}

static void report(const struct image *image, const struct counted_module *module,
                   const struct covered *covered)
{
    char *names = outside_names(image, covered, true);
    printf("blocks that count themselves: %" PRIu64 "\n", module->n_blocks);
    if (module->n_unknown > 0)
        printf("instructions that nobody knows: %" PRIu64 "\n", module->n_unknown);
    printf("functions whose arithmetic is not counted:%s\n", names != NULL ? "" : " none that are known");
    for (char *line = names != NULL ? strtok(names, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
        fputs("  ", stdout);
        say_line(line);
    }
    free(names);
}

static int weigh_image(const struct image *image, bool reports)
{
    struct counted_module *module = image_module(image);
    struct covered covered = {0};
    if (module == NULL && reports) {
        complain("%s is not a counted build", image->path);
        return EXIT_FAILURE;
    }
    if (module == NULL)
        return EXIT_SUCCESS;
    int status = weigh(image, module, &covered);
    if (status == EXIT_SUCCESS && reports)
        report(image, module, &covered);
    else if (status == EXIT_SUCCESS)
        say_outside(image, &covered);
    if (!reports)
        image_keep(image);
    free(covered.start);
    return status;
}

static int weigh_file(const char *path, bool reports)
{
    struct image image;
    switch (image_open(&image, path, !reports)) {
    case IMAGE_FAILED:
        if (errno == ENOENT && !reports) /* the compiler has made something else, a header perhaps */
            return EXIT_SUCCESS;
        complain("%s: %s", path, strerror(errno));
        return EXIT_FAILURE;
    case IMAGE_OTHER:
        image_close(&image);
        if (reports)
            complain("%s is neither a program nor a shared library of x86-64 or 64-bit Arm", path);
        return reports ? EXIT_FAILURE : EXIT_SUCCESS;
    default:
        break;
    }
    int status = weigh_image(&image, reports);
    image_close(&image);
    return status;
}

int main(int argc, char **argv)
{
    bool reports = argc == 3 && strcmp(argv[1], "--report") == 0;
    if (argc != 2 && !reports) {
        complain("papi_counted_weigh [--report] FILE");
        return EXIT_FAILURE;
    }
    return weigh_file(argv[argc - 1], reports);
}
