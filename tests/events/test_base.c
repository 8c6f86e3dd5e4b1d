/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/: the reason of an error, reads below another machine's root, and numbers of 128 bits.
 */
#include "testing.h"

#include "base/nearest.h"
#include "base/sysroot.h"
#include "base/visible.h"
#include "base/wide.h"
#include "papi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reasons */

static void a_reason_is_set(void **state)
{
    (void)state;
    struct reason why = {0};
    errno = EXDEV;
    assert_int_equal(reason_set(&why, PAPI_ECNFLCT, "%s of %d", "one", 2), PAPI_ECNFLCT);
    assert_int_equal(errno, EXDEV);
    assert_int_equal(why.code, PAPI_ECNFLCT);
    assert_int_equal(why.fresh, 1);
    assert_string_equal(why.text, "one of 2");
    /* The next one replaces it. */
    assert_int_equal(reason_set(&why, PAPI_EINVAL, "x"), PAPI_EINVAL);
    assert_int_equal(why.code, PAPI_EINVAL);
    assert_string_equal(why.text, "x");
}

static void a_reason_nobody_wants(void **state)
{
    (void)state;
    assert_int_equal(reason_set(NULL, PAPI_ENOMEM, "%d", 1), PAPI_ENOMEM);
}

static void a_reason_is_kept(void **state)
{
    (void)state;
    struct kept_reason *kept = NULL;
    struct reason why, given = {0};
    reason_begin(&why);
    assert_int_equal(reason_keep(&kept, &why), PAPI_OK);
    assert_null(kept);
    assert_int_equal(reason_pass_kept(kept, &given), PAPI_OK);
    reason_set(&why, PAPI_EPERM, "not for %s", "you");
    reason_blind(&why, PAPI_EPERM);
    assert_int_equal(reason_keep(&kept, &why), PAPI_OK);
    assert_int_equal(reason_pass_kept(kept, NULL), PAPI_EPERM);
    assert_int_equal(reason_pass_kept(kept, &given), PAPI_EPERM);
    assert_string_equal(given.text, "not for you");
    assert_int_equal(given.fresh, 1);
    assert_int_equal(given.advice, ADVICE_BLIND);
    reason_begin(&why);
    assert_int_equal(reason_keep(&kept, &why), PAPI_OK);
    assert_null(kept);
}

static void a_reason_is_cut(void **state)
{
    (void)state;
    struct {
        struct reason why;
        char behind[8];
    } box = {.behind = "intact"};
    char *text = test_text(5000, "abcdefghij");
    reason_set(&box.why, PAPI_EMISC, "%s", text);
    assert_int_equal(strlen(box.why.text), sizeof box.why.text - 1);
    assert_memory_equal(box.why.text, text, sizeof box.why.text - 1);
    assert_string_equal(box.behind, "intact");
    free(text);
}

/* ---- what is not visible */

static void texts_are_made_visible(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"plain ~ text", "plain ~ text"},
        {"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"},
        {"\x1b[2J\a\r\n\x7f", "\\x1b[2J\\x07\\x0d\\x0a\\x7f"},
        {"a\tb", "a b"},
        {"\xc2\x9b", "<U+009B>"},
        {"\xe2\x80\xae\xe2\x81\xa6\xd8\x9c", "<U+202E><U+2066><U+061C>"},
        {"\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x80\x81", "<U+200B><U+FEFF><U+E0001>"},
        /* no UTF-8: alone, cut off, too long a form, a surrogate, beyond the last */
        {"\xff\x80", "\\xff\\x80"},
        {"\xe2\x80", "\\xe2\\x80"},
        {"\xc0\xaf", "\\xc0\\xaf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char once[128], twice[128];
        assert_int_equal(visible(once, sizeof once, cases[i][0]), strlen(cases[i][1]));
        assert_string_equal(once, cases[i][1]);
        visible(twice, sizeof twice, once);
        assert_string_equal(twice, once);
        assert_true(strlen(once) <= VISIBLE_GROWTH * strlen(cases[i][0]));
    }
}

static void visible_texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const char text[] = "a\xc3\xa9\x1b"
                               "b";
    static const char *const cut[] = {"",
                                      "a",
                                      "a",
                                      "a\xc3\xa9",
                                      "a\xc3\xa9",
                                      "a\xc3\xa9",
                                      "a\xc3\xa9",
                                      "a\xc3\xa9\\x1b",
                                      "a\xc3\xa9\\x1b"
                                      "b"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        char out[16] = "............";
        assert_int_equal(visible(out, i + 1, text), 8);
        assert_string_equal(out, cut[i]);
        assert_int_equal(out[i + 1], '.');
    }
    assert_int_equal(visible(NULL, 0, text), 8);
}

/* ---- numbers of 128 bits */

static void are_wide(struct wide number, uint64_t high, uint64_t low)
{
    assert_int_equal(number.high, high);
    assert_int_equal(number.low, low);
}

static void wide_numbers(void **state)
{
    (void)state;
    const uint64_t most = UINT64_MAX;
    are_wide(wide_product(most, most), most - 1, 1);
    are_wide(wide_product(0x123456789abcdef0, 0xfedcba9876543210), 0x121fa00ad77d7422, 0x236d88fe5618cf00);
    are_wide(wide_product(most, 0), 0, 0);
    struct wide number = {0, most};
    assert_true(wide_times(&number, 10));
    are_wide(number, 9, most - 9);
    assert_true(wide_times(&number, most / 10));
    are_wide(number, most - 6, 6);
    assert_false(wide_times(&number, 2));
    are_wide(number, most - 6, 6);
    number = (struct wide){1, most};
    assert_false(wide_times(&number, most));
    assert_true(wide_shift(&number, 63));
    are_wide(number, most, (uint64_t)1 << 63);
    assert_false(wide_shift(&number, 1));
    assert_true(wide_shift(&number, -64));
    are_wide(number, 0, most);
    assert_true(wide_shift(&number, -200));
    are_wide(number, 0, 0);
    assert_true(wide_shift(&number, 1000));
    are_wide(wide_quotient((struct wide){most, most}, (struct wide){0, 1}), most, most);
    are_wide(wide_quotient((struct wide){most, most}, (struct wide){most, most}), 0, 1);
    are_wide(wide_quotient((struct wide){most, most - 1}, (struct wide){most, most}), 0, 0);
    are_wide(wide_quotient((struct wide){most, most}, (struct wide){(uint64_t)1 << 63, 1}), 0, 1);
    /* 10^38 by 7 */
    are_wide(wide_quotient((struct wide){0x4b3b4ca85a86c47a, 0x098a224000000000}, (struct wide){0, 7}),
             0x0abf54180ceeae5a, 0x93a604e492492492);
}

/* A share by the compiler's own numbers, where it has them, and by halves. */
static void shares(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {1,
                                       2,
                                       3,
                                       10,
                                       1000000007,
                                       UINT32_MAX,
                                       (uint64_t)UINT32_MAX + 1,
                                       0x123456789abcdef0,
                                       UINT64_MAX - 1,
                                       UINT64_MAX};
    assert_int_equal(wide_share(1000000, 3, 7), 428571);
    assert_int_equal(wide_share(UINT64_MAX, 1000000007, 1000000008), 18446744055262807688u);
    assert_int_equal(wide_share(UINT64_MAX, UINT64_MAX, 2), 0); /* modulo 2^64 */
    for (size_t i = 0; i < COUNT(numbers); i++)
        for (size_t j = 0; j < COUNT(numbers); j++)
            for (size_t k = 0; k < COUNT(numbers); k++)
                assert_int_equal(
                    wide_share(numbers[i], numbers[j], numbers[k]),
                    wide_quotient(wide_product(numbers[i], numbers[j]), (struct wide){0, numbers[k]}).low);
}

/* ---- paths */

static void paths(void **state)
{
    (void)state;
    char out[16];
    assert_int_equal(sysroot_path("", "/proc/x", out, sizeof out), 0);
    assert_string_equal(out, "/proc/x");
    assert_int_equal(sysroot_path(NULL, "/proc/x", out, sizeof out), 0);
    assert_string_equal(out, "/proc/x");
    assert_int_equal(sysroot_path("/snap", "/proc/x", out, sizeof out), 0);
    assert_string_equal(out, "/snap/proc/x");
    /* 15 characters and the end fit, 16 do not. */
    assert_int_equal(sysroot_path("/12345678", "/12345", out, sizeof out), 0);
    assert_string_equal(out, "/12345678/12345");
    errno = 0;
    assert_int_equal(sysroot_path("/12345678", "/123456", out, sizeof out), -1);
    assert_int_equal(errno, ENAMETOOLONG);
    char *root = test_text(5000, "/x");
    errno = 0;
    assert_null(sysroot_open(root, "/type"));
    assert_int_equal(errno, ENAMETOOLONG);
    free(root);
}

/* ---- lines and numbers */

static void lines(void **state)
{
    static const struct {
        const char *content, *line;
    } cases[] = {
        {"", ""},
        {"\n", ""},
        {"one", "one"},
        {"one\n", "one"},
        {"one\ntwo\n", "one"},
        {"\ntwo\n", ""},
        {" one \n", " one "},
        {"1234567", "1234567"},
        {"1234567\n", "1234567"},
        {"12345678", "1234567"},
        {"12345678\n", "1234567"},
        {"12345678901234567890\nx\n", "1234567"},
    };
    const char *root = *state;
    char out[8];
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_file(root, "line", cases[i].content);
        assert_int_equal(sysroot_line(root, "/line", out, sizeof out), strlen(cases[i].line));
        assert_string_equal(out, cases[i].line);
    }
    assert_int_equal(sysroot_line(root, "/line", out, 1), 0);
    assert_string_equal(out, "");
    errno = 0;
    assert_int_equal(sysroot_line(root, "/line", out, 0), -1);
    assert_int_equal(errno, EINVAL);
}

static void a_very_long_line(void **state)
{
    const char *root = *state;
    char *text = test_text(1 << 20, "0123456789"), out[300];
    test_file(root, "long", text);
    assert_int_equal(sysroot_line(root, "/long", out, sizeof out), sizeof out - 1);
    assert_memory_equal(out, text, sizeof out - 1);
    free(text);
}

static void missing_files(void **state)
{
    const char *root = *state;
    char out[8] = "before";
    long long number = 42;
    errno = 0;
    assert_int_equal(sysroot_line(root, "/no/such", out, sizeof out), -1);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(out, "");
    errno = 0;
    assert_int_equal(sysroot_number(root, "/no/such", &number), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(number, 42);
    errno = 0;
    assert_null(sysroot_open(root, "/no/such"));
    assert_int_equal(errno, ENOENT);
}

/* Pipes are not opened: a read of one that nobody writes to would wait forever. */
static void pipes(void **state)
{
    const char *root = *state;
    char path[256], out[8];
    long long number = 42;
    snprintf(path, sizeof path, "%s/pipe", root);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sysroot_line(root, "/pipe", out, sizeof out), -1);
    assert_int_equal(errno, ESPIPE);
    assert_int_equal(sysroot_number(root, "/pipe", &number), -1);
    assert_int_equal(number, 42);
    assert_null(sysroot_open(root, "/pipe"));
    assert_int_equal(sysroot_file(root, "/pipe", O_WRONLY), -1);
    assert_int_equal(errno, ENXIO);
    assert_int_equal(unlink(path), 0);
}

static void numbers(void **state)
{
    static const struct {
        const char *content;
        int code;
        long long number;
    } cases[] = {
        {"42\n", 0, 42},
        {"42", 0, 42},
        {" 42\n", 0, 42},
        {"-5\n", 0, -5},
        {"0\n", 0, 0},
        {"0x1f\n", 0, 31},
        {"010\n", 0, 8},
        {"9223372036854775807\n", 0, INT64_MAX},
        {"-9223372036854775808\n", 0, INT64_MIN},
        {"9223372036854775808\n", -1, 0},
        {"99999999999999999999999999999999999999999999999999999999999999999999999999\n", -1, 0},
        {"", -1, 0},
        {"\n", -1, 0},
        {"\n42\n", -1, 0},
        {"abc\n", -1, 0},
        {"-\n", -1, 0},
    };
    const char *root = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        long long number = 77;
        test_file(root, "number", cases[i].content);
        errno = 0;
        assert_int_equal(sysroot_number(root, "/number", &number), cases[i].code);
        assert_true(number == (cases[i].code == 0 ? cases[i].number : 77));
        if (cases[i].code != 0)
            assert_int_equal(errno, EINVAL);
    }
}

static int setup(void **state)
{
    *state = (void *)test_folder();
    return 0;
}

static int teardown(void **state)
{
    test_folder_remove(*state);
    return 0;
}

/* A stream without a buffer, as standard error is: other processes write to the same terminal. */
static void texts_are_written_whole(void **state)
{
    int ends[2];
    char text[3000], got[sizeof text];
    size_t n = 0;
    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "name\t", 5);
    text[sizeof text - 1] = '\0';
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
    FILE *out = fdopen(ends[0], "w");
    assert_non_null(out);
    setvbuf(out, NULL, _IONBF, 0);
    visible_put(out, text);
    visible_put(out, "a short one");
    for (int writes = 0; n < sizeof text - 1; writes++) {
        assert_in_range(writes, 0, 2);
        ssize_t part = recv(ends[1], got + n, sizeof got - n, 0);
        assert_true(part > 0);
        n += (size_t)part;
    }
    assert_memory_equal(got, "name x", 6);
    assert_int_equal(recv(ends[1], got, sizeof got, 0), strlen("a short one"));
    fclose(out);
    close(ends[1]);
}

/* ---- the nearest name */

static const char *nearest_of(const char *wanted, const char *const *names)
{
    static struct nearest nearest;
    nearest_begin(&nearest, wanted);
    for (int i = 0; names[i] != NULL; i++)
        nearest_try(&nearest, names[i]);
    return nearest.name;
}

static void the_nearest_name_is_found(void **state)
{
    static const char *const names[] = {"PAPI_FP_INS", "PAPI_FP_OPS", "PAPI_DP_OPS", "cycles", "net", NULL};
    (void)state;
    assert_string_equal(nearest_of("PAPI_FP_OP", names), "PAPI_FP_OPS");   /* left out */
    assert_string_equal(nearest_of("PAPI_FP_OOPS", names), "PAPI_FP_OPS"); /* too many */
    assert_string_equal(nearest_of("PAPI_FP_OBS", names), "PAPI_FP_OPS");  /* another */
    assert_string_equal(nearest_of("CYCELS", names), "cycles");            /* swapped, and in capitals */
    assert_string_equal(nearest_of("nett", names), "net");
    assert_string_equal(nearest_of("nettt", names), ""); /* two of three are not near */
    assert_string_equal(nearest_of("", names), "");
    assert_string_equal(nearest_of("something else", names), "");
}

static void names_that_are_too_long_are_not_near(void **state)
{
    char wanted[200], name[200], text[NEAREST_TEXT];
    struct nearest nearest;
    (void)state;
    memset(wanted, 'a', sizeof wanted);
    memset(name, 'a', sizeof name);
    for (int length = 60; length < 199; length++) {
        wanted[length] = name[length] = '\0';
        nearest_begin(&nearest, wanted);
        nearest_try(&nearest, name);
        assert_int_equal(nearest.name[0] != '\0', length <= 64);
        assert_int_equal(strlen(nearest_text(&nearest, text)) > 0, length <= 64);
        wanted[length] = name[length] = 'a';
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reason_is_set),
        cmocka_unit_test(the_nearest_name_is_found),
        cmocka_unit_test(names_that_are_too_long_are_not_near),
        cmocka_unit_test(a_reason_nobody_wants),
        cmocka_unit_test(texts_are_made_visible),
        cmocka_unit_test(visible_texts_are_cut_between_characters),
        cmocka_unit_test(texts_are_written_whole),
        cmocka_unit_test(a_reason_is_cut),
        cmocka_unit_test(a_reason_is_kept),
        cmocka_unit_test(wide_numbers),
        cmocka_unit_test(shares),
        cmocka_unit_test(paths),
        cmocka_unit_test_setup_teardown(lines, setup, teardown),
        cmocka_unit_test_setup_teardown(a_very_long_line, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_files, setup, teardown),
        cmocka_unit_test_setup_teardown(pipes, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers, setup, teardown),
    };
    return TEST_RUN(tests);
}
