/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* What components have in common that count the cores' events for threads. */
#define THREADS_MEMBERS                                                                                      \
    .default_domain = PAPI_DOM_USER,                                                                         \
    .available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR, .attach = true,              \
    .inherit = true, .cpu = true
