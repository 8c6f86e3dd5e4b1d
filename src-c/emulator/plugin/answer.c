/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/plugin/plugin.h"

#include <fcntl.h>

/* -------------------------------------------------------- the library's question */

static int descriptor_for_program(void)
{
    if (plugin.memory_fd >= 0)
        return fcntl(plugin.memory_fd, F_DUPFD_CLOEXEC, 0);
    return open(plugin.memory_path, O_RDWR | O_CLOEXEC);
}

static void answer(uint64_t address)
{
    struct emulated_answer answer;
    struct thread *thread = thread_pointer;
    if (guest_read(address, &answer, sizeof answer) != 0 || answer.size < sizeof answer)
        return;
    answer.version = EMULATED_VERSION;
    answer.events = EMULATED_EVENTS;
    answer.page_size = plugin.memory->page_size;
    answer.caches = plugin.simulate_caches;
    answer.estimates = plugin.estimate_cycles;
    answer.offset = 0;
    answer.fd = -1;
    if (thread != NULL && thread->page != &thread->own_page) {
        answer.offset = (uint64_t)((char *)thread->page - (char *)plugin.memory);
        answer.fd = descriptor_for_program();
    }
    guest_write(address, &answer, sizeof answer);
}

/* ---------------------------------------------------------------- system calls */

enum call { CALL_OTHER, CALL_GETPID, CALL_EXECVE, CALL_SIGRETURN, CALL_MAP, CALL_UNMAP };

static enum call which_call(int64_t number)
{
    /* The last two are mmap and munmap. */
    static const int64_t numbers[][5] = {[X86_64] = {39, 59, 15, 9, 11}, [ARM64] = {172, 221, 139, 222, 215}};
    const int64_t *own = numbers[plugin.architecture];
    if (number == own[0])
        return CALL_GETPID;
    if (number == own[1])
        return CALL_EXECVE;
    if (number == own[2])
        return CALL_SIGRETURN;
    if (number == own[3])
        return CALL_MAP;
    return number == own[4] ? CALL_UNMAP : CALL_OTHER;
}

void system_call_begins(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                        uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    switch (which_call(number)) {
    case CALL_GETPID:
        if (a1 == EMULATED_QUESTION)
            answer(a2);
        break;
    case CALL_EXECVE:
        follow_exec(a1, a2, a3);
        break;
    case CALL_SIGRETURN:
        if (thread_pointer != NULL)
            thread_pointer->returned = true;
        break;
    case CALL_MAP:
        reservation_begins(a2);
        lines_moved();
        break;
    case CALL_UNMAP:
        lines_moved();
        break;
    case CALL_OTHER:
        break;
    }
}
