/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/collect.h"
#include "job/place.h"

/* Writes the result file. Collective. On rank 0 place says where it is (PLACE_NONE: nowhere), and what went
 * wrong is among the complaints of settings. 1 on all ranks, or 0: a result was wanted and is not there. */
int result_write(const struct job_link *link, const struct collection *from, struct settings *settings,
                 struct place *place);
