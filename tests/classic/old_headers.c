/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi.h as old C++ programs include it: within extern "C", twice, and after the C library's headers.
 */
#ifdef __cplusplus
extern "C" {
#endif
#include <papi.h>
#ifdef __cplusplus
}
#endif
#include "program.h"

#include <pthread.h>
#include <unistd.h>

#if !defined(PAPI_VERSION) || !defined(PAPI_ESBSTR) || !defined(PAPI_VER_CURRENT)
#error "what configure scripts ask for"
#endif

/* The functions are functions too: tools keep their addresses. */
static int (*const profile)(void *, unsigned, vptr_t, unsigned, int, int, int, int) = PAPI_profil;
static void (*const say)(const char *) = PAPI_perror;
static long_long (*const timer)(void) = PAPI_get_real_usec;

int main(void)
{
    char text[PAPI_MAX_STR_LEN] = "";
    CHECK(sizeof(long_long) == 8 && sizeof(caddr_t) == sizeof(vptr_t));
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    CHECK(PAPI_ESBSTR == PAPI_ECMP && PAPI_SUBSTRATEINFO == PAPI_COMPONENTINFO);
    CHECK(PAPI_DEF_MPX_USEC == PAPI_DEF_MPX_NS && PAPI_ENUM_PRESET_AVAIL == PAPI_PRESET_ENUM_AVAIL);
    CHECK(profile(NULL, 0, NULL, 65536, PAPI_NULL, PAPI_TOT_INS, 1, 0) < PAPI_OK);
    say("said");
    CHECK(timer() > 0);
    OK(PAPI_perror(PAPI_EINVAL, text, (int)sizeof text));
    CHECK(text[0] != 0);
    PAPI_shutdown();
    return 0;
}
