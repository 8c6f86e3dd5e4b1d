/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/sampled_access.h"

#include <stdbool.h>
#include <stddef.h>

/* Registers of AMD's instruction-based sampling (IBS), which the kernel gives as PERF_SAMPLE_RAW of its PMUs
 * ibs_op and ibs_fetch: a word of 32 bits with the capabilities (CPUID Fn8000_001B_EAX), then the registers
 * in the order of their numbers. Readers of bytes alone. False: there are fewer bytes than registers. */

/* Reads the sample of an operation, which is of no access where it is neither load nor store, or where the
 * address of its data is not valid. */
bool ibs_op_read(const uint8_t *raw, size_t size, struct sampled_access *access);

/* Reads the sample of a fetch of instructions: its latency is the fetch's, and its address that which was
 * fetched. */
bool ibs_fetch_read(const uint8_t *raw, size_t size, struct sampled_access *access);
