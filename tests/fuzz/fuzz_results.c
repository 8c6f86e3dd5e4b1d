/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The result file of an MPI job, as text and as JSON again.
 */
#include "fuzz.h"
#include "job.h"
#include "job/result_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct job *job = fuzz_read_job(data, size);
    if (job == NULL)
        return 0;
    fuzz_check_text(job);
    if (fuzz_way(data, size, 0, 2))
        fuzz_check_json(job);
    if (fuzz_way(data, size, 1, 2))
        fuzz_check_page(job);
    job_free(job);
    return 0;
}
