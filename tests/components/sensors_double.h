/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in sensors_double.c, which stands for libsensors.
 */
#pragma once

struct sensors_double {
    int init_result, chips; /* what sensors_init answers, and how many chips there are then */
    int many;               /* labels of the last chip; 0: it has the usual ones */
    int started;            /* sensors_init less sensors_cleanup */
    int at_work, within;    /* questions that are being answered, and those that came within another */
    int result;             /* of all questions for a value */
    double temperature, limit, volts, watts;
};
