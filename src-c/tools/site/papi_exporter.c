/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_exporter: the node's counts, for Prometheus to fetch.
 */
#include "node_counts.h"
#include "page_server.h"

#include "base/reason.h"
#include "base/seconds.h"
#include "papi.h"
#include "tools/common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_exporter [-1] [-l ADDRESS:PORT] [EVENT...]\n"
    "Counts the EVENTs on the whole node, whoever's programs run, and shows them at\n"
    "http://127.0.0.1:9737/metrics as OpenMetrics, for Prometheus. Processors' events\n"
    "are added up over all CPUs. An EVENT may have * in it: 'net:::*:rx:bytes'.\n"
    "Without one: instructions, cycles, context switches and energy, if they count.\n"
    "\n"
    "  -1, --once             one page on standard output, and the end\n"
    "  -l, --listen=ADDRESS:PORT  where to listen, in numbers\n"
    "      --percent=PERCENT  of one processor that reading may take (1): what is\n"
    "                         asked for sooner gets the counts of the last read\n"
    "      --json             the same for programs: what is counted\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "It needs the right to count whole CPUs: CAP_PERFMON, as its systemd unit has it,\n"
    "or kernel.perf_event_paranoid=0. A socket of systemd is taken before --listen.\n"
    "Exit status: 0, after SIGINT or SIGTERM, too; 1 after an error, or if an EVENT\n"
    "cannot be counted; 2 for wrong options.\n";

enum { FIRST_SOCKET = 3, MOST_NAMES = 2 * MAX_COUNT_EVENTS };

static const char default_address[] = "127.0.0.1:9737";

/* The events without arguments, of which those are counted that can be. */
static char *const default_events[] = {(char *)"PAPI_TOT_INS", (char *)"PAPI_TOT_CYC",
                                       (char *)"perf::CONTEXT-SWITCHES", (char *)"powercap:::ENERGY_UJ:*",
                                       (char *)"stealtime:::TOTAL"};

struct exporter {
    struct tool *tool;
    bool once, given;
    bool forbidden; /* an event */
    const char *listen;
    long long percent;
    struct node_counts counts;
    struct page_server server;
    int n_names;
    char *name[MOST_NAMES]; /* found by patterns */
    double next;            /* no read before this time */
    double read_seconds;    /* processor time of reads */
    long long scrapes, refused;
};

/* ---- the events */

static void add(struct exporter *exporter, const char *name)
{
    char why[PAPI_HUGE_STR_LEN];
    struct report *report = &exporter->tool->report;
    int code = node_counts_add(&exporter->counts, name, why, sizeof why);
    exporter->refused += code != PAPI_OK;
    exporter->forbidden |= code == PAPI_EPERM;
    char *advice = strstr(why, ADVICE_BEGINS);
    if (advice != NULL && strstr(advice, "papi_doctor") == NULL)
        *advice = '\0'; /* it is how a program of the user's is counted */
    if (code != PAPI_OK && exporter->given)
        tool_error(exporter->tool, "%s: %s", name, why);
    report_only(report, REPORT_JSON_ONLY);
    report_object(report, NULL);
    report_string(report, NULL, "name", name);
    report_flag(report, NULL, "counted", code == PAPI_OK);
    report_string(report, NULL, "reason", code == PAPI_OK ? NULL : why);
    report_end(report);
    report_only(report, REPORT_BOTH);
}

/* Adds the events of a component that the pattern is for. Returns how many. */
static int add_component(struct exporter *exporter, int component, const char *pattern)
{
    int found = 0, event = PAPI_NATIVE_MASK, how = PAPI_ENUM_FIRST;
    char name[PAPI_HUGE_STR_LEN];
    for (; PAPI_enum_cmp_event(&event, how, component) == PAPI_OK; how = PAPI_ENUM_EVENTS) {
        bool fits = PAPI_event_code_to_name(event, name) == PAPI_OK && fnmatch(pattern, name, 0) == 0;
        if (!fits || exporter->n_names == MOST_NAMES)
            continue;
        char *copy = strdup(name);
        if (copy == NULL)
            break;
        exporter->name[exporter->n_names++] = copy;
        add(exporter, copy);
        found++;
    }
    return found;
}

/* True if a pattern may be for events of the component: those of the node begin with its name. */
static bool may_have(const char *pattern, int component)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    const char *colons = strstr(pattern, ":::");
    char part[128];
    if (info == NULL || info->disabled || colons == NULL)
        return info != NULL && !info->disabled;
    snprintf(part, sizeof part, "%.*s", (int)(colons - pattern), pattern);
    return fnmatch(part, info->name, 0) == 0;
}

static void add_pattern(struct exporter *exporter, const char *pattern)
{
    int found = 0;
    for (int component = 0; component < PAPI_num_components(); component++)
        if (may_have(pattern, component))
            found += add_component(exporter, component, pattern);
    if (found == 0 && exporter->given)
        tool_error(exporter->tool, "%s: no event has such a name (papi_native_avail lists them)", pattern);
}

static int add_all(struct exporter *exporter, int n, char *const *event)
{
    struct report *report = &exporter->tool->report;
    report_list(report, "events");
    for (int i = 0; i < n; i++)
        (strchr(event[i], '*') != NULL ? add_pattern : add)(exporter, event[i]);
    report_end(report);
    if (node_counts_n(&exporter->counts) > 0)
        return TOOL_FINE;
    if (exporter->given && !exporter->forbidden)
        return tool_error(exporter->tool,
                          "none of the events can be counted on the whole node: \"papi_exporter "
                          "--once --json\" prints what can be without EVENTs, or why not");
    return tool_error(exporter->tool,
                      "none of the events can be counted on the whole node: it needs CAP_PERFMON "
                      "or kernel.perf_event_paranoid=0, and papi_doctor says what else is missing");
}

/* ---- the page */

/* Reads the counts, unless that would be more than its share of a processor. */
static void read_counts(struct exporter *exporter)
{
    double now = seconds_now(), begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (now < exporter->next)
        return;
    node_counts_read(&exporter->counts);
    double taken = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
    exporter->read_seconds += taken;
    exporter->next = now + taken * 100 / (double)exporter->percent;
}

/* Calls of read and write by this process, as the kernel counts them: "syscr: 12" and "syscw: 3". -1: it does
 * not. */
static double calls(void)
{
    char line[80];
    long long value = 0;
    int found = 0;
    FILE *file = fopen("/proc/self/io", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "syscr:", 6) == 0 || strncmp(line, "syscw:", 6) == 0) {
            value += strtoll(line + 6, NULL, 10);
            found++;
        }
    if (file != NULL)
        fclose(file);
    return found == 2 ? (double)value : -1;
}

static void print_own(const struct exporter *exporter, FILE *out, enum openmetrics_form form)
{
    const struct node_counts *counts = &exporter->counts;
    double calls_so_far = calls();
    openmetrics_counter(out, form, "papi_lost_counts", NULL,
                        "Reads in which counts were lost: a counter began anew or was read too seldom",
                        (double)counts->lost);
    openmetrics_counter(out, form, "papi_exporter_cpu_seconds", "seconds", "Processor time of the exporter",
                        seconds_of(CLOCK_PROCESS_CPUTIME_ID));
    openmetrics_counter(out, form, "papi_exporter_read_cpu_seconds", "seconds",
                        "Processor time of the exporter in which it read counters", exporter->read_seconds);
    if (calls_so_far >= 0)
        openmetrics_counter(out, form, "papi_exporter_system_calls", NULL,
                            "System calls of the exporter that read or wrote files, counters included",
                            calls_so_far);
    openmetrics_counter(out, form, "papi_exporter_scrapes", NULL, "Pages that were asked for",
                        (double)exporter->scrapes);
    openmetrics_counter(out, form, "papi_exporter_reads", NULL, "Times that all counters were read",
                        (double)counts->reads);
    openmetrics_counter(out, form, "papi_exporter_failed_reads", NULL,
                        "Times that some counters could not be read, whose metrics are then missing",
                        (double)counts->failed);
    openmetrics_counter(out, form, "papi_exporter_cut_connections", NULL, "Connections that took too long",
                        (double)exporter->server.cut);
    openmetrics_gauge(out, form, "papi_exporter_events", NULL, "Events that are counted",
                      node_counts_n(counts));
    if (counts->n_core > 0)
        openmetrics_gauge(out, form, "papi_exporter_cpus", NULL,
                          "CPUs that are counted: one that is switched off keeps what it counted",
                          counts->counting);
    openmetrics_gauge(out, form, "papi_exporter_refused_events", NULL, "Events that cannot be counted",
                      (double)exporter->refused);
}

static int print_page(struct exporter *exporter, FILE *out, enum openmetrics_form form)
{
    exporter->scrapes++;
    read_counts(exporter);
    int code = node_counts_print(&exporter->counts, out, form);
    print_own(exporter, out, form);
    openmetrics_end(out, form);
    return code;
}

static char *make_page(void *context, const char *accept, size_t *size, const char **type)
{
    bool open = accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
    char *page = NULL;
    FILE *out = open_memstream(&page, size);
    if (out == NULL)
        return NULL;
    *type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                 : "text/plain; version=0.0.4; charset=utf-8";
    int code = print_page(context, out, open ? FORM_OPENMETRICS : FORM_PROMETHEUS);
    if (fclose(out) == 0 && code == PAPI_OK)
        return page;
    free(page);
    return NULL;
}

/* ---- the service */

/* Each event takes a descriptor on each CPU: more than the limit that many systems begin with. */
static void take_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* The socket that systemd has opened, by its protocol; -1: none. */
static int given_socket(void)
{
    const char *pid = secure_getenv("LISTEN_PID"), *n = secure_getenv("LISTEN_FDS");
    bool ours = pid != NULL && n != NULL && strtol(pid, NULL, 10) == getpid() && strcmp(n, "1") == 0;
    if (!ours || fcntl(FIRST_SOCKET, F_SETFD, FD_CLOEXEC) != 0)
        return -1;
    fcntl(FIRST_SOCKET, F_SETFL, fcntl(FIRST_SOCKET, F_GETFL) | O_NONBLOCK);
    return FIRST_SOCKET;
}

static int signals_of_the_end(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int serve(struct exporter *exporter, int fd, int end)
{
    char address[160];
    const char *why;
    struct tool *tool = exporter->tool;
    page_server_address(fd, address, sizeof address);
    if (!page_server_open(&exporter->server, fd, &why))
        return tool_error(tool, "%s: %s", address, why);
    report_sentence(&tool->report, NULL, "{.events} events at {url}",
                    AS_NUMBER(".events", node_counts_n(&exporter->counts)), AS_TEXT("url", address));
    report_finish(&tool->report);
    fflush(tool->report.out);
    fflush(stdout);
    page_server_run(&exporter->server, end);
    page_server_close(&exporter->server);
    return TOOL_FINE;
}

/* Counts, and shows the counts until the end.
 *   fd  a socket that listens; -1: one page on standard output */
static int count(struct exporter *exporter, int fd, int end)
{
    struct tool *tool = exporter->tool;
    int code = node_counts_start(&exporter->counts);
    if (code != PAPI_OK)
        return tool_error(tool, "the events do not start: %s", PAPI_strerror(code));
    if (fd >= 0)
        return serve(exporter, fd, end);
    if (tool->report.json)
        report_finish(&tool->report);
    else
        code = print_page(exporter, stdout, FORM_OPENMETRICS);
    return code == PAPI_OK ? TOOL_FINE : tool_error(tool, "%s", PAPI_strerror(code));
}

static int run(struct exporter *exporter, int n, char *const *event)
{
    struct tool *tool = exporter->tool;
    const char *why = NULL;
    int fd = exporter->once ? -1 : given_socket(), end = signals_of_the_end();
    take_descriptors();
    if (fd < 0 && !exporter->once)
        fd = page_server_listen(exporter->listen, &why);
    if (why != NULL && fd < 0)
        return tool_error(tool, "%s: %s", exporter->listen, why);
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    int code = node_counts_open(&exporter->counts);
    if (code != PAPI_OK)
        return tool_error(tool, "the CPUs of this node cannot be listed: %s", PAPI_strerror(code));
    exporter->given = n > 0;
    int status = add_all(exporter, n > 0 ? n : (int)(sizeof default_events / sizeof default_events[0]),
                         n > 0 ? event : default_events);
    /* A service goes on with what it can count; the messages are in its journal. */
    bool all = tool->status == TOOL_FINE;
    if (status == TOOL_FINE)
        status = count(exporter, fd, end);
    return status == TOOL_FINE && !all ? TOOL_ERROR : status;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {'1', "once", OPTION_SET, offsetof(struct exporter, once), 0, 0},
        {'l', "listen", OPTION_TEXT, offsetof(struct exporter, listen), 0, 0},
        {0, "percent", OPTION_NUMBER, offsetof(struct exporter, percent), 1, 100},
        {0},
    };
    struct tool tool = {.name = "papi_exporter", .usage = usage_text};
    struct exporter *exporter = calloc(1, sizeof *exporter);
    if (exporter == NULL) {
        tool_error(&tool, "no memory");
        return tool_end(&tool);
    }
    exporter->tool = &tool;
    exporter->listen = default_address;
    exporter->percent = 1;
    exporter->server.page = make_page;
    exporter->server.context = exporter;
    if (tool_read(&tool, argc, argv, rows, exporter) == 0)
        tool.status = run(exporter, argc - optind, argv + optind);
    node_counts_close(&exporter->counts);
    while (exporter->n_names > 0)
        free(exporter->name[--exporter->n_names]);
    free(exporter);
    return tool_end(&tool);
}
