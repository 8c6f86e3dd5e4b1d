/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every preset of an x86-64 node counts what the codes of its native events say and its formula makes of
 * them.
 *
 * The node's events that are neither instructions nor cycles count every (2 + event % 16 + umask % 16)-th
 * instruction (x86-pmu.patch), so that a count shows which code was opened. What a preset must count follows
 * from libpfm4's encoding of the names that PAPI_get_event_info gives, and from the formula, which is
 * evaluated here.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <linux/perf_event.h>
#include <math.h>
#include <perfmon/pfmlib_perf_event.h>
#include <string.h>

enum { TURNS = 400000, AROUND = 1500 /* instructions beside the loop, at most */ };

static int is_amd;

/* The instructions for one count of an event's code: the node's own rule. */
static unsigned every(unsigned long long config)
{
    unsigned event = config & 0xff, umask = config >> 8 & 0xff;
    if (is_amd) {
        event |= config >> 24 & 0xf00;
        if (event == 0xc0 || event == 0x76)
            return 1;
    } else if (((event == 0xc0 || event == 0x3c) && umask <= 1) || event == 0) { /* 0: the fixed counters */
        return 1;
    }
    return 2 + event % 16 + umask % 16;
}

/* "cpu/event=0xa4,umask=0x02/" */
static int kernel_code(const char *name, unsigned long long *config)
{
    unsigned event, umask = 0;
    if (sscanf(name, "cpu/event=%x,umask=%x/", &event, &umask) < 1)
        return 0;
    *config = (event & 0xff) | umask << 8 | (unsigned long long)(event & 0xf00) << 24;
    return 1;
}

/* Counts of an event for each instruction, or 0 where its name does not say. */
static double rate(const char *name)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t encoding = {.attr = &attr, .size = sizeof encoding};
    unsigned long long config;
    if (strcmp(name, "perf::INSTRUCTIONS") == 0 || strcmp(name, "perf::CYCLES") == 0 ||
        strcmp(name, "perf::REF-CYCLES") == 0)
        return 1;
    if (kernel_code(name, &config))
        return 1.0 / every(config);
    if (pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &encoding) != PFM_SUCCESS ||
        attr.type != PERF_TYPE_RAW)
        return 0;
    return 1.0 / every(attr.config);
}

/* The formula "N0|2|*|N1|+|" over the events' rates. */
static double postfix(const char *formula, const double *of)
{
    double stack[32];
    int n = 0;
    char text[PAPI_2MAX_STR_LEN];
    snprintf(text, sizeof text, "%s", formula);
    for (char *part = strtok(text, "|"); part != NULL; part = strtok(NULL, "|")) {
        if (part[0] == 'N')
            stack[n++] = of[atoi(part + 1)];
        else if (strchr("+-*/", part[0]) == NULL || part[1] != '\0')
            stack[n++] = atof(part);
        else {
            double right = stack[--n], left = stack[--n];
            stack[n++] = part[0] == '+'   ? left + right
                         : part[0] == '-' ? left - right
                         : part[0] == '*' ? left * right
                                          : left / right;
        }
    }
    return stack[0];
}

/* Counts of a preset for each instruction; *size: of the largest part, which what is around the loop adds to.
 */
static double wanted_rate(const PAPI_event_info_t *info, const double *of, double *size)
{
    double result = of[0];
    *size = 0;
    for (unsigned i = 0; i < info->count; i++)
        *size += of[i];
    if (strcmp(info->derived, "DERIVED_ADD") == 0)
        return *size;
    if (strcmp(info->derived, "DERIVED_SUB") == 0)
        return 2 * of[0] - *size;
    if (strcmp(info->derived, "DERIVED_POSTFIX") == 0) {
        result = postfix(info->postfix, of);
        *size = fmax(*size, fabs(result));
    }
    return result;
}

static long long count_loop(int event)
{
    long long value = 0;
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_add_event(es, event));
    NEED(PAPI_start(es));
    counted_loop(TURNS);
    NEED(PAPI_stop(es, &value));
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    return value;
}

/* 1: counts as its codes say; 0: does not; -1: a part whose name has no code. */
static int is_true(const PAPI_event_info_t *info)
{
    const double loop = (double)TURNS * COUNTED_LOOP_LENGTH;
    double of[PAPI_MAX_INFO_TERMS] = {0}, size, wanted;
    for (unsigned i = 0; i < info->count; i++)
        if ((of[i] = rate(info->name[i])) == 0) {
            printf("  %s: no code of %s\n", info->symbol, info->name[i]);
            return -1;
        }
    wanted = wanted_rate(info, of, &size) * loop;
    double count = (double)count_loop((int)info->event_code);
    return fabs(count - wanted) <= size * AROUND + info->count + 1 ||
           node_check(0, "%s (%s %s of %s ...): %.0f, not %.0f", info->symbol, info->derived, info->postfix,
                      info->name[0], count, wanted);
}

int main(void)
{
    PAPI_event_info_t info;
    int event = (int)PAPI_PRESET_MASK, n = 0, right = 0, unknown = 0;
    node_init();
    is_amd = strcmp(PAPI_get_hardware_info()->vendor_string, "AuthenticAMD") == 0;
    node_check(pfm_initialize() == PFM_SUCCESS, "libpfm4 is there");
    for (int code = PAPI_enum_event(&event, PAPI_ENUM_FIRST); code == PAPI_OK;
         code = PAPI_enum_event(&event, PAPI_PRESET_ENUM_AVAIL)) {
        if (PAPI_query_event(event) != PAPI_OK || PAPI_get_event_info(event, &info) != PAPI_OK)
            continue;
        int held = is_true(&info);
        n++;
        right += held == 1;
        unknown += held < 0;
    }
    node_check(n > 40 && right + unknown == n && unknown <= 2, "%d of %d presets count as their codes say",
               right, n);
    return node_test_end();
}
