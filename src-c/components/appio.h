/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

extern const struct component appio_component;
