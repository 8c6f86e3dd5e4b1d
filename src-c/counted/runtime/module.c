/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run-time part of a counted module: one is linked into each program and shared library. It has only
 * data, which say where the rest is (counted_section.h). Names are local or hidden: many of them are in one
 * process.
 */
/* For other processors than its own papi_counted has the compiler compile it when it links: it includes
 * nothing. What the bytes are, weigher/weigh.c compares with the format. */

/* The address of thread-local memory in a register, and a place in it that is in data. */
#if defined __aarch64__
#define ANCHOR                                                                                               \
    "adrp x0, :gottprel:.Lpapi_anchor\n"                                                                     \
    "ldr x0, [x0, :gottprel_lo12:.Lpapi_anchor]\n"
#define PLACE                                                                                                \
    "movz x0, #:dtprel_g1:.Lpapi_anchor\nmovk x0, #:dtprel_g0_nc:.Lpapi_anchor\n" /* for the weigher */
#else
#define ANCHOR "mov .Lpapi_anchor@gottpoff(%rip), %rax\n"
#define PLACE ".quad .Lpapi_anchor@dtpoff\n"
#endif

/* The sections' names are the assembler's (assembler/emit.c). Each has a piece here, so that the linker
 * defines where it starts and stops in a module without counted code, too. The records' piece belongs to
 * code, as all others do: the linker does not mix those that do and those that do not. */
__asm__(".section .text.papi_counted,\"ax\",@progbits\n"
        ".Lpapi_code:\n" ANCHOR "ret\n"
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
        ".asciz \"papicnt\"\n"
        ".long 1, 32\n"
        ".quad __start_papi_counted_units - ., __stop_papi_counted_units - .\n"
        ".quad .Lpapi_code - .\n" PLACE
        ".quad __start_papi_counted_process - ., __stop_papi_counted_process - .\n"
        ".zero 56\n"
        /* With --gc-sections, LLVM's linker keeps sections for their own symbols, not for __start_ and
           __stop_. */
        ".quad .Lpapi_units - ., .Lpapi_process - .\n"
        ".section .note.papi_counted,\"a\",@note\n"
        ".balign 4\n"
        ".long 5, 8, 0x636e74\n"
        ".asciz \"PAPI\"\n"
        ".balign 4\n"
        ".quad .Lpapi_module - .\n"
        ".text\n");
