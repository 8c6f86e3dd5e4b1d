/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of libpapi.a alone (PAPI_ARCHIVE): what a library that is linked into others' programs owes them.
 */
#ifdef PAPI_ARCHIVE

#include <pthread.h>
#include <sched.h>

/* gcc's runtimes, libgfortran for one, name the functions of threads by weak symbols, and ask one of them,
 * for all, whether the program has threads. An archive of libc gives a program only what somebody needs: this
 * library needs some of them, so that the answer is yes and others would be called at address 0. Here all are
 * needed that gcc names (gthr-posix.h). used: nothing reads it. */
static void (*const thread_functions[])(void) __attribute__((used)) = {
#define FUNCTION(name) (void (*)(void)) name,
    // clang-format off
    FUNCTION(pthread_once) FUNCTION(pthread_create) FUNCTION(pthread_join) FUNCTION(pthread_equal)
    FUNCTION(pthread_self) FUNCTION(pthread_detach) FUNCTION(pthread_cancel) FUNCTION(sched_yield)
    FUNCTION(pthread_key_create) FUNCTION(pthread_key_delete) FUNCTION(pthread_getspecific)
    FUNCTION(pthread_setspecific) FUNCTION(pthread_mutex_init) FUNCTION(pthread_mutex_destroy)
    FUNCTION(pthread_mutex_lock) FUNCTION(pthread_mutex_trylock) FUNCTION(pthread_mutex_timedlock)
    FUNCTION(pthread_mutex_unlock) FUNCTION(pthread_mutexattr_init) FUNCTION(pthread_mutexattr_settype)
    FUNCTION(pthread_mutexattr_destroy) FUNCTION(pthread_cond_init) FUNCTION(pthread_cond_broadcast)
    FUNCTION(pthread_cond_signal) FUNCTION(pthread_cond_wait) FUNCTION(pthread_cond_timedwait)
    FUNCTION(pthread_cond_destroy) FUNCTION(pthread_rwlock_rdlock) FUNCTION(pthread_rwlock_tryrdlock)
    FUNCTION(pthread_rwlock_wrlock) FUNCTION(pthread_rwlock_trywrlock) FUNCTION(pthread_rwlock_unlock)
    // clang-format on
};

#endif
