/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Devices that the machine shows, whose work can be noted. */

/* True where a program may use a vendor's: the kernel shows one, or a variable names their libraries. */
bool shown_devices_of_amd(void);
bool shown_devices_of_intel(void);

/* Why no process of the program used a device, in the caller's memory. */
char *shown_devices_none_used(void);
