/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that were built against another library of this soname run with this one: their structures are
 * these.
 */
#include "testing.h"

#include <string.h>

/* Place of the bits of PAPI_component_info_t: behind the last member that has an address. */
#if __SIZEOF_POINTER__ == 8
#define ABI_TABLE "abi.def"
enum { ABI_BITS = 3288 };
#else
#define ABI_TABLE "abi32.def"
enum { ABI_BITS = 2968 };
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BIT(n) (1u << (n))
#else
#define BIT(n) (1u << (31 - (n)))
#endif

static void sizes_and_offsets(void **state)
{
    (void)state;
#define SIZE(type, size) EQUAL(sizeof(type), size);
#define MEMBER(type, member, offset, size)                                                                   \
    EQUAL(offsetof(type, member), offset);                                                                   \
    EQUAL(sizeof(((type *)0)->member), size);
#include ABI_TABLE
}

/* The bit fields of PAPI_component_info_t must stay where programs that were compiled elsewhere find them. */
static void bits(void **state)
{
    (void)state;
    enum { MEMBERS = 13 };
    PAPI_component_info_t info;
    unsigned word;
    memset(&info, 0, sizeof info);
    info.hardware_intr = 1;
    info.fast_counter_read = 1;
    info.inherit = 1;
    memcpy(&word, (const char *)&info + ABI_BITS, sizeof word);
    EQUAL(word, BIT(0) | BIT(5) | BIT(MEMBERS - 1));
}

/* The library's own answer, at the numbers of the table. */
static void the_library_fills_them(void **state)
{
    const PAPI_component_info_t *info;
    unsigned word;
    (void)state;
    test_init();
    info = PAPI_get_component_info(0);
    CHECK(info != NULL);
    memcpy(&word, (const char *)info + ABI_BITS, sizeof word);
    EQUAL((word & BIT(0)) != 0, info->hardware_intr);
    EQUAL((word & BIT(8)) != 0, 1); /* attach, which the kernel's component can */
    EQUAL(memcmp((const char *)PAPI_get_hardware_info() + 1448, (const char[32]){0}, 32), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_offsets),
        cmocka_unit_test(bits),
        cmocka_unit_test(the_library_fills_them),
    };
    return TEST_RUN(tests);
}
