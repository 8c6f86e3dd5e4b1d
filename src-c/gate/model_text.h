/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The files of models/, which are a part of the program. The last has no name. */
struct model_text {
    const char *name, *text;
};

extern const struct model_text model_texts[];
