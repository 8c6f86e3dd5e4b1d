/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* Counts what the instructions of a program do that papi_counted built. */
extern const struct component counted_component;
