/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what papi_profile, and the report of an MPI job by libpapi_symbols, make of a program's ELF and
 * debug information. The input has four addresses of eight bytes, then the file.
 */
#include "fuzz.h"
#include "profile/objects.h"
#include "profile/symbols/symbols.h"
#include "profile/vector_lines.h"

#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 4, MOST_PLACES = 4096, MOST_FRAMES = 8 };

static void check_place(const struct profile *profile, int number)
{
    REQUIRE(number >= 0 && number < profile->places.n);
    const struct place *place = profile_place_at(profile, number);
    REQUIRE(place->routine >= 0 && place->routine < profile->routines.n);
    REQUIRE(place->file >= PROFILE_NONE && place->file < profile->strings.n);
    const struct routine *routine = profile_routine_at(profile, place->routine);
    REQUIRE(profile_text(profile, routine->name)[0] != '\0');
    REQUIRE(routine->object >= 0 && routine->object < profile->strings.n);
}

static void look_up(const char *path, const uint64_t *address)
{
    struct profile profile = {.command = NULL};
    struct objects *objects = objects_open(&profile);
    struct arithmetics *arithmetics = arithmetics_open(&profile, objects);
    const unsigned char *id;
    objects_stay_here(objects);
    int object = objects_number(objects, path);
    for (int i = 0; i < ADDRESSES; i++) {
        uint64_t own, back;
        const struct places *places = objects_look_up(objects, object, address[i], i % 2);
        REQUIRE(places->n > 0 && places->n < MOST_PLACES);
        for (int j = 0; j < places->n; j++)
            check_place(&profile, places->place[j]);
        if (objects_address(objects, object, address[i], &own))
            objects_offset(objects, object, own, &back);
        char *name = objects_variable(objects, object, address[i]);
        REQUIRE(name == NULL || name[0] != '\0');
        free(name);
    }
    objects_build_id(objects, object, &id);
    arithmetics_close(arithmetics);
    objects_close(objects);
    profile_free(&profile);
}

static void look_up_calls(const char *path, const uint64_t *address)
{
    struct papi_symbols_frame frame[MOST_FRAMES];
    struct papi_symbols *symbols = papi_symbols_open();
    REQUIRE(symbols != NULL);
    for (int i = 0; i < ADDRESSES; i++) {
        int n = papi_symbols_look_up(symbols, path, NULL, 0, address[i], frame, MOST_FRAMES);
        REQUIRE(n >= 0 && n <= MOST_FRAMES);
        for (int j = 0; j < n; j++)
            REQUIRE(frame[j].routine[0] != '\0' && (frame[j].file[0] != '\0' || frame[j].line == 0));
    }
    papi_symbols_close(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    uint64_t address[ADDRESSES];
    for (int i = 0; i < ADDRESSES; i++)
        address[i] = fuzz_number(&bytes, 8);
    const char *path = fuzz_file(0, bytes.next, (size_t)(bytes.end - bytes.next));
    look_up(path, address);
    look_up_calls(path, address);
    return 0;
}
