/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Temperatures, voltages, fans, currents, power and energy as the machine's sensors show them,
 * "coretemp:::hwmon0:temp1_input".
 */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Documentation/hwmon/sysfs-interface.rst says what each file holds. */
#define SENSORS "/sys/class/hwmon"

/* The names of files: these words with a number in between. */
TEXT_ROWS_BEGIN
static const struct {
    char before[8], after[12];
    struct event_row row;
} kinds[] = {
    {"temp", "_input", {"", "Temperature: %s", .unit = "1/1000 degree C", .level = true}},
    {"in", "_input", {"", "Voltage: %s", .unit = "mV", .level = true}},
    {"curr", "_input", {"", "Current: %s", .unit = "mA", .level = true}},
    {"fan", "_input", {"", "Speed of a fan: %s", .unit = "RPM", .level = true}},
    {"power", "_average", {"", "Power, averaged: %s", .unit = "uW", .level = true}},
    {"power", "_input", {"", "Power: %s", .unit = "uW", .level = true}},
    {"energy", "_input", {"", "Energy used: %s", .unit = "uJ"}},
};
TEXT_ROWS_END

struct device {
    const struct files_list *to;
    const char *number; /* "hwmon0" */
    char folder[PATH_MAX - 64], name[64];
};

static const struct event_row *kind_of(const char *file, int *length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].before);
        if (strncmp(file, kinds[i].before, n) != 0 || !isdigit((unsigned char)file[n]))
            continue;
        n += strspn(file + n, "0123456789");
        if (strcmp(file + n, kinds[i].after) == 0) {
            *length = (int)n;
            return &kinds[i].row;
        }
    }
    return NULL;
}

/* Adds the events of a sensor, whose description begins "coretemp, Core 0": the device's name, and the
 * sensor's if it has one. */
static int add_sensor(void *context, const char *file, struct reason *why)
{
    const struct device *device = context;
    char path[PATH_MAX], label[64], subject[160], name[PAPI_MIN_STR_LEN];
    int length;
    const struct event_row *kind = kind_of(file, &length);
    if (kind == NULL)
        return PAPI_OK;
    snprintf(path, sizeof path, "%s%.*s_label", device->folder, length, file);
    if (sysroot_line(device->to->root, path, label, sizeof label) < 0 && error_passes(errno))
        return reason_unreadable(path, why);
    snprintf(subject, sizeof subject, "%s%s%s", device->name, label[0] != '\0' ? ", " : "", label);
    snprintf(name, sizeof name, "%s:%s", device->number, file);
    struct component_event event = event_of_row(kind);
    event.file = file;
    return files_add(device->to, &event, device->folder, name, subject, why);
}

/* Adds a device's sensors. Old drivers have their files one folder further down. */
static int add_device(void *context, const char *number, struct reason *why)
{
    struct device device = {.to = context, .number = number};
    static const char *const below[] = {"", "device/"};
    int code = PAPI_OK;
    for (int i = 0; i < 2 && code == PAPI_OK; i++) {
        char path[PATH_MAX];
        snprintf(device.folder, sizeof device.folder, SENSORS "/%s/%s", number, below[i]);
        snprintf(path, sizeof path, "%sname", device.folder);
        if (sysroot_line(device.to->root, path, device.name, sizeof device.name) < 0) {
            if (error_passes(errno))
                return reason_unreadable(path, why);
            continue;
        }
        code = files_each(device.to->root, device.folder, "", add_sensor, &device, why);
    }
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_each(root, SENSORS, "hwmon", add_device, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, SENSORS, "hwmon",
                   "temperatures, voltages and fans (virtual machines do not have them)");
}

const struct component coretemp_component = {
    FILES_COMPONENT("coretemp"),
    .description = "What the machine's sensors show: temperatures, voltages, fans, power",
    .list = list,
    .discover = discover,
};
