/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of the caches (emulator/cache.h says what it models).
 *
 * A set is an array of its lines in the order of their last use. A hit moves the line to the front and those
 * before it back by one; a miss puts it in front and drops the last: this is exactly least recently used,
 * without time stamps, in one pass that ends at the line. Programs mostly use the line that they used last,
 * so that the first comparison decides.
 *
 * Two shortcuts must not change any count. An access to data within the line of the previous one hits L1D and
 * leaves its order as it is (data); and instructions hit L1I as long as they stay in a line (fetched),
 * because nothing but fetches changes L1I. QEMU reports an access in pieces of eight bytes: the pieces of one
 * access count once, with one miss at most, and a line that two pieces share is asked for once, so that the
 * number of pieces does not show.
 */
#include "emulator/cache.h"
#include "formats/emulator_memory.h"

#include <stddef.h>
#include <sys/mman.h>

/* The kinds of access; the counters of a level are in this order. */
enum { READ, WRITE, FETCH, KINDS };

_Static_assert(EMULATED_L1D_WRITES == EMULATED_L1D_READS + WRITE, "order of the counters");
_Static_assert(EMULATED_L1D_WRITE_MISSES == EMULATED_L1D_READ_MISSES + WRITE, "order of the counters");
_Static_assert(EMULATED_L2_FETCHES == EMULATED_L2_READS + FETCH, "order of the counters");
_Static_assert(EMULATED_L2_FETCH_MISSES == EMULATED_L2_READS + KINDS + FETCH, "order of the counters");
_Static_assert(EMULATED_L3_FETCHES == EMULATED_L3_READS + FETCH, "order of the counters");
_Static_assert(EMULATED_L3_FETCH_MISSES == EMULATED_L3_READS + KINDS + FETCH, "order of the counters");

#define NO_LINE UINT64_MAX

struct level {
    /* The sets, one after the other. A set has its lines as their number plus 1, the most recently used
     * first, and the empty places, which are 0, last: fresh pages of memory are empty sets. 32 bits would do
     * for the large caches only. */
    uint64_t *tags;
    uint64_t sets;
    bool masked;      /* sets is a power of two */
    unsigned ways;    /* 0: there is no such cache */
    unsigned shift;   /* 1 << shift: bytes of a line; without a cache, those of the next */
    unsigned counter; /* of the reads that ask this level */
    const struct level *next;
};

struct cache_model {
    struct level level[CACHES];
    size_t size;      /* of the mapping that this is the start of */
    uint64_t data;    /* L1D was last asked for this line, which thus hits; NO_LINE: no L1D */
    uint64_t fetched; /* the same of L1I */
    uint64_t end;     /* the line in which the last access to data ended */
    bool missed;      /* that access has been counted as a miss */
};

static inline uint64_t line_size(const struct level *level)
{
    return UINT64_C(1) << level->shift;
}

static inline uint64_t line_offset(const struct level *level, uint64_t address)
{
    return address & (line_size(level) - 1);
}

/* Lines that some bytes lie in. */
static inline uint64_t lines_of(const struct level *level, uint64_t address, uint64_t size)
{
    return (line_offset(level, address) + size + line_size(level) - 1) >> level->shift;
}

/* Puts a line in front, and moves the others down as far as its old place, or an empty one, or drops the
 * last. True if the line was there. */
static bool move_to_front(uint64_t *set, unsigned ways, uint64_t tag)
{
    uint64_t moved = set[0];
    set[0] = tag;
    for (unsigned i = 1; i < ways && moved != 0; i++) {
        uint64_t next = set[i];
        set[i] = moved;
        if (next == tag)
            return true;
        moved = next;
    }
    return false;
}

/* True if the level had the line. It has the line afterwards in any case. */
static inline bool look_up(const struct level *level, uint64_t line)
{
    uint64_t index = level->masked ? line & (level->sets - 1) : line % level->sets;
    uint64_t *set = level->tags + index * level->ways;
    return set[0] == line + 1 || move_to_front(set, level->ways, line + 1);
}

/* Asks a level after the first one for some bytes. */
static void ask(const struct level *level, uint64_t address, uint64_t size, unsigned kind, uint64_t *count)
{
    uint64_t line = address >> level->shift;
    for (uint64_t left = lines_of(level, address, size); left > 0; left--, line++) {
        count[level->counter + kind]++;
        if (look_up(level, line))
            continue;
        count[level->counter + KINDS + kind]++;
        if (level->next != NULL)
            ask(level->next, line << level->shift, line_size(level), kind, count);
    }
}

/* Asks a first level for lines; true if it missed one of them. */
static bool ask_first(const struct level *level, uint64_t line, uint64_t lines, unsigned kind,
                      uint64_t *count)
{
    bool missed = false;
    for (; lines > 0; lines--, line++) {
        if (level->ways != 0 && look_up(level, line))
            continue;
        missed = level->ways != 0;
        if (level->next != NULL)
            ask(level->next, line << level->shift, line_size(level), kind, count);
    }
    return missed;
}

static void data_lines(struct cache_model *model, uint64_t address, unsigned size, unsigned kind, bool part,
                       uint64_t *count)
{
    const struct level *level = &model->level[CACHE_L1D];
    uint64_t line = address >> level->shift, lines = lines_of(level, address, size);
    /* The number of pieces in which an access comes must not show: without a first level neither. */
    bool asked = part && line == model->end;
    model->end = line + lines - 1;
    if (level->ways != 0)
        model->data = model->end;
    if (ask_first(level, line + asked, lines - asked, kind, count) && !model->missed) {
        model->missed = true;
        count[EMULATED_L1D_READ_MISSES + kind]++;
    }
}

void cache_data(struct cache_model *model, uint64_t address, unsigned size, bool store, bool part,
                uint64_t *count)
{
    const struct level *level = &model->level[CACHE_L1D];
    unsigned kind = store ? WRITE : READ;
    if (!part) {
        count[EMULATED_L1D_READS + kind] += level->ways != 0;
        model->missed = false;
    }
    if (address >> level->shift != model->data || line_offset(level, address) + size > line_size(level))
        data_lines(model, address, size, kind, part, count);
}

unsigned cache_data_line(const struct cache_model *model)
{
    return 1U << model->level[CACHE_L1D].shift;
}

/* Fetches an instruction that may leave the line of the one before it. Returns the bytes that its last line
 * has left. */
static uint64_t fetch_lines(struct cache_model *model, uint64_t address, unsigned size, uint64_t *count)
{
    const struct level *level = &model->level[CACHE_L1I];
    uint64_t line = address >> level->shift, lines = lines_of(level, address, size);
    count[EMULATED_L1I_MISSES] += ask_first(level, line, lines, FETCH, count);
    if (level->ways == 0)
        return 0;
    model->fetched = line + lines - 1;
    return lines * line_size(level) - line_offset(level, address) - size;
}

void cache_fetch(struct cache_model *model, uint64_t address, const uint8_t *length, unsigned n,
                 uint64_t *count)
{
    const struct level *level = &model->level[CACHE_L1I];
    if (level->ways != 0)
        count[EMULATED_L1I_FETCHES] += n;
    /* Fetches hit as long as they stay in one line, since nothing else changes L1I. */
    uint64_t left = 0;
    if (address >> level->shift == model->fetched)
        left = line_size(level) - line_offset(level, address);
    for (unsigned i = 0; i < n; i++) {
        left = length[i] <= left ? left - length[i] : fetch_lines(model, address, length[i], count);
        address += length[i];
    }
}

/* ---- making one */

static uint64_t tag_bytes(const struct cache_geometry *geometry)
{
    return geometry->size == 0 ? 0 : geometry->size / geometry->line * sizeof(uint64_t);
}

/* Bytes of the model; 0: one of the caches is not possible, or all together are too large to be addressed. */
static size_t model_size(const struct cache_geometry geometry[CACHES])
{
    uint64_t size = sizeof(struct cache_model) + 64;
    for (int i = 0; i < CACHES; i++) {
        if (geometry[i].size != 0 && cache_geometry_fault(&geometry[i]) != NULL)
            return 0;
        size += tag_bytes(&geometry[i]) + 64;
    }
    return size <= SIZE_MAX ? (size_t)size : 0;
}

static void make_level(struct level *level, const struct cache_geometry *geometry, void *tags)
{
    level->tags = tags;
    level->ways = geometry->ways;
    level->shift = (unsigned)__builtin_ctz(geometry->line);
    level->sets = geometry->size / geometry->line / geometry->ways;
    level->masked = (level->sets & (level->sets - 1)) == 0;
}

/* Connects the levels, from the last one on: each needs to know the next that there is. Both first levels
 * have the same. */
static void connect(struct level level[CACHES])
{
    const struct level *next = NULL;
    for (int i = CACHES - 1; i >= 0; i--) {
        level[i].next = next;
        if (level[i].ways == 0)
            level[i].shift = next != NULL ? next->shift : 6;
        else if (i >= CACHE_L2)
            next = &level[i];
    }
    level[CACHE_L2].counter = EMULATED_L2_READS;
    level[CACHE_L3].counter = EMULATED_L3_READS;
}

/* Creates the model in one mapping of its own, not from the heap: that would clear what it has had before,
 * which costs a large cache's memory at once. For the same reason no huge pages. */
struct cache_model *cache_create(const struct cache_geometry geometry[CACHES])
{
    size_t size = model_size(geometry);
    if (size == 0)
        return NULL;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size, MADV_NOHUGEPAGE);
    struct cache_model *model = memory;
    model->size = size;
    model->data = model->fetched = model->end = NO_LINE;
    uint64_t at = sizeof *model;
    for (int i = 0; i < CACHES; i++) {
        at = (at + 63) / 64 * 64; /* a set of eight ways is in one line of the real cache */
        if (geometry[i].size != 0)
            make_level(&model->level[i], &geometry[i], (char *)memory + at);
        at += tag_bytes(&geometry[i]);
    }
    connect(model->level);
    return model;
}

void cache_destroy(struct cache_model *model)
{
    if (model != NULL)
        munmap(model, model->size);
}
