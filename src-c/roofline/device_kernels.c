/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PTX is of a version that drivers since CUDA 9 take, for all chips since Pascal.
 */
#include "device_kernels.h"
#include "tools/common/allocate.h"

#include <stdio.h>
#include <stdlib.h>

/* Begins a kernel, and has %i be the thread's number among all, %t that in its block. */
static void begin(FILE *out, const char *name, const char *parameters)
{
    fprintf(out,
            ".visible .entry %s(.param .u64 out, %s)\n"
            "{\n"
            ".reg .pred %%p;\n"
            ".reg .b32 %%i, %%t, %%b, %%d, %%n, %%w<4>, %%s, %%k;\n"
            ".reg .b64 %%o, %%f, %%g;\n"
            "ld.param.u64 %%o, [out];\n"
            "cvta.to.global.u64 %%o, %%o;\n"
            "mov.u32 %%t, %%tid.x;\n"
            "mov.u32 %%b, %%ctaid.x;\n"
            "mov.u32 %%d, %%ntid.x;\n"
            "mad.lo.u32 %%i, %%b, %%d, %%t;\n",
            name, parameters);
}

static void turn(FILE *out)
{
    fputs("add.u32 %n, %n, -1;\n"
          "setp.ne.u32 %p, %n, 0;\n"
          "@%p bra again;\n",
          out);
}

/*   type  of the numbers: f64, f32 */
static void put_fma(FILE *out, const char *name, const char *type, int size)
{
    char parameters[128];
    snprintf(parameters, sizeof parameters, ".param .%s x, .param .%s y, .param .u32 rounds", type, type);
    begin(out, name, parameters);
    fprintf(out, ".reg .%s %%x, %%y, %%a<%d>;\nld.param.%s %%x, [x];\nld.param.%s %%y, [y];\n", type,
            KERNEL_CHAINS, type, type);
    for (int chain = 0; chain < KERNEL_CHAINS; chain++)
        fprintf(out, "add.u32 %%k, %%t, %d;\ncvt.rn.%s.u32 %%a%d, %%k;\n", chain, type, chain);
    fputs("ld.param.u32 %n, [rounds];\nagain:\n", out);
    for (int step = 0; step < KERNEL_STEPS; step++)
        for (int chain = 0; chain < KERNEL_CHAINS; chain++)
            fprintf(out, "fma.rn.%s %%a%d, %%a%d, %%x, %%y;\n", type, chain, chain);
    turn(out);
    fprintf(out, "mad.wide.u32 %%o, %%i, %d, %%o;\n", KERNEL_CHAINS * size);
    for (int chain = 0; chain < KERNEL_CHAINS; chain++)
        fprintf(out, "st.global.%s [%%o+%d], %%a%d;\n", type, chain * size, chain);
    fputs("ret;\n}\n", out);
}

static void put_read(FILE *out)
{
    begin(out, KERNEL_READ, ".param .u64 from, .param .u32 vectors");
    fprintf(out,
            "ld.param.u64 %%f, [from];\n"
            "cvta.to.global.u64 %%f, %%f;\n"
            "mad.wide.u32 %%f, %%i, %d, %%f;\n"
            "mov.u32 %%k, %%nctaid.x;\n"
            "mul.lo.u32 %%k, %%k, %%d;\n"
            "mul.wide.u32 %%g, %%k, %d;\n"
            "mov.u32 %%s, 0;\n"
            "ld.param.u32 %%n, [vectors];\n"
            "again:\n"
            "ld.global.v4.u32 {%%w0, %%w1, %%w2, %%w3}, [%%f];\n",
            KERNEL_VECTOR, KERNEL_VECTOR);
    for (int word = 0; word < 4; word++)
        fprintf(out, "add.u32 %%s, %%s, %%w%d;\n", word);
    fputs("add.u64 %f, %f, %g;\n", out);
    turn(out);
    fputs("mad.wide.u32 %o, %i, 4, %o;\n"
          "st.global.u32 [%o], %s;\n"
          "ret;\n}\n",
          out);
}

char *device_kernels(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        memory_is_out();
    fputs(".version 6.0\n.target sm_60\n.address_size 64\n", out);
    put_fma(out, KERNEL_DOUBLE, "f64", 8);
    put_fma(out, KERNEL_SINGLE, "f32", 4);
    put_read(out);
    if (fclose(out) != 0)
        memory_is_out();
    return text;
}
