/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Our declarations of libraries that are opened when first needed, compared with the libraries' own headers
 * by the compiler, where these are installed.
 */
#include "components/device/libsensors.h"
#include "testing.h"

#include <stddef.h>
#include <string.h>

#define SAME(ours, theirs) _Static_assert((ours) == (theirs), #ours)
#define SAME_PLACE(our_type, ours, their_type, theirs)                                                       \
    SAME(offsetof(our_type, ours), offsetof(their_type, theirs));                                            \
    SAME(sizeof((our_type){0}.ours), sizeof((their_type){0}.theirs))

/* ---- libsensors */

#if __has_include(<sensors/sensors.h>)
#include <sensors/error.h>
#include <sensors/sensors.h>

SAME(sizeof(struct sensors_chip), sizeof(sensors_chip_name));
SAME_PLACE(struct sensors_chip, prefix, sensors_chip_name, prefix);
SAME_PLACE(struct sensors_chip, bus.number, sensors_chip_name, bus.nr);
SAME_PLACE(struct sensors_chip, address, sensors_chip_name, addr);
SAME(sizeof(struct sensors_quantity), sizeof(sensors_feature));
SAME_PLACE(struct sensors_quantity, name, sensors_feature, name);
SAME_PLACE(struct sensors_quantity, type, sensors_feature, type);
SAME(sizeof(struct sensors_number), sizeof(sensors_subfeature));
SAME_PLACE(struct sensors_number, name, sensors_subfeature, name);
SAME_PLACE(struct sensors_number, number, sensors_subfeature, number);
SAME_PLACE(struct sensors_number, type, sensors_subfeature, type);
SAME_PLACE(struct sensors_number, flags, sensors_subfeature, flags);
SAME(SENSORS_READABLE, SENSORS_MODE_R);
SAME(SENSORS_WRITABLE, SENSORS_MODE_W);
SAME((int)SENSORS_IN, (int)SENSORS_FEATURE_IN);
SAME((int)SENSORS_FAN, (int)SENSORS_FEATURE_FAN);
SAME((int)SENSORS_TEMP, (int)SENSORS_FEATURE_TEMP);
SAME((int)SENSORS_POWER, (int)SENSORS_FEATURE_POWER);
SAME((int)SENSORS_ENERGY, (int)SENSORS_FEATURE_ENERGY);
SAME((int)SENSORS_CURR, (int)SENSORS_FEATURE_CURR);
SAME((int)SENSORS_HUMIDITY, (int)SENSORS_FEATURE_HUMIDITY);
SAME((int)SENSORS_VID, (int)SENSORS_FEATURE_VID);
SAME((int)SENSORS_TEMP << 8, (int)SENSORS_SUBFEATURE_TEMP_INPUT);
SAME((int)SENSORS_TEMP << 8 | (int)SENSORS_PLAIN, (int)SENSORS_SUBFEATURE_TEMP_ALARM);
SAME((int)SENSORS_TEMP_OFFSET, (int)SENSORS_SUBFEATURE_TEMP_OFFSET);
SAME((int)SENSORS_POWER_INTERVAL, (int)SENSORS_SUBFEATURE_POWER_AVERAGE_INTERVAL);
SAME(SENSORS_NO_ENTRY, SENSORS_ERR_NO_ENTRY);
SAME(SENSORS_ACCESS_R, SENSORS_ERR_ACCESS_R);
SAME(SENSORS_KERNEL, SENSORS_ERR_KERNEL);
SAME(SENSORS_PARSE, SENSORS_ERR_PARSE);
SAME(SENSORS_ACCESS_W, SENSORS_ERR_ACCESS_W);
SAME(SENSORS_IO, SENSORS_ERR_IO);

enum { HAVE_SENSORS = 1 };
#else
enum { HAVE_SENSORS = 0 };
#endif

static void libsensors(void **state)
{
    (void)state;
    if (!HAVE_SENSORS)
        SKIP("sensors/sensors.h is not installed: apt-get install libsensors-dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(libsensors)};
    return TEST_RUN(tests);
}
