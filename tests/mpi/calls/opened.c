/* SPDX-License-Identifier: BSD-3-Clause */
/* As modules of Python do it: this program has no MPI, and opens a library that has, locally. opened PLUGIN
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;
    if (!work) {
        fprintf(stderr, "opened PLUGIN: %s\n", argc == 2 ? dlerror() : "");
        return 2;
    }
    return work();
}
