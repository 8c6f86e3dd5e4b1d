/* SPDX-License-Identifier: BSD-3-Clause */
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- counting */

enum kind {
    MEMORY,
    PTHREAD_CREATE,
    PTHREAD_KEY,
    ATFORK,
    DLOPEN,
    TIMER,
    SIGNAL,
    SYS_PERF,
    SYS_IOCTL,
    SYS_READ,
    SYS_INTERRUPTED,
    SYS_MAP,
    SYS_OPEN,
    SYS_WRITE,
    SYS_FCNTL,
    SYS_SIZE,
    SYS_RENAME,
    SYS_FOLDER,
    SYS_LINK,
    KINDS
};

static const struct {
    const char *name;
    int error;
    int n_calls;
    long calls[3];
} kinds[KINDS] = {
    [MEMORY] = {"memory", ENOMEM, 0, {0}},
    [PTHREAD_CREATE] = {"pthread_create", EAGAIN, 0, {0}},
    [PTHREAD_KEY] = {"pthread_key_create", EAGAIN, 0, {0}},
    [ATFORK] = {"pthread_atfork", ENOMEM, 0, {0}},
    [DLOPEN] = {"dlopen", ENOMEM, 0, {0}},
    [TIMER] = {"timer_create", EAGAIN, 0, {0}},
    [SIGNAL] = {"sigaction", EINVAL, 0, {0}},
    [SYS_PERF] = {"sys_perf_event_open", EMFILE, 1, {SYS_perf_event_open}},
    [SYS_IOCTL] = {"sys_ioctl", ENOMEM, 1, {SYS_ioctl}},
    [SYS_READ] = {"sys_read", EIO, 2, {SYS_read, SYS_pread64}},
    [SYS_INTERRUPTED] = {"sys_read_interrupted", EINTR, 2, {SYS_read, SYS_pread64}},
    [SYS_MAP] = {"sys_mmap", ENOMEM, 1, {SYS_mmap}},
    [SYS_OPEN] = {"sys_open", ENFILE, 1, {SYS_openat}},
    [SYS_WRITE] = {"sys_write", ENOSPC, 1, {SYS_write}},
    [SYS_FCNTL] = {"sys_fcntl", EINVAL, 1, {SYS_fcntl}},
    [SYS_SIZE] = {"sys_ftruncate", ENOSPC, 2, {SYS_ftruncate, SYS_fallocate}},
#ifdef SYS_rename
    [SYS_RENAME] = {"sys_rename", EACCES, 3, {SYS_renameat2, SYS_renameat, SYS_rename}},
    [SYS_FOLDER] = {"sys_mkdir", ENOSPC, 2, {SYS_mkdirat, SYS_mkdir}},
    [SYS_LINK] = {"sys_link", EACCES, 2, {SYS_linkat, SYS_link}},
#else
    [SYS_RENAME] = {"sys_rename", EACCES, 1, {SYS_renameat2}},
    [SYS_FOLDER] = {"sys_mkdir", ENOSPC, 1, {SYS_mkdirat}},
    [SYS_LINK] = {"sys_link", EACCES, 1, {SYS_linkat}},
#endif
};

static struct {
    _Atomic int armed, paused, kind, error, in_pfm;
    _Atomic long wanted, seen, left_out, blocks;
} state;

static int tool; /* the program is one of the project's */
static int
    beside; /* another library calls the C library, too: only what the libraries under test ask for counts */

static int begins(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash != NULL ? slash + 1 : path, name, strlen(name)) == 0;
}

enum owner { OTHERS, UNDER_TEST, PFM, LIBC, HWLOC };

static enum owner owner_of(void *address)
{
    struct dl_find_object found;
    if (_dl_find_object(address, &found) != 0 || found.dlfo_link_map == NULL)
        return OTHERS;
    const char *path = found.dlfo_link_map->l_name;
    if (begins(path, "libpapi") || begins(path, "libsde"))
        return UNDER_TEST;
    if (begins(path, "libpfm"))
        return PFM;
    if (begins(path, "libhwloc"))
        return HWLOC;
    /* UCX, of which MPICH makes use, puts itself between mmap and its callers. */
    if (begins(path, "libc.so") || begins(path, "ld-linux") || begins(path, "libucm"))
        return LIBC;
    return path[0] == '\0' && tool ? UNDER_TEST : OTHERS; /* the program itself has no name */
}

extern void *__libc_stack_end;

/* Return addresses lie on the stack: is hwloc at work further up? Old ones may lie there too; the calls that
 * are let alone for one are counted. Only the main thread asks for the topology. */
static int inside_hwloc(void)
{
    enum { WORDS = 4000 };
    void **word = __builtin_frame_address(0), **end = __libc_stack_end;
    if (syscall(SYS_gettid) != getpid() || word > end)
        return 0;
    for (int i = 0; i < WORDS && word < end; i++, word++)
        if ((uintptr_t)*word > 1 << 20 && owner_of(*word) == HWLOC)
            return 1;
    return 0;
}

/* The caller of the C library: the owner of the innermost frame that is not in it. */
static enum owner innermost_owner(const void *call)
{
    void *frame[40];
    state.paused++;
    int n = backtrace(frame, 40), i = 0;
    state.paused--;
    while (call != NULL && i < n && frame[i] != call)
        i++;
    for (i = call != NULL ? i : 3; i < n; i++) {
        enum owner owner = owner_of(frame[i]);
        if (owner != LIBC)
            return owner;
    }
    return OTHERS;
}

/* True if this call, which counts, is the one that fails. */
static int is_the_one(void)
{
    void *frame[24];
    if (atomic_fetch_add(&state.seen, 1) + 1 != state.wanted)
        return 0;
    if (getenv("FAULTS_SHOW") != NULL) {
        state.paused++;
        backtrace_symbols_fd(frame, backtrace(frame, 24), STDERR_FILENO);
        state.paused--;
    }
    return 1;
}

static int fails(enum kind kind, void *caller)
{
    if (!state.armed || state.paused || (int)kind != state.kind)
        return 0;
    enum owner owner = owner_of(caller);
    if (owner == LIBC && beside)
        owner = innermost_owner(NULL);
    if (owner == HWLOC || (owner == LIBC && !beside && inside_hwloc())) {
        state.left_out++;
        return 0;
    }
#if defined(__aarch64__)
    /* libpfm4 begins there with a line of /proc/cpuinfo, which it reads even if there was no memory for
     * it. */
    if (owner == PFM) {
        state.left_out++;
        return 0;
    }
#endif
    if (owner == OTHERS || !is_the_one())
        return 0;
    state.in_pfm = owner == PFM;
    errno = state.error;
    return 1;
}

#define FAILS(kind) fails(kind, __builtin_return_address(0))

/* ---- functions */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *handle);

static struct {
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*key_create)(pthread_key_t *, void (*)(void *));
    int (*atfork)(void (*)(void), void (*)(void), void (*)(void), void *);
    void *(*dlopen)(const char *, int);
    int (*timer_create)(clockid_t, struct sigevent *, timer_t *);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
} found_real;

static void find_real(void)
{
    *(void **)&found_real.pthread_create = dlsym(RTLD_NEXT, "pthread_create");
    *(void **)&found_real.key_create = dlsym(RTLD_NEXT, "pthread_key_create");
    *(void **)&found_real.atfork = dlsym(RTLD_NEXT, "__register_atfork");
    *(void **)&found_real.dlopen = dlsym(RTLD_NEXT, "dlopen");
    *(void **)&found_real.timer_create = dlsym(RTLD_NEXT, "timer_create");
    *(void **)&found_real.sigaction = dlsym(RTLD_NEXT, "sigaction");
}

/* The constructors of other libraries may come first. */
static __typeof__(found_real) *real(void)
{
    if (found_real.sigaction == NULL)
        find_real();
    return &found_real;
}

static void *taken(void *memory)
{
    atomic_fetch_add(&state.blocks, memory != NULL);
    return memory;
}

void *malloc(size_t size)
{
    return FAILS(MEMORY) ? NULL : taken(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return FAILS(MEMORY) ? NULL : taken(__libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
    if (FAILS(MEMORY))
        return NULL;
    void *memory = __libc_realloc(old, size);
    if (old == NULL || (memory == NULL && size == 0))
        atomic_fetch_add(&state.blocks, old == NULL ? memory != NULL : -1);
    return memory;
}

void *memalign(size_t alignment, size_t size)
{
    return FAILS(MEMORY) ? NULL : taken(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return FAILS(MEMORY) ? NULL : taken(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (FAILS(MEMORY))
        return ENOMEM;
    *out = taken(__libc_memalign(alignment, size));
    return *out != NULL ? 0 : ENOMEM;
}

void free(void *memory)
{
    atomic_fetch_sub(&state.blocks, memory != NULL);
    __libc_free(memory);
}

long inject_blocks(void)
{
    return state.blocks;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    return FAILS(PTHREAD_CREATE) ? state.error : real()->pthread_create(thread, attributes, body, argument);
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return FAILS(PTHREAD_KEY) ? state.error : real()->key_create(key, destructor);
}

int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *handle)
{
    return FAILS(ATFORK) ? state.error : real()->atfork(before, parent, child, handle);
}

void *dlopen(const char *name, int flags)
{
    /* A library that is loaded already is found without a file or memory. */
    int loads = (flags & RTLD_NOLOAD) == 0;
    return loads && FAILS(DLOPEN) ? NULL : real()->dlopen(name, flags);
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    return FAILS(TIMER) ? -1 : real()->timer_create(clock, event, timer);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    return FAILS(SIGNAL) ? -1 : real()->sigaction(number, action, old);
}

/* ---- system calls */

/* The instruction from which the filter lets all calls pass. */
long inject_raw(long number, const long argument[6]);
extern const char inject_raw_at[];

#if defined(__x86_64__)
__asm__(".text\n.globl inject_raw\n.type inject_raw,@function\ninject_raw:\n"
        "mov %rdi,%rax\nmov %rsi,%r11\nmov (%r11),%rdi\nmov 8(%r11),%rsi\nmov 16(%r11),%rdx\n"
        "mov 24(%r11),%r10\nmov 32(%r11),%r8\nmov 40(%r11),%r9\nsyscall\n"
        ".globl inject_raw_at\ninject_raw_at:\nret\n.size inject_raw,.-inject_raw\n");
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define RESULT(context) (context)->uc_mcontext.gregs[REG_RAX]
#define STACK(context) (context)->uc_mcontext.gregs[REG_RSP]
static void arguments(const ucontext_t *context, long argument[6])
{
    static const int reg[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
    for (int i = 0; i < 6; i++)
        argument[i] = context->uc_mcontext.gregs[reg[i]];
}
#elif defined(__aarch64__)
__asm__(".text\n.globl inject_raw\n.type inject_raw,%function\ninject_raw:\n"
        "mov x8,x0\nmov x9,x1\nldp x0,x1,[x9]\nldp x2,x3,[x9,16]\nldp x4,x5,[x9,32]\nsvc 0\n"
        ".globl inject_raw_at\ninject_raw_at:\nret\n.size inject_raw,.-inject_raw\n");
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define RESULT(context) (context)->uc_mcontext.regs[0]
#define STACK(context) (context)->uc_mcontext.sp
static void arguments(const ucontext_t *context, long argument[6])
{
    for (int i = 0; i < 6; i++)
        argument[i] = (long)context->uc_mcontext.regs[i];
}
#else
#error "system calls are made otherwise here"
#endif

/* As inside_hwloc, from the place of the call. libpfm4 crashes where a read of its own fails as it begins. */
static int fragile(uintptr_t stack)
{
    void **word = (void **)stack, **end = __libc_stack_end;
    int reads = state.kind == SYS_READ || state.kind == SYS_INTERRUPTED;
    if (syscall(SYS_gettid) != getpid())
        return 0;
    for (int i = 0; i < 4000 && word < end; i++, word++) {
        enum owner owner = (uintptr_t)*word > 1 << 20 ? owner_of(*word) : OTHERS;
        if (owner == HWLOC || (owner == PFM && reads))
            return 1;
    }
    return 0;
}

static void trapped(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    long argument[6], result = 0;
    (void)number;
    arguments(at, argument);
    /* Files of the kernel's that are opened or read are the library's; what the dynamic linker does is
     * not. */
    int counted = state.armed && !state.paused && kinds[state.kind].n_calls > 0;
    enum owner owner = OTHERS;
    if (counted)
        owner = beside ? innermost_owner(info->si_call_addr) : owner_of(info->si_call_addr);
    if (owner == OTHERS)
        counted = 0;
    if (counted && (beside ? owner == HWLOC || owner == PFM : fragile(STACK(at)))) {
        state.left_out++;
        counted = 0;
    }
    result = counted && is_the_one() ? -state.error : inject_raw(info->si_syscall, argument);
    RESULT(at) = result;
}

static void trap(const long *calls, int n_calls)
{
    struct sock_filter filter[20];
    int n = 0;
    uint64_t address = (uint64_t)(uintptr_t)inject_raw_at;
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < n_calls; i++)
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i],
                                                   (unsigned char)(n_calls - i), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, instruction_pointer));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)address, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(address >> 32), 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {(unsigned short)n, filter};
    real()->sigaction(SIGSYS, &action, NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        _exit(98);
}

/* ---- beginning and end */

void inject_begin(const char *name, long n, int error)
{
    static int trapping = -1;
    int kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].name, name) != 0)
        kind++;
    if (kind == KINDS)
        _exit(97);
    state.kind = kind;
    state.error = error != 0 ? error : kinds[kind].error;
    state.wanted = n;
    state.seen = state.left_out = 0;
    if (kinds[kind].n_calls > 0 && trapping != kind) {
        trap(kinds[kind].calls, kinds[kind].n_calls);
        trapping = kind;
    }
    state.in_pfm = 0;
    state.armed = 1;
}

long inject_end(void)
{
    state.armed = 0;
    return state.seen;
}

void inject_pause(int pause)
{
    state.paused = pause;
}

int inject_in_libpfm(void)
{
    return state.in_pfm;
}

long inject_left_out(void)
{
    return state.left_out;
}

__attribute__((constructor(101))) static void start(void)
{
    char kind[64] = "";
    const char *text = getenv("FAULTS");
    long n = 0;
    int error = 0;
    tool = begins(program_invocation_name, "papi_");
    const char *wanted = getenv("FAULTS_RANK"), *rank = getenv("PMI_RANK");
    void *frame[1];
    beside = wanted != NULL;
    if (beside && (rank == NULL || strcmp(rank, wanted) != 0))
        return;
    backtrace(frame, 1); /* which loads what it needs */
    if (text != NULL && sscanf(text, "%63[^:]:%ld:%d", kind, &n, &error) >= 2)
        inject_begin(kind, n, error);
}

/* Writes the number of calls to the file FAULTS_COUNT, for a caller that fails them one after the other. */
__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULTS_COUNT");
    char text[64];
    if (!state.armed || path == NULL)
        return;
    long seen = inject_end();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int length = snprintf(text, sizeof text, "%ld %ld\n", seen, (long)state.left_out);
    if (fd >= 0 && write(fd, text, (size_t)length) != length)
        _exit(96);
    close(fd);
}
