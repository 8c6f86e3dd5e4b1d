/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the plugin asks of the emulator. The functions of QEMU's plugin interface that are the same in
 * all its versions are declared here, because distributions do not package the header; those that
 * differ are called in qemu.c alone. */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* The first field of what the emulator tells about itself: "x86_64", "aarch64". */
struct qemu_info {
    const char *target_name;
};

enum { QEMU_CALLBACK_READS_NO_REGISTERS = 0, QEMU_LOADS_AND_STORES = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*translated)(qemu_plugin_id_t id,
                                                              struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*runs)(unsigned vcpu, void *data),
                                          int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*accesses)(unsigned vcpu, qemu_plugin_meminfo_t info,
                                                       uint64_t address, void *data),
                                      int flags, int which, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
                                          void (*calls)(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
                                                        uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                                                        uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ends)(qemu_plugin_id_t id, void *data),
                                    void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* Copies at most size bytes of an instruction; returns how many. */
size_t qemu_instruction(const struct qemu_plugin_insn *insn, uint8_t *out, size_t size);
