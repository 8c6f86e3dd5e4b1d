/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads PAPI's clocks in a known order and appends what it got to a file, a line for each run:
 *
 *   native_times FILE MODE
 *
 * MODE: plain; threads (three, by their own numbers); fork; other (in the emulator another clock);
 * fewer, more (calls in the emulator); none (no call); status (ends with 3); echo (copies its input)
 */
#include <papi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, READS = 5 };

static _Thread_local unsigned long number;
static char line[8192];

static unsigned long thread_number(void)
{
    return number;
}

static int in_emulator(void)
{
    const char *times = getenv("PAPI_NATIVE_TIMES");
    return times != NULL && strncmp(times, "replay:", 7) == 0;
}

static void append(char *text, size_t size, long long value)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, " %lld", value);
}

static void read_clocks(char *text, size_t size)
{
    for (int i = 0; i < READS; i++) {
        append(text, size, PAPI_get_real_nsec());
        append(text, size, PAPI_get_virt_nsec());
        append(text, size, PAPI_get_real_cyc());
        append(text, size, PAPI_get_real_usec());
        append(text, size, PAPI_get_virt_usec());
    }
}

static void *thread(void *argument)
{
    static char texts[THREADS][2048];
    number = (unsigned long)(argument ? *(int *)argument : 0);
    texts[number][0] = '\0';
    read_clocks(texts[number], sizeof texts[number]);
    return texts[number];
}

/* Started together: their first calls come in any order. */
static void run_threads(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    void *text;
    PAPI_thread_init(thread_number);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, thread, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &text);
        strncat(line, text, sizeof line - strlen(line) - 1);
    }
}

static void write_line(const char *file)
{
    FILE *out = fopen(file, "a");
    if (out != NULL) {
        fprintf(out, "%s\n", line);
        fclose(out);
    }
}

static void run_fork(const char *file)
{
    pid_t child;
    read_clocks(line, sizeof line);
    child = fork();
    if (child == 0) {
        strcpy(line, "child");
        read_clocks(line, sizeof line);
        write_line(file);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void echo(void)
{
    int c;
    while ((c = getchar()) != EOF)
        putchar(c);
}

static void run(const char *mode, const char *file)
{
    int emulated = in_emulator();
    if (strcmp(mode, "threads") == 0)
        run_threads();
    else if (strcmp(mode, "fork") == 0)
        run_fork(file);
    else if (strcmp(mode, "echo") == 0)
        echo();
    else if (strcmp(mode, "none") != 0)
        read_clocks(line, sizeof line);
    if (strcmp(mode, "other") == 0)
        append(line, sizeof line, emulated ? PAPI_get_virt_nsec() : PAPI_get_real_nsec());
    if (strcmp(mode, emulated ? "more" : "fewer") == 0)
        append(line, sizeof line, PAPI_get_real_nsec());
}

int main(int argc, char **argv)
{
    int events = PAPI_NULL;
    if (argc != 3 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 2;
    PAPI_create_eventset(&events);
    if (PAPI_add_named_event(events, "PAPI_TOT_INS") != PAPI_OK)
        return 4; /* it must count in both runs alike */
    if (PAPI_query_named_event("perf::PAGE-FAULTS") == PAPI_OK)
        return 5;
    run(argv[2], argv[1]);
    write_line(argv[1]);
    return strcmp(argv[2], "status") == 0 ? 3 : 0;
}
