/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sensors of a POWER9 node or a later one, "sensors_ppc:::PWRSYS:occ=0": what the on-chip controller (OCC) of
 * each chip writes to memory, which the firmware OPAL exports as a file.
 *
 * The file has a block for each controller: a header, the descriptions of the sensors, and their readings
 * twice. The controller writes one copy while the other is valid, and has all numbers in the order of POWER's
 * bytes. A reading is taken from the later one of the valid copies, and again where the controller has come
 * to it meanwhile.
 */
#include "base/array.h"
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "base/wide.h"
#include "components/components.h"
#include "components/file_group.h"
#include "components/free_running.h"
#include "papi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "/sys/firmware/opal/exports"
#define SENSORS "occ_inband_sensors"

/* The layout, version 1, as the firmware's description of these blocks has it. */
enum {
    BLOCK = 150 * 1024,
    MOST_BLOCKS = 8,
    HEADER = 24, /* valid, version: 1 byte; sensors: 2; version of readings: 1, from 8: place of names: 4,
                  * version and size of each: 1; from 16: places of both copies: 4 */
    NAME = 48, /* name: 16 bytes; unit: 4; from 20 number: 2; frequency, scale: 4; type, location: 2; from 34
                * form: 1; place in a copy: 4 */
    READING = 48, /* number: 2; time: 8; from 10 sample, least, most: 2; from 28 sum: 8 */
    COUNT = 24,   /* the other form. number: 2; time, sum: 8 */
    FORM_READING = 1,
    FORM_COUNT = 2,
    TYPE_POWER = 0x80
};

enum quantity { SAMPLE, SAMPLE_REAL, LEAST, MOST, ENERGY, SUM };

struct sensor {
    off_t copy[2]; /* of its block's readings, in the file */
    uint32_t place, scale, frequency;
    unsigned number, form;
};

struct occ {
    int fd, n;
    struct sensor *sensor;
};

static uint64_t number_at(const unsigned char *bytes, int n)
{
    uint64_t number = 0;
    for (int i = 0; i < n; i++)
        number = number << 8 | bytes[i];
    return number;
}

static bool read_at(const struct occ *occ, off_t place, unsigned char *to, size_t size)
{
    return pread(occ->fd, to, size, place) == (ssize_t)size;
}

/* ---- numbers: a factor is 24 bits times a power of ten, whose exponent is in the last byte */

static uint32_t mantissa(uint32_t factor)
{
    return factor >> 8;
}

static int exponent(uint32_t factor)
{
    return (int8_t)(factor & 0xff);
}

/* A number times a power of ten; false: it has more than 128 bits. */
static bool times_ten(struct wide *number, int power)
{
    for (; power > 0 && (number->high | number->low) != 0; power--)
        if (!wide_times(number, 10))
            return false;
    return true;
}

static double real_of(uint64_t sample, uint32_t scale)
{
    double real = (double)sample * mantissa(scale), ten = 1;
    for (int i = exponent(scale); i != 0; i += i < 0 ? 1 : -1)
        ten *= 10; /* exact up to 10^22: a quotient is rounded once */
    return exponent(scale) < 0 ? real / ten : real * ten;
}

/* The whole number n times scale by 10^more, divided by a frequency (or 1: 0x100), cut; false: it does not
 * fit. */
static bool whole_of(uint64_t n, uint32_t scale, uint32_t frequency, int more, uint64_t *out)
{
    int power = exponent(scale) - exponent(frequency) + more;
    struct wide above = wide_product(n, mantissa(scale)), below = {0, mantissa(frequency)};
    if (!times_ten(power > 0 ? &above : &below, power > 0 ? power : -power))
        return false;
    above = wide_quotient(above, below);
    *out = above.low;
    return above.high == 0 && above.low <= INT64_MAX;
}

/* ---- a reading */

/* Copies a sensor's reading; false: that copy is not valid, or was not all the time. */
static bool take_copy(const struct occ *occ, const struct sensor *sensor, int copy, unsigned char *reading)
{
    off_t place = sensor->copy[copy] + sensor->place;
    size_t size = sensor->form == FORM_READING ? READING : COUNT;
    unsigned char valid, time[8];
    return read_at(occ, sensor->copy[copy], &valid, 1) && valid == 1 && read_at(occ, place, reading, size) &&
           read_at(occ, place + 2, time, sizeof time) && memcmp(time, reading + 2, sizeof time) == 0 &&
           read_at(occ, sensor->copy[copy], &valid, 1) && valid == 1;
}

static bool take_newer(const struct occ *occ, const struct sensor *sensor, unsigned char *reading)
{
    enum { TRIES = 4 };
    unsigned char other[READING];
    for (int i = 0; i < TRIES; i++) {
        bool first = take_copy(occ, sensor, 0, reading), second = take_copy(occ, sensor, 1, other);
        if (second && (!first || number_at(other + 2, 8) > number_at(reading + 2, 8)))
            memcpy(reading, other, sizeof other);
        if (first || second)
            return true;
    }
    return false;
}

static bool number_of(const struct sensor *sensor, enum quantity quantity, const unsigned char *reading,
                      uint64_t *now)
{
    double real;
    switch (quantity) {
    case SAMPLE_REAL:
        real = real_of(number_at(reading + 10, 2), sensor->scale);
        memcpy(now, &real, sizeof real);
        return true;
    case ENERGY:
        return whole_of(number_at(reading + 28, 8), sensor->scale, sensor->frequency, 6, now);
    case SUM:
        *now = number_at(reading + 10, 8);
        return true;
    default:
        real = real_of(number_at(reading + 10 + 2 * (quantity == LEAST) + 4 * (quantity == MOST), 2),
                       sensor->scale);
        *now = real < 0x1p62 ? (uint64_t)(real + 0.5) : 0;
        return real < 0x1p62;
    }
}

static const struct sensor *sensor_of(const struct component_event *event)
{
    const struct occ *occ = event->opened;
    return &occ->sensor[event->config >> 8];
}

static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    const struct sensor *sensor = sensor_of(event);
    unsigned char reading[READING] = {0};
    if (!take_newer(event->opened, sensor, reading))
        return reason_set(why, PAPI_ESYS,
                          "%s: the controller of the chip shows no valid readings now; where that stays, "
                          "opal-prd occ reset starts it again",
                          event->name);
    if (number_at(reading, 2) != sensor->number)
        return reason_set(why, PAPI_EMISC, "%s: the reading is another sensor's: " SENSORS " has changed",
                          event->name);
    if (!number_of(sensor, (enum quantity)(event->config & 0xff), reading, now))
        return reason_set(why, PAPI_EMISC, "%s: the controller shows a number that cannot be", event->name);
    return PAPI_OK;
}

static const struct function_source source = {.ask = ask};

/* ---- the file */

static void close_occ(void *opened)
{
    struct occ *occ = opened;
    if (occ->fd >= 0)
        close(occ->fd);
    free(occ->sensor);
    free(occ);
}

static int open_file(const char *root, struct occ *occ, struct reason *why)
{
    unsigned char header[2] = {0};
    occ->fd = sysroot_file(root, FOLDER "/" SENSORS, O_RDONLY);
    if (occ->fd < 0 && (errno == EACCES || errno == EPERM))
        return reason_set(why, PAPI_EPERM,
                          FOLDER "/" SENSORS " can be read by root alone: chmod a+r " FOLDER "/" SENSORS
                                 ", as root, lets all users read it");
    if (occ->fd < 0)
        return reason_unreadable(FOLDER "/" SENSORS, why);
    if (read_at(occ, 0, header, sizeof header) && header[0] == 1 && header[1] == 1)
        return PAPI_OK;
    return reason_set(why, PAPI_ENOSUPP, FOLDER "/" SENSORS " has no block of sensors of version 1: %s",
                      header[0] != 1 ? "the controllers have not started" : "the firmware is a newer one");
}

static int open_occ(const char *root, struct occ **out, struct reason *why)
{
    struct component_state state = {0};
    struct pmu_table pmus = {.root = root};
    files_discover(&pmus, &state, FOLDER, SENSORS,
                   "the sensors of a POWER9 node or a later one that runs without a hypervisor");
    if (state.disabled.code != PAPI_OK)
        return reason_set(why, state.disabled.code, "%s", state.disabled.text);
    struct occ *occ = *out = calloc(1, sizeof *occ);
    if (occ == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = open_file(root, occ, why);
    if (code != PAPI_OK)
        close_occ(occ);
    return code;
}

/* ---- list */

struct listing {
    struct event_list *list;
    struct occ *occ;
    int block;
    char name[17], unit[5];
    unsigned type, location;
};

static void take_word(char *to, const unsigned char *from, size_t size)
{
    memcpy(to, from, size);
    to[size] = '\0';
    for (char *p = to; *p != '\0'; p++)
        if (*p <= ' ' || *p > '~' || *p == ':' || *p == ',')
            *p = '_';
}

TEXT_ROWS_BEGIN
static const struct {
    enum quantity quantity;
    char suffix[8], description[56];
} quantities[] = {
    {SAMPLE, "", "rounded"},
    {SAMPLE_REAL, ":real", "as a real number"},
    {LEAST, ":min", "the least since the controller's start, rounded"},
    {MOST, ":max", "the most since the controller's start, rounded"},
    {ENERGY, ":energy", "energy, as the sum of its readings of the power"},
    {SUM, "", "the sum of its counts"},
};
TEXT_ROWS_END

static bool has(const struct sensor *sensor, const struct listing *at, enum quantity quantity)
{
    if (sensor->form == FORM_COUNT || quantity == SUM)
        return sensor->form == FORM_COUNT && quantity == SUM;
    return quantity != ENERGY ||
           (at->type == TYPE_POWER && mantissa(sensor->frequency) != 0 && strcmp(at->unit, "W") == 0);
}

static const char *unit_of(const struct listing *at, enum quantity quantity)
{
    static const char units[][6] = {"W", "mV", "C", "A", "MHz", "%", "GHz", "GIPS", "GB", "us", "ns"};
    if (quantity == ENERGY)
        return "uJ";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(at->unit, units[i]) == 0)
            return units[i];
    return NULL;
}

static int add_quantities(const struct listing *at, int index, struct reason *why)
{
    char name[PAPI_MIN_STR_LEN], text[PAPI_MAX_STR_LEN];
    int code = PAPI_OK;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities && code == PAPI_OK; i++) {
        enum quantity quantity = quantities[i].quantity;
        if (!has(&at->occ->sensor[index], at, quantity))
            continue;
        snprintf(name, sizeof name, "%s:occ=%d%s", at->name, at->block, quantities[i].suffix);
        snprintf(text, sizeof text, "Sensor %s (%s) of the on-chip controller %d, %s", at->name,
                 at->unit[0] != '\0' ? at->unit : "no unit", at->block, quantities[i].description);
        code = event_list_add(at->list,
                              &(struct component_event){.name = name,
                                                        .description = text,
                                                        .unit = unit_of(at, quantity),
                                                        .level = quantity < ENERGY,
                                                        .real = quantity == SAMPLE_REAL,
                                                        .config = (uint64_t)index << 8 | quantity,
                                                        .opened = at->occ},
                              why);
    }
    return code;
}

/* Adds a sensor whose description makes sense; others are left out. */
static int add_sensor(struct listing *at, const unsigned char *header, const unsigned char *name,
                      struct reason *why)
{
    struct occ *occ = at->occ;
    off_t block = (off_t)at->block * BLOCK;
    struct sensor sensor = {.number = (unsigned)number_at(name + 20, 2),
                            .frequency = (uint32_t)number_at(name + 22, 4),
                            .scale = (uint32_t)number_at(name + 26, 4),
                            .form = name[34],
                            .place = (uint32_t)number_at(name + 35, 4)};
    size_t size = sensor.form == FORM_READING ? READING : COUNT;
    bool fits = sensor.place <= BLOCK - size;
    for (int i = 0; i < 2; i++) {
        uint64_t copy = number_at(header + 16 + 4 * i, 4);
        fits = fits && copy + sensor.place + size <= BLOCK;
        sensor.copy[i] = block + (off_t)copy;
    }
    take_word(at->name, name, sizeof at->name - 1);
    take_word(at->unit, name + 16, sizeof at->unit - 1);
    at->type = (unsigned)number_at(name + 30, 2);
    if (!fits || at->name[0] == '\0' || (sensor.form != FORM_READING && sensor.form != FORM_COUNT) ||
        (sensor.form == FORM_READING && mantissa(sensor.scale) == 0))
        return PAPI_OK;
    if (!ARRAY_GROW(occ->sensor, occ->n))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    occ->sensor[occ->n] = sensor;
    return add_quantities(at, occ->n++, why);
}

static int add_block(struct listing *at, struct reason *why)
{
    unsigned char header[HEADER], name[NAME];
    off_t block = (off_t)at->block * BLOCK;
    int code = PAPI_OK;
    if (!read_at(at->occ, block, header, sizeof header) || header[0] != 1 || header[1] != 1 ||
        header[4] != 1 || header[12] != 1 || header[13] != NAME)
        return PAPI_OK;
    uint64_t n = number_at(header + 2, 2), names = number_at(header + 8, 4);
    for (uint64_t i = 0; i < n && names + (i + 1) * NAME <= BLOCK && code == PAPI_OK; i++)
        if (read_at(at->occ, block + (off_t)(names + i * NAME), name, sizeof name))
            code = add_sensor(at, header, name, why);
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct listing at = {.list = list};
    int code = open_occ(root, &at.occ, why);
    if (code != PAPI_OK)
        return code_passes(code) ? code : PAPI_OK;
    code = event_list_open(list, at.occ, close_occ, why);
    for (; at.block < MOST_BLOCKS && code == PAPI_OK; at.block++)
        code = add_block(&at, why);
    return code;
}

/* ---- component */

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct occ *occ;
    if (open_occ(pmus->root, &occ, &state->disabled) == PAPI_OK)
        close_occ(occ);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return function_try(&source, event, why);
}

static struct counter_group *create(const struct group_options *options)
{
    return function_create(options, &source);
}

const struct component sensors_ppc_component = {
    LISTING_MEMBERS("sensors_ppc"),
    .granularity = PAPI_GRN_SYS,
    .check_options = file_check_options,
    .description = "The sensors of a POWER node, by its on-chip controllers",
    .list = list,
    .discover = discover,
    .try_event = try_event,
    .create = create,
};
