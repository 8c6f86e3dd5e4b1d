/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of libpcp.so.3, as pmapi.h declares it. What pmcd would answer is what a test
 * sets.
 */
#include "pcp_double.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE struct pcp_double pcp_double = {.real = 1.5F};

enum {
    NONE = -1,
    CPUS = 5,
    TYPES = 6,
    COUNTER = 1,
    INSTANT = 3,
    FIRST_OF_MANY = 1000,
    IN_PLACE = 0,
    BY_POINTER = 1
};
enum { T_32, T_U32, T_64, T_U64, T_FLOAT, T_DOUBLE, T_STRING, T_AGGREGATE };
enum { KBYTES = 1, UNENDING = 2 };
enum { U32, I32, U64, I64, REAL, JOULES, STRING, AGGREGATE, CPU, I32_COUNTER, OF_A_PROCESS, TOO_LONG, USUAL };

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct {
    const char *name;
    int type, domain, semantics;
    unsigned units;
} metrics[USUAL] = {
    [U32] = {"test.u32", T_U32, NONE, COUNTER, 0},
    [I32] = {"test.i32", T_32, NONE, INSTANT, 0},
    [U64] = {"test.u64", T_U64, NONE, COUNTER, KBYTES},
    [I64] = {"test.i64", T_64, NONE, INSTANT, UNENDING},
    [REAL] = {"test.real", T_FLOAT, NONE, INSTANT, 0},
    [JOULES] = {"test.joules", T_DOUBLE, NONE, COUNTER, 0},
    [STRING] = {"test.string", T_STRING, NONE, INSTANT, 0},
    [AGGREGATE] = {"test.aggregate", T_AGGREGATE, NONE, INSTANT, 0},
    [CPU] = {"test.cpu", T_U64, CPUS, COUNTER, 0},
    [I32_COUNTER] = {"test.i32_counter", T_32, NONE, COUNTER, 0},
    [OF_A_PROCESS] = {"proc.nprocs", T_U32, NONE, INSTANT, 0},
    [TOO_LONG] = {"test." HUNDRED TEN TEN, T_U32, NONE, INSTANT, 0},
};

VISIBLE int pmNewContext(int type, const char *host);
VISIBLE int pmNewContext(int type, const char *host)
{
    if (type != 1 || strcmp(host, "local:") != 0)
        return -12370;
    signal(SIGPIPE, SIG_IGN); /* as the real one does */
    pcp_double.contexts += pcp_double.context_result >= 0;
    return pcp_double.context_result < 0 ? pcp_double.context_result : 3;
}

VISIBLE int pmUseContext(int context);
VISIBLE int pmUseContext(int context)
{
    return context == 3 ? 0 : -12376;
}

VISIBLE int pmReconnectContext(int context);
VISIBLE int pmReconnectContext(int context)
{
    return pcp_double.reconnect_result < 0 ? pcp_double.reconnect_result : context;
}

VISIBLE int pmDestroyContext(int context);
VISIBLE int pmDestroyContext(int context)
{
    pcp_double.contexts--;
    return pmUseContext(context);
}

VISIBLE int pmTraversePMNS_r(const char *below, void (*visit)(const char *, void *), void *context);
VISIBLE int pmTraversePMNS_r(const char *below, void (*visit)(const char *, void *), void *context)
{
    char name[64];
    (void)below;
    for (int i = 0; i < USUAL; i++)
        visit(metrics[i].name, context);
    for (int i = 0; i < pcp_double.many; i++) {
        snprintf(name, sizeof name, "many.n%d", i);
        visit(name, context);
    }
    return USUAL + pcp_double.many;
}

static int number_of(const char *name)
{
    for (int i = 0; i < USUAL; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return i;
    return FIRST_OF_MANY + atoi(name + strlen("many.n"));
}

VISIBLE int pmLookupName(int n, const char **name, int *metric);
VISIBLE int pmLookupName(int n, const char **name, int *metric)
{
    for (int i = 0; i < n; i++)
        metric[i] = number_of(name[i]);
    return n;
}

struct description {
    int metric, type, domain, semantics;
    unsigned units;
};

VISIBLE int pmLookupDesc(int metric, struct description *out);
VISIBLE int pmLookupDesc(int metric, struct description *out)
{
    *out = (struct description){metric, T_U32, NONE, INSTANT, 0};
    if (metric < USUAL)
        *out = (struct description){metric, metrics[metric].type, metrics[metric].domain,
                                    metrics[metric].semantics, metrics[metric].units};
    return 0;
}

/* Texts and pointers in one piece of memory, as pmGetInDom gives them. */
VISIBLE int pmGetInDom(int domain, int **instance, char ***name);
VISIBLE int pmGetInDom(int domain, int **instance, char ***name)
{
    static const char *const names[] = {"cpu0", "a b", "a,b"};
    if (domain != CPUS)
        return -12359;
    int *numbers = malloc(3 * sizeof *numbers);
    char **all = malloc(3 * sizeof *all + 3 * 8), *text = (char *)(all + 3);
    for (int i = 0; i < 3; i++) {
        numbers[i] = 10 * i;
        all[i] = strcpy(text + (size_t)i * 8, names[i]);
    }
    *instance = numbers;
    *name = all;
    return 3;
}

VISIBLE int pmLookupText(int metric, int level, char **text);
VISIBLE int pmLookupText(int metric, int level, char **text)
{
    if (metric == I32)
        return -12349;
    *text = strdup(level == 1 ? "a line of help" : "?");
    return 0;
}

VISIBLE char *pmUnitsStr_r(const unsigned *units, char *out, int size);
VISIBLE char *pmUnitsStr_r(const unsigned *units, char *out, int size)
{
    if (*units == UNENDING)
        return memset(out, 'u', (size_t)size);
    snprintf(out, (size_t)size, "%s", *units == KBYTES ? "Kbyte" : "none");
    return out;
}

struct value {
    int instance;
    union {
        unsigned *block;
        int whole;
    } at;
};
struct values {
    int metric, n, format;
    struct value value[];
};
struct result {
    struct timeval time;
    int n;
    struct values *values[];
};

static unsigned *block_of(int type, const void *number, unsigned size)
{
    unsigned *block = malloc(4 + 8);
    unsigned length = pcp_double.short_block ? size : 4 + size;
    block[0] = length | (unsigned)(pcp_double.wrong_type ? T_STRING : type) << 24;
    memcpy(block + 1, number, size);
    return block;
}

static struct values *wide(int metric, const void *number, unsigned size)
{
    struct values *values = malloc(sizeof *values + sizeof(struct value));
    *values = (struct values){metric, 1, BY_POINTER};
    values->value[0] = (struct value){NONE, {.block = block_of(metrics[metric].type, number, size)}};
    return values;
}

static struct values *narrow(int metric, int number)
{
    struct values *values = malloc(sizeof *values + sizeof(struct value));
    *values = (struct values){metric, 1, IN_PLACE};
    values->value[0] = (struct value){NONE, {.whole = number}};
    return values;
}

/* Values in another order than that of the list of instances. */
static struct values *of_cpus(void)
{
    struct values *values = malloc(sizeof *values + 3 * sizeof(struct value));
    *values = (struct values){CPU, 0, BY_POINTER};
    for (int i = 2; i >= (pcp_double.cpu0_gone ? 1 : 0); i--)
        values->value[values->n++] =
            (struct value){10 * i, {.block = block_of(T_U64, &pcp_double.cpu[i], 8)}};
    return values;
}

static struct values *without_value(int metric, int n)
{
    struct values *values = malloc(sizeof *values);
    *values = (struct values){metric, n, IN_PLACE};
    return values;
}

static struct values *values_of(int metric)
{
    if (pcp_double.metric_result < 0 || pcp_double.no_value)
        return without_value(metric, pcp_double.metric_result);
    switch (metric) {
    case U32:
        return narrow(metric, (int)pcp_double.u32);
    case I32:
        return narrow(metric, pcp_double.i32);
    case I32_COUNTER:
        return narrow(metric, pcp_double.i32_counter);
    case U64:
        return wide(metric, &pcp_double.u64, 8);
    case I64:
        return wide(metric, &pcp_double.i64, 8);
    case REAL:
        return wide(metric, &pcp_double.real, 4);
    case JOULES:
        return wide(metric, &pcp_double.joules, 8);
    case CPU:
        return of_cpus();
    default:
        return narrow(metric, metric);
    }
}

/* Stands for a call that no other one of the same thread could pass: the library has locks. */
static void work(void)
{
    volatile int turns = 0;
    pcp_double.within += __atomic_fetch_add(&pcp_double.at_work, 1, __ATOMIC_RELAXED) > 0;
    while (turns < 200)
        turns = turns + 1;
    __atomic_fetch_sub(&pcp_double.at_work, 1, __ATOMIC_RELAXED);
}

VISIBLE int pmFetch(int n, const int *metric, struct result **out);
VISIBLE int pmFetch(int n, const int *metric, struct result **out)
{
    int code = pcp_double.fetch_result;
    work();
    pcp_double.fetches++;
    if (code < 0)
        return code;
    pcp_double.fetch_result = 0;
    struct result *result = malloc(sizeof *result + (size_t)n * sizeof *result->values);
    *result = (struct result){.n = n};
    for (int i = 0; i < n; i++) {
        result->values[i] = values_of(metric[i]);
        result->values[i]->metric += pcp_double.wrong_metric;
    }
    *out = result;
    return code;
}

VISIBLE void pmFreeResult(struct result *result);
VISIBLE void pmFreeResult(struct result *result)
{
    for (int i = 0; i < result->n; i++) {
        struct values *values = result->values[i];
        for (int k = 0; k < values->n && values->format == BY_POINTER; k++)
            free(values->value[k].at.block);
        free(values);
    }
    free(result);
}

VISIBLE char *pmErrStr_r(int error, char *out, int size);
VISIBLE char *pmErrStr_r(int error, char *out, int size)
{
    snprintf(out, (size_t)size, "error %d", error);
    return out;
}
