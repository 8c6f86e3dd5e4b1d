/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/sample_source.h"

/* Opens a source of the samples of Arm's SPE. PAPI_ENOSUPP: with branches, or with a signal for each;
 * PAPI_EINVAL: the period; and as sample_buffer_open. */
int spe_buffer_open(const char *root, const struct event_encoding *event,
                    const struct sample_request *request, struct sample_source **source, struct reason *why);
