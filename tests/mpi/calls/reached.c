/* SPDX-License-Identifier: BSD-3-Clause */
/* reached HOW LIBRARY: a program that is linked without MPI and looks its functions up, as bindings of other
 * languages do: "scope": in the scope of all that is loaded; "library": in the MPI library itself, which is
 * past every tool. The handle of MPI_COMM_WORLD of both MPIs. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *library = argc == 3 ? dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!library) {
        fprintf(stderr, "reached HOW LIBRARY: %s\n", argc == 3 ? dlerror() : "");
        return 2;
    }
    void *from = strcmp(argv[1], "scope") == 0 ? RTLD_DEFAULT : library,
         *world = dlsym(library, "ompi_mpi_comm_world");
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(from, "MPI_Init");
    int (*barrier)(void *) = (int (*)(void *))dlsym(from, "MPI_Barrier");
    int (*finalize)(void) = (int (*)(void))dlsym(from, "MPI_Finalize");
    init(NULL, NULL);
    for (int i = 0; i < 3; i++)
        barrier(world ? world : (void *)(uintptr_t)0x44000000);
    finalize();
    printf("reached\n");
    return 0;
}
