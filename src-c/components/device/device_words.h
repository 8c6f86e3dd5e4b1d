/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/device/device_spans.h"

/* Names with words as qualifiers: "dram__bytes:stat=sum:device=1:real". Events are of chips: each is listed
 * once, with the devices that have it, and a word says which of its values is meant. */

enum { DEVICE_WORDS = 8, DEVICES_WITH_WORDS = 32 };

/* An event, as it is in config. */
struct device_variant {
    uint32_t devices; /* the bits of those that have it */
    uint8_t words;    /* and of the words that it takes */
    uint8_t base;     /* of the vendor's own use */
    uint8_t device;   /* the chosen ones: the first, where the name has no qualifiers */
    uint8_t word : 4;
    uint8_t real : 1;  /* the value is a double */
    uint8_t whole : 1; /* its values are numbers of things, and not shares or rates of any kind */
};

/* A vendor's words. Their texts are not pointers, as those of struct device_maker. */
struct device_words {
    char qualifier[8], noun[16];
    int n;
    struct device_word {
        char name[12], described[40];
        enum device_together together; /* where the event is whole */
        bool counts;                   /* and it grows: such values are counts, all others levels */
    } word[DEVICE_WORDS];
    void (*describe_device)(const void *opened, int device, char *text, size_t size);
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

/* A vendor's form of a name, behind its base: ".avg.per_second" is the word avg and what follows. Of all that
 * a base has, those with the same end are one event. */
struct device_end {
    const char *text;
    uint8_t words;
};

/* Takes such a form into n ends, for which there is room for most. Those with another word are none. */
void device_words_end(const struct device_words *words, const char *form, struct device_end *end, int *n,
                      int most);

/* Adds an event to a list, with the first of its words and devices. PAPI_ENOMEM. */
int device_words_list(const struct device_words *words, struct device_variant variant, const char *name,
                      void *opened, struct event_list *list, struct reason *why);

/* PAPI_EMULPASS: n events, of which this is the last, take more than one pass together. */
int device_words_one_pass(const struct device_words *words, const struct component_event *event, int n,
                          size_t passes, struct reason *why);

/* For struct component, where the events' library is that of struct device_units. */
extern const struct component_variants device_words_variants;
int device_words_describe(const struct component_event *event, char *text, size_t size, char *unit,
                          size_t room, struct reason *why);
int device_words_detail(const struct component_event *event, char *text, size_t size, struct reason *why);

#define DEVICE_WORDS_COMPONENT(NAME)                                                                         \
    DEVICE_SESSION_COMPONENT(NAME), .list = list, .discover = discover, .try_event = device_units_try,       \
                                    .variants = &device_words_variants, .describe = device_words_describe,   \
                                    .detail = device_words_detail

/* ---- chips */

/* Names of what chips have, which stay with the vendor, each with the vendor's own kind. Begins as zeroes;
 * name is freed by the caller. */
struct device_chips {
    struct device_chip_name {
        const char *name;
        int kind;
        uint32_t devices;
    } * name;
    size_t n;
};

/* Add a name that a device has, and sort them so that each is there once. PAPI_ENOMEM. */
int device_chips_add(struct device_chips *chips, const char *name, int kind, int device, struct reason *why);
void device_chips_merge(struct device_chips *chips);
