/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/device/device_spans.h"
#include "components/device/device_units.h"

/* Names with words as qualifiers: "dram__bytes:stat=sum:device=1:real". Events are of chips: each is listed
 * once, with the devices that have it, and a word says which of its values is meant. */

enum { DEVICE_WORDS = 8, DEVICES_WITH_WORDS = 32 };

/* An event, as it is in config. */
struct device_variant {
    uint32_t devices; /* the bits of those that have it */
    uint8_t words;    /* and of the words that it takes */
    uint8_t base;     /* characters of the name before its end (struct device_words) */
    uint8_t device;   /* the chosen ones: the first, where the name has no qualifiers */
    uint8_t word : 4;
    uint8_t real : 1;  /* the value is a double */
    uint8_t whole : 1; /* its values are numbers of things, and not shares or rates of any kind */
};

/* A vendor's names for what is counted are of the form "base.word.end": "dram__bytes.sum.per_second". All
 * that have the same base and end are one event, "dram__bytes.per_second". Bases have dots, too. */
struct device_forms {
    const char *const *form; /* of a base: ".sum.per_second" */
    size_t n;
    bool implies; /* the base without an end is an event, too, and stands for that with the implied end */
};

/* Bases of chips, which stay with the vendor, each with the vendor's own kind. Begins as zeroes. */
struct device_chips {
    struct device_chip_name {
        const char *name;
        int kind;
        uint32_t devices;
    } * name;
    size_t n;
};

/* Adds a base that a device has. PAPI_ENOMEM. */
int device_chips_add(struct device_chips *chips, const char *name, int kind, int device, struct reason *why);

/* A vendor's words. Their texts are not pointers, as those of struct device_maker. */
struct device_words {
    char qualifier[8], noun[16];
    int n;
    struct device_word {
        char name[12], described[40];
        enum device_together together; /* where the event is whole */
        bool counts;                   /* and it grows: such values are counts, all others levels */
    } word[DEVICE_WORDS];
    char implied[40]; /* end */
    /* Adds the bases of a device's chip; and finds the forms of one, until the next is asked for. */
    int (*names)(const struct device_units *units, int device, struct device_chips *chips,
                 struct reason *why);
    int (*forms)(const struct device_units *units, const struct device_chip_name *base,
                 struct device_forms *forms, struct reason *why);
    /* The vendor's sentence on an event, and its unit, which stay as long as the library. */
    int (*properties)(const struct component_event *event, const char **description, const char **unit,
                      struct reason *why);
    /* Passes of all kernels that it takes to count an event: there can be one. */
    int (*passes)(const struct component_event *event, size_t *passes, struct reason *why);
    char counter[32]; /* "the range profiler", where an event cannot be counted at all */
    char other[16];   /* "use ncu", where it takes more than one pass */
};

struct device_variant device_variant(const struct component_event *event);
int device_variant_device(const struct component_event *event); /* for struct device_counting, too */
bool device_variant_counts(const struct device_words *words, struct device_variant variant);
enum device_together device_variant_together(const struct device_words *words,
                                             const struct component_event *event);

/* The number of a word of this length; -1: it is none. */
int device_word_find(const struct device_words *words, const char *text, size_t length);

/* Writes the vendor's name of what an event counts. */
void device_words_form(const struct device_words *words, const struct component_event *event, char *form,
                       size_t size);

/* For struct device_maker: lists the events of all devices' chips. PAPI_ENOMEM. */
int device_words_list(struct device_units *units, struct event_list *list, struct reason *why);

/* PAPI_EMULPASS: n events, of which this is the last, take more than one pass together. */
int device_words_one_pass(const struct device_words *words, const struct component_event *event, int n,
                          size_t passes, struct reason *why);

/* The library has no configuration for n metrics. PAPI_ENOEVNT: not for this one alone; PAPI_ECNFLCT. */
int device_words_refused(const struct device_units *units, int n, const char *metric, struct reason *why);

/* For struct component, where the events' library is that of struct device_units. */
extern const struct component_variants device_words_variants;
int device_words_describe(const struct component_event *event, char *text, size_t size, char *unit,
                          size_t room, struct reason *why);
int device_words_detail(const struct component_event *event, char *text, size_t size, struct reason *why);

#define DEVICE_WORDS_COMPONENT(NAME)                                                                         \
    DEVICE_SESSION_COMPONENT(NAME), .list = list, .discover = discover, .try_event = device_units_try,       \
                                    .variants = &device_words_variants, .describe = device_words_describe,   \
                                    .detail = device_words_detail
