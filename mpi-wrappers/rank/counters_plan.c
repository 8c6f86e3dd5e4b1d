/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/counters_plan.h"
#include "base/reason.h"
#include "base/visible.h"
#include "papi.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the advice of a reason */

/* The advice at the end of a reason of the library's (base/reason.h) as a record has room for it: what would
 * count the event, without the program's name, which the report puts in (report/report_tail.c). */

/* The length of the words "--option ..." that a text begins with. */
static size_t options_length(const char *text)
{
    size_t n = 0;
    while (strncmp(text + n, "--", 2) == 0) {
        n += strcspn(text + n, " \"");
        n += strspn(text + n, " ");
    }
    return n > 0 && text[n - 1] == ' ' ? n - 1 : n;
}

/* Puts "; to have it counted here, papi_counted or papi_emulate --caches" into words, or what else the advice
 * is, or "". Returns how much of the reason stands before it. */
static size_t advice_words(const char *reason, char *words, size_t size)
{
    static const char run[] = "papi_emulate ";
    const char *advice = strstr(reason, ADVICE_BEGINS);
    words[0] = '\0';
    if (advice == NULL)
        return strlen(reason);
    const char *emulate = strstr(advice, run);
    const char *counted = strstr(advice, "papi_counted") != NULL ? "papi_counted" : "";
    const char *options = emulate != NULL ? emulate + strlen(run) : "";
    int n = (int)options_length(options);
    if (emulate != NULL)
        snprintf(words, size, ADVICE_BEGINS "%s%spapi_emulate%s%.*s", counted,
                 counted[0] != '\0' ? " or " : "", n > 0 ? " " : "", n, options);
    else
        snprintf(words, size, "%s%s", counted[0] != '\0' ? ADVICE_BEGINS : advice, counted);
    return (size_t)(advice - reason);
}

/* ---- the plan */

/* Counted where PAPI_EVENTS names none, the most useful first; of those with a common number the first
 * that there is. The processor's counters are few, and the program may want some: not more than these. */
enum { USUAL_ON_HARDWARE = 4, USUAL_EXACT = 10 };
static const struct usual {
    const char *name;
    int kind;
} usual[] = {{"PAPI_TOT_INS", 0}, {"PAPI_TOT_CYC", 1}, {"PAPI_DP_OPS", 2}, {"PAPI_FP_OPS", 2},
             {"PAPI_SP_OPS", 3},  {"PAPI_L3_TCM", 4},  {"PAPI_L2_TCM", 4}, {"PAPI_LD_INS", 5},
             {"PAPI_SR_INS", 6},  {"PAPI_BR_INS", 7},  {"PAPI_BR_MSP", 8}};
static const char *const kernel_events[] = {"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES",
                                            "perf::CPU-MIGRATIONS"};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

void plan_reason(struct rank_record *record, const char *format, ...)
{
    char text[sizeof record->counter_reason];
    va_list arguments;
    if (record->counter_reason[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    visible(record->counter_reason, sizeof record->counter_reason, text);
}

/* Puts the library's reason for not counting an event into the record, after the event's name ("" if the
 * reason has it). If there is no room, the reason is cut, and its advice is kept whole. */
static void reason_of_event(struct rank_record *record, const char *name, const char *reason)
{
    char words[128];
    const char *colon = name[0] != '\0' ? ": " : "";
    size_t length = advice_words(reason, words, sizeof words);
    size_t room = sizeof record->counter_reason - 1 - strlen(words) - strnlen(name, 60) - strlen(colon);
    bool cut = length > room;
    plan_reason(record, "%.60s%s%.*s%s%s", name, colon, (int)(cut ? room - 3 : length), reason,
                cut ? "..." : "", words);
}

/* The part of a message of the library behind the text of the error code. */
static const char *reason_alone(const char *text)
{
    const char *sentence = strstr(text, ": ");
    return sentence != NULL ? sentence + 2 : text;
}

/* ---- event sets */

void plan_destroy_set(int *es)
{
    if (*es == PAPI_NULL)
        return;
    PAPI_stop(*es, NULL);
    PAPI_cleanup_eventset(*es);
    PAPI_destroy_eventset(es);
    *es = PAPI_NULL;
}

/* Said in both cases: the program may have set the default of its event sets. */
static int set_inherit(int es, int inherited)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    option.inherit.inherit = inherited ? PAPI_INHERIT_ALL : PAPI_INHERIT_NONE;
    return PAPI_set_opt(PAPI_INHERIT, &option);
}

static int new_set(const struct plan_set *set, int inherited, int *es)
{
    int code;
    *es = PAPI_NULL;
    code = PAPI_create_eventset(es);
    if (code == PAPI_OK)
        code = PAPI_assign_eventset_component(*es, set->component);
    if (code == PAPI_OK && set->multiplexed)
        code = PAPI_set_multiplex(*es);
    if (code == PAPI_OK)
        code = set_inherit(*es, inherited);
    return code;
}

/* As new_set, with the set's events; on an error there is none. */
static int filled_set(const struct plan_set *set, const struct rank_record *record, unsigned long tid,
                      int inherited, int *es)
{
    int code = new_set(set, inherited, es);
    if (code == PAPI_OK && tid != 0)
        code = PAPI_attach(*es, tid);
    for (int i = 0; i < set->n && code == PAPI_OK; i++)
        code = PAPI_add_named_event(*es, record->counter_name[set->counter[i]]);
    if (code != PAPI_OK)
        plan_destroy_set(es);
    return code;
}

int plan_copy(const struct plan_set *set, const struct rank_record *record, unsigned long tid, int *es)
{
    return filled_set(set, record, tid, tid != 0 && set->inherited, es);
}

/* ---- the plan */

/* Compares numbers first, and asks whether it has counters: to describe a component takes the library
 * milliseconds. */
static int is_named(int component, const char *name)
{
    if (component < 0 || PAPI_get_component_index(name) != component || PAPI_num_cmp_hwctrs(component) == 0)
        return 0;
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    return info != NULL && info->disabled == 0;
}

static int is_emulated(int component)
{
    return is_named(component, "emulated");
}

/* The granularity that a component counts at, PAPI_GRN_THR if it does not tell. That of the kernel's counters
 * is known. */
static int granularity_of(int component)
{
    if (component == PAPI_get_component_index("perf_event"))
        return PAPI_GRN_THR;
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    return info != NULL ? info->default_granularity : PAPI_GRN_THR;
}

static struct plan_set *set_of(struct counters_plan *plan, int component, int *code)
{
    struct plan_set *set = plan->set;
    for (; set < plan->set + plan->n_sets; set++)
        if (set->component == component)
            return set;
    *code = PAPI_ECOUNT;
    if (plan->n_sets == MAX_SETS)
        return NULL;
    *set = (struct plan_set){.component = component, .es = PAPI_NULL};
    for (set->inherited = 1; (*code = new_set(set, set->inherited, &set->es)) != PAPI_OK;
         set->inherited = 0) {
        plan_destroy_set(&set->es); /* the component may not inherit: then the main thread alone is counted */
        if (!set->inherited)
            return NULL;
    }
    set->whole_program = is_emulated(component);
    set->of_program = is_named(component, "counted");
    set->of_threads = granularity_of(component) == PAPI_GRN_THR;
    plan->n_sets++;
    return set;
}

/* Makes the set anew with its events taking turns. 0, or -1 with the set as it was. */
static int multiplex(struct plan_set *set, const struct rank_record *record)
{
    struct plan_set other = *set;
    other.multiplexed = 1;
    if (set->multiplexed || filled_set(&other, record, 0, set->inherited, &other.es) != PAPI_OK)
        return -1;
    plan_destroy_set(&set->es);
    *set = other;
    return 0;
}

/* Enters an event into the record. set is the one that counts it; NULL: another rank of the node does. */
static void take_event(struct plan_set *set, struct rank_record *record, const char *name, int event)
{
    static const char clock[] = "-CLOCK", kernels[] = "perf::";
    int i = record->n_counters++;
    size_t n = strlen(name);
    PAPI_event_info_t info;
    if (set != NULL)
        set->counter[set->n++] = i;
    snprintf(record->counter_name[i], COUNTER_NAME, "%s", name);
    if (n >= sizeof clock && strcmp(name + n - (sizeof clock - 1), clock) == 0)
        snprintf(record->counter_units[i], sizeof record->counter_units[i], "ns");
    else if (strncmp(name, kernels, sizeof kernels - 1) !=
                 0 && /* for which libpfm4, which is slow, has none */
             PAPI_get_event_info(event, &info) == PAPI_OK)
        snprintf(record->counter_units[i], sizeof record->counter_units[i], "%.15s", info.units);
    record->multiplexed |= set != NULL && set->multiplexed;
    record->undivided |= (set == NULL || !set->of_threads ? 1u : 0) << i;
}

/* True if a component's events belong to the node, or to a job's control group on it: each of its ranks would
 * count the same. */
static bool is_of_node(int component)
{
    int granularity = granularity_of(component);
    return granularity == PAPI_GRN_SYS || granularity == PAPI_GRN_PROCG;
}

/* The reason why values of an event are not summed over ranks; NULL: they are, or it is not an event. The
 * difference over a run says nothing about a temperature, and real numbers come as their bits. */
static const char *not_summed(const char *name, char *text, size_t size)
{
    PAPI_event_info_t info;
    int event;
    if (PAPI_event_name_to_code(name, &event) != PAPI_OK || PAPI_get_event_info(event, &info) != PAPI_OK)
        return NULL;
    bool of_others = info.note[0] != '\0';
    snprintf(text, size, "its values are real numbers, and ranks count whole ones; %s%s%s",
             of_others ? "it is " : "PAPI_read in the program gives them", info.note,
             of_others ? ", which they count" : "");
    if (info.data_type == PAPI_DATATYPE_FP64)
        return text;
    if (info.value_type == PAPI_VALUETYPE_ABSOLUTE)
        return "it is a level, which has no sum over a run; regions and papi_command_line show it";
    return NULL;
}

/* Adds an event to the set of its component, or to a new one. Returns a code of PAPI's. */
static int add_event(struct counters_plan *plan, struct rank_record *record, const char *name,
                     int may_multiplex)
{
    struct plan_set *set = NULL;
    int event, component, code = PAPI_event_name_to_code(name, &event);

    if (code == PAPI_OK)
        code = PAPI_query_event(event);
    if (code != PAPI_OK)
        return code;
    component = PAPI_get_event_component(event);
    if (is_of_node(component))
        record->node_counters |= 1u << record->n_counters;
    if (is_of_node(component) && record->node_rank > 0) {
        take_event(NULL, record, name, event);
        return PAPI_OK;
    }
    set = set_of(plan, component, &code);
    if (set != NULL)
        code = PAPI_add_named_event(set->es, name);
    if (set != NULL && (code == PAPI_ECNFLCT || code == PAPI_ECOUNT) && may_multiplex &&
        multiplex(set, record) == 0)
        code = PAPI_add_named_event(set->es, name);
    if (code == PAPI_OK)
        take_event(set, record, name, event);
    else
        record->node_counters &= ~(1u << record->n_counters);
    return code;
}

/* ---- the list of the user's */

/* The commas of "cpu/event=0x3c,umask=0x0/" do not separate events. */
static size_t name_length(const char *list)
{
    int inside = 0;
    size_t n = 0;
    for (; list[n] != '\0' && (inside || list[n] != ','); n++)
        inside ^= list[n] == '/';
    return list[n] == '\0' && inside ? strcspn(list, ",") : n;
}

/* Trims the blanks around a name and "=delta" after it; "=instant" has no meaning for sums. */
static size_t trim(const char **name, size_t n)
{
    static const char *const modifiers[] = {"=delta", "=instant"};

    for (; n > 0 && isspace((unsigned char)**name); n--)
        ++*name;
    while (n > 0 && isspace((unsigned char)(*name)[n - 1]))
        n--;
    for (size_t i = 0; i < LENGTH(modifiers); i++) {
        size_t length = strlen(modifiers[i]);

        if (n > length && strncasecmp(*name + n - length, modifiers[i], length) == 0)
            return n - length;
    }
    return n;
}

static int is_listed(const struct rank_record *record, const char *name)
{
    for (int i = 0; i < record->n_counters; i++)
        if (strcmp(record->counter_name[i], name) == 0)
            return 1;
    return 0;
}

static void leave_out(struct settings *settings, struct rank_record *record, const char *name,
                      const char *reason)
{
    char words[128];
    int length = (int)advice_words(reason, words, sizeof words);
    settings_complain(settings, "PAPI_EVENTS: %.100s is not counted: %.*s", name, length < 250 ? length : 250,
                      reason);
    reason_of_event(record, name, reason);
}

/* A list of events, and where each of them goes. */
struct listing {
    struct counters_plan *plan;
    struct settings *settings;
    struct rank_record *record;
};

static void add_one(const struct listing *to, const char *name)
{
    const char *reason = NULL;
    char text[256];
    int code;
    if (to->record->n_counters == MAX_COUNTERS)
        reason = "a rank has room for 12 counters";
    else if ((reason = not_summed(name, text, sizeof text)) == NULL &&
             (code = add_event(to->plan, to->record, name, 1)) != PAPI_OK)
        reason = reason_alone(PAPI_strerror(code));
    if (reason != NULL)
        leave_out(to->settings, to->record, name, reason);
}

static int add_needed(void *context, const char *name)
{
    const struct listing *to = context;
    if (strlen(name) >= COUNTER_NAME)
        leave_out(to->settings, to->record, name, "its name is too long");
    else if (!is_listed(to->record, name))
        add_one(to, name);
    return PAPI_OK;
}

/* Adds the events that a metric by name ("@flops") needs, and its formula. */
static void add_metrics(struct listing *to, const char *word)
{
    struct reason why = {0};
    if (plan_metrics(word, to->record, add_needed, to, &why) != PAPI_OK)
        leave_out(to->settings, to->record, word, why.text);
    else if (to->record->n_counters == 0 && why.text[0] != '\0')
        reason_of_event(to->record, "", why.text);
}

static void add_listed(struct counters_plan *plan, struct settings *settings, struct rank_record *record)
{
    struct listing to = {plan, settings, record};
    const char *list = settings->events;
    while (*list != '\0') {
        size_t length = name_length(list), n;
        const char *start = list;
        char name[COUNTER_NAME];

        list += length + (list[length] == ',');
        n = trim(&start, length);
        snprintf(name, sizeof name, "%.*s", (int)n, start);
        if (n == 0 || is_listed(record, name))
            continue;
        if (n >= sizeof name)
            leave_out(settings, record, name, "its name is too long");
        else if (name[0] == '@')
            add_metrics(&to, name);
        else
            add_one(&to, name);
    }
}

_Static_assert(MAX_COUNTERS == 12, "the sentence about it");

/* ---- the usual ones */

static void add_usual(struct counters_plan *plan, struct rank_record *record)
{
    /* Exact counts of an emulated processor take nothing from anybody. */
    int most = is_emulated(PAPI_get_component_index("emulated")) ? USUAL_EXACT : USUAL_ON_HARDWARE, have = -1,
        code = PAPI_OK;
    char first[PAPI_HUGE_STR_LEN] = "";
    for (size_t i = 0; i < LENGTH(usual) && record->n_counters < most; i++) {
        if (usual[i].kind == have)
            continue;
        code = add_event(plan, record, usual[i].name, 0);
        if (code == PAPI_OK)
            have = usual[i].kind;
        else if (i == 0) /* before the next one's reason is in its place */
            snprintf(first, sizeof first, "%s", PAPI_strerror(code));
    }
    if (record->n_counters > 0)
        return;
    reason_of_event(record, "hardware events", reason_alone(first));
    plan->by_kernel = 1;
    for (size_t i = 0; i < LENGTH(kernel_events); i++)
        code = add_event(plan, record, kernel_events[i], 0);
    if (record->n_counters == 0)
        plan_reason(record, "the kernel counts nothing: %.200s", PAPI_strerror(code));
}

void plan_make(struct counters_plan *plan, struct settings *settings, struct rank_record *record)
{
    *plan = (struct counters_plan){0};
    if (settings->events != NULL && settings->events[strspn(settings->events, ", \t\n")] != '\0')
        add_listed(plan, settings, record);
    else
        add_usual(plan, record);
}

/* ---- metrics by name */

/* The result is read on other machines: a constant of this one is put into the formula as a number. */
static int put_constant(char *formula, size_t size)
{
    char *at = strstr(formula, METRICS_CACHE_LINE), rest[FORMULA_LINE];
    const PAPI_hw_info_t *hardware = at != NULL ? PAPI_get_hardware_info() : NULL;
    if (hardware == NULL)
        return at != NULL ? PAPI_ENOEVNT : PAPI_OK;
    int bytes = 0;
    for (int i = 0; i < PAPI_MH_MAX_LEVELS && bytes == 0; i++)
        if (PAPI_MH_CACHE_TYPE(hardware->mem_hierarchy.level[0].cache[i].type) != PAPI_MH_TYPE_INST)
            bytes = hardware->mem_hierarchy.level[0].cache[i].line_size;
    snprintf(rest, sizeof rest, "%s", at + strlen(METRICS_CACHE_LINE));
    snprintf(at, size - (size_t)(at - formula), "%d%s", bytes, rest);
    return bytes > 0 ? PAPI_OK : PAPI_ENOEVNT;
}

/* The bytes of the formulas that the record has so far, one after the other. */
static size_t used_of(const struct rank_record *record)
{
    size_t used = 0;
    while (used < sizeof record->formulas - 1 && record->formulas[used] != '\0')
        for (int part = 0; part < 5; part++)
            used += strlen(record->formulas + used) + 1;
    return used;
}

static void note(struct rank_record *record, const struct metrics_pick *pick)
{
    char formula[FORMULA_LINE / 2], line[FORMULA_LINE], words[128];
    size_t used = used_of(record);
    snprintf(formula, sizeof formula, "%s", pick->row->formula);
    const char *lacks =
        put_constant(formula, sizeof formula) == PAPI_OK ? "" : "the size of a cache line is not known";
    const char *why = pick->why.code != PAPI_OK ? pick->why.text : lacks;
    size_t length = advice_words(why, words, sizeof words);
    int n = snprintf(line, sizeof line, "%s%c%s%c%s%c%s%c%.*s", pick->row->name, 0, pick->row->unit, 0,
                     formula, 0, pick->row->description, 0, (int)(length < 300 ? length : 300), why);
    if (n > 0 && (size_t)n < sizeof line && used + (size_t)n + 2 < sizeof record->formulas)
        memcpy(record->formulas + used, line, (size_t)n + 1);
}

int plan_metrics(const char *word, struct rank_record *record, int (*take)(void *context, const char *event),
                 void *context, struct reason *why)
{
    struct metrics_picks picks = {0};
    struct metrics *metrics = metrics_load();
    int code = metrics != NULL ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
    if (code == PAPI_OK)
        code = reason_pass(&metrics->fault, why) ?: metrics_pick(metrics, word + 1, &picks, why);
    for (int i = 0; i < picks.n && code == PAPI_OK; i++) {
        note(record, &picks.pick[i]);
        if (picks.pick[i].why.code != PAPI_OK && why->text[0] == '\0')
            *why = picks.pick[i].why;
        metrics_events(&picks.pick[i], take, context);
    }
    metrics_picks_free(&picks);
    metrics_free(metrics);
    return code;
}
