/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_COUNTED_COUNTED_H
#define PAPI_COUNTED_COUNTED_H

#include "components/component.h"

/* Counts what the instructions of a program do that papi_counted built. */
extern const struct component counted_component;

#endif
