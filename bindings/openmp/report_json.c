/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "base/json.h"

#include <unistd.h>

static void put_name(struct json *json, const struct result_name *name)
{
    json_string(json, "place", name->text);
    json_string(json, "routine", name->routine[0] != '\0' ? name->routine : NULL);
    json_string(json, "file", name->line > 0 ? name->file : NULL);
    if (name->line > 0)
        json_integer(json, "line", (long long)name->line);
    json_string(json, "object", name->object[0] != '\0' ? name->object : NULL);
    json_integer(json, "address", (long long)name->address);
}

/* A share that may not be known. */
static void put_share(struct json *json, const char *key, bool known, double value)
{
    if (known && value >= 0)
        json_number(json, key, value);
    else
        json_string(json, key, NULL);
}

static void put_thread(struct json *json, int number, const struct slot *slot,
                       const struct result_region *region)
{
    json_open(json, NULL, '{');
    json_integer(json, "number", number);
    json_integer(json, "calls", (long long)figure(&slot->calls));
    put_share(json, "useful_seconds", region->known, result_useful_of(slot));
    put_share(json, "barrier_seconds", region->known, (double)figure(&slot->barriers) * 1e-9);
    json_number(json, "lock_seconds", (double)figure(&slot->locks) * 1e-9);
    json_number(json, "measuring_seconds", (double)figure(&slot->prepared) * 1e-9);
    json_open(json, "counts", '{');
    bool counted = region->known && figure(&slot->uncounted) == 0 && counts_are_whole(&openmp.plan);
    for (int i = 0; i < openmp.plan.n && counted; i++)
        json_integer(json, openmp.plan.event[i].name, atomic_load(&slot->count[i]));
    json_close(json, '}');
    json_close(json, '}');
}

static void put_counts(struct json *json, const struct result *result, const struct result_region *region)
{
    json_open(json, "counts", '{');
    for (int i = 0; i < openmp.plan.n && region->counted; i++)
        json_integer(json, openmp.plan.event[i].name, region->count[i]);
    json_close(json, '}');
    json_open(json, "balance_of_counts", '{');
    for (int i = 0; i < openmp.plan.n && region->counted; i++)
        put_share(json, openmp.plan.event[i].name, true, region->count_balance[i]);
    json_close(json, '}');
    if (region->counted && result->instructions >= 0 && result->cycles >= 0)
        put_share(json, "ipc", region->count[result->cycles] > 0,
                  (double)region->count[result->instructions] / (double)region->count[result->cycles]);
}

static void put_region(struct json *json, const struct result *result, const struct result_region *region)
{
    json_open(json, NULL, '{');
    put_name(json, &region->name);
    json_integer(json, "calls", (long long)region->calls);
    json_integer(json, "nested_calls", (long long)region->nested);
    json_integer(json, "calls_by_one_thread", (long long)region->alone);
    json_integer(json, "threads", region->threads);
    json_number(json, "seconds", region->seconds);
    json_number(json, "thread_seconds", region->capacity);
    put_share(json, "useful_seconds", region->known, region->useful);
    put_share(json, "barrier_seconds", region->known, region->barriers);
    json_number(json, "lock_seconds", region->locks);
    put_share(json, "end_seconds", region->known, region->end);
    put_share(json, "overhead_seconds", region->known, region->overhead);
    json_number(json, "measuring_seconds", region->measuring);
    put_share(json, "load_balance", region->known, region->balance);
    put_share(json, "load_balance_of_sums", region->known, region->balance_of_sums);
    put_counts(json, result, region);
    json_open(json, "thread", '[');
    for (int number = 0; number < region->rows; number++) {
        const struct slot *slot = place_slot_there(region->place, number);
        if (slot != NULL && figure(&slot->calls) > 0)
            put_thread(json, number, slot, region);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_wait(struct json *json, const struct result_wait *wait)
{
    json_open(json, NULL, '{');
    json_string(json, "kind", wait_kind(wait->place->kind));
    put_name(json, &wait->name);
    json_string(json, "region", wait->region.text);
    json_integer(json, "waits", (long long)figure(&wait->place->waits));
    json_number(json, "seconds", wait->seconds);
    json_number(json, "longest_seconds", wait->most);
    json_close(json, '}');
}

void report_json(FILE *out, const struct result *result, const struct report_head *head)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_integer(&json, "papi_openmp", 1);
    json_string(&json, "program", head->program);
    json_integer(&json, "process", getpid());
    json_string(&json, "finding", result->finding);
    json_string(&json, "source", head->source);
    json_string(&json, "runtime", openmp.runtime[0] != '\0' ? openmp.runtime : NULL);
    json_number(&json, "seconds", result->seconds);
    put_share(&json, "parallel_seconds", true, result->parallel);
    json_integer(&json, "threads", result->threads);
    json_number(&json, "measuring_seconds", result->sampling);
    json_open(&json, "regions", '[');
    for (int i = 0; i < result->n_regions; i++)
        put_region(&json, result, &result->region[i]);
    json_close(&json, ']');
    json_open(&json, "waits", '[');
    for (int i = 0; i < result->n_waits; i++)
        put_wait(&json, &result->wait[i]);
    json_close(&json, ']');
    json_open(&json, "notes", '[');
    for (int i = 0; i < head->notes.n; i++)
        json_string(&json, NULL, head->notes.text[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', out);
}
