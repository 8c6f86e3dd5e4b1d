/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/plugin/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct plugin plugin = {.translating = PTHREAD_MUTEX_INITIALIZER, .memory_fd = -1};

/* Prints why the plugin refuses to start, about which the emulator says nothing. */
static int refuse(const char *text)
{
    fprintf(stderr, "papi_emulate: %s\n", text);
    return -1;
}

/* Reads the geometry of caches. Options of a plugin are separated by commas, so levels have another sign. */
static int read_geometry(const char *text)
{
    char copy[256], message[256];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = copy; *p != '\0'; p++)
        if (*p == '/')
            *p = ',';
    if (cache_geometry_parse(copy, plugin.geometry, message, sizeof message) != 0)
        return refuse(message);
    plugin.simulate_caches = true;
    return 0;
}

static int read_option(const char *option)
{
    if (strncmp(option, "memory=", 7) == 0)
        snprintf(plugin.memory_path, sizeof plugin.memory_path, "%s", option + 7);
    else if (strncmp(option, "caches=", 7) == 0)
        return read_geometry(option + 7);
    else if (strncmp(option, "lines=", 6) == 0)
        snprintf(plugin.lines_folder, sizeof plugin.lines_folder, "%s", option + 6);
    else if (strcmp(option, "cycles=estimate") == 0)
        plugin.estimate_cycles = true;
    else if (strcmp(option, "data=on") == 0)
        plugin.follow_data = true;
    else if (strcmp(option, "follow=on") == 0)
        plugin.follow = true;
    return 0;
}

static int open_disassembler(const char *target)
{
    cs_err error;
    if (strcmp(target, "x86_64") == 0) {
        plugin.architecture = X86_64;
        error = cs_open(CS_ARCH_X86, CS_MODE_64, &plugin.disassembler);
    } else if (strcmp(target, "aarch64") == 0) {
        plugin.architecture = ARM64;
        error = cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &plugin.disassembler);
    } else {
        return refuse("the plugin counts programs for x86-64 and 64-bit ARM alone");
    }
    if (error != CS_ERR_OK)
        return refuse("the disassembler (Capstone) was built without this processor");
    cs_option(plugin.disassembler, CS_OPT_DETAIL, CS_OPT_ON);
    plugin.insn = cs_malloc(plugin.disassembler);
    return plugin.insn != NULL ? 0 : refuse("out of memory");
}

static void program_ends(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    lines_write();
    memory_leave_process();
}

static void register_callbacks(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
    qemu_plugin_register_vcpu_syscall_cb(id, system_call_begins);
    qemu_plugin_register_atexit_cb(id, program_ends, NULL);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    char message[256];
    for (int i = 0; i < argc; i++)
        if (read_option(argv[i]) != 0)
            return -1;
    if (open_disassembler(info->target_name) != 0)
        return -1;
    if (memory_open(plugin.memory_path, message, sizeof message) != 0)
        return refuse(message);
    if (pthread_key_create(&plugin.thread_key, memory_leave_thread) != 0 ||
        pthread_atfork(NULL, NULL, memory_after_fork) != 0)
        return refuse("out of memory");
    command_note();
    memory_enter_process(0);
    register_callbacks(id);
    return 0;
}

/* ---- the version of QEMU */

/* Parts that differ between versions of QEMU's plugin interface. QEMU_PLUGIN_VERSION is the version to build
 * for: 1 for QEMU up to 8.2, 2 for 9.0, 3 from 9.1 on. An emulator loads the versions that it serves and
 * refuses the others with a message. */

#ifndef QEMU_PLUGIN_VERSION
#define QEMU_PLUGIN_VERSION 1
#endif

/* The version of the interface, which the emulator looks up. */
__attribute__((visibility("default"))) extern int qemu_plugin_version;
int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#if QEMU_PLUGIN_VERSION < 3

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

size_t qemu_instruction(const struct qemu_plugin_insn *insn, uint8_t *out, size_t size)
{
    size_t n = qemu_plugin_insn_size(insn);
    if (n > size)
        n = size;
    memcpy(out, qemu_plugin_insn_data(insn), n);
    return n;
}

#else

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *out, size_t size);

size_t qemu_instruction(const struct qemu_plugin_insn *insn, uint8_t *out, size_t size)
{
    return qemu_plugin_insn_data(insn, out, size);
}

#endif

/* ---- the library's question */

/* ---- the library's question */

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

/* ---- system calls */

enum call { CALL_OTHER, CALL_GETPID, CALL_EXECVE, CALL_SIGRETURN, CALL_MAP, CALL_UNMAP, CALL_CLONE };

static enum call which_call(int64_t number)
{
    /* Numbers of system calls; the last three are mmap, munmap and clone. */
    static const int64_t numbers[][6] = {
        [X86_64] = {39, 59, 15, 9, 11, 56}, [ARM64] = {172, 221, 139, 222, 215, 220}};
    const int64_t *own = numbers[plugin.architecture];
    if (number == own[0])
        return CALL_GETPID;
    if (number == own[1])
        return CALL_EXECVE;
    if (number == own[2])
        return CALL_SIGRETURN;
    if (number == own[3])
        return CALL_MAP;
    if (number == own[4])
        return CALL_UNMAP;
    return number == own[5] ? CALL_CLONE : CALL_OTHER;
}

/* Takes what the preloaded library says. */
static void told_of_data(uint64_t what, uint64_t a, uint64_t b, uint64_t c)
{
    if (what == EMULATED_ALLOCATED)
        data_allocated(a, b, c);
    else if (what == EMULATED_FREED)
        data_freed(a);
    else if (what == EMULATED_STACK)
        data_stack(a, b);
}

void system_call_begins(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                        uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a5, (void)a6, (void)a7, (void)a8;
    switch (which_call(number)) {
    case CALL_GETPID:
        if (a1 == EMULATED_QUESTION)
            answer(a2);
        else if (plugin.follow_data)
            told_of_data(a1, a2, a3, a4);
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
        if (plugin.follow_data)
            data_unmapped(a1, a2);
        break;
    case CALL_CLONE:
        if (plugin.follow_data && (a1 & CLONE_THREAD) != 0)
            data_thread_begins(a2);
        break;
    case CALL_OTHER:
        break;
    }
}
