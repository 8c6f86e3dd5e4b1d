/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/sde_registry.h"
#include "sde_lib.h"

/* A library that has events, from its first papi_sde_init to the end of the process. */
struct sde_library {
    const char *name;
    _Atomic bool off; /* papi_sde_disable */
    struct sde_library *next;
};

/* The process's registry, made if there is none yet; NULL: there is no memory. */
struct sde_registry *sde_registry(void);

/* Finds an event of a library; NULL: there is none of the name. The caller has locked the registry, here and
 * for all functions that take one. */
struct sde_counter *sde_find(struct sde_registry *registry, const struct sde_library *library,
                             const char *event);

/* Registers an event; what it was before is replaced, if it was of the same kind or unregistered. SDE_EINVAL,
 * SDE_ENOMEM, SDE_ECMP. */
int sde_set(struct sde_registry *registry, struct sde_library *library, const char *event,
            const struct sde_source *source, struct sde_counter **out);

/* Unregisters an event, which shows the value last from then on. SDE_ENOMEM. */
int sde_end(struct sde_counter *counter, uint64_t last);

/* Waits, without the lock, until no reader is left that may have a source which was replaced before. */
void sde_wait_for_readers(struct sde_registry *registry);

/* The value now, without the lock: an integer, or the bits of a double where the source is real. */
uint64_t sde_value(const struct sde_source *source);

static inline struct sde_source *sde_source(struct sde_counter *counter)
{
    return atomic_load_explicit(&counter->source, memory_order_seq_cst);
}

/* The object of a handle that is, and still is, of a kind; NULL: it is not. */
static inline void *sde_object(void *handle, enum sde_kind kind)
{
    struct sde_source *source = handle != NULL ? sde_source(handle) : NULL;
    return source != NULL && source->kind == kind ? source->object : NULL;
}

void sde_group_free(void *object);

/* End a recorder, and free what a set holds. The caller has locked the registry. */
struct sde_recorder;
struct sde_set;
int sde_recorder_end(struct sde_recorder *recorder);
void sde_set_free(struct sde_set *set);
