/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/emulated/launcher/launcher.h"

int native_times_run(char *const argv[], struct words *plugin_options)
{
    (void)argv;
    (void)plugin_options;
    complain("--native-times is not in this version");
    return EXIT_OWN_ERROR;
}
