/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_words.h"
#include "base/array.h"
#include "components/device/device_library.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- events */

static const struct device_maker *maker_of(const struct component_event *event)
{
    return ((const struct device_units *)event->opened)->maker;
}

struct device_variant device_variant(const struct component_event *event)
{
    struct device_variant variant;
    memcpy(&variant, &event->config, sizeof variant);
    return variant;
}

int device_variant_device(const struct component_event *event)
{
    return device_variant(event).device;
}

static uint64_t config_of(struct device_variant variant)
{
    uint64_t config;
    _Static_assert(sizeof variant == sizeof config, "a variant fits");
    memcpy(&config, &variant, sizeof config);
    return config;
}

bool device_variant_counts(const struct device_words *words, struct device_variant variant)
{
    return variant.whole && !variant.real && words->word[variant.word].counts;
}

enum device_together device_variant_together(const struct device_words *words,
                                             const struct component_event *event)
{
    struct device_variant variant = device_variant(event);
    return variant.whole ? words->word[variant.word].together : DEVICE_OVER_TIME;
}

int device_word_find(const struct device_words *words, const char *text, size_t length)
{
    for (int i = 0; i < words->n; i++)
        if (strlen(words->word[i].name) == length && strncmp(text, words->word[i].name, length) == 0)
            return i;
    return -1;
}

void device_words_form(const struct device_words *words, const struct component_event *event, char *form,
                       size_t size)
{
    struct device_variant own = device_variant(event);
    int end = (int)strcspn(event->name, ":") - own.base;
    snprintf(form, size, "%.*s.%s%.*s%s", own.base, event->name, words->word[own.word].name, end,
             event->name + own.base, end == 0 && !own.whole ? words->implied : "");
}

/* ---- qualifiers */

/* A qualifier's text, of the event that it is a qualifier of. */
struct qualifier {
    const struct device_words *words;
    const char *event, *text;
    int length, shown; /* in a sentence */
};

static int take_word(const struct qualifier *q, struct device_variant *variant, struct reason *why)
{
    int word = device_word_find(q->words, q->text, (size_t)q->length);
    if (word >= 0 && (variant->words >> word & 1) != 0) {
        variant->word = (uint8_t)word & 0xf;
        return PAPI_OK;
    }
    int code = reason_set(why, PAPI_ENOEVNT, "%.150s has no %s \"%.*s\"; it has ", q->event, q->words->noun,
                          q->shown, q->text);
    for (int i = 0, n = 0; i < q->words->n; i++)
        if ((variant->words >> i & 1) != 0)
            reason_add(why, "%s%s", n++ > 0 ? ", " : "", q->words->word[i].name);
    return code;
}

static int take_device(const struct qualifier *q, struct device_variant *variant, struct reason *why)
{
    bool number = q->length > 0 && q->length < 3 && strspn(q->text, "0123456789") >= (size_t)q->length;
    int device = number ? atoi(q->text) : DEVICES_WITH_WORDS;
    if (device < DEVICES_WITH_WORDS && (variant->devices >> device & 1) != 0) {
        variant->device = (uint8_t)device;
        return PAPI_OK;
    }
    int code = reason_set(why, PAPI_ENOEVNT,
                          "%.150s: there is no device \"%.*s\" that has it; these have:", q->event, q->shown,
                          q->text);
    for (int i = 0; i < DEVICES_WITH_WORDS; i++)
        if ((variant->devices >> i & 1) != 0)
            reason_add(why, " %d", i);
    return code;
}

static int take_real(const struct qualifier *q, struct device_variant *variant, struct reason *why)
{
    (void)q, (void)why;
    variant->real = 1;
    return PAPI_OK;
}

enum { WORD, DEVICE, REAL, QUALIFIERS };
static int (*const takes[QUALIFIERS])(const struct qualifier *q, struct device_variant *variant,
                                      struct reason *why) = {take_word, take_device, take_real};

/* The qualifier that a text begins with, and how it begins; QUALIFIERS: none. */
static int qualifier_at(const struct device_words *words, const char *text, size_t length, char *begin,
                        size_t size)
{
    int i = 0;
    for (; i < QUALIFIERS; i++) {
        snprintf(begin, size, i == REAL ? ":real" : ":%s=", i == WORD ? words->qualifier : "device");
        if (strncmp(text, begin, strlen(begin)) == 0 && (i != REAL || length == strlen(begin)))
            break;
    }
    return i;
}

static int take(const struct component_event *listed, const char *text, struct component_event *variant,
                char *name, size_t size, struct reason *why)
{
    const struct device_words *words = maker_of(listed)->words;
    struct device_variant chosen = device_variant(listed);
    bool seen[QUALIFIERS] = {false};
    char begin[16];
    size_t length;
    snprintf(name, size, "%s%s", listed->name, text);
    for (const char *at = text; *at != '\0'; at += length) {
        length = 1 + strcspn(at + 1, ":");
        int i = qualifier_at(words, at, length, begin, sizeof begin);
        if (i == QUALIFIERS)
            return reason_set(why, PAPI_ENOEVNT, "\"%.*s\" is none of the %s",
                              (int)(length < 60 ? length : 60), at, maker_of(listed)->qualifiers);
        if (seen[i])
            return reason_set(why, PAPI_ENOEVNT, "%.200s has the qualifier \"%s\" twice", name, begin);
        seen[i] = true;
        int rest = (int)(length - strlen(begin));
        struct qualifier q = {words, listed->name, at + strlen(begin), rest, rest < 40 ? rest : 40};
        int code = takes[i](&q, &chosen, why);
        if (code != PAPI_OK)
            return code;
    }
    variant->name = name;
    variant->config = config_of(chosen);
    variant->real = chosen.real;
    variant->level = !device_variant_counts(words, chosen);
    return PAPI_OK;
}

/* The bit of a number among those that are set, which it is less for each; -1: there are not so many. */
static int bit_of(uint32_t bits, int *number)
{
    for (int bit = 0; bit < 32; bit++)
        if ((bits >> bit & 1) != 0 && (*number)-- == 0)
            return bit;
    return -1;
}

static bool next(const struct component_event *listed, int number, char *text, size_t size, char *description,
                 size_t room)
{
    struct device_variant variant = device_variant(listed);
    const struct device_words *words = maker_of(listed)->words;
    int i = bit_of(variant.words, &number);
    if (i >= 0) {
        snprintf(text, size, ":%s=%s", words->qualifier, words->word[i].name);
        snprintf(description, room, "%s", words->word[i].described);
        return true;
    }
    i = bit_of(variant.devices, &number);
    if (i >= 0) {
        snprintf(text, size, ":device=%d", i);
        const struct device_unit *unit = &((const struct device_units *)listed->opened)->unit[i];
        snprintf(description, room, "%s%s%s", unit->name, unit->name[0] ? ", " : "", unit->chip);
        return true;
    }
    snprintf(text, size, ":real");
    snprintf(description, room, "the value is a double, and not rounded");
    return number == 0;
}

const struct component_variants device_words_variants = {.take = take, .next = next};

/* ---- descriptions */

int device_words_describe(const struct component_event *event, char *text, size_t size, char *unit,
                          size_t room, struct reason *why)
{
    const struct device_words *words = maker_of(event)->words;
    struct device_variant variant = device_variant(event);
    bool exact = variant.real || device_variant_counts(words, variant);
    const char *description, *of;
    sigset_t before = device_hold_signals();
    int code = words->properties(event, &description, &of, why);
    if (code == PAPI_OK) {
        snprintf(text, size, "%s; %s%s", description, words->word[variant.word].name,
                 exact ? "" : ", rounded");
        snprintf(unit, room, "%s", of);
    }
    device_release_signals(before);
    return code;
}

int device_words_detail(const struct component_event *event, char *text, size_t size, struct reason *why)
{
    const struct device_words *words = maker_of(event)->words;
    size_t passes;
    sigset_t before = device_hold_signals();
    int code = words->passes(event, &passes, why);
    device_release_signals(before);
    if (code == PAPI_OK)
        snprintf(text, size, "; %zu pass%s", passes, passes == 1 ? "" : "es: not counted");
    else if (!code_passes(code))
        snprintf(text, size, "; not counted by %s", words->counter);
    return code_passes(code) ? code : PAPI_OK;
}

int device_words_one_pass(const struct device_words *words, const struct component_event *event, int n,
                          size_t passes, struct reason *why)
{
    if (passes == 1)
        return PAPI_OK;
    return reason_set(
        why, PAPI_EMULPASS,
        "%s: the device would have to run the kernels %zu times, once for each pass, and one pass is "
        "counted: %s%s",
        event->name, passes, n > 1 ? "count fewer events in one set" : "count a part of it, or ",
        n > 1 ? "" : words->other);
}

int device_words_refused(const struct device_units *units, int n, const char *metric, struct reason *why)
{
    const struct device_maker *maker = units->maker;
    if (n == 1)
        return reason_set(why, PAPI_ENOEVNT, "%s does not count %s", maker->words->counter, metric);
    return reason_set(why, PAPI_ECNFLCT, "%s has no configuration for both", maker->library);
}

/* ---- lists */

int device_chips_add(struct device_chips *chips, const char *name, int kind, int device, struct reason *why)
{
    if (!ARRAY_GROW(chips->name, chips->n))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    chips->name[chips->n++] = (struct device_chip_name){name, kind, UINT32_C(1) << device};
    return PAPI_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct device_chip_name *)a)->name, ((const struct device_chip_name *)b)->name);
}

/* Sorts bases so that each is there once. */
static void merge(struct device_chips *chips)
{
    struct device_chip_name *name = chips->name;
    size_t n = 0;
    if (chips->n == 0)
        return;
    qsort(name, chips->n, sizeof *name, by_name);
    for (size_t i = 1; i < chips->n; i++)
        if (strcmp(name[n].name, name[i].name) == 0)
            name[n].devices |= name[i].devices;
        else
            name[++n] = name[i];
    chips->n = n + 1;
}

/* The end of a base's forms, and the words that have it. */
struct end {
    const char *text;
    uint8_t words;
};

/* Takes a form into n ends, for which there is room for most. Those with another word are none. */
static void take_form(const struct device_words *words, const char *form, struct end *end, int *n, int most)
{
    size_t length = strcspn(form + 1, ".");
    const char *text = form + 1 + length;
    int at = 0, word = device_word_find(words, form + 1, length);
    while (at < *n && strcmp(end[at].text, text) != 0)
        at++;
    if (word < 0 || at == most)
        return;
    if (at == *n)
        end[(*n)++] = (struct end){.text = text};
    end[at].words |= (uint8_t)(1 << word);
}

/* Adds an event, with the first of its words and devices. */
static int list_event(struct device_units *units, const struct device_chip_name *base, const struct end *end,
                      bool whole, struct event_list *list, struct reason *why)
{
    char name[PAPI_2MAX_STR_LEN];
    struct device_variant variant = {.devices = base->devices,
                                     .words = end->words,
                                     .base = (uint8_t)strlen(base->name),
                                     .device = (uint8_t)__builtin_ctz(base->devices),
                                     .word = (uint8_t)__builtin_ctz(end->words) & 0xf,
                                     .whole = whole};
    const struct component_event event = {.name = name,
                                          .description = "",
                                          .config = config_of(variant),
                                          .level = !device_variant_counts(units->maker->words, variant),
                                          .opened = units};
    snprintf(name, sizeof name, "%s%s", base->name, end->text);
    return event_list_add(list, &event, why);
}

/* Adds the events of a base: one for each end, and one without where that is implied. */
static int list_base(struct device_units *units, const struct device_chip_name *base, struct event_list *list,
                     struct reason *why)
{
    enum { MOST = 64 };
    const struct device_words *words = units->maker->words;
    struct end end[1 + MOST] = {{.text = ""}}; /* the first: that without */
    struct device_forms forms = {.n = 0};
    int n = 0, code = words->forms(units, base, &forms, why);
    if (code != PAPI_OK || strlen(base->name) > UINT8_MAX)
        return code;
    for (size_t i = 0; i < forms.n; i++)
        take_form(words, forms.form[i], end + 1, &n, MOST);
    for (int i = 1; i <= n && forms.implies; i++)
        if (strcmp(end[i].text, words->implied) == 0)
            end[0].words = end[i].words;
    for (int i = 0; i <= n && code == PAPI_OK; i++)
        if (end[i].words != 0)
            code = list_event(units, base, &end[i], i > 0 && end[i].text[0] == '\0', list, why);
    return code;
}

int device_words_list(struct device_units *units, struct event_list *list, struct reason *why)
{
    struct device_chips all = {NULL, 0};
    int code = PAPI_OK;
    for (int i = 0; i < units->n_devices && code == PAPI_OK; i++)
        code = units->maker->words->names(units, i, &all, why);
    merge(&all);
    for (size_t i = 0; i < all.n && code == PAPI_OK; i++)
        code = list_base(units, &all.name[i], list, why);
    free(all.name);
    return code;
}
