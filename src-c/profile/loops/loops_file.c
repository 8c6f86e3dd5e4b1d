/* SPDX-License-Identifier: BSD-3-Clause */
#include "loops_file.h"
#include "base/json.h"
#include "hot.h"

static const char *const place_names[LOOP_PLACES] = {
    [PLACE_HOTTEST] = "hottest",   [PLACE_CHAIN] = "chain",
    [PLACE_DIVIDE] = "divide",     [PLACE_ROOT] = "root",
    [PLACE_CONVERT] = "convert",   [PLACE_INTEGER_DIVIDE] = "integer_divide",
    [PLACE_INDIRECT] = "indirect", [PLACE_FAR] = "far",
    [PLACE_STRIDE] = "stride",     [PLACE_BRANCH] = "branch",
    [PLACE_CALL] = "call",         [PLACE_LOCKED] = "locked",
    [PLACE_STORE] = "store",       [PLACE_UNDECIDED] = "undecided",
};

static const char *const work_names[WORKS] = {
    [WORK_MOVE] = "move",       [WORK_INTEGER] = "integer",   [WORK_INTEGER_MULTIPLY] = "integer_multiply",
    [WORK_ADD] = "add",         [WORK_MULTIPLY] = "multiply", [WORK_INTEGER_DIVIDE] = "integer_divide",
    [WORK_FMA] = "fma",         [WORK_DIVIDE] = "divide",     [WORK_SQRT] = "root",
    [WORK_OTHER] = "other",     [WORK_COMPARE] = "compare",   [WORK_CONVERT] = "convert",
    [WORK_SHUFFLE] = "shuffle", [WORK_LOAD] = "load",         [WORK_STORED] = "stored",
};

static void put_counts(struct json *json, const struct turn *turn)
{
    const struct {
        const char *key;
        int n;
    } rows[] = {
        {"instructions", turn->instructions},
        {"loads", turn->loads},
        {"stores", turn->stores},
        {"scalar", turn->scalar_fp},
        {"vector", turn->vector_fp},
        {"bits", turn->bits},
        {"calls", turn->calls},
        {"branches", turn->branches},
        {"locked", turn->locked},
        {"unknown", turn->unknown},
        {"divides", turn->divides},
        {"roots", turn->roots},
        {"converts", turn->converts},
        {"integer_divides", turn->integer_divides},
        {"stack", turn->stack},
        {"indirect", turn->indirect},
        {"far", turn->far},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_integer(json, rows[i].key, rows[i].n);
}

static void put_turn(struct json *json, const struct turn *turn)
{
    json_open(json, "turn", '{');
    put_counts(json, turn);
    json_integer(json, "stride", turn->stride);
    json_number(json, "at_least", turn->at_least);
    json_number(json, "divider", turn->divider);
    json_number(json, "chain", turn->chain);
    json_string(json, "chain_work", work_names[turn->chain_work]);
    json_number(json, "chain_share", turn->chain_share);
    json_boolean(json, "chases", turn->chases);
    json_close(json, '}');
}

static void put_loop(struct json *json, const struct profile *profile, const struct loop *loop)
{
    json_open(json, NULL, '{');
    json->in_line = true;
    json_integer(json, "object", loop->object);
    json_integer(json, "start", (long long)loop->start);
    json_integer(json, "end", (long long)loop->end);
    json_boolean(json, "loop", loop->is_loop);
    json_boolean(json, "innermost", loop->innermost);
    json_boolean(json, "optimised", loop->optimised);
    json_open(json, "values", '[');
    for (int i = 0; i < profile->n_events; i++)
        json_integer(json, NULL, (long long)loop->value[i]);
    json_close(json, ']');
    json_integer(json, "turns", (long long)loop->turns);
    json_integer(json, "undecided", (long long)loop->undecided);
    json_open(json, "places", '{');
    for (int i = 0; i < LOOP_PLACES; i++)
        if (loop->place[i] != PROFILE_NONE)
            json_integer(json, place_names[i], loop->place[i]);
    json_close(json, '}');
    if (loop->known)
        put_turn(json, &loop->turn);
    json_close(json, '}');
    json->in_line = false;
}

void loops_write(struct json *json, const struct profile *profile)
{
    json_open(json, "loops", '[');
    for (int i = 0; i < profile->n_loops; i++)
        put_loop(json, profile, &profile->loop[i]);
    json_close(json, ']');
}
