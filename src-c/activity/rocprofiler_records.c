/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records and callbacks of AMD's rocprofiler-sdk, as far as they are known: a record is used where its sizes,
 * its kind, its devices and its times agree.
 */
#include "activity/rocprofiler_activity.h"

#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

enum { TRACING = 1 }; /* the category of a record */

struct header {
    uint32_t category, kind;
    const char *record;
};

uint64_t rocp_now(void)
{
    uint64_t ns = 0;
    rocprofiler()->call.timestamp(&ns);
    return ns;
}

static uint64_t word_at(const char *of, size_t place)
{
    uint64_t word;
    memcpy(&word, of + place, sizeof word);
    return word;
}

/* ---- agents */

/* The place of an agent; -1: there is none of this number, so that it is another thing. */
static int agent_of(uint64_t id)
{
    for (int i = 0; i < rocprofiler()->n_agents; i++)
        if (rocprofiler()->agent[i].id == id)
            return i;
    return -1;
}

/* The number of a device; -1: the agent is none. */
static int device_of(uint64_t id)
{
    int agent = agent_of(id);
    return agent >= 0 ? rocprofiler()->agent[agent].device : -1;
}

int rocp_note_agents(int version, const void **agents, size_t n, void *data)
{
    struct rocprofiler *of = data;
    (void)version;
    for (size_t i = 0; i < n && of->n_agents < ROCP_AGENTS; i++) {
        const struct rocp_agent *agent = agents[i];
        bool device = agent->type == ROCP_AGENT_GPU && of->n_devices < ACTIVITY_DEVICES;
        of->agent[of->n_agents].id = agent->id.handle;
        of->agent[of->n_agents++].device = device ? of->n_devices++ : -1;
    }
    return ROCP_SUCCESS;
}

/* ---- kernels' names */

static void note_symbol(uint64_t number, const char *name)
{
    enum { MOST = 1 << 20 };
    struct rocprofiler *of = rocprofiler();
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".kd") == 0) /* the descriptor of the kernel */
        length -= 3;
    if (number >= MOST)
        return;
    pthread_mutex_lock(&of->lock);
    if (number >= of->n_symbols) {
        size_t n = number + 64;
        char **grown = realloc(of->symbol, n * sizeof *grown);
        if (grown != NULL) {
            memset(grown + of->n_symbols, 0, (n - of->n_symbols) * sizeof *grown);
            of->symbol = grown;
            of->n_symbols = n;
        }
    }
    if (number < of->n_symbols && of->symbol[number] == NULL)
        of->symbol[number] = strndup(name, length);
    pthread_mutex_unlock(&of->lock);
}

static const char *symbol_of(uint64_t number)
{
    struct rocprofiler *of = rocprofiler();
    pthread_mutex_lock(&of->lock);
    const char *name = number < of->n_symbols ? of->symbol[number] : NULL;
    pthread_mutex_unlock(&of->lock);
    return name != NULL ? name : "";
}

/* ---- records */

/* The number of bytes that identify a call in a record, 16 or 24; 0: the record has neither layout. A
 * kernel's ends with a structure that has its own size, a copy's has one of few sizes. */
static size_t identity_of_kernel(const char *record)
{
    size_t found = 0, size = word_at(record, 0);
    for (size_t identity = 16; identity <= 24; identity += 8) {
        size_t before = 40 + identity;
        if (size >= before + 80 && word_at(record, before) == size - before &&
            device_of(word_at(record, before + 8)) >= 0)
            found = found == 0 ? identity : SIZE_MAX;
    }
    return found == SIZE_MAX ? 0 : found;
}

static size_t identity_of_copy(const char *record)
{
    size_t size = word_at(record, 0), identity = size == 80 || size == 96    ? 16
                                                 : size == 88 || size == 104 ? 24
                                                                             : 0;
    bool agents = identity != 0 && agent_of(word_at(record, 40 + identity)) >= 0 &&
                  agent_of(word_at(record, 48 + identity)) >= 0;
    return agents ? identity : 0;
}

/* True for times between the begin of recording and now, or a begin without an end. */
static bool are_times(uint64_t begin, uint64_t end)
{
    return begin + 60 * SECOND >= rocprofiler()->begun && begin <= rocp_now() + SECOND &&
           (end == 0 || (end >= begin && end <= rocp_now() + SECOND));
}

static void take(const char *record, size_t identity, struct device_work work)
{
    work.begin = word_at(record, 24 + identity);
    work.end = word_at(record, 32 + identity);
    work.launch = word_at(record, 16);
    if (!are_times(work.begin, work.end)) {
        rocprofiler()->unknown = true;
        return;
    }
    rocprofiler()->recorded[work.device]++;
    activity_record(ACTIVITY_AMD, &work);
}

static void take_kernel(const char *record)
{
    size_t identity = identity_of_kernel(record);
    if (identity == 0) {
        rocprofiler()->unknown = true;
        return;
    }
    take(record, identity,
         (struct device_work){.device = device_of(word_at(record, 48 + identity)),
                              .kind = WORK_KERNEL,
                              .name = symbol_of(word_at(record, 64 + identity))});
}

/* A copy is of the device that gets it, or else of that which it is from. */
static int device_of_copy(uint64_t to, uint64_t from)
{
    return device_of(to) >= 0 ? device_of(to) : device_of(from);
}

static void take_copy(const char *record)
{
    size_t identity = identity_of_copy(record);
    uint32_t operation = (uint32_t)(word_at(record, 8) >> 32);
    if (identity == 0 || operation >= ROCP_KINDS) {
        rocprofiler()->unknown = true;
        return;
    }
    uint64_t to = word_at(record, 40 + identity), from = word_at(record, 48 + identity);
    int device = device_of_copy(to, from);
    enum device_work_kind kind = rocprofiler()->direction[operation];
    if (kind == WORK_COPY_ON && to != from)
        kind = WORK_COPY_OVER;
    if (device >= 0) /* else it is between memories of the host, by no device */
        take(record, identity,
             (struct device_work){
                 .device = device, .kind = kind, .name = "", .bytes = word_at(record, 56 + identity)});
}

void rocp_take_buffer(struct rocp_handle context, struct rocp_handle buffer, void **headers, size_t n,
                      void *data, uint64_t dropped)
{
    struct rocprofiler *of = rocprofiler();
    (void)context, (void)buffer, (void)data;
    of->n_dropped += dropped;
    for (size_t i = 0; i < n; i++) {
        const struct header *header = headers[i];
        uint32_t kind = (uint32_t)word_at(header->record, 8);
        if (header->category != TRACING || kind != header->kind)
            of->unknown = true;
        else if ((int)kind == of->kernel_kind)
            take_kernel(header->record);
        else if ((int)kind == of->copy_kind)
            take_copy(header->record);
    }
}

/* ---- calls */

static void around_hip(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    bool launches = operation < ROCP_OPERATIONS && rocprofiler()->launches[operation];
    (void)data;
    if (phase == ROCP_PHASE_ENTER)
        activity_enter(ACTIVITY_AMD, launches ? number : 0);
    else if (phase == ROCP_PHASE_EXIT)
        activity_leave();
}

/* Takes the name of a kernel whose code is loaded. */
static void around_code(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    enum { SMALLEST = 72 };
    (void)number;
    if ((int)operation != rocprofiler()->symbol_operation || phase != ROCP_PHASE_ENTER || data == NULL)
        return;
    const char *name = (const char *)(uintptr_t)word_at(data, 24);
    if (word_at(data, 0) >= SMALLEST && name != NULL)
        note_symbol(word_at(data, 8), name);
}

static void count_launch(int device)
{
    if (device >= 0)
        rocprofiler()->launched[device]++;
}

/* Counts what is begun: the records that have not come when all is over are of what has not ended. */
static void around_kernel(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    (void)number;
    if ((int)operation == rocprofiler()->enqueue_operation && phase == ROCP_PHASE_ENTER && data != NULL &&
        word_at(data, 0) >= 64 && word_at(data, 24) == word_at(data, 0) - 24)
        count_launch(device_of(word_at(data, 32)));
}

static void around_copy(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    (void)operation, (void)number;
    if (phase == ROCP_PHASE_ENTER && data != NULL && word_at(data, 0) >= 48)
        count_launch(device_of_copy(word_at(data, 24), word_at(data, 32)));
}

/* Finds where a call's kind and phase are: they are one word later where its identity has one more. Kinds are
 * greater than phases, so that both cannot hold. */
void rocp_around_call(struct rocp_call call, void *user_data, void *data)
{
    static void (*const around[ROCP_CALL_KINDS])(uint32_t, uint32_t, uint64_t, const char *) = {
        around_hip, around_code, around_kernel, around_copy};
    int kind = (int)(intptr_t)data, number = rocprofiler()->kind_of_call[kind];
    (void)user_data;
    for (int i = 4; i <= 5; i++) {
        uint32_t phase = (uint32_t)call.word[i + 1];
        if ((int)(uint32_t)call.word[i] == number && phase <= ROCP_PHASE_EXIT) {
            around[kind]((uint32_t)(call.word[i] >> 32), phase, call.word[2],
                         (const char *)(uintptr_t)call.word[i + 2]);
            return;
        }
    }
    rocprofiler()->unknown = true;
}
