/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machines that agree on which ranks have the library, by the names of a launcher that is simulated here.
 */
#include "base/hash.h"
#include "job/agreement.h"
#include "job/rank_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_NAMES = 20000, MOST = 3000 };

static struct {
    char name[64], value[AGREEMENT_VALUE];
} names[MOST_NAMES];
static int n_names, deaf, keeps_last;

static int find(const char *name)
{
    int i = (int)(hash_text(name) % MOST_NAMES);
    while (names[i].name[0] != '\0' && strcmp(names[i].name, name) != 0)
        i = (i + 1) % MOST_NAMES;
    return i;
}

static void publish(void *context, const char *name, const char *value)
{
    int i = find(name);
    assert_true(strlen(value) < *(size_t *)context && strlen(name) < sizeof names[0].name);
    bool known = names[i].name[0] != '\0';
    if (deaf || (known && !keeps_last))
        return;
    n_names += !known;
    assert_true(n_names < MOST_NAMES / 2);
    strcpy(names[i].name, name);
    strcpy(names[i].value, value);
}

static bool look_up(void *context, const char *name, char value[AGREEMENT_VALUE])
{
    int i = find(name);
    (void)context;
    strcpy(value, names[i].value);
    return names[i].name[0] != '\0';
}

static uint64_t state = 88172645463325252u;

static int random_below(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (uint64_t)n);
}

/* ---- a job */

static int machine_of[MOST]; /* of each rank */
static char lacks[MOST];     /* it has no library */

/* Begins on a machine. NULL: none of its ranks has the library. */
static struct agreement *begin(int machine, int ranks, size_t *room)
{
    static int local[MOST];
    int n = 0, said = 0;
    for (int rank = 0; rank < ranks; rank++)
        if (machine_of[rank] == machine) {
            said++;
            if (!lacks[rank])
                local[n++] = rank;
        }
    const struct agreement_names of = {publish, look_up, room, *room};
    return n > 0 ? agreement_begin(&of, ranks, local, n, said) : NULL;
}

/* Has the machines begin and look in a random order. Checks that all know the same in the end: the ranks that
 * lack the library, or nothing, where there is no room to say so. */
static void agree(int ranks, int machines, size_t room, bool whole, bool fits)
{
    struct agreement *of[MOST];
    char expected[64 * MOST], text[64 * MOST];
    int list[MOST], n = 0, left = 0;
    n_names = 0;
    memset(names, 0, sizeof names);
    for (int rank = 0; rank < ranks; rank++)
        if (lacks[rank])
            list[n++] = rank;
    assert_int_equal(ranks_write(expected, sizeof expected, ",", list, n), n);
    for (int i = 0, first = random_below(machines); i < machines; i++) {
        int machine = (first + i) % machines;
        of[machine] = begin(machine, ranks, &room);
        left += of[machine] != NULL;
    }
    int all = left;
    for (int turn = 0; left > 0; turn++) {
        assert_true(turn < 200);
        for (int i = 0, first = random_below(machines); i < machines; i++) {
            struct agreement *one = of[(first + i) % machines];
            if (one == NULL)
                continue;
            assert_true(agreement_has_names(one));
            bool knows = agreement_step(one, turn > 100);
            assert_true(whole || turn > 100 || !knows); /* nobody decides before it must */
            if (!knows)
                continue;
            if (fits)
                assert_string_equal(agreement_absent(one), expected);
            else
                assert_null(agreement_absent(one));
            left--;
            agreement_free(one);
            of[(first + i) % machines] = NULL;
        }
    }
    assert_true(all > 0);
    snprintf(text, sizeof text, ":%s", expected);
    assert_string_equal(names[find("papi_mpi.absent")].value, fits ? text : ":?");
}

static void place(int ranks, int machines, int how)
{
    memset(lacks, 0, sizeof lacks);
    for (int rank = 0; rank < ranks; rank++)
        machine_of[rank] = how == 0   ? rank / ((ranks + machines - 1) / machines)
                           : how == 1 ? rank % machines
                                      : random_below(machines);
}

/* ---- the tests */

static void all_are_there(void **unused)
{
    static const int cases[][2] = {{2, 2},   {16, 2},    {16, 16},   {17, 17},   {40, 5},
                                   {256, 7}, {300, 300}, {3000, 40}, {3000, 700}};
    (void)unused;
    for (keeps_last = 0; keeps_last < 2; keeps_last++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int how = 0; how < 3; how++)
                for (size_t room = 256; room <= AGREEMENT_VALUE; room *= 4) {
                    place(cases[i][0], cases[i][1], how);
                    agree(cases[i][0], cases[i][1], room, true, true);
                }
}

/* The launcher counts the ranks of each machine, with the library or without: nobody has to be waited for. */
static void some_ranks_lack_it(void **unused)
{
    (void)unused;
    for (int how = 0; how < 6; how++) {
        keeps_last = how >= 3;
        place(1000, 20, how % 3);
        lacks[0] = lacks[17] = lacks[18] = lacks[999] = 1;
        agree(1000, 20, 256, true, true);
    }
}

/* Nobody says that a machine has ranks where none of them has the library: who decides waits until it must.
 */
static void a_machine_lacks_it(void **unused)
{
    (void)unused;
    place(640, 10, 0);
    for (int rank = 128; rank < 192; rank++)
        lacks[rank] = 1;
    agree(640, 10, 256, false, true);
    place(640, 10, 1);
    for (int rank = 0; rank < 640; rank += 10)
        lacks[rank] = 1;
    agree(640, 10, 256, false, true);
}

static void the_list_is_too_long(void **unused)
{
    (void)unused;
    place(1000, 4, 1);
    for (int rank = 0; rank < 1000; rank++)
        lacks[rank] = rank % 4 == 1 && random_below(2) == 0;
    agree(1000, 4, 256, true, false);
}

static void nobody_keeps_names(void **unused)
{
    (void)unused;
    size_t room = 256;
    place(64, 4, 0);
    n_names = 0;
    memset(names, 0, sizeof names);
    deaf = 1;
    struct agreement *one = begin(0, 64, &room);
    assert_non_null(one);
    assert_false(agreement_has_names(one));
    assert_null(agreement_absent(one));
    agreement_free(one);
    deaf = 0;
}

static void lists_are_written_and_read(void **unused)
{
    static const struct {
        int n, rank[8];
        const char *text;
    } cases[] = {{0, {0}, ""},
                 {1, {5}, "5"},
                 {2, {5, 6}, "5-6"},
                 {3, {0, 2, 4}, "0,2,4"},
                 {4, {0, 2, 4, 6}, "0-6/2"},
                 {6, {1, 5, 6, 7, 9, 100}, "1,5-7,9,100"}};
    char text[64], is[128];
    int first, last, step;
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(is, 0, sizeof is);
        assert_int_equal(ranks_write(text, sizeof text, ",", cases[i].rank, cases[i].n), cases[i].n);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(ranks_read(text, is, 128), cases[i].n);
        for (int k = 0; k < cases[i].n; k++)
            assert_int_equal(is[cases[i].rank[k]], 1);
    }
    assert_int_equal(ranks_write(text, 7, ",", cases[5].rank, 6), 4); /* for ",9" there is no room */
    assert_string_equal(text, "1,5-7");
    static const char *const wrong[] = {"x", "-1", "3-2", "128", "0-127/0", "?"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *at = wrong[i];
        assert_int_equal(ranks_read(wrong[i], is, 128), -1);
        while (ranks_next(&at, 128, &first, &last, &step) > 0)
            ;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_there),      cmocka_unit_test(some_ranks_lack_it),
        cmocka_unit_test(a_machine_lacks_it), cmocka_unit_test(the_list_is_too_long),
        cmocka_unit_test(nobody_keeps_names), cmocka_unit_test(lists_are_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
