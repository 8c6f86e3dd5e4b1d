/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two result files with "%%" between them: the tables in CSV, and papi_mpi_report --reference.
 */
#include "fuzz.h"
#include "job.h"
#include "job/result_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *between = size > 0 ? memmem(data, size, "%%", 2) : NULL;
    size_t length = between != NULL ? (size_t)(between - data) : size;
    struct job *job = fuzz_read_job(data, length);
    if (job != NULL)
        fuzz_check_csv(job);
    struct job *reference = between != NULL ? fuzz_read_job(between + 2, size - length - 2) : NULL;
    if (job != NULL) {
        fuzz_check_comparison(job, reference != NULL ? reference : job);
        if (reference != NULL)
            fuzz_check_comparison(reference, job);
    }
    job_free(job);
    job_free(reference);
    return 0;
}
