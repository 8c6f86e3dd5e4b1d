/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/library.h"
#include "base/likely.h"
#include "base/text_rows.h"
#include "base/visible.h"
#include "core/descriptions.h"
#include "core/eventset.h"
#include "core/sampler.h"
#include "core/times.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Nothing but zeroes at first: its pages are then in no file, and none is written before the library is used.
 */
struct papi_library papi_library;

/* ---- lock */

/* True if the signal was not blocked before. */
static __attribute__((cold)) bool mask_overflows(int how)
{
    sigset_t overflow, before;
    sigemptyset(&overflow);
    sigaddset(&overflow, OVERFLOW_SIGNAL);
    pthread_sigmask(how, &overflow, &before);
    return !sigismember(&before, OVERFLOW_SIGNAL);
}

bool library_hold_overflows(void)
{
    bool none = atomic_load_explicit(&papi_library.overflows, memory_order_relaxed) == 0;
    return likely(none) ? false : mask_overflows(SIG_BLOCK);
}

void library_release_overflows(bool held)
{
    if (unlikely(held))
        mask_overflows(SIG_UNBLOCK);
}

bool library_blocks_no_signal(void)
{
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (papi_library.held)
        sigdelset(&blocked, OVERFLOW_SIGNAL);
    for (int signal = 1; signal < _NSIG; signal++)
        if (sigismember(&blocked, signal) == 1)
            return false;
    return true;
}

void library_lock(void)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    bool held = library_hold_overflows();
    lock_take(&papi_library.lock);
    papi_library.cancel_state = state;
    papi_library.held = held;
}

void library_unlock(void)
{
    int state = papi_library.cancel_state;
    bool held = papi_library.held;
    lock_give(&papi_library.lock);
    library_release_overflows(held);
    pthread_setcancelstate(state, NULL);
}

/* ---- fork */

/* A signal handler may fork while its own thread has the lock: it must not wait for itself, and in
 * the child the tables are as unfinished as the interrupted call left them. */
static void before_fork(void)
{
    int mine = lock_mine(&papi_library.lock);
    if (!mine)
        library_lock();
    papi_library.fork_locked = !mine;
}

static void after_fork(void)
{
    if (papi_library.fork_locked)
        library_unlock();
}

/* Puts the library right in the child of a fork, which has the calling thread alone, and none of the
 * counters. */
static void in_child(void)
{
    struct papi_thread *next;
    for (struct papi_thread *thread = papi_library.threads; thread != NULL; thread = next) {
        next = thread->next;
        for (struct eventset *set = thread->sets; set != NULL; set = set->next)
            eventset_lose(set);
        samplers_lose(thread);
        if (thread != papi_thread_pointer && papi_library.fork_locked)
            thread_destroy(thread);
    }
    thread_after_fork();
    user_locks_after_fork();
    times_after_fork();
    after_fork();
}

static int prepare_process(struct reason *why)
{
    if (papi_library.process_ready)
        return PAPI_OK;
    if (pthread_atfork(before_fork, after_fork, in_child) != 0)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    papi_library.process_ready = 1;
    return PAPI_OK;
}

/* ---- init, shutdown */

/* Reads PAPI_DISABLE_COMPONENTS, a list such as "perf_event,emulated". */
static void read_disabled_components(void)
{
    const char *list = secure_getenv("PAPI_DISABLE_COMPONENTS");
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ",: ");
        for (int i = 0; i < component_count(); i++)
            if (strlen(components[i]->name) == n && strncmp(components[i]->name, list, n) == 0)
                papi_library.disabled[i] = 1;
        list += n + (list[n] != '\0');
    }
}

/* True if a variable is set, and not to 0. */
static int asked_for(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* Reads PAPI_PARKING: on, unless it says off. */
static int read_parking(void)
{
    TEXT_ROWS_BEGIN
    static const char words[][8] = {"", "1", "yes", "on", "true", "0", "no", "off", "false"};
    TEXT_ROWS_END
    enum { FIRST_OFF = 5, N_WORDS = sizeof words / sizeof *words };
    const char *value = secure_getenv("PAPI_PARKING");
    int i = 0;
    while (value != NULL && i < N_WORDS && strcasecmp(value, words[i]) != 0)
        i++;
    if (i == N_WORDS && papi_library.debug != PAPI_QUIET)
        visible_print(stderr, "PAPI: PAPI_PARKING=%s is neither on nor off and is passed over\n", value);
    return i < FIRST_OFF || i == N_WORDS;
}

static void read_environment(void)
{
    if (asked_for("PAPI_VERBOSE") || asked_for("PAPI_DEBUG"))
        papi_library.debug = PAPI_VERB_ECONT;
    const char *root = secure_getenv("PAPI_SYSROOT");
    papi_library.root[0] = '\0';
    if (root != NULL && strlen(root) < sizeof papi_library.root)
        strcpy(papi_library.root, root);
    papi_library.tables.pmus.root = papi_library.root;
    read_disabled_components();
    papi_library.parking = read_parking();
}

int library_prepare(struct reason *why)
{
    if (papi_library.process_ready)
        return PAPI_OK;
    library_lock();
    int code = prepare_process(why);
    library_unlock();
    return code;
}

static int start(struct reason *why)
{
    int code = prepare_process(why);
    if (code != PAPI_OK)
        return code;
    read_environment();
    papi_library.default_domain = PAPI_DOM_USER;
    papi_library.default_inherit = PAPI_INHERIT_NONE;
    atomic_store_explicit(&papi_library.level, PAPI_LOW_LEVEL_INITED, memory_order_release);
    return PAPI_OK;
}

/* The version word that fpapi.h makes of PAPI_VER_CURRENT where default integers have 8 bytes. */
#define VERSION_OF_WIDE_INTEGERS (2 * PAPI_VER_CURRENT)

int library_init(int version, struct reason *why)
{
    int major = PAPI_VERSION_MAJOR(version), code = PAPI_OK;
    if (version == VERSION_OF_WIDE_INTEGERS)
        return reason_set(
            why, PAPI_EINVAL,
            "the integers of this Fortran program have 8 bytes: compile what includes "
            "fpapi.h with -DPAPI_I8, or with -DPAPI_I4 if its arguments are declared INTEGER*4");
    if (major < 5 || major > 7)
        return reason_set(why, PAPI_EINVAL, "0x%x is not a version of this interface (5.0 to 7.x are served)",
                          (unsigned)version);
    library_lock();
    if (!library_ready())
        code = start(why);
    library_unlock();
    return code == PAPI_OK ? version : code;
}

static void free_tables(void)
{
    natives_free(&papi_library.natives);
    pmus_free(&papi_library.tables.pmus);
    own_free(&papi_library.tables);
    papi_library.tables.pfm_missing = false;
    presets_free(&papi_library.presets);
    for (int i = 0; i < MAX_COMPONENTS; i++) {
        free(papi_library.component_info[i]);
        papi_library.state[i].known = false;
        papi_library.component_info[i] = NULL;
        papi_library.component_info_lasts[i] = 0;
        papi_library.disabled[i] = 0;
    }
    free(papi_library.hardware);
    free(papi_library.gpus);
    papi_library.hardware = NULL;
    papi_library.gpus = NULL;
    papi_library.n_gpus = 0;
    process_free();
}

void library_shutdown(void)
{
    struct papi_thread *next, *self = papi_thread_pointer;
    library_lock();
    if (library_ready()) {
        atomic_store(&papi_library.level, PAPI_NOT_INITED);
        for (struct papi_thread *thread = papi_library.threads; thread != NULL; thread = next) {
            next = thread->next;
            thread_release(thread);
        }
        free_tables();
        papi_library.thread_id = NULL;
        papi_library.debug = PAPI_QUIET;
        papi_library.debug_handler = NULL;
    }
    if (self != NULL)
        thread_give_back(self);
    library_unlock();
}

void *_Atomic *component_kept(const struct component *component)
{
    int i = 0;
    while (components[i] != component)
        i++;
    return &papi_library.kept[i];
}

/* ---- the locks of PAPI_lock */

void user_lock_take(int which)
{
    struct user_lock *lock = &papi_library.user_lock[which];
    if (lock_mine(&lock->lock))
        lock->again++;
    else
        lock_take(&lock->lock);
}

int user_lock_give(int which)
{
    struct user_lock *lock = &papi_library.user_lock[which];
    if (!lock_mine(&lock->lock))
        return -1;
    if (lock->again > 0)
        lock->again--;
    else
        lock_give(&lock->lock);
    return 0;
}

void user_locks_give_back(void)
{
    for (int i = 0; i < PAPI_LOCK_NUM; i++)
        while (user_lock_give(i) == 0)
            ;
}

void user_locks_after_fork(void)
{
    for (int i = 0; i < PAPI_LOCK_NUM; i++) {
        struct user_lock *lock = &papi_library.user_lock[i];
        if (!lock_mine(&lock->lock))
            lock->again = 0;
        lock_after_fork(&lock->lock);
    }
}
