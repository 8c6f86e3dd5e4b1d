/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_BASE_OPTIONS_H
#define PAPI_BASE_OPTIONS_H

#include <getopt.h>

/* getopt_long(3), but for its messages about wrong options: they show the arguments as base/visible.h has
 * them. */
int options_next(int argc, char **argv, const char *short_options, const struct option *options);

#endif
