/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time that a virtual machine's host gave to others, "stealtime:::TOTAL".
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* proc(5): of "cpu" for all and "cpu0" and so on for each, the eighth number, in clock ticks. */
#define TIMES "/proc/stat"
enum { STOLEN = 7 };

static int add_cpu(const struct files_list *to, const char *line, struct reason *why)
{
    char name[PAPI_MIN_STR_LEN];
    long ticks = sysconf(_SC_CLK_TCK);
    const char *number = line + strlen("cpu");
    const struct component_event event = {.description =
                                              "Time that the host of this virtual machine gave to others"
                                              " while %s had work to do",
                                          .unit = "us",
                                          .file = TIMES,
                                          .line = line,
                                          .word = STOLEN,
                                          .times = 1000000 / (uint64_t)(ticks > 0 ? ticks : 100)};
    if (number[0] == '\0')
        return files_add(to, &event, "", "TOTAL", "any processor", why);
    snprintf(name, sizeof name, "CPU%s", number);
    return files_add(to, &event, "", name, line, why);
}

static int visit_line(void *to, char *line, struct reason *why)
{
    line[strcspn(line, " ")] = '\0';
    return strncmp(line, "cpu", 3) == 0 ? add_cpu(to, line, why) : PAPI_OK;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_lines(root, TIMES, visit_line, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, "/proc", "stat", "how the processors spend their time");
}

const struct component stealtime_component = {
    FILES_COMPONENT("stealtime"),
    .description = "The time that the host of a virtual machine gave to others",
    .list = list,
    .discover = discover,
};
