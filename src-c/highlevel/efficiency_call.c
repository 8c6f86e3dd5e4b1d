/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "base/mpi_efficiency.h"
#include "papi.h"

#include <dlfcn.h>

/* The library of MPI reports comes with the launcher or is linked before this one; it is looked for at each
 * call, as a program may open it later. */
static mpi_efficiency_function *reports(void)
{
    return (mpi_efficiency_function *)dlsym(RTLD_DEFAULT, MPI_EFFICIENCY_FUNCTION);
}

int PAPI_hl_efficiency(const char *region, int scope, double *values)
{
    mpi_efficiency_function *ask = reports();
    char why[256] = "";
    if (region == NULL || values == NULL)
        return client_null();
    if (scope != PAPI_EFF_RANK && scope != PAPI_EFF_JOB)
        return client_failed(PAPI_EINVAL, "the scope is PAPI_EFF_RANK or PAPI_EFF_JOB, not %d", scope);
    if (ask == NULL)
        return client_failed(PAPI_ENOSUPP,
                             "efficiencies are of MPI jobs that are started by papi_mpirun, such as: "
                             "papi_mpirun -n 4 ./a.out");
    int code = ask(region, scope, values, why, sizeof why);
    return code == PAPI_OK ? PAPI_OK : client_failed(code, "%s", why);
}
