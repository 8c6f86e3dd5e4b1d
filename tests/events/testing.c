/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int skipped;

void test_refused(int got, int wanted, struct reason *why, const char *part, const char *call,
                  const char *file, int line)
{
    int good = got == wanted && why->code == wanted && why->fresh && strstr(why->text, part) != NULL;
    if (!good)
        print_error("%s: %d, \"%s\" (%d, fresh %d); wanted %d, \"%s\"\n", call, got, why->text, why->code,
                    why->fresh, wanted, part);
    _assert_true((LargestIntegralType)good, call, file, line);
    *why = (struct reason){0};
}

const char *test_folder(void)
{
    const char *parent = getenv("TMPDIR");
    char *folder;
    assert_true(asprintf(&folder, "%s/fpapi-events-XXXXXX", parent ? parent : "/tmp") > 0);
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

void test_folder_remove(const char *folder)
{
    assert_int_equal(nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    free((char *)folder);
}

void test_file(const char *folder, const char *path, const char *text)
{
    char *full;
    assert_true(asprintf(&full, "%s/%s", folder, path) > 0);
    for (char *slash = strchr(full + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(full);
}

char *test_text(size_t n, const char *pattern)
{
    char *text = malloc(n + 1);
    size_t length = strlen(pattern);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++)
        text[i] = pattern[i % length];
    text[n] = '\0';
    return text;
}

unsigned test_random(unsigned below)
{
    static uint32_t state = 2463534242U;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
}

void test_skipping(const char *text)
{
    printf("SKIP: %s\n", text);
    fflush(stdout);
    skipped++;
}

void test_choose(void)
{
    cmocka_set_test_filter(getenv("TEST_ONLY"));
    cmocka_set_skip_filter(getenv("TEST_SKIP"));
}

int test_status(int failed, int total)
{
    if (failed != 0)
        return 1;
    return skipped == total ? 77 : 0;
}
