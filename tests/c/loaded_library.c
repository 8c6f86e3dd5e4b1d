/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with a mebibyte of code, which test_process opens while it runs.
 */
__attribute__((visibility("default"))) int loaded_data = 42;
__attribute__((visibility("default"))) int loaded_bss[1 << 16];
__attribute__((visibility("default"))) int loaded_function(int i);

int loaded_function(int i)
{
    loaded_bss[i & 0xffff]++;
    return loaded_data;
}

__asm__(".text\n.skip 1048576\n");
