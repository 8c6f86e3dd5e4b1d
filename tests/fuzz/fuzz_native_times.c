/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clocks that a native run recorded, given to an emulated one: the first bytes are the calls that the
 * program makes, up to a 0; the rest is the file of its thread. Then what papi_emulate says of it.
 */
#include "core/times.h"
#include "emulator/launcher/launcher.h"
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_CALLS = 64 };

static void put_thread(const char *name, const uint8_t *data, size_t size)
{
    /* The head's numbers and as many records as there are; where they are in the file is fixed. */
    static uint8_t file[TIMES_HEAD_SIZE + 4096];
    size_t head = size < sizeof(struct times_head) ? size : sizeof(struct times_head);
    size_t rest = size - head < 4096 ? size - head : 4096;
    char path[256];
    memset(file, 0, sizeof file);
    memcpy(file, data, head);
    memcpy(file + TIMES_HEAD_SIZE, data + head, rest);
    snprintf(path, sizeof path, "x-%.100s-0/%s", program_invocation_short_name, name);
    /* Half of the inputs end within the head. */
    fuzz_put(path, file, size % 2 == 0 ? TIMES_HEAD_SIZE + rest : head);
}

static void forget(void)
{
    times_after_fork();
    atomic_store(&papi_library.times_mode, TIMES_UNKNOWN);
}

/* Checks a value that comes from the recording: it is the recorded one, in its order. */
static void call(const struct times_head *head, const struct times_record *record, size_t n_records, int i,
                 int kind)
{
    long long value = kind == 0 ? times_real() : kind == 1 ? times_virtual() : times_ticks();
    static const enum times_kind kinds[] = {TIMES_REAL, TIMES_VIRTUAL, TIMES_TICKS};
    bool same = true;
    for (int k = 0; k <= i && same; k++)
        same = (size_t)k < n_records && (uint64_t)k < head->recorded && record[k].kind != TIMES_END;
    if (same && head->diverged == 0 && i == 0 && record[0].kind == kinds[kind])
        REQUIRE(value == record[0].value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t calls = 0;
    struct times_head head = {0};
    struct times_record record[2];
    char variable[300];
    while (calls < size && data[calls] != 0)
        calls++;
    const uint8_t *file = data + calls + (calls < size);
    size_t rest = size - calls - (calls < size), n_records = 0;
    fuzz_clear();
    put_thread("n0", file, rest);
    if (rest % 2 == 0 && rest >= sizeof head + sizeof record[0]) {
        memcpy(&head, file, sizeof head);
        memcpy(record, file + sizeof head, sizeof record[0]);
        n_records = 1;
    }
    snprintf(variable, sizeof variable, "replay:%s", fuzz_folder());
    setenv(TIMES_VARIABLE, variable, 1);
    REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    forget();
    for (size_t i = 0; i < calls && i < MOST_CALLS; i++)
        call(&head, record, n_records, (int)i, data[i] % 3);
    forget();
    struct native_run run = {.folder = (char *)fuzz_folder()};
    fuzz_listen();
    native_compare(&run);
    char *said = fuzz_heard();
    fuzz_visible(said);
    free(said);
    return 0;
}
