/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "result.h"

/* Writes what costs most, as a sentence without its period, into the result. Places have their names. */
void finding_make(struct result *result);
