/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_COMPONENTS_SDE_SDE_H
#define PAPI_COMPONENTS_SDE_SDE_H

#include "components/component.h"

extern const struct component sde_component;

#endif
