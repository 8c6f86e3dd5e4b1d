/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of libsensors.so.5, as sensors.h declares it. Its chips are what a test sets.
 */
#include "sensors_double.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE struct sensors_double sensors_double = {
    .chips = 2, .temperature = 45.123, .limit = 80, .volts = -11.9996, .watts = 95.5};

typedef struct sensors_chip_name {
    char *prefix;
    struct {
        short type, nr;
    } bus;
    int addr;
    char *path;
} chip_name;

typedef struct sensors_feature {
    char *name;
    int number, type, first_subfeature, padding1;
} feature;

typedef struct sensors_subfeature {
    char *name;
    int number, type, mapping;
    unsigned flags;
} subfeature;

static const chip_name chips[] = {{.prefix = "coretemp", .addr = 0}, {.prefix = "psu, main", .addr = 0x290}};
static const feature of_first[] = {{"temp2", 0, 2, 0, 0}},
                     of_second[] = {{"in1", 0, 0, 0, 0}, {"power1", 1, 3, 0, 0}};

enum { READABLE = 1, WRITABLE = 2, ERR_NO_ENTRY = -2, ERR_ACCESS_W = -9, ERR_IO = -10, WRITE_ONLY = 4 };
enum { TEMPERATURE, LIMIT, ALARM, OFFSET, SET_ONLY, VOLTS, WATTS, INTERVAL };
static const subfeature numbers[] = {
    {"temp2_input", TEMPERATURE, 0x200, 0, READABLE},
    {"temp2_max", LIMIT, 0x201, 0, READABLE | WRITABLE},
    {"temp2_alarm", ALARM, 0x280, 0, READABLE},
    {"temp2_offset", OFFSET, 0x286, 0, READABLE},
    {"temp2_secret", SET_ONLY, 0x28a, 0, WRITABLE},
    {"in1_input", VOLTS, 0x000, 0, READABLE},
    {"power1_average", WATTS, 0x300, 1, READABLE},
    {"power1_average_interval", INTERVAL, 0x380, 1, READABLE},
};

VISIBLE void (*sensors_parse_error)(const char *, int);
VISIBLE void (*sensors_parse_error_wfn)(const char *, const char *, int);

VISIBLE int sensors_init(FILE *input);
VISIBLE int sensors_init(FILE *input)
{
    (void)input;
    if (sensors_double.init_result == -8 && sensors_parse_error_wfn != NULL)
        sensors_parse_error_wfn("parse error", "/etc/sensors3.conf", 12);
    else if (sensors_double.init_result == -8)
        fputs("sensors_init: parse error\n", stderr);
    sensors_double.started += sensors_double.init_result == 0;
    return sensors_double.init_result;
}

VISIBLE void sensors_cleanup(void);
VISIBLE void sensors_cleanup(void)
{
    sensors_double.started--;
}

VISIBLE const chip_name *sensors_get_detected_chips(const chip_name *match, int *next);
VISIBLE const chip_name *sensors_get_detected_chips(const chip_name *match, int *next)
{
    (void)match;
    int n = sensors_double.started > 0 ? sensors_double.chips : 0;
    return *next < n ? &chips[(*next)++] : NULL;
}

/* Fills the buffer to its end, without a '\0', where the name is longer. */
VISIBLE int sensors_snprintf_chip_name(char *out, size_t size, const chip_name *chip);
VISIBLE int sensors_snprintf_chip_name(char *out, size_t size, const chip_name *chip)
{
    if (sensors_double.many < 0) {
        memset(out, 'x', size);
        return (int)size + 1;
    }
    return snprintf(out, size, "%s-isa-%04x", chip->prefix, (unsigned)chip->addr);
}

VISIBLE const feature *sensors_get_features(const chip_name *chip, int *next);
VISIBLE const feature *sensors_get_features(const chip_name *chip, int *next)
{
    if (chip == &chips[1] && sensors_double.many > 0)
        return (*next)++ < sensors_double.many ? &of_second[0] : NULL;
    if (chip == &chips[0])
        return *next < 1 ? &of_first[(*next)++] : NULL;
    return *next < 2 ? &of_second[(*next)++] : NULL;
}

VISIBLE char *sensors_get_label(const chip_name *chip, const feature *of);
VISIBLE char *sensors_get_label(const chip_name *chip, const feature *of)
{
    static int n;
    char text[64];
    if (chip == &chips[0])
        return strdup("Core 0");
    snprintf(text, sizeof text, "label%d", n++);
    return sensors_double.many > 0 ? strdup(text) : strcmp(of->name, "in1") == 0 ? strdup("+12\n,V") : NULL;
}

VISIBLE const subfeature *sensors_get_all_subfeatures(const chip_name *chip, const feature *of, int *next);
VISIBLE const subfeature *sensors_get_all_subfeatures(const chip_name *chip, const feature *of, int *next)
{
    int first = chip == &chips[0] ? TEMPERATURE : of->number == 0 ? VOLTS : WATTS;
    int n = chip == &chips[0] ? 5 : of->number == 0 ? 1 : 2;
    return *next < n ? &numbers[first + (*next)++] : NULL;
}

static double value_of(int number)
{
    const double values[] = {[TEMPERATURE] = sensors_double.temperature,
                             [LIMIT] = sensors_double.limit,
                             [ALARM] = 1,
                             [OFFSET] = -2.5,
                             [SET_ONLY] = 0,
                             [VOLTS] = sensors_double.volts,
                             [WATTS] = sensors_double.watts,
                             [INTERVAL] = 0.3};
    return values[number];
}

VISIBLE int sensors_get_value(const chip_name *chip, int number, double *value);
VISIBLE int sensors_get_value(const chip_name *chip, int number, double *value)
{
    (void)chip;
    sensors_double.within += sensors_double.at_work++ > 0;
    *value = value_of(number);
    sensors_double.at_work--;
    return sensors_double.result;
}

VISIBLE int sensors_set_value(const chip_name *chip, int number, double value);
VISIBLE int sensors_set_value(const chip_name *chip, int number, double value)
{
    (void)chip;
    if (value >= 1000)
        return value == 1000 ? ERR_ACCESS_W : ERR_IO;
    sensors_double.limit = number == LIMIT ? value : sensors_double.limit;
    return number == LIMIT ? 0 : ERR_NO_ENTRY;
}

VISIBLE const char *sensors_strerror(int error);
VISIBLE const char *sensors_strerror(int error)
{
    return error == ERR_IO ? "I/O error" : "Some Error";
}
