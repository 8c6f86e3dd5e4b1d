/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Energy and the limits of power, "powercap:::ENERGY_UJ:ZONE0": Linux's power capping framework, which
 * Intel's and AMD's RAPL is read by; and the same energies under the names of the component rapl.
 */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Documentation/ABI/testing/sysfs-class-powercap says what each file holds. Zones are intel-rapl:N, also
 * AMD's, and parts of them intel-rapl:N:M. intel-rapl-mmio:N shows the same energy once more. */
#define ZONES "/sys/class/powercap"
#define ZONE_PREFIX "intel-rapl:"

#define ENERGY                                                                                               \
    .file = "/energy_uj", .range_file = "/max_energy_range_uj", .rate_file = "/constraint_0_power_limit_uw", \
    .rate = 500000000 /* 500 W, where no limit is shown */
#define POWER .unit = "uW", .level = true
#define TIME .unit = "us", .level = true

TEXT_ROWS_BEGIN
static const struct event_row values[] = {
    {"ENERGY_UJ", "Energy used by %s", ENERGY, .unit = "uJ"},
    {"MAX_ENERGY_RANGE_UJ", "The energy of %s after which its counter begins at 0 again", .unit = "uJ",
     .level = true, .file = "/max_energy_range_uj"},
    {"MAX_POWER_A_UW", "The greatest long-term limit of the power of %s", POWER,
     .file = "/constraint_0_max_power_uw"},
    {"POWER_LIMIT_A_UW", "The long-term limit of the power of %s", POWER,
     .file = "/constraint_0_power_limit_uw", .writable = true},
    {"TIME_WINDOW_A_US", "The time over which the long-term limit of the power of %s holds", TIME,
     .file = "/constraint_0_time_window_us", .writable = true},
    {"MAX_POWER_B_UW", "The greatest short-term limit of the power of %s", POWER,
     .file = "/constraint_1_max_power_uw"},
    {"POWER_LIMIT_B_UW", "The short-term limit of the power of %s", POWER,
     .file = "/constraint_1_power_limit_uw", .writable = true},
    {"TIME_WINDOW_B", "The time over which the short-term limit of the power of %s holds", TIME,
     .file = "/constraint_1_time_window_us", .writable = true},
    {"ENABLED", "1 where the limits of %s are in force", .level = true, .file = "/enabled", .writable = true},
    {"NAME", "The name of this zone, which is not a number: %s", .level = true, .file = "/name"},
};
TEXT_ROWS_END

/* ---- zones */

struct zone {
    char folder[64]; /* of ZONES */
    char name[64];   /* "package-0", "dram", "psys" */
    char label[64];  /* "ZONE0", "ZONE0_SUBZONE1", "PSYS" */
};

struct zone_visit {
    const struct files_list *to;
    int (*add)(const struct files_list *to, const struct zone *zone, const struct zone *part,
               struct reason *why);
    struct zone whole; /* whose parts are visited */
    int packages;      /* in order, where their names say more than a number */
};

static int zone_name(const char *root, struct zone *zone, struct reason *why)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, ZONES "/%s/name", zone->folder);
    if (sysroot_line(root, path, zone->name, sizeof zone->name) < 0 && error_passes(errno))
        return reason_unreadable(path, why);
    return PAPI_OK;
}

static bool is_part(const char *folder)
{
    return strchr(folder + strlen(ZONE_PREFIX), ':') != NULL;
}

/* Labels a zone by its name, not by its folder: psys can be in between. Dies of one package are zones of
 * their own. */
static void label_zone(struct zone_visit *visit, struct zone *zone)
{
    int number = visit->packages, end = 0;
    if (strncmp(zone->name, "package-", 8) != 0) {
        snprintf(zone->label, sizeof zone->label, "%.62s", zone->name[0] != '\0' ? zone->name : zone->folder);
        for (char *p = zone->label; *p != '\0'; p++)
            *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
        return;
    }
    if (sscanf(zone->name, "package-%d%n", &number, &end) != 1 || zone->name[end] != '\0')
        number = visit->packages;
    visit->packages++;
    snprintf(zone->label, sizeof zone->label, "ZONE%d", number);
}

static int visit_part(void *context, const char *folder, struct reason *why)
{
    const struct zone_visit *visit = context;
    struct zone part;
    snprintf(part.folder, sizeof part.folder, "%s", folder);
    int code = zone_name(visit->to->root, &part, why);
    if (code != PAPI_OK)
        return code;
    snprintf(part.label, sizeof part.label, "%.40s_SUBZONE%.16s", visit->whole.label,
             strrchr(folder, ':') + 1);
    return visit->add(visit->to, &visit->whole, &part, why);
}

static int visit_zone(void *context, const char *folder, struct reason *why)
{
    struct zone_visit *visit = context;
    char prefix[80];
    if (is_part(folder))
        return PAPI_OK;
    snprintf(visit->whole.folder, sizeof visit->whole.folder, "%s", folder);
    int code = zone_name(visit->to->root, &visit->whole, why);
    if (code != PAPI_OK)
        return code;
    label_zone(visit, &visit->whole);
    code = visit->add(visit->to, &visit->whole, NULL, why);
    snprintf(prefix, sizeof prefix, "%s:", visit->whole.folder);
    return code == PAPI_OK ? files_each(visit->to->root, ZONES, prefix, visit_part, visit, why) : code;
}

/* ---- powercap */

static int add_values(const struct files_list *to, const struct zone *zone, const struct zone *part,
                      struct reason *why)
{
    const struct zone *of = part != NULL ? part : zone;
    char folder[PATH_MAX], name[PAPI_MIN_STR_LEN], subject[sizeof zone->name + sizeof part->name + 4];
    int code = PAPI_OK;
    snprintf(folder, sizeof folder, ZONES "/%s", of->folder);
    snprintf(subject, sizeof subject, "%s%s%s", zone->name, part != NULL ? "'s " : "",
             part != NULL ? part->name : "");
    for (size_t i = 0; i < sizeof values / sizeof *values && code == PAPI_OK; i++) {
        snprintf(name, sizeof name, "%s:%s", values[i].name, of->label);
        code = files_add_row(to, &values[i], folder, name, subject, why);
    }
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    const struct files_list to = {root, list};
    struct zone_visit visit = {.to = &to, .add = add_values};
    return files_each(root, ZONES, ZONE_PREFIX, visit_zone, &visit, why);
}

/* Explains that the files are root's alone since Linux 5.10, for what others could learn from them. */
static void discover(struct pmu_table *pmus, struct component_state *state)
{
    char path[PATH_MAX];
    files_discover(pmus, state, ZONES, ZONE_PREFIX,
                   "the energy that processors measure (virtual machines do not have it)");
    if (state->disabled.code ||
        sysroot_path(pmus->root, ZONES "/intel-rapl:0/energy_uj", path, sizeof path) != 0 ||
        access(path, R_OK) == 0 || errno != EACCES)
        return;
    reason_set(&state->partially_disabled, PAPI_EPERM,
               "energy_uj below " ZONES
               " can be read by root alone; the administrator can let a group read it "
               "(docs/node.md has the udev rule)");
}

const struct component powercap_component = {
    FILES_COMPONENT("powercap"),
    .description = "Energy used by processors and memory, and limits of their power",
    .list = list,
    .discover = discover,
};

/* ---- rapl */

#define WATTS .unit = "W", .real = true, .per = 1000000, .level = true

/* The driver shows the processor's thermal specification as the greatest long-term limit, and its greatest
 * power as that of the short-term one. */
TEXT_ROWS_BEGIN
static const struct {
    char zone[12]; /* its name begins so */
    struct event_row row;
} energies[] = {
    {"package-", {"PACKAGE_ENERGY", "Energy used by %s", ENERGY, .unit = "nJ", .times = 1000}},
    {"core", {"PP0_ENERGY", "Energy used by the cores of %s", ENERGY, .unit = "nJ", .times = 1000}},
    {"uncore", {"PP1_ENERGY", "Energy used by the graphics of %s", ENERGY, .unit = "nJ", .times = 1000}},
    {"dram", {"DRAM_ENERGY", "Energy used by the memory of %s", ENERGY, .unit = "nJ", .times = 1000}},
    {"psys",
     {"PSYS_ENERGY", "Energy used by all that the node's firmware measures", ENERGY, .unit = "nJ",
      .times = 1000}},
    {"package-",
     {"THERMAL_SPEC", "The power for which the cooling of %s is made", WATTS,
      .file = "/constraint_0_max_power_uw"}},
    {"package-",
     {"MINIMUM_POWER", "The least power to which %s can be limited", WATTS,
      .file = "/constraint_0_min_power_uw"}},
    {"package-",
     {"MAXIMUM_POWER", "The greatest power to which %s can be limited", WATTS,
      .file = "/constraint_1_max_power_uw"}},
    {"package-",
     {"MAXIMUM_TIME_WINDOW", "The longest time over which a limit of the power of %s can hold", .unit = "s",
      .real = true, .per = 1000000, .level = true, .file = "/constraint_0_max_time_window_us"}},
};
TEXT_ROWS_END

/* Number in the zone's label, "ZONE1" or "PACKAGE1"; psys belongs to none. */
static int add_energy(const struct files_list *to, const struct zone *zone, const struct zone *part,
                      struct reason *why)
{
    const struct zone *of = part != NULL ? part : zone;
    const char *number = strncmp(zone->label, "ZONE", 4) == 0 ? zone->label + 4 : "0";
    char folder[PATH_MAX], name[PAPI_MIN_STR_LEN];
    snprintf(folder, sizeof folder, ZONES "/%s", of->folder);
    int code = PAPI_OK;
    for (size_t i = 0; i < sizeof energies / sizeof *energies && code == PAPI_OK; i++)
        if (strncmp(of->name, energies[i].zone, strlen(energies[i].zone)) == 0) {
            snprintf(name, sizeof name, "%s:PACKAGE%s", energies[i].row.name, number);
            code = files_add_row(to, &energies[i].row, folder, name, zone->name, why);
        }
    return code;
}

static int list_energies(const char *root, struct event_list *list, struct reason *why)
{
    const struct files_list to = {root, list};
    struct zone_visit visit = {.to = &to, .add = add_energy};
    return files_each(root, ZONES, ZONE_PREFIX, visit_zone, &visit, why);
}

const struct component rapl_component = {
    FILES_COMPONENT("rapl"),
    .description =
        "The energies of the component powercap and its limits, by the names that programs for RAPL use",
    .list = list_energies,
    .discover = discover,
};
