/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Numbers and structures of ze_api.h and zes_api.h, as far as the component intel_smi needs them. The test
 * components.real_headers compares them with its headers. */

enum {
    ZE_SUCCESS = 0,
    ZE_DEVICE_LOST = 0x70000001,
    ZE_OUT_OF_HOST_MEMORY = 0x70000002,
    ZE_REQUIRES_RESET = 0x70000006,
    ZE_NO_PERMISSION = 0x70010000,
    ZE_NOT_AVAILABLE = 0x70010001,
    ZE_DEPENDENCY_UNAVAILABLE = 0x70020000,
    ZE_UNINITIALIZED = 0x78000001,
    ZE_UNSUPPORTED_VERSION = 0x78000002,
    ZE_UNSUPPORTED_FEATURE = 0x78000003,
};
enum { TYPE_PCI_PROPERTIES = 0x2, TYPE_FREQUENCY_STATE = 0x1b, TYPE_MEMORY_STATE = 0x1e };
struct energy {
    uint64_t microjoules, time;
};
struct activity {
    uint64_t microseconds, time;
};
struct throttled {
    uint64_t microseconds, time;
};
struct frequency {
    int type;
    const void *next;
    double voltage, request, tdp, efficient, actual;
    uint32_t reasons;
};
struct memory {
    int type;
    const void *next;
    int health;
    uint64_t free, size;
};
struct traffic {
    uint64_t time, replays, packets, received, sent;
    int64_t speed[2];
};
struct properties {
    int type;
    const void *next;
    uint32_t domain, bus, device, function;
    int32_t generation, width;
    int64_t speed;
    uint8_t has_bandwidth, has_packets, has_replays;
};
