/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#define PLUGIN __attribute__((visibility("default")))

typedef void (*plugin_handler)(int es, void *address, long long vector, void *context);

/* Starts a set of one event that overflows; returns the set, or a negative code of PAPI. */
PLUGIN int plugin_count(const char *event, int threshold, int flags, plugin_handler handler);
PLUGIN int plugin_stop(int es);
PLUGIN void plugin_shutdown(void);
