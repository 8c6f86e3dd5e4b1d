/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/emulated/question.h"
#include "base/syscall.h"
#include "base/times_file.h"
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
    answer->caches = 1;
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

struct emulated_thread *emulated_map(const struct emulated_answer *answer)
{
    void *page =
        mmap(NULL, answer->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, answer->fd, (off_t)answer->offset);
    return page == MAP_FAILED ? NULL : page;
}

void emulated_unmap(struct emulated_thread *page, uint32_t page_size)
{
    munmap(page, page_size);
}

const struct emulated_memory *emulated_map_memory(const struct emulated_answer *answer)
{
    void *memory = mmap(NULL, emulated_memory_size(answer->page_size), PROT_READ, MAP_SHARED, answer->fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void emulated_unmap_memory(const struct emulated_memory *memory)
{
    munmap((void *)(uintptr_t)memory, emulated_memory_size(memory->page_size));
}
