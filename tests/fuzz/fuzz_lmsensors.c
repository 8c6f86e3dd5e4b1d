/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component lmsensors with a libsensors whose answers are the input: chips, labels and sensors of any
 * names, types and flags, values that are not a number, errors. Texts end, as the library promises.
 */
#include "component.h"
#include "components/components.h"
#include "components/device/libsensors.h"
#include "fuzz.h"
#include "stand_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char stand_in_library[] = "libsensors.so.5";

enum { MOST = 5, LONGEST = 200 };

static struct fuzz_bytes input;
static int begun;

static int byte(void)
{
    return (int)fuzz_number(&input, 1);
}

static int result(void)
{
    int error = byte();
    return error >= 240 ? -(error - 239) : 0;
}

static void take_text(char *text, size_t size)
{
    size_t length = (size_t)byte() % (LONGEST + 1), i = 0;
    for (; i < length && i + 1 < size && input.next < input.end; i++) {
        text[i] = (char)*input.next++;
        if (text[i] == '\0')
            break;
    }
    text[i] = '\0';
}

/* ---- the library. It keeps what it has listed until its end */

static struct sensors_chip chips[MOST];
static struct sensors_quantity quantities[MOST];
static struct sensors_number numbers[MOST];
static char quantity_names[MOST][LONGEST + 1], number_names[MOST][LONGEST + 1];

static int init(FILE *configuration)
{
    int error = result();
    REQUIRE(configuration == NULL);
    begun += error == 0;
    return error;
}

static void cleanup(void)
{
    begun--;
}

static const struct sensors_chip *chip(const struct sensors_chip *like, int *next)
{
    (void)like;
    return *next < MOST && byte() % 4 != 0 ? &chips[(*next)++] : NULL;
}

static int chip_name(char *out, size_t size, const struct sensors_chip *of)
{
    char name[LONGEST + 1];
    int error = result();
    (void)of;
    if (error < 0)
        return error;
    take_text(name, sizeof name);
    return snprintf(out, size, "%s", name);
}

static const struct sensors_quantity *quantity(const struct sensors_chip *of, int *next)
{
    int i = *next;
    (void)of;
    if (i >= MOST || byte() % 4 == 0)
        return NULL;
    take_text(quantity_names[i], sizeof quantity_names[i]);
    quantities[i] = (struct sensors_quantity){.name = byte() < 250 ? quantity_names[i] : NULL, .number = i};
    quantities[i].type = byte();
    ++*next;
    return &quantities[i];
}

static const struct sensors_number *number(const struct sensors_chip *of, const struct sensors_quantity *in,
                                           int *next)
{
    int i = *next, type;
    (void)of, (void)in;
    if (i >= MOST || byte() % 4 == 0)
        return NULL;
    take_text(number_names[i], sizeof number_names[i]);
    type = (int)(uint32_t)fuzz_number(&input, byte() < 200 ? 2 : 4);
    numbers[i] = (struct sensors_number){.name = byte() < 250 ? number_names[i] : NULL, .type = type};
    numbers[i].number = byte();
    numbers[i].flags = (unsigned)byte();
    ++*next;
    return &numbers[i];
}

static char *label(const struct sensors_chip *of, const struct sensors_quantity *in)
{
    char text[LONGEST + 1];
    (void)of, (void)in;
    if (byte() >= 240)
        return NULL;
    take_text(text, sizeof text);
    return strdup(text);
}

static int get(const struct sensors_chip *of, int which, double *value)
{
    int64_t bits = (int64_t)fuzz_number(&input, 8);
    (void)of, (void)which;
    memcpy(value, &bits, sizeof bits);
    return result();
}

static int set(const struct sensors_chip *of, int which, double value)
{
    (void)of, (void)which;
    REQUIRE(isfinite(value));
    return result();
}

static const char *error(int of)
{
    static char text[LONGEST + 1];
    (void)of;
    take_text(text, sizeof text);
    return byte() < 250 ? text : NULL;
}

const struct stand_in_function stand_in_functions[] = {
#define OURS(member, name, type, arguments) STAND_IN(name, member),
    SENSORS_FUNCTIONS(OURS){NULL, NULL}};

static void check_names(void)
{
    struct event_list list = {0};
    struct reason why = {0};
    lmsensors_component.list("", &list, &why);
    for (int i = 0; i < list.n; i++)
        for (const char *p = list.event[i]->name; *p != '\0'; p++)
            REQUIRE((unsigned char)*p > ' ' && *p != ',' && *p != 0x7f);
    event_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = (struct fuzz_bytes){data, data + size};
    fuzz_component(&lmsensors_component, 0, "", false);
    REQUIRE(begun == 0);
    input = (struct fuzz_bytes){data, data + size};
    check_names();
    REQUIRE(begun == 0);
    return 0;
}
