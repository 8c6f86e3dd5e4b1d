/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run-time part of a counted module: one is linked into each program and shared library. It has only
 * data, which say where the rest is (format.h). Names are local or hidden: many of them are in one process.
 */
#include "components/counted/format.h"

#include <stddef.h>

_Static_assert(COUNTED_VERSION == 1 && COUNTED_EVENTS == 32 && COUNTED_NOTE_TYPE == 0x636e74, "as below");
_Static_assert(offsetof(struct counted_module, units) == 16 &&
                   offsetof(struct counted_module, anchor) == 32 &&
                   offsetof(struct counted_module, process) == 48 &&
                   offsetof(struct counted_module, weighed) == 64 && sizeof(struct counted_module) == 136,
               "as below");

/* The sections' names are the assembler's (assembler/emit.c). Each has a piece here, so that the linker
 * defines where it starts and stops in a module without counted code, too. The records' piece belongs to
 * code, as all others do: the linker does not mix those that do and those that do not. */
__asm__(".section .text.papi_counted,\"ax\",@progbits\n"
        ".Lpapi_code:\n"
        "mov .Lpapi_anchor@gottpoff(%rip), %rax\n"
        "ret\n"
        ".section papi_counted_units,\"ao\",@progbits,.Lpapi_code\n"
        ".balign 8\n"
        ".Lpapi_units:\n"
        ".quad 0\n"
        ".section .tbss.papi_counted,\"awT\",@nobits\n"
        ".balign 8\n"
        ".Lpapi_anchor:\n"
        ".zero 8\n"
        ".section papi_counted_process,\"aw\",@nobits\n"
        ".balign 8\n"
        ".Lpapi_process:\n"
        /* The weigher writes here, the dynamic linker perhaps too. */
        ".section .data.rel.ro.papi_counted,\"aw\",@progbits\n"
        ".balign 8\n"
        ".hidden __start_papi_counted_units, __stop_papi_counted_units\n"
        ".hidden __start_papi_counted_process, __stop_papi_counted_process\n"
        ".Lpapi_module:\n"
        ".asciz \"" COUNTED_MAGIC "\"\n"
        ".long 1, 32\n"
        ".quad __start_papi_counted_units - ., __stop_papi_counted_units - .\n"
        ".quad .Lpapi_code - .\n"
        ".quad .Lpapi_anchor@dtpoff\n"
        ".quad __start_papi_counted_process - ., __stop_papi_counted_process - .\n"
        ".zero 56\n"
        /* With --gc-sections, LLVM's linker keeps sections for their own symbols, not for __start_ and
           __stop_. */
        ".quad .Lpapi_units - ., .Lpapi_process - .\n"
        ".section .note.papi_counted,\"a\",@note\n"
        ".balign 4\n"
        ".long 5, 8, 0x636e74\n"
        ".asciz \"" COUNTED_NOTE_NAME "\"\n"
        ".balign 4\n"
        ".quad .Lpapi_module - .\n"
        ".text\n");
