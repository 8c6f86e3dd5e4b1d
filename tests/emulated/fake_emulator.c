/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands for the emulator and its plugin in the tests of papi_emulate: takes the same command line,
 * writes into the shared memory what FAKE tells, and runs the program as it is.
 *
 *   FAKE=WORD,...    counts      two programs, the first one with three threads that are in their pages
 *                    caches      events of the caches in the first program
 *                    unknown     instructions that the disassembler does not know
 *                    lost        a program for which there was no room
 *                    fault, library, bytes
 *                                an instruction that the emulator lacks: in the program, in a library,
 *                                unknown to the disassembler as well
 *                    running     the first program is a process that is still there: this one's parent
 *                    nothing     no program at all
 *                    refuse      an emulator that does not take the plugin
 *                    deaf        an emulator that is busy and takes no signal
 *                    busy        the same, but the program goes on and ends by itself after SIGTERM
 *   FAKE_ARGUMENTS=FILE          the command line, one argument a line */
#include "formats/emulator_memory.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail(const char *text)
{
    fprintf(stderr, "fake emulator: %s\n", text);
    exit(99);
}

static bool told(const char *word)
{
    const char *list = getenv("FAKE");
    size_t length = strlen(word);
    while (list != NULL &&
           (strncmp(list, word, length) != 0 || (list[length] != ',' && list[length] != '\0'))) {
        list = strchr(list, ',');
        list += list != NULL;
    }
    return list != NULL;
}

/* ---- the memory */

static struct emulated_memory *map(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        fail("the memory cannot be opened");
    size_t size = emulated_memory_size((uint32_t)sysconf(_SC_PAGESIZE));
    if (lseek(fd, 0, SEEK_END) != (off_t)size)
        fail("the memory has another size");
    struct emulated_memory *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        fail("the memory cannot be mapped");
    if (strcmp(memory->magic, EMULATED_MAGIC) != 0 || memory->version != EMULATED_VERSION ||
        memory->events != EMULATED_EVENTS || memory->page_size != (uint32_t)sysconf(_SC_PAGESIZE))
        fail("the memory is no such memory");
    return memory;
}

static struct emulated_process *add_program(struct emulated_memory *memory, uint32_t index, const char *name,
                                            uint32_t pid)
{
    struct emulated_process *process = &memory->process[index];
    process->pid = pid;
    process->parent = (uint32_t)getppid();
    process->threads = 1;
    snprintf(process->name, sizeof process->name, "%s", name);
    return process;
}

static void add_thread(struct emulated_memory *memory, uint32_t index, uint32_t process,
                       uint64_t instructions)
{
    char *start = (char *)memory + emulated_thread_offset(memory->page_size, index);
    struct emulated_thread *thread = (void *)start;
    thread->tid = 1000 + index;
    thread->process = process;
    thread->count[EMULATED_INSTRUCTIONS] = instructions;
    thread->count[EMULATED_FP_OPS] = 3;
}

/* Writes counts whose sums are known: of the first program 1,000,000 and 1 + 10 + 100 instructions and 7 + 3
 * * 3 operations. A thread's page that is free again (8) and those of unknown programs (5, 6) do not count.
 */
static void write_counts(struct emulated_memory *memory)
{
    struct emulated_process *second = add_program(memory, 7, "/bin/child", 4194305);
    struct emulated_process *first = &memory->process[0];
    first->threads = 4;
    first->total[EMULATED_INSTRUCTIONS] = 1000000;
    first->total[EMULATED_FP_OPS] = 7;
    second->threads = 2;
    second->total[EMULATED_INSTRUCTIONS] = 5000;
    second->total[EMULATED_STORES] = 17;
    add_thread(memory, 0, 0, 1);
    add_thread(memory, 3, 0, 10);
    add_thread(memory, EMULATED_THREADS - 1, 0, 100);
    add_thread(memory, 4, 7, 20000);
    add_thread(memory, 5, EMULATED_PROCESSES, 777);
    add_thread(memory, 6, 9, 777);
    add_thread(memory, 8, 0, 777);
    ((struct emulated_thread *)(void *)((char *)memory + emulated_thread_offset(memory->page_size, 8)))->tid =
        0;
}

static void write_fault(struct emulated_fault *fault, const char *file)
{
    fault->known = 1;
    fault->address = 0x401234;
    fault->offset = 0x1234;
    snprintf(fault->file, sizeof fault->file, "%s", file);
    snprintf(fault->needs, sizeof fault->needs, "%s", told("bytes") ? "" : "AVX-512");
    snprintf(fault->instruction, sizeof fault->instruction, "%s",
             told("bytes") ? "bytes 06 07" : "vaddpd zmm0, zmm1, zmm2");
}

static void write_memory(struct emulated_memory *memory, const char *program)
{
    if (told("nothing"))
        return;
    struct emulated_process *first =
        add_program(memory, 0, program, (uint32_t)(told("running") ? getppid() : getpid()));
    if (told("counts"))
        write_counts(memory);
    if (told("caches"))
        first->total[EMULATED_L1D_READS] = memory->caches ? 4711 : 1;
    if (told("unknown"))
        first->total[EMULATED_UNKNOWN_INSTRUCTIONS] = 12;
    if (told("lost")) {
        memory->lost_programs = 1;
        memory->others[EMULATED_INSTRUCTIONS] = 50;
    }
    if (told("fault") || told("bytes"))
        write_fault(&first->fault, program);
    if (told("library"))
        write_fault(&first->fault, "/usr/lib/libopenblas.so.0");
}

/* ---- signals */

static volatile sig_atomic_t came;

static void note_signal(int number)
{
    came = number;
}

/* Busy until two seconds of processor time after a signal, or without end. */
static _Noreturn void be_busy(struct emulated_memory *memory)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], note_signal);
    puts("ready");
    fflush(stdout);
    clock_t since = clock();
    while (told("deaf") || came == 0 || clock() - since < 2 * CLOCKS_PER_SEC) {
        since = came == 0 ? clock() : since;
        memory->process[0].total[EMULATED_INSTRUCTIONS] += told("busy");
    }
    exit(7);
}

/* ---- the command line */

static void note_arguments(char **argv)
{
    const char *file = getenv("FAKE_ARGUMENTS");
    FILE *out = file != NULL ? fopen(file, "w") : NULL;
    for (int i = 0; out != NULL && argv[i] != NULL; i++)
        fprintf(out, "%s\n", argv[i]);
    if (out != NULL)
        fclose(out);
}

static void take_plugin(const char *value, char *path, size_t size)
{
    const char *memory = strstr(value, ",memory=");
    if (memory == NULL)
        fail("the plugin is told of no memory");
    memory += strlen(",memory=");
    snprintf(path, size, "%.*s", (int)strcspn(memory, ","), memory);
}

int main(int argc, char **argv)
{
    char memory[64] = "";
    char *name = NULL;
    int i = 1;
    note_arguments(argv);
    if (told("refuse"))
        fail("no plugins here");
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "-plugin") == 0)
            take_plugin(argv[i + 1], memory, sizeof memory);
        if (strcmp(argv[i], "-0") == 0)
            name = argv[i + 1];
        if (strcmp(argv[i], "-E") == 0)
            putenv(argv[i + 1]);
    }
    if (i >= argc)
        fail("no program");
    struct emulated_memory *shared = map(memory);
    write_memory(shared, argv[i]);
    if (told("deaf") || told("busy"))
        be_busy(shared);
    char *path = argv[i];
    argv[i] = name != NULL ? name : path;
    execv(path, argv + i);
    fail("the program cannot be executed");
}
