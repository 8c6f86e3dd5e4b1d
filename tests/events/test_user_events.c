/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events that files and programs define: EVENT rows, constants, the table of PAPI_encode_events, changes
 * that are taken back, and files with some bytes changed.
 */
#include "testing.h"

#include "events/definition.h"
#include "events/presets.h"
#include "formats/text_file.h"
#include "papi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char preset_tables_csv[] = "CPU,here\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,CYCLES\n";

static bool is_here(const char *name, void *context)
{
    (void)context;
    return strcmp(name, "here") == 0;
}

static const struct preset_machine here = {.matches = is_here};

struct world {
    struct preset_table table;
    const char *folder;
    char path[256];
    struct reason why;
};

static void begin(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->folder = test_folder();
    snprintf(w->path, sizeof w->path, "%s/events", w->folder);
    presets_load(&w->table, NULL, NULL, &here, NULL);
}

static void end(struct world *w)
{
    presets_free(&w->table);
    test_folder_remove(w->folder);
}

static void write_bytes(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int read_events(struct world *w, const char *text)
{
    write_bytes(w->path, text, strlen(text));
    w->why = (struct reason){0};
    return presets_read_events(&w->table, w->path, &here, &w->why);
}

static const struct preset_definition *user(struct world *w, const char *name)
{
    int code = presets_code(&w->table, name);
    return (code & PAPI_UE_MASK) == PAPI_UE_MASK ? *presets_place(&w->table, code) : NULL;
}

/* ---- EVENT rows */

static void rows_define_events(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    assert_int_equal(read_events(&w,
                                 "# my events\n"
                                 "EVENT,ONE,NOT_DERIVED,A\n"
                                 "EVENT,TWO,DERIVED_ADD,A,B,NOTE,a note,SDESC,short,LDESC,\"long, too\"\r\n"
                                 "\n"
                                 "EVENT,x-3.y_z,DERIVED_POSTFIX,N0|2|*|,A"),
                     PAPI_OK);
    assert_int_equal(w.table.n_users, 3);
    assert_int_equal(w.table.n_faults, 0);
    assert_int_equal(presets_code(&w.table, "ONE"), PAPI_UE_MASK);
    assert_int_equal(presets_code(&w.table, "TWO"), PAPI_UE_MASK | 1);
    assert_int_equal(presets_code(&w.table, "X-3.Y_Z"), PAPI_UE_MASK | 2);
    assert_int_equal(presets_code(&w.table, "A"), 0);
    assert_int_equal(presets_code(&w.table, "PAPI_TOT_CYC"), PAPI_TOT_CYC);
    int two = PAPI_UE_MASK | 1;
    assert_string_equal(presets_symbol(&w.table, two), "TWO");
    assert_string_equal(presets_short_descr(&w.table, two), "short");
    assert_string_equal(presets_long_descr(&w.table, two), "long, too");
    assert_string_equal(user(&w, "TWO")->note, "a note");
    assert_int_equal(user(&w, "TWO")->derivation, DERIVED_ADD);
    assert_int_equal(user(&w, "TWO")->n_natives, 2);
    assert_string_equal(user(&w, "TWO")->native[1], "B");
    assert_string_equal(presets_short_descr(&w.table, PAPI_UE_MASK), "");
    assert_null(presets_place(&w.table, PAPI_UE_MASK | 3));
    assert_null(presets_place(&w.table, PAPI_END));
    assert_null(presets_place(&w.table, PAPI_NATIVE_MASK));
    end(&w);
}

static void cpu_rows_select(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    assert_int_equal(read_events(&w,
                                 "EVENT,ALWAYS,NOT_DERIVED,A\n"
                                 "CPU,there\nEVENT,NEVER,NOT_DERIVED,A\nPRESET,PAPI_TOT_INS,NOT_DERIVED,A\n"
                                 "CPU,here\nEVENT,HERE,NOT_DERIVED,A\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,B\n"),
                     PAPI_OK);
    assert_non_null(user(&w, "ALWAYS"));
    assert_null(user(&w, "NEVER"));
    assert_non_null(user(&w, "HERE"));
    assert_string_equal((*presets_place(&w.table, PAPI_TOT_CYC))->native[0], "B");
    assert_null(*presets_place(&w.table, PAPI_TOT_INS));
    end(&w);
}

static void later_rows_replace(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    assert_int_equal(
        read_events(&w, "EVENT,A,NOT_DERIVED,OLD\nEVENT,B,NOT_DERIVED,X\nEVENT,a,NOT_DERIVED,NEW\n"),
        PAPI_OK);
    assert_int_equal(w.table.n_users, 2);
    assert_string_equal(user(&w, "A")->native[0], "NEW");
    assert_int_equal(read_events(&w, "EVENT,B,NOT_DERIVED,Y\n"), PAPI_OK);
    assert_int_equal(w.table.n_users, 2);
    assert_string_equal(user(&w, "B")->native[0], "Y");
    end(&w);
}

static void constants_stand_for_numbers(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    assert_int_equal(read_events(&w, "#define WIDTH 4\n#define\tLINE_SIZE\t 64  \n#defined WIDTH 5\n"
                                     "EVENT,FIRST,DERIVED_POSTFIX,N0|WIDTH|*|LINE_SIZE|*|,A\n"
                                     "#define WIDTH 8\n"
                                     "EVENT,SECOND,DERIVED_POSTFIX,N0|WIDTH|*,A\n"),
                     PAPI_OK);
    assert_string_equal(user(&w, "FIRST")->postfix, "N0|4|*|64|*|");
    assert_string_equal(user(&w, "SECOND")->postfix, "N0|8|*|");
    end(&w);
}

static void faults_are_told_with_their_line(void **state)
{
    static const struct {
        const char *row, *fault;
    } rows[] = {
        {"#define", NULL}, /* a comment, as "# define" is */
        {"#define X", "#define takes a name and a whole number"},
        {"#define X 1.5", "#define takes a name and a whole number"},
        {"#define X -1", "#define takes a name and a whole number"},
        {"#define X 99999999999999999999", "#define takes a name and a whole number"},
        {"#define N1 4", "#define of what is not a name of a constant"},
        {"#define 5 4", "#define of what is not a name of a constant"},
        {"#define + 4", "#define of what is not a name of a constant"},
        {"EVENT,X,DERIVED_POSTFIX,N0|UNKNOWN|*|,A",
         "\"UNKNOWN\" is not an operand, constant or operator of a formula"},
        {"EVENT,,NOT_DERIVED,A", "\"\" is not a name for an event (letters, digits, _ - .)"},
        {"EVENT,A/B/,NOT_DERIVED,A", "\"A/B/\" is not a name for an event (letters, digits, _ - .)"},
        {"EVENT,PAPI_TOT_INS,NOT_DERIVED,A", "PAPI_TOT_INS is a preset: a PRESET row defines it"},
        {"EVENT,X,NOT_DERIVED,\"A", "a quote without its end"},
        {"name,derived", "neither a CPU, a PRESET nor an EVENT row"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct world w;
        char text[512], fault[512];
        begin(&w);
        snprintf(text, sizeof text, "EVENT,BEFORE,NOT_DERIVED,A\n%s\nEVENT,AFTER,NOT_DERIVED,A\n",
                 rows[i].row);
        int code = read_events(&w, text);
        if (rows[i].fault == NULL) {
            assert_int_equal(code, PAPI_OK);
        } else {
            snprintf(fault, sizeof fault, "%s:2: %s", w.path, rows[i].fault);
            REFUSED(code, PAPI_EINVAL, &w.why, fault);
            assert_string_equal(w.table.faults, fault);
        }
        assert_non_null(user(&w, "BEFORE"));
        assert_non_null(user(&w, "AFTER"));
        assert_int_equal(w.table.n_users, 2);
        end(&w);
    }
}

static void the_table_has_an_end(void **state)
{
    struct world w;
    char text[8192] = "";
    (void)state;
    begin(&w);
    for (int i = 0; i < MAX_USER_EVENTS + 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "EVENT,E%d,NOT_DERIVED,A\n", i);
    /* The last row replaces the first event: for that there is room. */
    strcat(text, "EVENT,E0,NOT_DERIVED,B\n");
    char fault[512];
    snprintf(fault, sizeof fault, "%s:%d: no room for E50: there are 50 user events already", w.path,
             MAX_USER_EVENTS + 1);
    REFUSED(read_events(&w, text), PAPI_ENOTPRESET, &w.why, fault);
    assert_int_equal(w.table.n_users, MAX_USER_EVENTS);
    assert_int_equal(w.table.n_faults, 5);
    assert_string_equal(user(&w, "E0")->native[0], "B");
    end(&w);
}

static bool first_in_use(int code)
{
    return code == PAPI_UE_MASK;
}

static void events_in_use_stay(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    assert_int_equal(read_events(&w, "EVENT,A,NOT_DERIVED,OLD\nEVENT,B,NOT_DERIVED,OLD\n"), PAPI_OK);
    w.table.in_use = first_in_use;
    REFUSED(read_events(&w, "EVENT,A,NOT_DERIVED,NEW\nEVENT,B,NOT_DERIVED,NEW\n"), PAPI_EISRUN, &w.why,
            ":1: A is in an event set");
    assert_string_equal(user(&w, "A")->native[0], "OLD");
    assert_string_equal(user(&w, "B")->native[0], "NEW");
    end(&w);
}

/* ---- files */

static void files_that_are_no_text(void **state)
{
    struct world w;
    const char *error;
    (void)state;
    begin(&w);
    REFUSED(presets_read_events(&w.table, w.folder, &here, &w.why), PAPI_ESYS, &w.why, "not a regular file");
    REFUSED(presets_read_events(&w.table, "/no/such/file", &here, &w.why), PAPI_ESYS, &w.why,
            "/no/such/file: No such file");
    int fd = open(w.path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 1LL << 40), 0);
    close(fd);
    REFUSED(presets_read_events(&w.table, w.path, &here, &w.why), PAPI_ESYS, &w.why, "larger than");
    assert_null(text_file_open("/dev/zero", &error));
    assert_int_equal(errno, 0);
    assert_int_equal(w.table.n_users, 0);
    end(&w);
}

static void rings_are_told_with_their_line(void **state)
{
    struct world w;
    char text[4096] = "";
    size_t used = 0;
    (void)state;
    begin(&w);
    REFUSED(read_events(&w, "# a ring\nEVENT,ONE,NOT_DERIVED,TWO\nEVENT,TWO,NOT_DERIVED,one\n"
                            "EVENT,ABOVE,NOT_DERIVED,ONE\n"),
            PAPI_EINVAL, &w.why, ":2: ONE is defined through itself");
    assert_int_equal(w.table.n_faults, 2); /* it is not ABOVE's fault */
    assert_non_null(strstr(w.table.faults, ":3: TWO is defined through itself"));
    assert_non_null(user(&w, "ONE"));
    assert_int_equal(read_events(&w, "EVENT,TWO,NOT_DERIVED,TLB:m=1\n"), PAPI_OK);
    REFUSED(read_events(&w, "EVENT,TWO,DERIVED_POSTFIX,N1|N0|+|,TLB:m=1,ABOVE\n"), PAPI_EINVAL, &w.why,
            ":1: TWO is defined through itself");
    REFUSED(read_events(&w, "EVENT,TWO,DERIVED_ADD,A,B\nEVENT,SELF,DERIVED_SUB,A,SELF\n"), PAPI_EINVAL,
            &w.why, ":2: SELF is defined through itself");
    /* D0 is made of 1, D1 of 3, D5 of 63 and D6 of 127 definitions. */
    used += (size_t)sprintf(text, "EVENT,D0,NOT_DERIVED,A\n");
    for (int i = 1; i <= 40; i++)
        used += (size_t)sprintf(text + used, "EVENT,D%d,DERIVED_ADD,D%d,D%d\n", i, i - 1, i - 1);
    REFUSED(read_events(&w, text), PAPI_EINVAL, &w.why, ":7: the event is made of more than 64 other events");
    end(&w);
}

static void lines_end_in_every_way(void **state)
{
    static const char text[] = "a\r\nb\rc\n\nd\r\r\ne";
    static const char *const wanted[] = {"a", "b", "c", "", "d", "", "e"};
    struct text_lines lines = {.file = fmemopen((void *)text, sizeof text - 1, "r")};
    size_t length, n = 0;
    char *line;
    (void)state;
    assert_non_null(lines.file);
    while ((line = text_lines_next(&lines, &length)) != NULL) {
        assert_true(n < COUNT(wanted));
        assert_string_equal(line, wanted[n]);
        assert_int_equal(length, strlen(wanted[n]));
        assert_int_equal(lines.number, ++n);
    }
    assert_int_equal(n, COUNT(wanted));
    assert_int_equal(text_lines_end(&lines), 0);
    fclose(lines.file);
}

/* ---- the table of PAPI_encode_events */

struct taken {
    int n, line[8], refuse;
    char text[8][256];
};

static int take(const struct event_parts *parts, int line, void *context, struct reason *why)
{
    struct taken *taken = context;
    if (taken->n == taken->refuse)
        return reason_set(why, PAPI_EPERM, "refused");
    assert_true(taken->n < 8);
    taken->line[taken->n] = line;
    char *to = taken->text[taken->n++];
    int used = snprintf(to, 256, "%s;%s;%s;%s;%s;%s", parts->symbol, parts->derived, parts->postfix,
                        parts->short_descr, parts->long_descr, parts->note);
    for (int i = 0; i < parts->n_natives; i++)
        used += snprintf(to + used, 256 - (size_t)used, ";%s", parts->native[i]);
    return PAPI_OK;
}

static void byte_order_marks_are_skipped(void **state)
{
    static const char old[] = "\xef\xbb\xbf# Symbol\nMINE,NOT_DERIVED,,a,b,c,A\n";
    struct world w;
    struct text_lines lines = {.file = fmemopen((void *)"\xef\xbb\xbf\r\xef\xbb\xbfx", 8, "r")};
    size_t length;
    (void)state;
    begin(&w);
    assert_int_equal(read_events(&w, "\xef\xbb\xbf"
                                     "EVENT,MINE,NOT_DERIVED,A\n"),
                     PAPI_OK);
    assert_non_null(user(&w, "MINE"));
    assert_string_equal(text_lines_next(&lines, &length), "");
    assert_string_equal(text_lines_next(&lines, &length), "<U+FEFF>x");
    assert_int_equal(text_lines_end(&lines), 0);
    fclose(lines.file);
    struct taken taken = {.refuse = -1};
    FILE *file = fmemopen((void *)old, sizeof old - 1, "r");
    assert_int_equal(old_csv_read(file, "old.csv", take, &taken, &w.why), PAPI_OK);
    assert_int_equal(taken.n, 1);
    fclose(file);
    end(&w);
}

static int read_old(const char *text, size_t size, struct taken *taken, struct reason *why)
{
    FILE *file = fmemopen((void *)text, size, "r");
    assert_non_null(file);
    int code = old_csv_read(file, "old.csv", take, taken, why);
    fclose(file);
    return code;
}

#define TITLE "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n"

static void old_tables_are_read(void **state)
{
    static const char text[] = TITLE
        "PAPI_L1_ICM,NOT_DERIVED,,\"L11 cache misses\",\"Level 1 instruction cache\nmisses\",,BPU_fetch\n"
        "# a comment with one quote: \"\n"
        "MINE,DERIVED_POSTFIX,N0|N1|+|,\"a, b\",,\"say \"\"it\"\"\",A:m=1,,B,\r\n"
        "PAPI_L2_ICM,,,\"text\",text,note\n"
        "LAST,DERIVED_ADD,,,,,A,B";
    struct taken taken = {.refuse = -1};
    struct reason why = {0};
    (void)state;
    assert_int_equal(read_old(text, sizeof text - 1, &taken, &why), PAPI_OK);
    assert_int_equal(taken.n, 3);
    assert_string_equal(
        taken.text[0],
        "PAPI_L1_ICM;NOT_DERIVED;;L11 cache misses;Level 1 instruction cache misses;;BPU_fetch");
    assert_string_equal(taken.text[1], "MINE;DERIVED_POSTFIX;N0|N1|+|;a, b;;say \"it\";A:m=1;B");
    assert_string_equal(taken.text[2], "LAST;DERIVED_ADD;;;;;A;B");
    assert_int_equal(taken.line[0], 3);
    assert_int_equal(taken.line[1], 6);
    assert_int_equal(taken.line[2], 8);
}

static void old_tables_with_faults(void **state)
{
    static const struct {
        const char *text, *fault;
    } files[] = {
        {TITLE "A,NOT_DERIVED,,,\n", "old.csv:3: 5 fields where name,derived,"},
        {TITLE "A,NOT_DERIVED,,\"x\nB,NOT_DERIVED,,,,,N\n", "old.csv:3: a quote without its end"},
        {TITLE "A,N,,,,,a,b,c,d,e,f,g,h,i,j,k,l,m\n", "old.csv:3: more than 12 native events"},
        {TITLE "A,N,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n", "old.csv:3: too many fields"},
        {"PRESET,PAPI_TOT_INS,NOT_DERIVED,A\n", "old.csv:1: 4 fields"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        struct taken taken = {.refuse = -1};
        struct reason why = {0};
        REFUSED(read_old(files[i].text, strlen(files[i].text), &taken, &why), PAPI_EINVAL, &why,
                files[i].fault);
        assert_int_equal(taken.n, 0);
    }
    struct taken taken = {.refuse = 1};
    struct reason why = {0};
    static const char two[] = TITLE "A,N,,,,,a\nB,N,,,,,a\n";
    REFUSED(read_old(two, sizeof two - 1, &taken, &why), PAPI_EPERM, &why, "old.csv:4: refused");
    static const char null[] = TITLE "A,N,,\0,,,a\n";
    taken = (struct taken){.refuse = -1};
    REFUSED(read_old(null, sizeof null - 1, &taken, &why), PAPI_EINVAL, &why, "old.csv:3: a null byte");
    char *quoted = test_text(1 << 20, "\"\n");
    REFUSED(read_old(quoted, 1 << 20, &taken, &why), PAPI_EINVAL, &why, "fields where");
    free(quoted);
    char *line = test_text(1 << 20, "x,");
    REFUSED(read_old(line, 1 << 20, &taken, &why), PAPI_EINVAL, &why, "old.csv:1: a row of more than");
    line[0] = '"';
    for (size_t i = 1; i < 1 << 20; i += 2)
        line[i] = '\n';
    REFUSED(read_old(line, 1 << 20, &taken, &why), PAPI_EINVAL, &why, "a row of more than");
    free(line);
}

/* ---- changes */

static struct preset_definition *made(const char *symbol, const char *native)
{
    struct event_parts parts = {
        .symbol = symbol, .derived = "NOT_DERIVED", .native = {native}, .n_natives = 1};
    struct preset_definition *definition = definition_make(&parts, NULL);
    assert_non_null(definition);
    return definition;
}

static bool cycles_in_use(int code)
{
    return code == (int)PAPI_TOT_CYC;
}

/* A definition that the file gave and took away is none that leads back to itself. */
static void presets_are_taken_away(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    w.table.in_use = cycles_in_use;
    REFUSED(read_events(&w, "PRESET,PAPI_TOT_CYC,NONE,NOTE,gone\n"), PAPI_EISRUN, &w.why,
            ":1: PAPI_TOT_CYC is in an event set");
    assert_non_null(*presets_place(&w.table, (int)PAPI_TOT_CYC));
    assert_null(presets_absence(&w.table, (int)PAPI_TOT_CYC));
    w.table.in_use = NULL;
    assert_int_equal(read_events(&w, "PRESET,PAPI_TOT_CYC,DERIVED_ADD,PAPI_TOT_CYC,X\n"
                                     "PRESET,PAPI_TOT_CYC,NONE,NOTE,gone\n"),
                     PAPI_OK);
    assert_null(*presets_place(&w.table, (int)PAPI_TOT_CYC));
    assert_string_equal(presets_absence(&w.table, (int)PAPI_TOT_CYC), "gone");
    struct preset_table before;
    int code;
    presets_begin_change(&w.table, &before);
    assert_int_equal(presets_put(&w.table, made("PAPI_TOT_CYC", "X"), false, false, &code, &w.why), PAPI_OK);
    assert_null(presets_absence(&w.table, (int)PAPI_TOT_CYC));
    assert_int_equal(presets_finish_change(&w.table, PAPI_EINVAL), PAPI_EINVAL);
    assert_string_equal(presets_absence(&w.table, (int)PAPI_TOT_CYC), "gone");
    end(&w);
}

static void changes_are_taken_back(void **state)
{
    struct world w;
    struct preset_table before;
    int code, changed = 0;
    (void)state;
    begin(&w);
    presets_begin_change(&w.table, &before);
    assert_int_equal(presets_put(&w.table, made("PAPI_TOT_CYC", "X"), false, true, &code, &w.why), PAPI_OK);
    assert_int_equal(code, PAPI_TOT_CYC);
    assert_int_equal(presets_put(&w.table, made("MY_PRESET", "X"), false, false, &code, &w.why), PAPI_OK);
    assert_int_equal(code, PAPI_END);
    assert_int_equal(presets_put(&w.table, made("MY_EVENT", "X"), true, false, &code, &w.why), PAPI_OK);
    assert_int_equal(code, PAPI_UE_MASK);
    assert_string_equal(presets_symbol(&w.table, PAPI_END), "MY_PRESET");
    assert_string_equal((*presets_place(&w.table, PAPI_TOT_CYC))->native[0], "X");
    static const int codes[] = {PAPI_TOT_CYC, PAPI_END, PAPI_UE_MASK};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_non_null(presets_next_changed(&w.table, &changed));
        assert_int_equal(changed, codes[i]);
    }
    assert_null(presets_next_changed(&w.table, &changed));
    assert_int_equal(presets_finish_change(&w.table, PAPI_EINVAL), PAPI_EINVAL);
    assert_string_equal((*presets_place(&w.table, PAPI_TOT_CYC))->native[0], "CYCLES");
    assert_null(presets_place(&w.table, PAPI_END));
    assert_int_equal(presets_code(&w.table, "MY_EVENT"), 0);
    end(&w);
}

static void definitions_are_protected(void **state)
{
    struct world w;
    int code;
    char name[32];
    (void)state;
    begin(&w);
    REFUSED(presets_put(&w.table, made("PAPI_TOT_CYC", "X"), false, false, &code, &w.why), PAPI_EPERM, &w.why,
            "PAPI_TOT_CYC is defined");
    /* A preset that this processor does not count has nothing to protect. */
    assert_int_equal(presets_put(&w.table, made("PAPI_TOT_INS", "X"), false, false, &code, &w.why), PAPI_OK);
    REFUSED(presets_put(&w.table, made("a b", "X"), false, true, &code, &w.why), PAPI_EINVAL, &w.why,
            "\"a b\" is not a name");
    for (int i = PRESET_COUNT; i < MAX_PRESETS; i++) {
        snprintf(name, sizeof name, "P%d", i);
        assert_int_equal(presets_put(&w.table, made(name, "X"), false, false, &code, &w.why), PAPI_OK);
        assert_int_equal(code, PAPI_PRESET_MASK | i);
    }
    REFUSED(presets_put(&w.table, made("ONE_MORE", "X"), false, true, &code, &w.why), PAPI_ENOTPRESET, &w.why,
            "there are 128 presets already");
    assert_int_equal(w.table.n_presets, MAX_PRESETS);
    end(&w);
}

/* ---- some bytes changed */

static void mutate(char *text, size_t size)
{
    for (unsigned i = 1 + test_random(8); i > 0; i--)
        text[test_random((unsigned)size)] = "\n\r\0,\"| N9#CPE/\xff"[test_random(15)];
}

static void any_bytes_of_user_events(void **state)
{
    static const char good[] =
        "#define WIDTH 4\r\n#define SIZE 64\n"
        "EVENT,FIRST,NOT_DERIVED,A::B:c=0x1\n"
        "EVENT,SECOND,DERIVED_POSTFIX,N0|WIDTH|*|N1|+|,FIRST,\"B,C\",NOTE,\"a \"\"b\"\"\"\r"
        "CPU,here\nEVENT,THIRD,DERIVED_ADD,A,B,,C,LDESC,x,SDESC,y\n"
        "PRESET,PAPI_L1_DCM,DERIVED_SUB,A,B,NOTE,x\n";
    struct world w;
    (void)state;
    begin(&w);
    for (int round = 0; round < 5000; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        mutate(text, sizeof good - 1);
        write_bytes(w.path, text, 1 + test_random(sizeof good - 1));
        int code = presets_read_events(&w.table, w.path, &here, &w.why);
        assert_true(code == PAPI_OK || code == PAPI_EINVAL || code == PAPI_ENOTPRESET);
        assert_int_equal(code == PAPI_OK, w.table.n_faults == 0);
        for (int i = 0; i < w.table.n_users; i++) {
            assert_true(definition_name_fits(w.table.definition[MAX_PRESETS + i]->symbol));
            assert_true(w.table.definition[MAX_PRESETS + i]->n_natives >= 1);
        }
        presets_free(&w.table);
    }
    presets_load(&w.table, NULL, NULL, &here, NULL);
    end(&w);
}

static int count_rows(const struct event_parts *parts, int line, void *context, struct reason *why)
{
    struct preset_definition *definition = definition_make(parts, why);
    int *n = context;
    assert_true(line > 0);
    definition_free(definition);
    ++*n;
    return definition ? PAPI_OK : PAPI_EINVAL;
}

static void any_bytes_of_old_tables(void **state)
{
    static const char good[] =
        TITLE "PAPI_L1_ICM,NOT_DERIVED,,\"L1 misses\",\"Level 1\nmisses\",,BPU\n"
              "MINE,DERIVED_POSTFIX,N0|N1|+|,\"a, b\",,\"say \"\"it\"\"\",A:m=1,,B,\r\n"
              "PAPI_L2_ICM,,,\"text\",text,note\n"
              "LAST,DERIVED_ADD,,,,,A,B";
    int rows = 0, good_ones = 0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[sizeof good];
        struct reason why = {0};
        memcpy(text, good, sizeof good);
        mutate(text, sizeof good - 1);
        FILE *file = fmemopen(text, 1 + test_random(sizeof good - 1), "r");
        assert_non_null(file);
        int code = old_csv_read(file, "old.csv", count_rows, &rows, &why);
        fclose(file);
        assert_true(code == PAPI_OK || (code == PAPI_EINVAL && strncmp(why.text, "old.csv:", 8) == 0));
        good_ones += code == PAPI_OK;
    }
    assert_true(rows > 1000 && good_ones > 100 && good_ones < 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_define_events),
        cmocka_unit_test(cpu_rows_select),
        cmocka_unit_test(later_rows_replace),
        cmocka_unit_test(constants_stand_for_numbers),
        cmocka_unit_test(faults_are_told_with_their_line),
        cmocka_unit_test(the_table_has_an_end),
        cmocka_unit_test(events_in_use_stay),
        cmocka_unit_test(presets_are_taken_away),
        cmocka_unit_test(files_that_are_no_text),
        cmocka_unit_test(lines_end_in_every_way),
        cmocka_unit_test(rings_are_told_with_their_line),
        cmocka_unit_test(byte_order_marks_are_skipped),
        cmocka_unit_test(old_tables_are_read),
        cmocka_unit_test(old_tables_with_faults),
        cmocka_unit_test(changes_are_taken_back),
        cmocka_unit_test(definitions_are_protected),
        cmocka_unit_test(any_bytes_of_user_events),
        cmocka_unit_test(any_bytes_of_old_tables),
    };
    return TEST_RUN(tests);
}
