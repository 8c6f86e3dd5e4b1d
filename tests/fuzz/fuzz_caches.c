/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_emulate --caches=TEXT.
 */
#include "emulator/cache.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cache_geometry geometry[CACHES], again[CACHES];
    char message[256] = "", printed[CACHE_TEXT], *text = fuzz_text(data, size);
    if (cache_geometry_parse(text, geometry, message, sizeof message) != 0) {
        REQUIRE(message[0] != '\0');
    } else {
        for (int i = 0; i < CACHES; i++)
            REQUIRE(geometry[i].size == 0 || cache_geometry_fault(&geometry[i]) == NULL);
        cache_geometry_text(geometry, printed, sizeof printed);
        fuzz_visible(printed);
        REQUIRE(cache_geometry_parse(printed, again, message, sizeof message) == 0);
        REQUIRE(memcmp(geometry, again, sizeof again) == 0);
    }
    free(text);
    return 0;
}
