/* SPDX-License-Identifier: BSD-3-Clause */
#include "finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Below these parts nothing is named as the cause. */
static const double little = 0.05, much_alone = 0.2, even = 0.95;

static __attribute__((format(printf, 2, 3))) void say(struct result *result, const char *format, ...)
{
    size_t used = strlen(result->finding);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->finding + used, sizeof result->finding - used, format, arguments);
    va_end(arguments);
}

/* ---- the region that loses most */

static const char at_end[] = "at its end";

/* What the threads of a region lose, and where. */
struct part {
    double seconds;
    const struct result_wait *wait; /* NULL: words say it */
    const char *words;
};
enum { MOST_PARTS = 3 };

static void insert(struct part *part, struct part one)
{
    for (int i = 0; i < MOST_PARTS; i++)
        if (one.seconds > part[i].seconds) {
            struct part other = part[i];
            part[i] = one;
            one = other;
        }
}

static void find_parts(const struct result *result, const struct result_region *region, struct part *part)
{
    bool around = atomic_load(&region->place->around) != 0;
    insert(part, (struct part){region->end, NULL, at_end});
    insert(part, (struct part){region->overhead, NULL,
                               around ? "in regions inside of it, and to start and end it"
                                      : "to start and end it"});
    for (int i = 0; i < result->n_waits; i++)
        if (result->wait[i].place->region == region->place)
            insert(part, (struct part){result->wait[i].seconds, &result->wait[i], NULL});
}

static void say_part(struct result *result, const struct result_region *region, const struct part *part)
{
    static const char *const words[] = {[PLACE_BARRIER] = "at the barrier at",
                                        [PLACE_TASKS] = "waiting for tasks at",
                                        [PLACE_LOCK] = "waiting for others to leave what is locked at"};
    char text[TIME_TEXT];
    say(result, "%s ", result_time(text, part->seconds));
    if (part->wait == NULL)
        say(result, "%s", part->words);
    else if (part->wait->name.line > 0 && part->wait->name.line == region->name.line)
        say(result, "%s the same line", words[part->wait->place->kind]);
    else
        say(result, "%s %s", words[part->wait->place->kind], part->wait->name.text);
}

/* Says which thread of a region works longest, or how long one execution takes. */
static void say_end(struct result *result, const struct result_region *region, const struct part *part)
{
    char each[TIME_TEXT];
    if (part->words != at_end)
        say(result, "; %llu execution%s of %s", (unsigned long long)region->calls,
            region->calls > 1 ? "s" : "", result_time(each, region->seconds / (double)region->calls));
    else if (region->balance_of_sums >= 0 && region->balance_of_sums < even)
        say(result, "; thread %d has most to do, %.2f times the mean of %d threads", region->most,
            region->most_ratio, region->threads);
    else if (region->balance >= 0 && region->balance < even && region->calls > 1)
        say(result, "; the thread that has most to do is another one from call to call");
}

static double loss_of(const struct result_region *region)
{
    return region->sum_capacity - region->sum_useful;
}

static void say_place(struct result *result, double lost)
{
    const struct result_region *region = &result->region[0];
    struct part part[MOST_PARTS] = {{0}};
    char own[TIME_TEXT], all[TIME_TEXT];
    for (int i = 1; i < result->n_regions; i++)
        if (loss_of(&result->region[i]) > loss_of(region))
            region = &result->region[i];
    double loss = loss_of(region);
    result->worst = region;
    find_parts(result, region, part);
    say(result, "; most is lost in the region at %s, %s of %s of threads: ", region->name.text,
        result_time(own, loss), result_time(all, lost));
    for (int i = 0;
         i < MOST_PARTS && part[i].seconds > 0 && (i == 0 || part[i].seconds > part[0].seconds / 4); i++) {
        say(result, "%s", i > 0 ? ", " : "");
        say_part(result, region, &part[i]);
    }
    if (part[0].wait == NULL && region->locks < part[0].seconds / 2)
        say_end(result, region, &part[0]);
}

/* ---- */

/* The seconds of threads that wait outside of parallel regions for the first one; 0: not known. */
static double lost_outside(const struct result *result)
{
    double outside = result->parallel < 0 ? 0 : result->seconds - result->parallel;
    return outside > much_alone * result->seconds ? outside * (result->threads - 1) : 0;
}

static void say_outside(struct result *result)
{
    char part[TIME_TEXT], whole[TIME_TEXT];
    double outside = result->seconds - result->parallel;
    say(result,
        "%.0f %% of the time, %s of %s, is outside of parallel regions, where OpenMP has one thread of %d "
        "(papi_profile shows its lines); inside, ",
        100 * outside / result->seconds, result_time(part, outside), result_time(whole, result->seconds),
        result->threads);
}

static void find_loss(struct result *result)
{
    double lost = result->capacity - result->useful;
    if (lost_outside(result) > lost)
        say_outside(result);
    say(result, "the threads of parallel regions work %.0f %% of the time",
        100 * result->useful / result->capacity);
    if (lost >= little * result->capacity)
        say_place(result, lost);
}

/* The most that counts of a region's threads are away from even, as a part of all counts of the event. */
static double away(const struct result *result, const struct result_region *region)
{
    double balance = region->count_balance[0], all = 0;
    for (int i = 0; i < result->n_regions; i++)
        all += (double)result->region[i].count[0];
    return balance > 0 && region->counted ? (double)region->count[0] * (1 / balance - 1) / all : 0;
}

static void find_uneven(struct result *result)
{
    const struct result_region *worst = &result->region[0];
    for (int i = 1; i < result->n_regions; i++)
        if (away(result, &result->region[i]) > away(result, worst))
            worst = &result->region[i];
    result->worst = worst;
    say(result, "times are the emulator's, and counts alone the program's; ");
    if (openmp.plan.n == 0 || away(result, worst) <= 0)
        say(result, "these are even in all parallel regions, or there are none");
    else
        say(result, "by %s, the region at %s is the least even: mean / most of its %d threads is %.2f",
            openmp.plan.event[0].name, worst->name.text, worst->threads, worst->count_balance[0]);
}

void finding_make(struct result *result)
{
    result->finding[0] = '\0';
    if (result->n_regions == 0)
        say(result, "no parallel region has ended: nothing is known of its threads");
    else if (result->threads <= 1)
        say(result,
            "all parallel regions ran with one thread: OMP_NUM_THREADS, or the processors that it may use");
    else if (openmp.plan.emulated)
        find_uneven(result);
    else if (result->capacity <= 0)
        say(result,
            "how long threads work is not known: in all parallel regions they may run tasks, or regions "
            "are inside of others");
    else
        find_loss(result);
    if (result->finding[0] >= 'a' && result->finding[0] <= 'z')
        result->finding[0] = (char)(result->finding[0] - 'a' + 'A');
}
