/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 6 and 7: regions, one in the other, read on the way. The output is for tools; here its place and its
 * names.
 */
#include "program.h"

#include <unistd.h>

static char text[1 << 16];

static void read_output(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t n;
    CHECK(file != NULL);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = 0;
    fclose(file);
}

int main(void)
{
    char folder[] = "./classic_regions_XXXXXX", path[200];
    int i;
    need_events();
    PAPI_shutdown();
    CHECK(mkdtemp(folder) != NULL);
    CHECK(setenv("PAPI_OUTPUT_DIRECTORY", folder, 1) == 0);
    CHECK(setenv("PAPI_EVENTS", "PAPI_FP_OPS,PAPI_TOT_INS", 1) == 0);
    OK(PAPI_hl_region_begin("computation"));
    do_100events();
    OK(PAPI_hl_read("computation"));
    for (i = 0; i < 2; i++) {
        OK(PAPI_hl_region_begin("inner"));
        do_100events();
        OK(PAPI_hl_region_end("inner"));
    }
    OK(PAPI_hl_region_end("computation"));
    CHECK(PAPI_hl_region_end("never begun") < PAPI_OK);
    OK(PAPI_hl_stop());
    sprintf(path, "%s/papi_hl_output/rank_000000.json", folder);
    if (access(path, R_OK) != 0) { /* no rank is known: a number that is free */
        sprintf(path, "cat %s/papi_hl_output/*.json > %s/all", folder, folder);
        CHECK(system(path) == 0);
        sprintf(path, "%s/all", folder);
    }
    read_output(path);
    CHECK(strstr(text, "\"computation\"") != NULL && strstr(text, "\"inner\"") != NULL);
    CHECK(strstr(text, "\"PAPI_FP_OPS\"") != NULL && strstr(text, "\"region_value\"") != NULL);
    CHECK(strstr(text, "\"real_time_nsec\"") != NULL && strstr(text, "\"parent_region_id\"") != NULL);
    PAPI_shutdown();
    sprintf(path, "rm -r %s", folder);
    CHECK(system(path) == 0);
    return 0;
}
