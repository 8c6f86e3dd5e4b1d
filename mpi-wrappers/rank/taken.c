/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All in integers: operations of floating point would be in the program's counts. Shares and likelihoods are
 * multiples of 1 / ONE.
 */
#include "rank/taken.h"

#include "rank/rank.h"

__extension__ typedef unsigned __int128 wide;

enum { BITS = 16, ONE = 1 << BITS };

/* Times in looks: of late is 2 ms of processor time; a piece's length is known to half a look, 25 us. */
enum { LATE = 40, STEPS = 2 };

/* Ticks from which on a piece of work is as long as any. */
static const uint64_t longest = (uint64_t)1 << 40;

static uint64_t look(void)
{
    return papi_mpi.look > 0 ? papi_mpi.look : 1;
}

void taken_begin(struct taken *taken)
{
    *taken = (struct taken){.cost = look(), .cut = ONE / 10};
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Makes all that was before count less by so many ticks that come. */
static void forget(struct taken *taken, uint64_t ticks)
{
    const int bits = 20;
    uint64_t all = LATE * look(), keep = (all << bits) / (all + ticks), half = (uint64_t)1 << (bits - 1);
    for (int i = 0; i < PIECES; i++)
        taken->piece[i] = (taken->piece[i] * keep + half) >> bits;
    taken->tests = (taken->tests * keep + half) >> bits;
}

static int place_of(uint64_t ticks)
{
    return (int)lesser(STEPS * ticks / look(), PIECES - 1);
}

void taken_worked(struct taken *taken, uint64_t ticks)
{
    ticks = lesser(ticks, longest);
    int place = place_of(ticks);
    forget(taken, ticks);
    uint64_t before = taken->piece[place], all = before + ticks;
    taken->piece[place] = all;
    if (place == PIECES - 1 && all > 0)
        taken->last_length = (uint64_t)(((wide)before * taken->last_length + (wide)ticks * ticks) / all);
}

void taken_tested(struct taken *taken, uint64_t ticks)
{
    ticks = lesser(ticks, longest);
    forget(taken, ticks);
    taken->tests += ticks;
}

/* ---- how likely it is */

/* The exponential function of times / ONE, as well as is needed here; in multiples of 1 / ONE, up to 2^31. */
static uint64_t growth(uint64_t times)
{
    const uint64_t most = (uint64_t)1 << 48;
    uint64_t part = ONE + lesser(times, most) / 32;
    for (int i = 0; i < 5; i++)
        part = lesser(part, (uint64_t)1 << 32) * lesser(part, (uint64_t)1 << 31) >> BITS;
    return part;
}

static uint64_t share(uint64_t part, uint64_t whole)
{
    return (part << BITS) / whole;
}

/* Ticks of a piece in a place. */
static uint64_t length_of(const struct taken *taken, int place)
{
    if (place < PIECES - 1)
        return (2 * (uint64_t)place + 1) * look() / (2 * STEPS);
    return taken->last_length;
}

/* Times as likely as for a processor that was taken from tests it is to find so many ticks, where it was
 * taken from a piece of work that goes on afterwards, or from one that ends at a certain time. What it costs
 * to lose a processor is assumed to be distributed as the sum of three random times. */
static uint64_t as_likely_whole(const struct taken *taken, uint64_t on, uint64_t piece)
{
    if (on <= piece)
        return 0;
    uint64_t part = share(on - piece, on);
    return (uint64_t)((wide)(part * part >> BITS) * growth(share(3 * piece, taken->cost)) >> BITS);
}

static uint64_t as_likely_cut(const struct taken *taken, uint64_t on, uint64_t piece)
{
    if (on >= piece)
        return 0;
    uint64_t times =
        lesser(share(on > taken->cost * 2 / 3 ? on : taken->cost * 2 / 3, taken->cost), (uint64_t)1 << 28);
    uint64_t squares = times * times >> BITS, divisor = squares * 27 / 2;
    return (uint64_t)((wide)share(taken->cost, piece) * growth(3 * times) / divisor);
}

/* The next pieces are the likelier cut short, the more the last ones were. */
static void learn_cut(struct taken *taken, uint64_t cut)
{
    taken->cut = (uint32_t)(((uint64_t)3 * taken->cut + cut) / 4);
}

/* The share of a part of the whole; of large ones as well as is needed. */
static uint64_t wide_share(wide part, wide whole)
{
    for (; whole >> 40 != 0; whole >>= 1)
        part >>= 1;
    return whole > 0 ? share((uint64_t)part, (uint64_t)whole) : 0;
}

/* A sixteenth of the way from what it cost until now, as far as the processor was taken from tests. */
static void learn_cost(struct taken *taken, uint64_t on, uint64_t from_tests)
{
    uint64_t least = look() / 10 + 1, by = from_tests * from_tests >> BITS;
    uint64_t distance = on > taken->cost ? on - taken->cost : taken->cost - on;
    uint64_t step = distance * by >> (BITS + 4);
    taken->cost = on > taken->cost ? taken->cost + step : taken->cost - step;
    if (taken->cost < least)
        taken->cost = least;
}

uint64_t taken_from_work(struct taken *taken, uint64_t on, uint64_t ticks)
{
    const uint64_t certain = ONE * 9 / 10;
    wide whole = 0, cut = 0;
    on = lesser(on, longest >> 8);
    for (int i = 0; i < PIECES; i++)
        if (taken->piece[i] > 0) {
            uint64_t piece = length_of(taken, i);
            whole += (wide)taken->piece[i] * (ONE - taken->cut) * as_likely_whole(taken, on, piece);
            cut += (wide)taken->piece[i] * taken->cut * as_likely_cut(taken, on, piece);
        }
    uint64_t from_work = wide_share(whole + cut, whole + cut + ((wide)taken->tests << (2 * BITS)));
    learn_cost(taken, on, ONE - from_work);
    if (from_work > certain)
        learn_cut(taken, wide_share(cut, whole + cut));
    return (uint64_t)((wide)ticks * from_work >> BITS);
}

void taken_certainly(struct taken *taken, uint64_t on)
{
    uint64_t all = 0, last = taken->piece[PIECES - 1];
    for (int i = 0; i < PIECES; i++)
        all += taken->piece[i];
    learn_cut(taken, last > all / 2 && on < length_of(taken, PIECES - 1) / 10 * 9 ? ONE : 0);
}
