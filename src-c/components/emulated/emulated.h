/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* Counts what the instructions of a program do, exactly, where papi_emulate runs it. */
extern const struct component emulated_component;
