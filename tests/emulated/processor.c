/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the processor that the program finds, in one line; and executes two instructions that Capstone 4
 * does not know: a hint, and one that the emulator refuses.
 */
#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static sigjmp_buf behind;

static void skip(int number)
{
    (void)number;
    siglongjmp(behind, 1);
}

int main(void)
{
    static char byte;
    char vendor[13] = "";
    unsigned a, b, c, d, signature, features;
    __cpuid(0, a, b, c, d);
    memcpy(vendor, &b, 4);
    memcpy(vendor + 4, &d, 4);
    memcpy(vendor + 8, &c, 4);
    __cpuid(1, signature, b, features, d);
    __cpuid_count(7, 0, a, b, c, d);
    unsigned family = signature >> 8 & 15, model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);
    printf("%s %u %u fma %u avx2 %u avx512 %u erms %u\n", vendor,
           family == 15 ? family + (signature >> 20 & 255) : family, model, features >> 12 & 1, b >> 5 & 1,
           b >> 16 & 1, b >> 9 & 1);
    fflush(stdout);
    __asm__ volatile("prefetch %0" ::"m"(byte));
    signal(SIGILL, skip);
    if (sigsetjmp(behind, 1) == 0)
        __asm__ volatile(".byte 0x0f, 0x01, 0xee" ::"c"(0) : "eax", "edx"); /* RDPKRU */
    return 0;
}
