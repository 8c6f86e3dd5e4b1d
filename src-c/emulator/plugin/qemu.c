/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What differs between the versions of QEMU's plugin interface. QEMU_PLUGIN_VERSION is the version to
 * build for: 1 for QEMU up to 8.2, 2 for 9.0, 3 from 9.1 on. An emulator loads the versions that it
 * serves and refuses the others with a message.
 */
#include "emulator/plugin/qemu.h"

#include <string.h>

#ifndef QEMU_PLUGIN_VERSION
#define QEMU_PLUGIN_VERSION 1
#endif

/* The emulator looks this up. */
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
