/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component sensors_ppc over files as the firmware of a POWER9 node exports them, which the test makes:
 * two controllers' blocks, whose readings stand in two copies.
 */
#include "folder.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SENSORS "sys/firmware/opal/exports/occ_inband_sensors"
#define PPC "sensors_ppc:::"

enum { BLOCK = 153600, BLOCKS = 2, NAMES = 0x400, PING = 0xdc00, PONG = 0x18c00, NAME = 48, READING = 48 };
enum { POWER = 0x80, TEMPERATURE = 8, UTILIZATION = 0x10, PERFORMANCE = 0x200 };

/* Factors: 24 bits, and the exponent of ten. */
#define FACTOR(mantissa, exponent) ((unsigned long long)(mantissa) << 8 | ((exponent)&0xff))

static unsigned char image[BLOCKS * BLOCK];

static void put(size_t place, int n, unsigned long long number)
{
    for (int i = n - 1; i >= 0; i--, number >>= 8)
        image[place + (size_t)i] = number & 0xff;
}

static const struct row {
    const char *name, *unit;
    unsigned type, form;
    unsigned long long frequency, scale;
} rows[] = {
    {"PWRSYS", "W", POWER, 1, FACTOR(4, 3), FACTOR(1, 0)},
    {"TEMPNEST", "C", TEMPERATURE, 1, FACTOR(2, 3), FACTOR(1, 0)},
    {"UTILC00", "%", UTILIZATION, 1, FACTOR(2, 3), FACTOR(1, -2)},
    {"PWRHALF", "W", POWER, 1, FACTOR(1, 0), FACTOR(5, -1)},
    {"COUNTS", "", PERFORMANCE, 2, FACTOR(1, 0), FACTOR(1, 0)},
    {"BIG", "MHz", TEMPERATURE, 1, FACTOR(1, 0), FACTOR(3, 6)},
    {"NOSCALE", "W", POWER, 1, FACTOR(1, 0), FACTOR(0, 0)},
    {"NOFORM", "W", POWER, 3, FACTOR(1, 0), FACTOR(1, 0)},
    {"", "W", POWER, 1, FACTOR(1, 0), FACTOR(1, 0)},
    {"FAR", "W", POWER, 1, FACTOR(1, 0), FACTOR(1, 0)}, /* beyond the block */
};
enum { PWRSYS, TEMPNEST, UTILC00, PWRHALF, COUNTS, BIG, ROWS = sizeof rows / sizeof *rows };

static size_t name_at(int block, int row)
{
    return (size_t)block * BLOCK + NAMES + (size_t)row * NAME;
}

static size_t reading_at(int block, int copy, int row)
{
    return (size_t)block * BLOCK + (copy == 0 ? PING : PONG) + 8 + (size_t)row * READING;
}

static void describe(int block, int row)
{
    size_t at = name_at(block, row);
    strncpy((char *)image + at, rows[row].name, 16);
    strncpy((char *)image + at + 16, rows[row].unit, 4);
    put(at + 20, 2, (unsigned)(100 + row));
    put(at + 22, 4, rows[row].frequency);
    put(at + 26, 4, rows[row].scale);
    put(at + 30, 2, rows[row].type);
    image[at + 34] = (unsigned char)rows[row].form;
    put(at + 35, 4, row == ROWS - 1 ? BLOCK - 1 : (unsigned)(8 + row * READING));
}

/* A reading in a copy: its time, sample, and sum; the least and the most are beside the sample. */
static void show(int block, int copy, int row, unsigned time, unsigned sample, unsigned long long sum)
{
    size_t at = reading_at(block, copy, row);
    put(at, 2, (unsigned)(100 + row));
    put(at + 2, 8, time);
    if (rows[row].form == 2) {
        put(at + 10, 8, sum);
        return;
    }
    put(at + 10, 2, sample);
    put(at + 12, 2, sample - 1);
    put(at + 14, 2, sample + 1);
    put(at + 28, 8, sum);
}

static void validate(int block, int copy, int valid)
{
    image[(size_t)block * BLOCK + (copy == 0 ? PING : PONG)] = (unsigned char)valid;
}

static void write_image(size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" SENSORS, folder);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fwrite(image, 1, size, file), size);
    fclose(file);
}

/* The blocks of two controllers: the first copy is valid, and has readings of time 1. */
static void make_blocks(void)
{
    memset(image, 0, sizeof image);
    for (int block = 0; block < BLOCKS; block++) {
        size_t at = (size_t)block * BLOCK;
        image[at] = image[at + 1] = image[at + 4] = image[at + 12] = 1;
        put(at + 2, 2, ROWS);
        put(at + 8, 4, NAMES);
        image[at + 13] = NAME;
        put(at + 16, 4, PING);
        put(at + 20, 4, PONG);
        validate(block, 0, 1);
        for (int row = 0; row < ROWS; row++) {
            describe(block, row);
            if (row < ROWS - 1)
                show(block, 0, row, 1, (unsigned)(1000 * block + 500 + row), 1000000);
        }
    }
    shows(SENSORS, "");
    write_image(sizeof image);
}

static void begin(void)
{
    make_blocks();
    begin_in_folder();
}

static void not_listed(const char *name)
{
    no_event(name, "papi_native_avail");
}

static long long bits(double real)
{
    long long value;
    memcpy(&value, &real, sizeof value);
    return value;
}

static void levels(void **state)
{
    (void)state;
    begin();
    int es = set_of(PPC "PWRSYS:occ=0", PPC "PWRSYS:occ=0:min", PPC "PWRSYS:occ=0:max", PPC "PWRSYS:occ=1",
                    PPC "UTILC00:occ=0", PPC "UTILC00:occ=0:real", PPC "PWRHALF:occ=0",
                    PPC "PWRHALF:occ=0:real", PPC "BIG:occ=0", PPC "TEMPNEST:occ=1:real", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    reads(es, 500LL, 499LL, 501LL, 1500LL, 5LL, bits(5.02), 252LL /* 251.5 */, bits(251.5), 505LL * 3000000,
          bits(1501.0), END);
    show(0, 0, UTILC00, 2, 5750, 0);
    write_image(sizeof image);
    reads(es, 500LL, 499LL, 501LL, 1500LL, 58LL /* 57.5 */, bits(57.5), 252LL, bits(251.5), 505LL * 3000000,
          bits(1501.0), END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void counters(void **state)
{
    (void)state;
    begin();
    show(0, 0, PWRSYS, 1, 500, 12345678901234567ULL);
    write_image(sizeof image);
    int es = set_of(PPC "PWRSYS:occ=0:energy", PPC "PWRHALF:occ=1:energy", PPC "COUNTS:occ=0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    show(0, 0, PWRSYS, 2, 500, 12345678901234567ULL + 8001); /* watts, 4000 times a second */
    show(1, 0, PWRHALF, 2, 500, 1000003);                    /* half watts, once a second */
    show(0, 0, COUNTS, 2, 0, 1000077);
    write_image(sizeof image);
    reads(es, 8001LL * 250, 1500000LL, 77LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* The later of two valid copies, and the valid one of two. */
static void copies(void **state)
{
    long long value = 77;
    (void)state;
    begin();
    int es = set_of(PPC "PWRSYS:occ=0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    show(0, 1, PWRSYS, 2, 600, 0);
    write_image(sizeof image);
    reads(es, 500LL, END); /* the second one is not valid yet */
    validate(0, 1, 1);
    write_image(sizeof image);
    reads(es, 600LL, END);
    show(0, 0, PWRSYS, 3, 700, 0);
    write_image(sizeof image);
    reads(es, 700LL, END);
    validate(0, 0, 0);
    write_image(sizeof image);
    reads(es, 600LL, END);
    validate(0, 1, 0);
    write_image(sizeof image);
    refused(PAPI_read(es, &value), PAPI_ESYS, "opal-prd occ reset");
    validate(0, 1, 1);
    put(reading_at(0, 1, PWRSYS), 2, 999);
    write_image(sizeof image);
    refused(PAPI_read(es, &value), PAPI_EMISC, "another sensor's");
    assert_int_equal(value, 77);
    show(0, 1, PWRSYS, 4, 601, 0);
    write_image(sizeof image);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 601);
    value = 1;
    refused(PAPI_write(es, &value), PAPI_ECMP, "cannot be set");
}

/* Numbers that no 63 bits can hold. */
static void too_large(void **state)
{
    long long value;
    (void)state;
    begin();
    int es = set_of(PPC "PWRSYS:occ=0:energy", NULL), big = set_of(PPC "BIG:occ=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    show(0, 0, PWRSYS, 2, 500, UINT64_MAX);
    write_image(sizeof image);
    refused(PAPI_read(es, &value), PAPI_EMISC, "a number that cannot be");
    assert_int_equal(PAPI_stop(es, &value), PAPI_EMISC);
    assert_int_equal(PAPI_cleanup_eventset(big), PAPI_OK);
    put(name_at(0, PWRSYS) + 26, 4, FACTOR(0xffffff, 100));
    write_image(sizeof image);
    PAPI_shutdown();
    begin_in_folder();
    int added = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&added), PAPI_OK);
    refused(PAPI_add_named_event(added, PPC "PWRSYS:occ=0"), PAPI_EMISC, "a number that cannot be");
}

static void listed(void **state)
{
    PAPI_event_info_t info;
    int code;
    (void)state;
    begin();
    assert_int_equal(info_of_component("sensors_ppc")->disabled, PAPI_OK);
    /* Each block has two powers with five quantities, three others with four, and a count. */
    assert_int_equal(info_of_component("sensors_ppc")->num_native_events, BLOCKS * (2 * 5 + 3 * 4 + 1));
    assert_int_equal(PAPI_event_name_to_code(PPC "PWRSYS:occ=1:energy", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, "uJ");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
    assert_int_equal(PAPI_event_name_to_code(PPC "UTILC00:occ=0:real", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, "%");
    assert_int_equal(info.data_type, PAPI_DATATYPE_FP64);
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    not_listed(PPC "PWRSYS");
    not_listed(PPC "PWRSYS:occ=2");
    not_listed(PPC "TEMPNEST:occ=0:energy");
    not_listed(PPC "COUNTS:occ=0:max");
    not_listed(PPC "NOSCALE:occ=0");
    not_listed(PPC "NOFORM:occ=0");
    not_listed(PPC "FAR:occ=0");
}

static void disabled(int code, const char *part)
{
    PAPI_shutdown();
    begin_in_folder();
    assert_int_equal(info_of_component("sensors_ppc")->disabled, code);
    if (strstr(info_of_component("sensors_ppc")->disabled_reason, part) == NULL)
        fail_msg("\"%s\" is not in: %s", part, info_of_component("sensors_ppc")->disabled_reason);
    assert_int_equal(info_of_component("sensors_ppc")->num_native_events, 0);
}

static void reasons(void **state)
{
    char path[PATH_MAX];
    (void)state;
    begin_in_folder();
    disabled(PAPI_ENOSUPP, "there is no /sys/firmware/opal/exports");
    shows("sys/firmware/opal/exports/hdat_map", "");
    disabled(PAPI_ENOSUPP, "there is nothing named occ_inband_sensors");
    shows(SENSORS, "");
    disabled(PAPI_ENOSUPP, "the controllers have not started");
    make_blocks();
    image[1] = 2;
    write_image(sizeof image);
    disabled(PAPI_ENOSUPP, "the firmware is a newer one");
    image[1] = 1;
    write_image(sizeof image);
    snprintf(path, sizeof path, "%s/" SENSORS, folder);
    assert_int_equal(truncate(path, BLOCK + 100), 0);
    PAPI_shutdown();
    begin_in_folder();
    assert_int_equal(info_of_component("sensors_ppc")->num_native_events,
                     2 * 5 + 3 * 4 + 1); /* of the first block alone */
    if (geteuid() == 0)
        return; /* who may read all */
    assert_int_equal(chmod(path, 0), 0);
    disabled(PAPI_EPERM, "chmod a+r /sys/firmware/opal/exports/occ_inband_sensors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(levels),    IN_FOLDER(counters), IN_FOLDER(copies),
                                       IN_FOLDER(too_large), IN_FOLDER(listed),   IN_FOLDER(reasons)};
    return TEST_RUN(tests);
}
