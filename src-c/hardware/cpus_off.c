/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/cpus_off.h"
#include "base/sysroot.h"
#include "hardware/cpus.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define EVENTS "/sys/kernel/uevent_seqnum"
#define WORK "/proc/softirqs"

/* A file that is read word by word, without memory of its size. */
struct words {
    int file;
    off_t at;
    char text[1024];
    int n, next;
};

static int next_character(struct words *words)
{
    if (words->next == words->n) {
        ssize_t n = pread(words->file, words->text, sizeof words->text, words->at);
        words->n = n > 0 ? (int)n : 0;
        words->next = 0;
        words->at += words->n;
    }
    return words->next < words->n ? words->text[words->next++] : -1;
}

/* Takes the next word of a line; a longer one is cut. False: there is none before the end of the line. */
static bool next_word(struct words *words, char word[24])
{
    int c = next_character(words), n = 0;
    while (c == ' ')
        c = next_character(words);
    for (; c != ' ' && c != '\n' && c >= 0; c = next_character(words))
        if (n < 23)
            word[n++] = (char)c;
    word[n] = '\0';
    if (c == '\n' && n > 0) /* for the next call */
        words->next--;
    return n > 0;
}

static uint64_t number_of(const char *word)
{
    uint64_t number = 0;
    for (; *word >= '0' && *word <= '9'; word++)
        number = number * 10 + (uint64_t)(*word - '0');
    return number;
}

enum { MOST_CPUS = 8192 };

/* The columns of the CPUs that are not in the list, in bits. Returns how many there are. */
static int columns_off(struct words *words, const char *on, unsigned char *column)
{
    char word[24];
    int n = 0;
    for (int i = 0; next_word(words, word) && i < MOST_CPUS; i++) {
        int cpu = strncmp(word, "CPU", 3) == 0 ? (int)number_of(word + 3) : -1;
        if (cpu < 0 || cpus_next(on, cpu) == cpu)
            continue;
        column[i / 8] |= (unsigned char)(1 << i % 8);
        n++;
    }
    return n;
}

/* Adds up what was done on the CPUs that are off. Returns how many these are. */
static int work_done(int file, const char *on, uint64_t *done)
{
    struct words words = {.file = file};
    unsigned char column[MOST_CPUS / 8] = {0};
    char word[24];
    int n = columns_off(&words, on, column);
    *done = 0;
    while (n > 0 && next_word(&words, word)) /* what kind of work it is */
        for (int i = 0; next_word(&words, word); i++)
            if (i < MOST_CPUS && column[i / 8] >> i % 8 & 1)
                *done += number_of(word);
    return n;
}

/* The kernel's number of events; 0: it is not known. */
static uint64_t number_of_events(int file)
{
    char text[24];
    ssize_t n = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    return number_of(text);
}

void cpus_off_note(const char *root, const char *on, struct cpus_off *off)
{
    *off = (struct cpus_off){.events = -1, .work = sysroot_file(root, WORK, O_RDONLY)};
    if (off->work >= 0)
        off->events = sysroot_file(root, EVENTS, O_RDONLY);
    off->n_events = number_of_events(off->events);
    if (off->work >= 0 && work_done(off->work, on, &off->done) == 0)
        cpus_off_forget(off);
}

bool cpus_off_were_on(struct cpus_off *off, const char *on)
{
    uint64_t done, n_events = off->work >= 0 ? number_of_events(off->events) : 0;
    if (off->work < 0 || (n_events != 0 && n_events == off->n_events))
        return false;
    if (work_done(off->work, on, &done) > 0 && done != off->done)
        return true;
    off->n_events = n_events; /* of before the work was looked at */
    return false;
}

void cpus_off_forget(struct cpus_off *off)
{
    if (off->events >= 0)
        close(off->events);
    if (off->work >= 0)
        close(off->work);
    off->events = off->work = -1;
}
