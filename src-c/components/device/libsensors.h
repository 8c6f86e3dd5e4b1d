/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* The interface of libsensors.so.5 (lm-sensors from 3.5 on), as much as is used here. Where the library's own
 * header is installed, tests/components/real_headers.c compares this with it. */

struct sensors_chip {
    char *prefix;
    struct {
        short type, number;
    } bus;
    int address;
    char *path;
};

struct sensors_quantity { /* "feature": a temperature, say */
    char *name;
    int number, type;
    int first, padding;
};

struct sensors_number { /* "subfeature": what it is, its limit, its alarm */
    char *name;
    int number, type, mapping;
    unsigned flags;
};

enum { SENSORS_READABLE = 1, SENSORS_WRITABLE = 2 }; /* of flags */

/* The bits above 8 of a number's type are its quantity's. With SENSORS_PLAIN it has another unit, or none. */
enum {
    SENSORS_IN,
    SENSORS_FAN,
    SENSORS_TEMP,
    SENSORS_POWER,
    SENSORS_ENERGY,
    SENSORS_CURR,
    SENSORS_HUMIDITY,
    SENSORS_VID = 0x10,
    SENSORS_PLAIN = 0x80,
    SENSORS_TEMP_OFFSET = 0x286,
    SENSORS_POWER_INTERVAL = 0x380,
};

/* Errors, which functions return negative. */
enum {
    SENSORS_NO_ENTRY = 2,
    SENSORS_ACCESS_R = 3,
    SENSORS_KERNEL = 4,
    SENSORS_PARSE = 8,
    SENSORS_ACCESS_W = 9,
    SENSORS_IO = 10,
};

/* Functions, and how the library names them. */
#define SENSORS_FUNCTIONS(FUNCTION)                                                                          \
    FUNCTION(init, "sensors_init", int, (FILE * configuration))                                              \
    FUNCTION(cleanup, "sensors_cleanup", void, (void))                                                       \
    FUNCTION(chip, "sensors_get_detected_chips", const struct sensors_chip *,                                \
             (const struct sensors_chip *like, int *next))                                                   \
    FUNCTION(chip_name, "sensors_snprintf_chip_name", int,                                                   \
             (char *out, size_t size, const struct sensors_chip *chip))                                      \
    FUNCTION(quantity, "sensors_get_features", const struct sensors_quantity *,                              \
             (const struct sensors_chip *chip, int *next))                                                   \
    FUNCTION(number, "sensors_get_all_subfeatures", const struct sensors_number *,                           \
             (const struct sensors_chip *chip, const struct sensors_quantity *quantity, int *next))          \
    FUNCTION(label, "sensors_get_label", char *,                                                             \
             (const struct sensors_chip *chip, const struct sensors_quantity *quantity))                     \
    FUNCTION(get, "sensors_get_value", int, (const struct sensors_chip *chip, int number, double *value))    \
    FUNCTION(set, "sensors_set_value", int, (const struct sensors_chip *chip, int number, double value))     \
    FUNCTION(error, "sensors_strerror", const char *, (int error))
