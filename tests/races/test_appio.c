/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_appio.so's counts in threads: each has its own, and the open descriptors are those of all, however
 * they are closed while somebody counts them.
 */
#include "formats/appio_counts.h"
#include "race.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OPENERS = 2, COUNTERS = 2, TURNS = 100, BYTES = 3 };

static atomic_bool over;
static int kept[OPENERS];

/* Opens files and has them closed where nobody sees it, but for the last. */
static void *open_files(void *place)
{
    uint64_t opened = papi_appio_count_1(OPEN_CALLS), written = papi_appio_count_1(WRITE_BYTES);
    for (int i = 0; i < TURNS; i++) {
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        CHECK(fd >= 0);
        EQUAL(write(fd, "abc", BYTES), BYTES);
        *(int *)place = fd;
        if (i < TURNS - 1)
            syscall(SYS_close, fd);
    }
    EQUAL(papi_appio_count_1(OPEN_CALLS) - opened, TURNS);
    EQUAL(papi_appio_count_1(WRITE_BYTES) - written, TURNS * BYTES);
    return NULL;
}

static void *count_files(void *nothing)
{
    while (!atomic_load(&over))
        CHECK(papi_appio_count_1(OPEN_FDS) <= OPENERS + 1);
    return nothing;
}

static void files_that_are_counted_while_they_come_and_go(void **state)
{
    pthread_t opener[OPENERS], counter[COUNTERS];
    (void)state;
    EQUAL(papi_appio_count_1(OPEN_FDS), 0);
    for (int round = race_rounds(300); round > 0; round--) {
        atomic_store(&over, false);
        for (int i = 0; i < COUNTERS; i++)
            counter[i] = race_start(count_files, NULL);
        for (int i = 0; i < OPENERS; i++)
            opener[i] = race_start(open_files, &kept[i]);
        for (int i = 0; i < OPENERS; i++)
            race_join(opener[i]);
        atomic_store(&over, true);
        for (int i = 0; i < COUNTERS; i++)
            race_join(counter[i]);
        EQUAL(papi_appio_count_1(OPEN_FDS), OPENERS);
        for (int i = 0; i < OPENERS; i++)
            EQUAL(close(kept[i]), 0);
        EQUAL(papi_appio_count_1(OPEN_FDS), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_counted_while_they_come_and_go),
    };
    return TEST_RUN(tests);
}
