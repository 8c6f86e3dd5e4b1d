/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/sampler.h"

static int open_sampler(const char *event, long long period, int flags, int *sampler)
{
    int code = api_ready() ?: thread_register();
    code = code ?: api_not_null(event, "the event") ?: api_not_null(sampler, "sampler");
    if (code != PAPI_OK)
        return code;
    library_lock();
    code = sampler_open(event, period, flags, sampler, api_why());
    library_unlock();
    return code;
}

int PAPI_sample_open(const char *event, long long period, int flags, int *sampler)
{
    return api_result(open_sampler(event, period, flags, sampler));
}

static int find(int id, struct sampler **sampler)
{
    return api_ready() ?: sampler_find(id, sampler, api_why());
}

static int set_handler(int id, PAPI_sample_handler_t handler)
{
    struct sampler *sampler;
    int code = find(id, &sampler);
    if (code != PAPI_OK)
        return code;
    library_lock();
    code = sampler_handle(sampler, handler, api_why());
    library_unlock();
    return code;
}

int PAPI_sample_handler(int sampler, PAPI_sample_handler_t handler)
{
    return api_result(set_handler(sampler, handler));
}

int PAPI_sample_start(int id)
{
    struct sampler *sampler;
    return api_result(find(id, &sampler) ?: sampler_start(sampler, api_why()));
}

int PAPI_sample_stop(int id)
{
    struct sampler *sampler;
    return api_result(find(id, &sampler) ?: sampler_stop(sampler, api_why()));
}

static int check_room(const void *array, const int *n)
{
    int code = api_not_null(n, "n") ?: api_not_null(array, "the array");
    if (code == PAPI_OK && *n < 0)
        code = reason_set(api_why(), PAPI_EINVAL, "room for %d", *n);
    return code;
}

int PAPI_sample_read(int id, PAPI_sample_t *samples, int *n)
{
    struct sampler *sampler;
    return api_result(find(id, &sampler) ?: check_room(samples, n)
                          ?: sampler_read(sampler, samples, n, api_why()));
}

static int copy_branches(const struct sampler *sampler, PAPI_branch_t *branches, int *n)
{
    int room = *n;
    *n = sampler->n_branches;
    if (*n > room)
        return reason_set(api_why(), PAPI_EBUF, "%d branches, and room for %d", *n, room);
    for (int i = 0; i < *n; i++)
        branches[i] = sampler->branch[i];
    return PAPI_OK;
}

int PAPI_sample_branches(int id, PAPI_branch_t *branches, int *n)
{
    struct sampler *sampler;
    return api_result(find(id, &sampler) ?: check_room(branches, n) ?: copy_branches(sampler, branches, n));
}

static int get_lost(int id, long long *lost)
{
    struct sampler *sampler;
    bool more;
    uint64_t throttled;
    int code = find(id, &sampler) ?: api_not_null(lost, "lost");
    if (code == PAPI_OK)
        *lost = (long long)sampler->source->ops->lost(sampler->source, &more, &throttled);
    return code;
}

int PAPI_sample_lost(int sampler, long long *lost)
{
    return api_result(get_lost(sampler, lost));
}

/* Closes a sampler, of before a fork, too. */
static int close_sampler(int id)
{
    struct sampler *sampler = NULL;
    int code = find(id, &sampler);
    if (code == PAPI_ECLOST) {
        library_lock();
        samplers_drop_lost(id);
        library_unlock();
        return PAPI_OK;
    }
    if (code != PAPI_OK)
        return code;
    library_lock();
    code = sampler_close(sampler, api_why());
    library_unlock();
    return code;
}

int PAPI_sample_close(int *sampler)
{
    int code = api_not_null(sampler, "sampler") ?: close_sampler(*sampler);
    if (code == PAPI_OK)
        *sampler = PAPI_NULL;
    return api_result(code);
}
