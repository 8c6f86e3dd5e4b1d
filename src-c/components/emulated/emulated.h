/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_EMULATED_EMULATED_H
#define PAPI_EMULATED_EMULATED_H

#include "components/component.h"

/* Counts what the instructions of a program do, exactly, where papi_emulate runs it. */
extern const struct component emulated_component;

#endif
