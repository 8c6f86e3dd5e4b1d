/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replay FOLDER...: a fuzz target without libFuzzer, over the inputs in the folders. A folder that is not
 * there is empty; no input at all is an error.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void replay(const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "re");
    REQUIRE(file != NULL && fstat(fileno(file), &status) == 0);
    size_t size = (size_t)status.st_size;
    /* As large as the input, for valgrind and the sanitizers to see its ends. */
    uint8_t *data = malloc(size > 0 ? size : 1);
    REQUIRE(data != NULL && fread(data, 1, size, file) == size);
    fclose(file);
    printf("%s: %zu bytes\n", path, size);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int replay_folder(const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort), replayed = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.') {
            replay(path);
            replayed++;
        }
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return replayed;
}

int main(int argc, char **argv)
{
    int replayed = 0;
    fuzz_in_all_ways = 1;
    for (int i = 1; i < argc; i++)
        replayed += replay_folder(argv[i]);
    printf("%d inputs\n", replayed);
    return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
