/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const job_device_efficiency_keys[DEVICE_EFFICIENCIES] = {
    "parallel", "load_balance", "communication", "orchestration", "offload"};

int job_listed_devices(const struct job *job)
{
    int n = 0;
    while (n < MAX_JOB_DEVICES && job->device[n].ranks > 0)
        n++;
    return n;
}

int job_listed_node_devices(const struct job *job)
{
    int n = 0;
    while (n < MAX_JOB_DEVICES && job->node_device[n].there)
        n++;
    return n;
}

void job_address(char text[ADDRESS_TEXT], uint64_t address)
{
    snprintf(text, ADDRESS_TEXT, "%04x:%02x:%02x.%x", (unsigned)(address >> 16),
             (unsigned)(address >> 8 & 0xff), (unsigned)(address >> 3 & 0x1f), (unsigned)(address & 7));
}

int job_node_device_of(const struct job *job, int i)
{
    char text[ADDRESS_TEXT];
    for (int k = 0; k < job_listed_node_devices(job); k++) {
        job_address(text, job->node_device[k].address);
        if (job->node_device[k].node == job->device[i].node && strcmp(text, job->device[i].address) == 0)
            return k;
    }
    return -1;
}

bool job_knows_devices(const struct job *job)
{
    return job->device_ranks > 0 || job->refused_devices > 0 || job->unasked_devices > 0;
}

/* True if there is a place for each: then it is known which are the same. */
static bool all_are_listed(const struct job *job)
{
    return job_listed_devices(job) < MAX_JOB_DEVICES;
}

uint64_t job_devices(const struct job *job)
{
    return all_are_listed(job) ? (uint64_t)job_listed_devices(job) : job->used_devices;
}

bool job_shares_devices(const struct job *job)
{
    for (int i = 0; i < job_listed_devices(job); i++)
        if (job->device[i].ranks > 1)
            return true;
    return false;
}

/* Times of devices: busy with kernels, all and the busiest; the busiest with anything. */
struct busy_devices {
    double devices, kernel, most_kernel, most, elapsed;
};

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static struct device_efficiency efficiency_of(const struct busy_devices *busy)
{
    return (struct device_efficiency){.parallel = ratio(busy->kernel, busy->devices * busy->elapsed),
                                      .load_balance = ratio(busy->kernel, busy->devices * busy->most_kernel),
                                      .communication = ratio(busy->most_kernel, busy->most),
                                      .orchestration = ratio(busy->most, busy->elapsed),
                                      .offload = NAN};
}

static double offload_of(double useful, double offload)
{
    return useful > 0 ? fmax(useful - offload, 0) / useful : NAN;
}

/* The figures are of ranks that record alone: those of others would be missing. */
static bool are_known(const struct job *job)
{
    return job->device_ranks > 0 && job->device_ranks == job->ranks && job_devices(job) > 0;
}

static const struct device_efficiency not_known = {.all = {NAN, NAN, NAN, NAN, NAN}};

/* Kernels of several ranks on one device may run at a time: it is busy at most for the sum, and the whole
 * time.
 */
static void add_shared(struct busy_devices *busy, const struct job *job)
{
    busy->kernel = 0;
    for (int i = 0; i < job_listed_devices(job); i++) {
        const struct job_device *device = &job->device[i];
        double kernel = fmin((double)device->kernel_ns, busy->elapsed),
               both = fmin((double)device->kernel_ns + (double)device->copy_ns, busy->elapsed);
        busy->kernel += kernel;
        busy->most_kernel = device->ranks > 1 ? fmax(busy->most_kernel, kernel) : busy->most_kernel;
        busy->most = device->ranks > 1 ? fmax(busy->most, both) : busy->most;
    }
}

struct device_efficiency job_device_efficiency(const struct job *job)
{
    if (!are_known(job))
        return not_known;
    struct busy_devices busy = {.devices = (double)job_devices(job),
                                .kernel = (double)job->device_kernel_ns,
                                .most_kernel = (double)job->most_device_kernel_ns,
                                .most = (double)job->most_device_ns,
                                .elapsed = (double)job->metric[METRIC_ELAPSED].largest[0].value};
    if (all_are_listed(job))
        add_shared(&busy, job);
    struct device_efficiency efficiency = efficiency_of(&busy);
    if (job->thread_ranks == 0)
        efficiency.offload = offload_of(metric_sum(&job->metric[METRIC_USEFUL]), (double)job->offload_ns);
    return efficiency;
}

struct device_efficiency job_region_device_efficiency(const struct job *job, const struct job_region *region)
{
    if (!are_known(job) || region->device_ranks == 0 || job_shares_devices(job))
        return not_known;
    const struct busy_devices busy = {.devices = (double)job_devices(job),
                                      .kernel = (double)region->device_kernel_ns,
                                      .most_kernel = (double)region->most_device_kernel_ns,
                                      .most = (double)region->most_device_ns,
                                      .elapsed = (double)region->most_main_ns};
    struct device_efficiency efficiency = efficiency_of(&busy);
    if (job->thread_ranks == 0)
        efficiency.offload = offload_of((double)region->useful_ns, (double)region->offload_ns);
    return efficiency;
}
