/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/sample_source.h"

/* Opens a source of the kernel's samples. PAPI_ENOSUPP: the event has none, or none so; PAPI_EINVAL: the
 * period; PAPI_ENOMEM; PAPI_ESYS; and as perf_event_open. */
int sample_buffer_open(const char *root, const struct event_encoding *event,
                       const struct sample_request *request, struct sample_source **source,
                       struct reason *why);
