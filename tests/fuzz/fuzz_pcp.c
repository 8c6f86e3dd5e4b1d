/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component pcp with a libpcp whose answers are the input: names of metrics and instances of any bytes,
 * descriptions of any types, blocks that are too short, values of other metrics, errors. What the library
 * itself promises holds: texts end, and arrays are as long as it says.
 */
#include "component.h"
#include "components/components.h"
#include "components/device/libpcp.h"
#include "fuzz.h"
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

const char stand_in_library[] = "libpcp.so.3";

enum { MOST_NAMES = 12, MOST_INSTANCES = 6, MOST_VALUES = 5, LONGEST = 200 };

static struct fuzz_bytes input;
static int contexts;

static int byte(void)
{
    return (int)fuzz_number(&input, 1);
}

/* A small number, or one of 32 bits with a sign where the first byte has its upper bit set. */
static int number(void)
{
    int first = byte();
    return first < 128 ? first : (int)(uint32_t)fuzz_number(&input, 4);
}

/* OK, or an error in one of 16 cases. */
static int result(void)
{
    int error = byte();
    return error >= 240 ? -12340 - (error - 240) * 4 : 0;
}

/* A text of the input's bytes, of any of them but '\0'. */
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

/* ---- the library */

static int new_context(int type, const char *host)
{
    int error = result();
    REQUIRE(type == PCP_HOST && strcmp(host, "local:") == 0);
    contexts += error == 0;
    return error;
}

static int use_context(int context)
{
    return context == 0 ? 0 : -12376;
}

static int reconnect(int context)
{
    int error = result();
    return error != 0 ? error : context;
}

static int end_context(int context)
{
    contexts--;
    return context;
}

static int each_name(const char *below, void (*visit)(const char *, void *), void *context)
{
    char name[LONGEST + 1];
    int n = byte() % (MOST_NAMES + 1);
    (void)below;
    for (int i = 0; i < n; i++) {
        take_text(name, sizeof name);
        visit(name, context);
    }
    int error = result();
    return error != 0 ? error : n;
}

static int metrics(int n, const char **name, int *metric)
{
    for (int i = 0; i < n; i++) {
        REQUIRE(strlen(name[i]) <= LONGEST);
        metric[i] = number();
    }
    return byte() % 2 == 0 ? n : result();
}

static int describe(int metric, struct pcp_description *description)
{
    int semantics = byte(), type = byte() - 4, domain = byte() % 4 - 1; /* one after the other */
    *description = (struct pcp_description){metric, type, domain, semantics % 5, 0};
    return result();
}

/* Names and pointers in one piece of memory. */
static int instances(int domain, int **instance, char ***name)
{
    int n = byte() % (MOST_INSTANCES + 1), error = result();
    (void)domain;
    if (error < 0 || n == 0)
        return error;
    char text[LONGEST + 1];
    char **all = malloc((size_t)n * (sizeof *all + sizeof text)), *next = (char *)(all + n);
    *instance = malloc((size_t)n * sizeof **instance);
    for (int i = 0; i < n; i++) {
        take_text(text, sizeof text);
        (*instance)[i] = number();
        all[i] = strcpy(next, text);
        next += strlen(text) + 1;
    }
    *name = all;
    return n;
}

static int text(int metric, int level, char **line)
{
    char copy[LONGEST + 1];
    int error = result();
    (void)metric, (void)level;
    if (error < 0)
        return error;
    take_text(copy, sizeof copy);
    *line = strdup(copy);
    return 0;
}

/* Without an end where it fills the place. */
static char *units(const uint32_t *of, char *out, int size)
{
    char unit[LONGEST + 1];
    (void)of;
    take_text(unit, sizeof unit);
    return strncpy(out, unit, (size_t)size);
}

/* A block is as long as its head says, and has a head at least. */
static const uint32_t *block(void)
{
    uint32_t length = (uint32_t)byte() % 24, type = (uint32_t)byte() % 10;
    uint32_t *made = malloc(length > PCP_BLOCK_HEAD ? length : PCP_BLOCK_HEAD);
    *made = length | type << PCP_TYPE_SHIFT;
    for (uint32_t i = PCP_BLOCK_HEAD; i < length; i++)
        ((char *)made)[i] = (char)byte();
    return made;
}

static struct pcp_values *values(int metric)
{
    int n = byte() % 16 - 8, format = byte() % 3, of = byte() < 240 ? metric : number();
    if (n > MOST_VALUES)
        n = 1;
    struct pcp_values *made = malloc(sizeof *made + (size_t)(n > 0 ? n : 0) * sizeof *made->value);
    *made = (struct pcp_values){of, n, format};
    for (int i = 0; i < n; i++) {
        made->value[i].instance = number();
        if (format == PCP_IN_PLACE)
            made->value[i].at.whole = (int)(uint32_t)fuzz_number(&input, 4);
        else
            made->value[i].at.block = block();
    }
    return made;
}

static int fetch(int n, int *metric, struct pcp_result **out)
{
    int error = result(), given = byte() < 240 ? n : byte() % (n + 1);
    if (error < 0)
        return error;
    struct pcp_result *made = calloc(1, sizeof *made + (size_t)n * sizeof *made->values);
    made->n = given;
    for (int i = 0; i < given; i++)
        made->values[i] = values(metric[i]);
    *out = made;
    return byte() < 200 ? 0 : byte() % 8;
}

static void free_result(struct pcp_result *made)
{
    for (int i = 0; i < made->n; i++) {
        struct pcp_values *of = made->values[i];
        for (int k = 0; k < of->n && of->format != PCP_IN_PLACE; k++)
            free((void *)(uintptr_t)of->value[k].at.block);
        free(of);
    }
    free(made);
}

static char *error(int of, char *out, int size)
{
    (void)of;
    take_text(out, (size_t)size);
    return out;
}

const struct stand_in_function stand_in_functions[] = {
#define OURS(member, name, type, arguments) STAND_IN(name, member),
    PCP_FUNCTIONS(OURS){NULL, NULL}};

/* Names as they can be in a list of events, which blanks and commas separate. */
static void check_names(void)
{
    struct event_list list = {0};
    struct reason why = {0};
    pcp_component.list("", &list, &why);
    for (int i = 0; i < list.n; i++)
        for (const char *p = list.event[i]->name; *p != '\0'; p++)
            REQUIRE((unsigned char)*p > ' ' && *p != ',' && *p != 0x7f);
    event_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    setenv("PCP_CONF", "/dev/null", 1);
    input = (struct fuzz_bytes){data, data + size};
    fuzz_component(&pcp_component, 0, "", false);
    REQUIRE(contexts == 0);
    input = (struct fuzz_bytes){data, data + size};
    check_names();
    REQUIRE(contexts == 0);
    return 0;
}
