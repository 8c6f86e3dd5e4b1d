/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/taken.h"

#include "rank/rank.h"

/* Times in looks: of late is 2 ms of processor time; a piece's length is known to 25 us. */
static const float late = 40, step = 0.5F, slowly = 0.0625F;

static float look(void)
{
    return (float)papi_mpi.look;
}

void taken_begin(struct taken *taken)
{
    *taken = (struct taken){.cost = look(), .cut = 0.1F};
}

/* Makes all that was before count less by so many ticks that come. */
static void forget(struct taken *taken, float ticks)
{
    float keep = late * look() / (late * look() + ticks);
    for (int i = 0; i < PIECES; i++)
        taken->piece[i] *= keep;
    taken->long_squares *= keep;
    taken->tests *= keep;
}

static int place_of(float ticks)
{
    float place = ticks / (step * look());
    return place < PIECES - 1 ? (int)place : PIECES - 1;
}

void taken_worked(struct taken *taken, uint64_t ticks)
{
    int place = place_of((float)ticks);
    forget(taken, (float)ticks);
    taken->piece[place] += (float)ticks;
    if (place == PIECES - 1)
        taken->long_squares += (float)ticks * (float)ticks;
}

void taken_tested(struct taken *taken, uint64_t ticks)
{
    forget(taken, (float)ticks);
    taken->tests += (float)ticks;
}

/* The exponential function of x from 0 on, as well as is needed here: without libm. */
static double growth(double x)
{
    double part = 1 + x / 32;
    for (int i = 0; i < 5; i++)
        part *= part;
    return part;
}

/* ---- how likely it is */

/* Ticks of a piece in a place. */
static double length_of(const struct taken *taken, int place)
{
    if (place < PIECES - 1)
        return ((double)place + 0.5) * step * look();
    return taken->piece[place] > 0 ? taken->long_squares / taken->piece[place] : 0;
}

/* Times as likely as for a processor that was taken from tests it is to find so many ticks, where it was
 * taken from a piece of work that goes on afterwards, or from one that ends at a certain time. What it costs
 * to lose a processor is assumed to be distributed as the sum of three random times. */
static double as_likely_whole(const struct taken *taken, double on, double piece)
{
    double part = (on - piece) / on;
    return on > piece ? part * part * growth(3 * piece / taken->cost) : 0;
}

static double as_likely_cut(const struct taken *taken, double on, double piece)
{
    double times = (on > taken->cost * 2 / 3 ? on : taken->cost * 2 / 3) / taken->cost;
    return on < piece ? taken->cost / piece * growth(3 * times) / (13.5 * times * times) : 0;
}

/* The next pieces are the likelier cut short, the more the last ones were. */
static void learn_cut(struct taken *taken, double cut)
{
    taken->cut += 4 * slowly * ((float)cut - taken->cut);
}

double taken_from_work(struct taken *taken, uint64_t on)
{
    const float least = 0.1F;
    const double certain = 0.9;
    double whole = 0, cut = 0, from_work, from_tests, cost;
    for (int i = 0; i < PIECES; i++)
        if (taken->piece[i] > 0) {
            double piece = length_of(taken, i);
            whole += taken->piece[i] * (1 - taken->cut) * as_likely_whole(taken, (double)on, piece);
            cut += taken->piece[i] * taken->cut * as_likely_cut(taken, (double)on, piece);
        }
    from_work = whole + cut > 0 ? (whole + cut) / (whole + cut + taken->tests) : 0;
    from_tests = 1 - from_work;
    cost = taken->cost + slowly * from_tests * from_tests * ((double)on - taken->cost);
    taken->cost = cost > least * look() ? (float)cost : least * look();
    if (from_work > certain)
        learn_cut(taken, cut / (whole + cut));
    return from_work;
}

void taken_certainly(struct taken *taken, uint64_t on)
{
    const double nearly = 0.9;
    float all = 0, longest = taken->piece[PIECES - 1];
    for (int i = 0; i < PIECES; i++)
        all += taken->piece[i];
    learn_cut(taken, longest > all / 2 && (double)on < nearly * length_of(taken, PIECES - 1));
}
