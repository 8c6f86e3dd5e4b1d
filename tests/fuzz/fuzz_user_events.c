/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of the user, through the interface: the first byte says whether the rest is the file that
 * PAPI_USER_EVENTS_FILE names, one for PAPI_encode_events, or the members for PAPI_set_event_info, with line
 * feeds between.
 */
#include "fuzz.h"
#include "papi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A text in an array of the interface ends within it. */
#define REQUIRE_ENDS(array) REQUIRE(memchr((array), '\0', sizeof(array)) != NULL)

static void check_info(int code, bool of_file)
{
    static PAPI_event_info_t info;
    memset(&info, 'x', sizeof info);
    REQUIRE(PAPI_get_event_info(code, &info) == PAPI_OK);
    REQUIRE_ENDS(info.symbol);
    REQUIRE_ENDS(info.short_descr);
    REQUIRE_ENDS(info.long_descr);
    REQUIRE_ENDS(info.units);
    REQUIRE_ENDS(info.derived);
    REQUIRE_ENDS(info.postfix);
    REQUIRE_ENDS(info.note);
    for (int i = 0; i < PAPI_MAX_INFO_TERMS; i++)
        REQUIRE_ENDS(info.name[i]);
    if (!of_file)
        return;
    fuzz_visible(info.symbol);
    fuzz_visible(info.short_descr);
    fuzz_visible(info.long_descr);
    fuzz_visible(info.note);
    for (int i = 0; i < PAPI_MAX_INFO_TERMS; i++)
        fuzz_visible(info.name[i]);
}

static void check_events(bool of_file)
{
    int code = PAPI_UE_MASK, back, n = 0;
    char name[PAPI_MAX_STR_LEN];
    for (int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST); more == PAPI_OK && n <= PAPI_MAX_USER_EVENTS;
         more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS), n++) {
        check_info(code, of_file);
        REQUIRE(PAPI_event_code_to_name(code, name) == PAPI_OK);
        REQUIRE(PAPI_event_name_to_code(name, &back) == PAPI_OK && back == code);
        int result = PAPI_query_event(code);
        if (result != PAPI_OK)
            fuzz_reason(PAPI_strerror(result));
    }
    REQUIRE(n <= PAPI_MAX_USER_EVENTS);
}

static void member(char **text, char *to, size_t size)
{
    char *value = strsep(text, "\n");
    snprintf(to, size, "%s", value != NULL ? value : "");
}

static int set_event(char *text)
{
    static PAPI_event_info_t info;
    int code = 0;
    memset(&info, 0, sizeof info);
    info.event_code = (unsigned)PAPI_UE_MASK;
    member(&text, info.symbol, sizeof info.symbol);
    member(&text, info.derived, sizeof info.derived);
    member(&text, info.postfix, sizeof info.postfix);
    member(&text, info.short_descr, sizeof info.short_descr);
    member(&text, info.long_descr, sizeof info.long_descr);
    member(&text, info.note, sizeof info.note);
    while (text != NULL && info.count < PAPI_MAX_INFO_TERMS)
        member(&text, info.name[info.count++], sizeof info.name[0]);
    int result = PAPI_set_event_info(&info, &code, 0);
    if (result == PAPI_OK)
        check_info(code, false);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    int how = data[0] % 3, result = PAPI_OK;
    char *text = fuzz_text(data + 1, size - 1);
    const char *path = fuzz_file(0, text, how == 2 ? strlen(text) : size - 1);
    setenv("PAPI_SYSROOT", fuzz_folder(), 1);
    setenv("PAPI_USER_EVENTS_FILE", how == 0 ? path : "", 1);
    REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    if (how == 1)
        result = PAPI_encode_events((char *)path, (int)(size % 2));
    else if (how == 2)
        result = set_event(text);
    if (result != PAPI_OK)
        fuzz_reason(PAPI_strerror(result));
    check_events(how != 2);
    PAPI_shutdown();
    free(text);
    return 0;
}
