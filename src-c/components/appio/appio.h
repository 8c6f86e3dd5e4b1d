/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_APPIO_APPIO_H
#define PAPI_APPIO_APPIO_H

#include "components/component.h"

extern const struct component appio_component;

#endif
