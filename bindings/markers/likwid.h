/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Codes include likwid.h for its marker interface; the rest of likwid is not here. */
#pragma once

#include "likwid-marker.h"
