/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/plugin/plugin.h"
#include "emulator/plugin/qemu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct plugin plugin = {.translating = PTHREAD_MUTEX_INITIALIZER, .memory_fd = -1};

/* The emulator prints nothing of its own when a plugin refuses to start. */
static int refuse(const char *text)
{
    fprintf(stderr, "papi_emulate: %s\n", text);
    return -1;
}

/* Options of a plugin are separated by commas, so that the levels of caches have another sign. */
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
