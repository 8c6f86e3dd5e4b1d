/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols.h"
#include "profile/objects.h"
#include "tools/common/allocate.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory */

static _Thread_local jmp_buf *ending;

/* True if the work came to its end. papi_profile ends where memory runs out (memory_is_out); a library must
 * not, so the work alone ends, wherever it is, and what it had allocated is lost. */
static bool memory_enough(void (*work)(void *with), void *with)
{
    jmp_buf own;
    ending = &own;
    bool enough = setjmp(own) == 0;
    if (enough)
        work(with);
    ending = NULL;
    return enough;
}

void memory_is_out(void)
{
    longjmp(*ending, 1);
}

/* ---- the interface */

#define SHOWN __attribute__((visibility("default")))

struct papi_symbols {
    struct profile profile;
    struct objects *objects;
    bool spoiled; /* memory was out in the middle of something: it is not touched again */
};

static void open_objects(void *with)
{
    struct papi_symbols *symbols = with;
    symbols->objects = objects_open(&symbols->profile);
    objects_stay_here(symbols->objects);
}

SHOWN struct papi_symbols *papi_symbols_open(void)
{
    struct papi_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols != NULL && memory_enough(open_objects, symbols))
        return symbols;
    free(symbols);
    return NULL;
}

SHOWN void papi_symbols_close(struct papi_symbols *symbols)
{
    if (symbols == NULL)
        return;
    if (!symbols->spoiled) {
        objects_close(symbols->objects);
        profile_free(&symbols->profile);
    }
    free(symbols);
}

static bool is_wanted(struct papi_symbols *symbols, int object, const unsigned char *id, int id_size)
{
    const unsigned char *own = NULL;
    return id_size == 0 || (objects_build_id(symbols->objects, object, &own) == id_size &&
                            memcmp(own, id, (size_t)id_size) == 0);
}

static void take(const struct papi_symbols *symbols, int number, struct papi_symbols_frame *frame)
{
    const struct profile *profile = &symbols->profile;
    const struct place *place = profile_place_at(profile, number);
    frame->routine = profile_text(profile, profile_routine_at(profile, place->routine)->name);
    frame->file = profile_text(profile, place->file);
    frame->line = place->line > 0 ? (uint64_t)place->line : 0;
}

struct question {
    struct papi_symbols *symbols;
    const char *path;
    const unsigned char *id;
    int id_size;
    uint64_t address;
    struct papi_symbols_frame *frame;
    int room, n; /* n: the answer */
};

static void look_up(void *with)
{
    struct question *asked = with;
    struct papi_symbols *symbols = asked->symbols;
    int object = objects_number(symbols->objects, asked->path);
    uint64_t offset;
    if (!is_wanted(symbols, object, asked->id, asked->id_size) ||
        !objects_offset(symbols->objects, object, asked->address, &offset))
        return;
    const struct places *places = objects_look_up(symbols->objects, object, offset, true);
    int n = places->n < asked->room ? places->n : asked->room;
    for (int i = 0; i < n; i++)
        take(symbols, places->place[i], &asked->frame[i]);
    asked->n = n;
}

SHOWN int papi_symbols_look_up(struct papi_symbols *symbols, const char *path, const unsigned char *id,
                               int id_size, uint64_t address, struct papi_symbols_frame *frame, int room)
{
    struct question asked = {symbols, path, id, id_size, address, frame, room, 0};
    if (!symbols->spoiled && !memory_enough(look_up, &asked))
        symbols->spoiled = true;
    return asked.n;
}
