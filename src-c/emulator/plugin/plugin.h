/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "emulator/cache.h"
#include "formats/classification/classify.h"
#include "formats/emulator_memory.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The plugin inside the emulator: it looks at each block of instructions when the emulator translates
 * it, and adds the block's sums to the counters of the thread that runs it.
 *
 *   plugin.c            options, callbacks, system calls of the program, differences of QEMU's versions
 *   translated_block.c  a block: made when it is translated
 *   count.c             a block runs: the thread's counters; a counter passes its limit
 *   cache.c             the simulated caches
 *   memory.c            the shared memory: processes and threads in it; the program's own memory
 *   lines.c             how often each block ran, for papi_profile
 *   data.c              the data that accesses go to, for papi_profile
 *   exec.c              the program executes another
 *   reservation.c       it maps more addresses than the emulator can keep account of
 *   fault.c             an instruction that the emulator does not have */

/* Counts that an instruction of a block adds. */
struct instruction {
    const struct kind *kind; /* equal kinds are one */
    uint8_t length;
};

struct sum {
    uint32_t event, amount;
};

/* Work between two blocks, beside the sums. */
enum block_end {
    END_PLAIN,
    END_CONDITIONAL, /* the next block tells where the branch went */
    END_REPEATS,     /* a REP instruction: its next turn is the next block */
    END_SUSPECT,     /* an instruction that the emulator may lack */
};

/* Counters are added to in groups of this many: a vector register holds one. */
enum { GROUP = 4, GROUPS = (EMULATED_FIRST_CACHE_EVENT + GROUP - 1) / GROUP };

/* A block's number of runs, outcomes of its conditional branch, in all threads, and its place. */
struct block_lines {
    _Atomic uint64_t runs, taken, not_taken;
    int file; /* -1: in none */
    uint64_t offset;
    const struct block *block;
    struct block_lines *next;
};

/* Counts of what the accesses of an instruction did in the simulated caches. */
enum { CACHE_EVENTS = EMULATED_BEHIND_CACHE_EVENTS - EMULATED_FIRST_CACHE_EVENT };
struct access_lines {
    _Atomic uint64_t count[CACHE_EVENTS];
    int file;
    uint64_t offset;
    struct access_lines *next;
};

/* A translated block. It is never freed: the emulator does not say when it forgets a translation. The first
 * line has what is needed each time that it runs, beside the amounts. */
enum { CACHE_LINE = 64 };
struct block {
    uint64_t address, behind; /* of its first instruction, and of what follows the last */
    uint64_t target;          /* END_CONDITIONAL */
    uint64_t last;            /* of its last instruction */
    enum block_end end;
    uint16_t n_sums, n_instructions;
    struct instruction *instruction;
    uint8_t *length;
    struct block_lines *lines;                            /* NULL: they are not asked for */
    _Alignas(CACHE_LINE) uint64_t amount[GROUPS * GROUP]; /* the sums, as count.c adds them */
    struct sum sum[];
};

_Static_assert(offsetof(struct block, amount) == CACHE_LINE, "what comes before is one line");

/* Blocks whose end is open because a signal came in between. */
enum { MAX_INTERRUPTED = 8 };

/* A thread, on this side; the page is what the program sees. */
struct thread {
    struct emulated_thread *page;
    const struct block *previous; /* the block that ran last */
    struct cache_model *caches;
    struct data_thread *data; /* NULL: it is not asked which data is accessed */
    const void *accessing;    /* the operand of the access that may go on, where, and how much is left */
    uint64_t access_next;
    unsigned access_left;
    bool access_store;
    uint64_t copying;        /* the address of a string instruction that moves or fills; 0: none runs */
    uint64_t copied_next[2]; /* the address behind its last read, and behind its last write */
    unsigned line;           /* bytes, of the first cache for data */
    bool returned;           /* from a signal handler, just now */
    unsigned n_interrupted;
    const struct block *interrupted[MAX_INTERRUPTED];
    struct emulated_thread own_page; /* used if the shared memory has no room */
};

/* A variable, or the allocations by one call. */
struct data_object {
    char kind;   /* 'v': a variable, 'h': allocations, 's': stacks, 'o': everything else */
    int file;    /* -1: in none */
    uint64_t at; /* the address that the file gives to the variable, or the offset of the call in it */
    uint64_t size, times; /* bytes, of all allocations together, and how many these are */
    int number;           /* in the file that is written */
};

enum { DATA_LEVELS = 3 };

/* A memory operand whose accesses the caches are asked for. */
struct operand {
    uint64_t address;           /* of its instruction */
    uint8_t size;               /* bytes; 0: not known, or several accesses */
    bool copies;                /* REP MOVS or REP STOS, which processors do a line at a time */
    struct access_lines *lines; /* NULL: they are not asked for */
};

enum architecture { X86_64, ARM64 };

/* All of the plugin's state that is not a thread's. */
struct plugin {
    enum architecture architecture;
    csh disassembler;
    cs_insn *insn;
    pthread_mutex_t translating; /* for the disassembler and the kinds */
    pthread_key_t thread_key;    /* its destructor runs when a thread ends */
    uint64_t guest_base;         /* added to a program's address to get the emulator's */
    bool guest_base_known;
    bool simulate_caches;
    bool estimate_cycles;
    bool follow; /* programs that this one executes */
    struct cache_geometry geometry[CACHES];
    char memory_path[64];
    int memory_fd; /* of memory that the plugin made itself, or -1 */
    struct emulated_memory *memory;
    struct emulated_process *process; /* NULL: the table is full */
    char **command;                   /* the emulator and its options, without the program; NULL: not known */
    int n_command;
    const char *program;     /* its path, as the emulator was given it */
    char lines_folder[4096]; /* folder for lines.c; "": none */
    bool follow_data;        /* which data accesses go to is asked, too */
};

extern struct plugin plugin;

/* The calling thread's; NULL before its first block. */
extern _Thread_local struct thread *thread_pointer;

/* translated_block.c, count.c */
struct qemu_plugin_tb;
typedef void block_callback(unsigned vcpu, void *block);
void block_translated(uint64_t id, struct qemu_plugin_tb *tb);
block_callback *block_prepare(struct block *block);
void operand_accessed(unsigned vcpu, uint32_t info, uint64_t address, void *operand);
extern const struct block no_block;

/* Adds to the counters what is only known when a block runs. */
static inline void count_one(struct thread *thread, enum emulated_event event)
{
    thread->page->count[event]++;
}

/* count.c: after a block was counted; after one event of the instruction at an address. */
void overflow_of_block(struct thread *thread, const struct block *block);
void overflow_of_instruction(struct thread *thread, uint64_t address);

/* memory.c */
int memory_open(const char *path, char *message, size_t size);
void memory_enter_process(uint32_t parent);
void memory_after_fork(void);
void memory_leave_process(void);
struct thread *memory_enter_thread(void);
void memory_leave_thread(void *thread);
struct emulated_thread *memory_page(uint32_t index);

/* lines.c: a block that was made, NULL: out of memory; mappings changed; the child of a fork begins at zero;
 * all is written, which may be done again. */
struct block_lines *lines_of_block(const struct block *block);
struct access_lines *lines_of_access(uint64_t address);
void lines_moved(void);
void lines_forget(void);
void lines_write(void);

/* exec.c: notes how the emulator was started; runs a program that this one executes in an emulator
 * too. Comes back where that is not possible: the program then runs natively. */
void command_note(void);
void follow_exec(uint64_t path, uint64_t arguments, uint64_t environment);

/* plugin.c */
void system_call_begins(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                        uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);

/* reservation.c: the program maps so many bytes. Ends it with a message where the emulator cannot. */
void reservation_begins(uint64_t bytes);

/* The stack of a thread that begins at an address: the memory below it, down to pages that nobody may touch.
 * Returns its first address; 0: there are no such pages. */
uint64_t lines_stack_below(uint64_t address);

/* The index of the file that an address of the program is in, and the offset there; -1: it is in none. Called
 * with the lock of translation. */
int lines_file_at(uint64_t address, uint64_t *offset);

/* data.c: the data that accesses go to. A file was mapped, at an address of the program; memory was allocated
 * by the call that returns to an address, or freed. */
void data_mapped(const char *path, int file, uint64_t start, uint64_t offset);
void data_allocated(uint64_t address, uint64_t size, uint64_t caller);
void data_freed(uint64_t address);

/* The first thread's stack; that of a thread that begins at an address of it; memory that the program gave
 * back. */
void data_stack(uint64_t start, uint64_t end);
void data_thread_begins(uint64_t stack);
void data_unmapped(uint64_t start, uint64_t size);

/* A thread's counts; NULL: no memory. */
struct data_thread *data_thread_make(void);

/* Notes an access, with the events of the caches before and after it. part: it goes on with the one before.
 */
void data_accessed(struct data_thread *thread, const struct operand *operand, uint64_t address, unsigned size,
                   bool part, const uint64_t *before, const uint64_t *after);

/* Notes that more bytes of a line are used, by the access before. */
void data_used(struct data_thread *thread, const struct operand *operand, uint64_t address, unsigned size);

/* Begins anew in the child of a fork. */
void data_forget(void);

/* Writes all, by a function that formats. */
typedef __attribute__((format(printf, 2, 3))) void data_put(void *out, const char *format, ...);
void data_write(data_put *put, void *out);

/* memory.c: copies from and to the program's memory; -1: there is none at that address. */
int guest_read(uint64_t address, void *out, size_t size);
int guest_write(uint64_t address, const void *data, size_t size);

/* fault.c: may the emulator lack this instruction? And note that it was reached. */
bool suspect_bytes(const uint8_t *bytes, size_t n, bool decoded);
void fault_note(const struct block *block);
/* The disassembler does not know this one. */
void unknown_note(uint64_t address, const uint8_t *bytes, size_t n);
void fault_forget(const struct block *block);

/* The interface to the emulator. The functions of QEMU's plugin interface that are the same in all its
 * versions are declared here, because distributions do not package the header; those that differ are called
 * in plugin.c alone. */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* The first field of what the emulator tells about itself: "x86_64", "aarch64". */
struct qemu_info {
    const char *target_name;
};

enum { QEMU_CALLBACK_READS_NO_REGISTERS = 0, QEMU_LOADS_AND_STORES = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*translated)(qemu_plugin_id_t id,
                                                              struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*runs)(unsigned vcpu, void *data),
                                          int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*accesses)(unsigned vcpu, qemu_plugin_meminfo_t info,
                                                       uint64_t address, void *data),
                                      int flags, int which, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
                                          void (*calls)(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
                                                        uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                                                        uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ends)(qemu_plugin_id_t id, void *data),
                                    void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* Copies at most size bytes of an instruction; returns how many. */
size_t qemu_instruction(const struct qemu_plugin_insn *insn, uint8_t *out, size_t size);
