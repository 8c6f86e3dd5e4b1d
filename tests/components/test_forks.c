/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Components that ask a library, in the child of a process that has asked it: the child does not use the
 * parent's session, opens one of its own where it begins the library anew, and its end changes nothing for
 * the parent. Variables name the libraries that stand for the vendors'.
 */
#include "amd_double.h"
#include "folder.h"
#include "level_zero_double.h"
#include "nvml_double.h"
#include "pcp_double.h"
#include "sensors_double.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A library's variable, held open, so that what the test sets stays. */
static void *of_library(const char *variable, const char *below, const char *name)
{
    char path[PATH_MAX];
    assert_non_null(getenv(variable));
    snprintf(path, sizeof path, "%s%s", getenv(variable), below);
    void *library = dlopen(path, RTLD_LAZY);
    void *found = library != NULL ? dlsym(library, name) : NULL;
    assert_non_null(found);
    return found;
}

/* The number of the first wrong answer in a process that exits with it. */
static int in_child(int (*child)(int es), int es)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(child(es));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- what every such component does */

static struct subject {
    const char *counter, *limit; /* events; limit: NULL if the component has none */
} subject;

/* Reads the counter once, in a set of this process. */
static int count(long long *value, void (*work)(void))
{
    int es = PAPI_NULL;
    int code = PAPI_create_eventset(&es) ?: PAPI_add_named_event(es, subject.counter) ?: PAPI_start(es);
    if (code == PAPI_OK && work != NULL)
        work();
    return code ?: PAPI_stop(es, value);
}

static int is_refused(int parents)
{
    long long value;
    if (PAPI_read(parents, &value) != PAPI_ECLOST)
        return 1;
    int es = PAPI_NULL;
    if (PAPI_create_eventset(&es) != PAPI_OK)
        return 2;
    int code = PAPI_add_named_event(es, subject.counter);
    if (code != PAPI_ENOSUPP || strstr(PAPI_strerror(code), "PAPI_shutdown and PAPI_library_init") == NULL)
        return 3;
    return 0;
}

/* The child has a session of its own after this. */
static int begin_anew(void)
{
    PAPI_shutdown();
    return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? 0 : 4;
}

/* ---- nvml */

static struct nvml_double *nvml;

static void use_energy(void)
{
    nvml->device[1].energy += 9;
}

static int nvml_child(int parents)
{
    long long value;
    int code = is_refused(parents) ?: begin_anew();
    if (code != 0)
        return code;
    if (nvml->started != 1 || nvml->device[1].limit != 200000)
        return 5; /* the parent's session was ended, or its limit set back */
    if (count(&value, use_energy) != PAPI_OK || value != 9 || nvml->started != 2)
        return 6;
    PAPI_shutdown();
    return nvml->started == 1 && nvml->device[1].limit == 200000 ? 0 : 7;
}

static void forks_of_nvml(void **state)
{
    (void)state;
    nvml = of_library("PAPI_NVML_MAIN", "", "nvml_double");
    subject = (struct subject){"nvml:::A100:device_1:total_energy_consumption",
                               "nvml:::A100:device_1:power_management_limit"};
    begin_here();
    int es = set_of(subject.counter, subject.limit, NULL);
    long long limits[] = {0, 200000};
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, limits), PAPI_OK);
    use_energy();
    assert_int_equal(in_child(nvml_child, es), 0);
    reads(es, 9LL, 200000LL, END);
    PAPI_shutdown();
    assert_int_equal(nvml->device[1].limit, 250000);
    assert_int_equal(nvml->started, 0);
}

/* ---- AMD's */

static struct amd_double *amd;

static void fail_once(void)
{
    amd->device[0].corrected += 5;
}

static int amd_child(int parents)
{
    long long value;
    int code = is_refused(parents) ?: begin_anew();
    if (code != 0)
        return code;
    if (amd->started != 1 || amd->device[0].cap != 250000000)
        return 5;
    if (count(&value, fail_once) != PAPI_OK || value != 5 || amd->started != 2)
        return 6;
    PAPI_shutdown();
    return amd->started == 1 && amd->device[0].cap == 250000000 ? 0 : 7;
}

static void forks_of_amd(const char *counter, const char *limit)
{
    subject = (struct subject){counter, limit};
    shows("sys/bus/pci/devices/0000:03:00.0/class", "0x120000\n");
    shows("sys/bus/pci/devices/0000:03:00.0/vendor", "0x1002\n");
    begin_in_folder();
    int es = set_of(counter, limit, NULL);
    long long limits[] = {0, 250000000};
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, limits), PAPI_OK);
    fail_once();
    assert_int_equal(in_child(amd_child, es), 0);
    reads(es, 5LL, 250000000LL, END);
    PAPI_shutdown();
    assert_int_equal(amd->device[0].cap, 300000000);
    assert_int_equal(amd->started, 0);
}

static void forks_of_amd_smi(void **state)
{
    (void)state;
    amd = of_library("PAPI_AMDSMI_ROOT", "/lib/libamd_smi.so", "amd_double");
    forks_of_amd("amd_smi:::ecc_count_correctable:device=0", "amd_smi:::power_cap:device=0");
}

static void forks_of_rocm_smi(void **state)
{
    (void)state;
    amd = of_library("PAPI_ROCMSMI_ROOT", "/lib/librocm_smi64.so", "amd_double");
    forks_of_amd("rocm_smi:::ecc_count_correctable:device=0:block=UMC",
                 "rocm_smi:::power_cap:device=0:sensor=0");
}

/* ---- intel_smi: Level Zero asks a child to start it again */

static struct level_zero_double *zes;

static void use_more(void)
{
    zes->energy[0] += 70;
}

static int zes_child(int parents)
{
    long long value;
    int code = is_refused(parents) ?: begin_anew();
    if (code != 0)
        return code;
    zes->started = false;
    if (count(&value, use_more) != PAPI_OK || value != 70 || !zes->started)
        return 6;
    PAPI_shutdown();
    return 0;
}

static void forks_of_intel_smi(void **state)
{
    (void)state;
    zes = of_library("PAPI_INTEL_GPU_ROOT", "/lib/libze_loader.so.1", "level_zero_double");
    subject = (struct subject){"intel_smi:::energy:device=0:power=0", NULL};
    shows("sys/bus/pci/devices/0000:4d:00.0/class", "0x038000\n");
    shows("sys/bus/pci/devices/0000:4d:00.0/vendor", "0x8086\n");
    begin_in_folder();
    int es = set_of(subject.counter, NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    use_more();
    assert_int_equal(in_child(zes_child, es), 0);
    reads(es, 70LL, END);
}

/* ---- lmsensors: the library opens a file for each question, and so a child may ask, too */

static struct sensors_double *sensors;

static int sensors_child(int parents)
{
    long long value;
    if (PAPI_read(parents, &value) != PAPI_ECLOST)
        return 1;
    sensors->temperature = 31.5;
    if (count(&value, NULL) != PAPI_OK || value != 31500)
        return 2;
    PAPI_shutdown();
    return sensors->started == 0 ? 0 : 3;
}

static void forks_of_lmsensors(void **state)
{
    (void)state;
    sensors = of_library("PAPI_LMSENSORS_ROOT", "/lib/libsensors.so.5", "sensors_double");
    subject = (struct subject){"lmsensors:::coretemp-isa-0000.Core_0.temp2_input", NULL};
    begin_here();
    int es = set_of(subject.counter, NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(in_child(sensors_child, es), 0);
    reads(es, 45123LL, END);
    assert_int_equal(sensors->started, 1);
}

/* ---- pcp: a child connects anew, before its first question */

static struct pcp_double *pcp;

static void grow(void)
{
    pcp->u64 += 4;
}

static int pcp_child(int parents)
{
    long long value;
    int fetches = pcp->fetches;
    if (PAPI_read(parents, &value) != PAPI_ECLOST || pcp->fetches != fetches)
        return 1;
    pcp->reconnect_result = -111;
    if (count(&value, grow) != PAPI_ESYS || pcp->fetches != fetches)
        return 2; /* the parent's connection was used */
    pcp->reconnect_result = 0;
    if (count(&value, grow) != PAPI_OK || value != 4)
        return 3;
    PAPI_shutdown();
    return 0;
}

static void forks_of_pcp(void **state)
{
    (void)state;
    pcp = of_library("PAPI_PCP_ROOT", "/lib/libpcp.so.3", "pcp_double");
    subject = (struct subject){"pcp:::test.u64", NULL};
    begin_here();
    int es = set_of(subject.counter, NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    grow();
    assert_int_equal(in_child(pcp_child, es), 0);
    reads(es, 4LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(forks_of_nvml),      IN_FOLDER(forks_of_amd_smi),
                                       IN_FOLDER(forks_of_rocm_smi),  IN_FOLDER(forks_of_intel_smi),
                                       IN_FOLDER(forks_of_lmsensors), IN_FOLDER(forks_of_pcp)};
    return TEST_RUN(tests);
}
