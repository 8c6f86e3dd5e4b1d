/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/emulated/emulator_question.h"
#include "base/syscall.h"
#include "formats/native_times.h"
#include "papi.h"

#include <string.h>
#include <sys/mman.h>

/* A page for one thread, in place of the emulator's. */
static void answer_myself(struct emulated_answer *answer)
{
    answer->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
    answer->fd = (int)syscall(SYS_memfd_create, "papi_recording", 1u /* MFD_CLOEXEC */);
    if (answer->fd >= 0 && ftruncate(answer->fd, answer->page_size) != 0)
        emulated_release(answer);
    answer->version = EMULATED_VERSION;
    answer->events = EMULATED_EVENTS;
    answer->caches = answer->estimates = 1;
}

int emulated_ask(struct emulated_answer *answer, struct reason *why)
{
    memset(answer, 0, sizeof *answer);
    answer->size = sizeof *answer;
    answer->fd = -1;
    system_call(SYS_getpid, (long)EMULATED_QUESTION, (long)answer, 0);
    if (answer->version == 0 && times_recording())
        answer_myself(answer);
    if (answer->version == 0)
        return reason_set(why, PAPI_ENOCMP,
                          "the program does not run in the emulator; \"papi_emulate PROGRAM\" runs it there");
    if (answer->version != EMULATED_VERSION || answer->events != EMULATED_EVENTS) {
        emulated_release(answer);
        return reason_set(why, PAPI_ENOCMP,
                          "the program runs in the emulator of another version of this library");
    }
    if (answer->fd < 0)
        return reason_set(why, PAPI_ESYS,
                          "the emulator has no counters for this thread: too many threads run, "
                          "or too many files are open");
    return PAPI_OK;
}

void emulated_release(struct emulated_answer *answer)
{
    if (answer->fd >= 0)
        system_call(SYS_close, answer->fd, 0, 0);
    answer->fd = -1;
}

void *emulated_map(const struct emulated_answer *answer, bool all)
{
    size_t size = all ? emulated_memory_size(answer->page_size) : answer->page_size;
    void *memory = mmap(NULL, size, all ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, answer->fd,
                        all ? 0 : (off_t)answer->offset);
    return memory == MAP_FAILED ? NULL : memory;
}
