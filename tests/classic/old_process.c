/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_get_dmem_info, PAPI_get_executable_info, PAPI_get_shared_lib_info, and the options that
 * answer the same.
 */
#include "program.h"

#include <sys/types.h>
#include <unistd.h>

static long_long initialised = 1, zeroed;

static void dmem(void)
{
    PAPI_dmem_info_t dmem;
    memset(&dmem, 0, sizeof dmem);
    OK(PAPI_get_dmem_info(&dmem));
    printf("Mem Size:            %ld\n", (long)dmem.size); /* C of 1989 has no %lld */
    printf("Mem Resident:        %ld\n", (long)dmem.resident);
    printf("Mem High Water Mark: %ld\n", (long)dmem.high_water_mark);
    CHECK(dmem.size >= dmem.resident && dmem.resident > 0);
    CHECK(dmem.high_water_mark >= dmem.resident || dmem.high_water_mark == PAPI_EINVAL);
    CHECK(dmem.shared >= PAPI_EINVAL && dmem.text > 0 && dmem.library > 0);
    CHECK(dmem.heap >= PAPI_EINVAL && dmem.locked >= PAPI_EINVAL && dmem.stack > 0);
    CHECK(dmem.pagesize == sysconf(_SC_PAGESIZE));
    CHECK(dmem.peak >= dmem.size || dmem.peak == PAPI_EINVAL);
    CODE(PAPI_get_dmem_info(NULL), PAPI_EINVAL);
}

static int inside(const void *address, const void *start, const void *end)
{
    return (const char *)address >= (const char *)start && (const char *)address < (const char *)end;
}

static void executable(void)
{
    const PAPI_exe_info_t *exeinfo = NULL;
    PAPI_option_t options;
    int local = 0;
    if ((exeinfo = PAPI_get_executable_info()) == NULL)
        exit(1);
    printf("Path+Program: %s\n", exeinfo->fullname);
    printf("Program: %s\n", exeinfo->address_info.name);
    printf("Text start: %p, Text end: %p\n", exeinfo->address_info.text_start,
           exeinfo->address_info.text_end);
    printf("Data start: %p, Data end: %p\n", exeinfo->address_info.data_start,
           exeinfo->address_info.data_end);
    printf("Bss start: %p, Bss end: %p\n", exeinfo->address_info.bss_start, exeinfo->address_info.bss_end);
    CHECK(exeinfo->fullname[0] == '/' && access(exeinfo->fullname, X_OK) == 0);
    CHECK(inside((const void *)(size_t)executable, exeinfo->address_info.text_start,
                 exeinfo->address_info.text_end));
    CHECK(inside(&initialised, exeinfo->address_info.data_start, exeinfo->address_info.data_end));
    CHECK(inside(&zeroed, exeinfo->address_info.bss_start, exeinfo->address_info.bss_end));
    CHECK(!inside(&local, exeinfo->address_info.data_start, exeinfo->address_info.bss_end));

    memset(&options, 0, sizeof options);
    OK(PAPI_get_opt(PAPI_EXEINFO, &options));
    CHECK(options.exe_info != NULL && strcmp(options.exe_info->fullname, exeinfo->fullname) == 0);
    zeroed = initialised;
}

#ifndef __cplusplus
/* The page of PAPI_profil takes the addresses from the structure itself, and drops the const. */
static void short_names(void)
{
    PAPI_exe_info_t *prginfo;
    unsigned long length;
    if ((prginfo = (PAPI_exe_info_t *)PAPI_get_executable_info()) == NULL)
        exit(1);
    length = (unsigned long)((caddr_t)prginfo->text_end - (caddr_t)prginfo->text_start);
    CHECK(length > 0);
    CHECK(prginfo->text_start == prginfo->address_info.text_start);
    CHECK(prginfo->text_end == prginfo->address_info.text_end);
    CHECK(prginfo->bss_end == prginfo->address_info.bss_end);
}
#endif

static void libraries(void)
{
    const PAPI_shlib_info_t *shinfo = PAPI_get_shared_lib_info();
    PAPI_address_map_t *map;
    PAPI_option_t options;
    int i, found = 0;
    CHECK(shinfo != NULL && shinfo->count >= 1);
    map = shinfo->map;
    for (i = 0; i < shinfo->count; i++) {
        CHECK(strlen(map[i].name) > 0);
        found += strstr(map[i].name, "libc.so") != NULL || strstr(map[i].name, "libc-") != NULL;
    }
    CHECK(found >= 1);
    memset(&options, 0, sizeof options);
    OK(PAPI_get_opt(PAPI_SHLIBINFO, &options));
    CHECK(options.shlib_info != NULL && options.shlib_info->count >= 1);
}

int main(void)
{
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    dmem();
    executable();
#ifndef __cplusplus
    short_names();
#endif
    libraries();
    PAPI_shutdown();
    return 0;
}
