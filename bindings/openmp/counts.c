/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"

#include "base/reason.h"
#include "base/visible.h"
#include "metrics/metrics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- the plan */

struct planning {
    struct counts_plan *plan;
    struct thread_counts trial; /* of this thread: destroyed when the plan is made */
};

static void refuse(struct counts_plan *plan, const char *name, const char *reason)
{
    if (plan->refused++ > 0)
        return;
    visible(plan->refused_name, sizeof plan->refused_name, name);
    visible(plan->reason, sizeof plan->reason, reason);
}

/* The part of a message of the library behind the text of the error code. */
static const char *reason_of(int code)
{
    const char *text = PAPI_strerror(code), *sentence = text != NULL ? strstr(text, ": ") : NULL;
    return sentence != NULL ? sentence + 2 : text != NULL ? text : "";
}

/* The reason why an event cannot be divided among threads, or added up; NULL: it can. */
static const char *unfit(int event, int component)
{
    PAPI_event_info_t info;
    const PAPI_component_info_t *of = PAPI_get_component_info(component);
    if (of != NULL && of->default_granularity != PAPI_GRN_THR)
        return "it is not of one thread";
    if (PAPI_get_event_info(event, &info) != PAPI_OK)
        return NULL;
    if (info.data_type == PAPI_DATATYPE_FP64)
        return "its values are real numbers, and threads' counts are whole ones";
    return info.value_type == PAPI_VALUETYPE_ABSOLUTE ? "it is a level, and not a count" : NULL;
}

static void destroy(int *es)
{
    if (*es == PAPI_NULL)
        return;
    PAPI_stop(*es, NULL);
    PAPI_cleanup_eventset(*es);
    PAPI_destroy_eventset(es);
    *es = PAPI_NULL;
}

/* A set of this thread alone, whatever the program has made the default. */
static int new_set(int component, int *es)
{
    PAPI_option_t option = {.inherit = {.eventset = PAPI_NULL, .inherit = PAPI_INHERIT_NONE}};
    *es = PAPI_NULL;
    int code = PAPI_create_eventset(es);
    if (code == PAPI_OK)
        code = PAPI_assign_eventset_component(*es, component);
    option.inherit.eventset = *es;
    if (code == PAPI_OK)
        PAPI_set_opt(PAPI_INHERIT, &option); /* a component without threads that inherit refuses */
    if (code != PAPI_OK)
        destroy(es);
    return code;
}

/* The number of the set of a component, which is made where there is none; a code of PAPI's. */
static int set_of(struct planning *planning, int component)
{
    struct counts_plan *plan = planning->plan;
    for (int s = 0; s < plan->n_sets; s++)
        if (plan->component[s] == component)
            return s;
    if (plan->n_sets == MOST_SETS)
        return PAPI_ECOUNT;
    int code = new_set(component, &planning->trial.es[plan->n_sets]);
    if (code != PAPI_OK)
        return code;
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    plan->emulated |= info != NULL && strcmp(info->name, "emulated") == 0;
    plan->component[plan->n_sets] = component;
    return plan->n_sets++;
}

static bool is_there(const struct counts_plan *plan, const char *name)
{
    for (int i = 0; i < plan->n; i++)
        if (strcmp(plan->event[i].name, name) == 0)
            return true;
    return false;
}

/* Adds an event. NULL, or the reason why it is not counted. */
static const char *add(struct planning *planning, const char *name)
{
    struct counts_plan *plan = planning->plan;
    int event, code = PAPI_event_name_to_code(name, &event);
    if (code == PAPI_OK)
        code = PAPI_query_event(event);
    if (code != PAPI_OK)
        return reason_of(code);
    int component = PAPI_get_event_component(event);
    const char *why = unfit(event, component);
    if (why != NULL)
        return why;
    if (plan->n == MOST_COUNTS)
        return "threads have room for 12 events";
    int set = set_of(planning, component);
    code = set < 0 ? set : PAPI_add_named_event(planning->trial.es[set], name);
    if (code != PAPI_OK)
        return reason_of(code);
    snprintf(plan->event[plan->n].name, sizeof plan->event->name, "%s", name);
    plan->event[plan->n++].set = set;
    return NULL;
}
_Static_assert(MOST_COUNTS == 12, "the sentence about it");

static int add_one(void *context, const char *name)
{
    struct planning *planning = context;
    if (is_there(planning->plan, name))
        return PAPI_OK;
    const char *why = add(planning, name);
    if (why != NULL)
        refuse(planning->plan, name, why);
    return PAPI_OK;
}

/* ---- the list of the user's */

static void add_metrics(struct planning *planning, const char *word)
{
    struct metrics_picks picks = {0};
    struct reason why = {0};
    struct metrics *metrics = metrics_load();
    int code = metrics != NULL ? metrics_pick(metrics, word + 1, &picks, &why) : PAPI_ENOMEM;
    if (code != PAPI_OK)
        refuse(planning->plan, word, metrics != NULL ? why.text : "out of memory");
    for (int i = 0; i < picks.n; i++)
        if (picks.pick[i].why.code != PAPI_OK)
            refuse(planning->plan, picks.pick[i].row->name, picks.pick[i].why.text);
        else
            metrics_events(&picks.pick[i], add_one, planning);
    metrics_picks_free(&picks);
    metrics_free(metrics);
}

/* The commas of "cpu/event=0x3c,umask=0x0/" do not separate events. */
static size_t word_length(const char *list)
{
    bool inside = false;
    size_t n = 0;
    for (; list[n] != '\0' && (inside || list[n] != ','); n++)
        inside ^= list[n] == '/';
    return list[n] == '\0' && inside ? strcspn(list, ",") : n;
}

static void add_word(struct planning *planning, const char *word, size_t length)
{
    char name[PAPI_MAX_STR_LEN];
    while (length > 0 && isspace((unsigned char)*word)) {
        word++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)word[length - 1]))
        length--;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    if (length >= sizeof name)
        refuse(planning->plan, name, "its name is too long");
    else if (name[0] == '@')
        add_metrics(planning, name);
    else if (length > 0)
        add_one(planning, name);
}

static void add_list(struct planning *planning, const char *list)
{
    while (*list != '\0') {
        size_t length = word_length(list);
        add_word(planning, list, length);
        list += length + (list[length] == ',');
    }
}

static void add_usual(struct planning *planning)
{
    add_one(planning, "PAPI_TOT_INS");
    add_one(planning, "PAPI_TOT_CYC");
    if (planning->plan->n > 0)
        return;
    add_one(planning, "perf::TASK-CLOCK");
    add_one(planning, "perf::PAGE-FAULTS");
}

/* Starts and reads what was planned: sets that could be made may not count together. */
static void try_together(struct planning *planning)
{
    struct counts_plan *plan = planning->plan;
    long long value[MOST_COUNTS];
    int code = PAPI_OK;
    for (int s = 0; s < plan->n_sets && code == PAPI_OK; s++)
        if (PAPI_num_events(planning->trial.es[s]) > 0)
            code = PAPI_start(planning->trial.es[s]) ?: PAPI_read(planning->trial.es[s], value);
    if (code == PAPI_OK)
        return;
    refuse(plan, plan->n > 0 ? plan->event[0].name : "", reason_of(code));
    plan->n = 0;
}

/* ---- programs that close what they do not know (closefrom) */

static void open_guard(struct counts_plan *plan)
{
    struct stat status;
    plan->guard = memfd_create("papi_openmp", MFD_CLOEXEC);
    plan->guard_is = plan->guard >= 0 && fstat(plan->guard, &status) == 0 ? status.st_ino : 0;
}

bool counts_are_whole(const struct counts_plan *plan)
{
    struct stat status;
    return plan->guard_is == 0 || (fstat(plan->guard, &status) == 0 && status.st_ino == plan->guard_is);
}

/* ---- */

void counts_plan(struct counts_plan *plan)
{
    struct planning planning = {.plan = plan};
    const char *list = secure_getenv("PAPI_EVENTS");
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    plan->made = true;
    open_guard(plan);
    if (version != PAPI_VER_CURRENT) {
        refuse(plan, "events",
               version < 0 ? reason_of(version) : "the program uses libpapi of another version");
        return;
    }
    if (list != NULL && list[strspn(list, ", \t\n")] != '\0')
        add_list(&planning, list);
    else
        add_usual(&planning);
    try_together(&planning);
    for (int s = 0; s < plan->n_sets; s++)
        destroy(&planning.trial.es[s]);
}

/* ---- a thread's counters */

static int start_set(const struct counts_plan *plan, int s, int *es)
{
    int code = new_set(plan->component[s], es);
    for (int i = 0; i < plan->n && code == PAPI_OK; i++)
        if (plan->event[i].set == s)
            code = PAPI_add_named_event(*es, plan->event[i].name);
    if (code == PAPI_OK)
        code = PAPI_start(*es);
    return code;
}

static bool is_used(const struct counts_plan *plan, int s)
{
    for (int i = 0; i < plan->n; i++)
        if (plan->event[i].set == s)
            return true;
    return false;
}

void counts_start(struct thread_counts *counts, const struct counts_plan *plan)
{
    int code = PAPI_OK;
    counts->tried = true;
    for (int s = 0; s < MOST_SETS; s++)
        counts->es[s] = PAPI_NULL;
    for (int s = 0; s < plan->n_sets && code == PAPI_OK; s++)
        if (is_used(plan, s))
            code = start_set(plan, s, &counts->es[s]);
    counts->on = code == PAPI_OK && plan->n > 0;
    for (int s = 0; s < plan->n_sets && code != PAPI_OK; s++)
        destroy(&counts->es[s]);
}

bool counts_read(struct thread_counts *counts, const struct counts_plan *plan, int64_t *value)
{
    long long read[MOST_COUNTS];
    for (int s = 0; s < plan->n_sets && counts->on; s++) {
        int n = 0;
        if (counts->es[s] == PAPI_NULL)
            continue;
        if (PAPI_read(counts->es[s], read) != PAPI_OK)
            counts->on = false; /* PAPI_shutdown, or a counter that the kernel took away */
        for (int i = 0; i < plan->n && counts->on; i++)
            if (plan->event[i].set == s)
                value[i] = read[n++];
    }
    return counts->on;
}
