/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that is linked with libpapi.a and does nothing: what costs measures the start of.
 */
#include <papi.h>

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 2 ? PAPI_library_init(PAPI_VER_CURRENT) : 0; /* costs gives one argument */
}
