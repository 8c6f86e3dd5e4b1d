/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/devices.h"

#include "base/likely.h"
#include "base/sysroot.h"
#include "base/trust.h"
#include "formats/device_activity.h"
#include "papi.h"
#include "rank/rank.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)MAX_DEVICES == (int)ACTIVITY_DEVICES && (int)DEVICE_NAME == (int)ACTIVITY_NAME &&
                   (int)DEVICE_ADDRESS == (int)ACTIVITY_ADDRESS,
               "a device's row in the record");

/* ---- begin */

static bool is_in_mpi(void)
{
    return mpi_thread.outermost != 0;
}

static int is_runtime(struct dl_phdr_info *object, size_t size, void *found)
{
    static const char *const runtimes[] = {"libcuda.so", "libamdhip64.so", "libhsa-runtime64.so",
                                           "libze_loader.so"};
    const char *slash = strrchr(object->dlpi_name, '/'),
               *name = slash != NULL ? slash + 1 : object->dlpi_name;
    (void)size;
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (strncmp(name, runtimes[i], strlen(runtimes[i])) == 0)
            return *(int *)found = 1;
    return 0;
}

/* True if the program has loaded what programs use devices by. */
static bool has_runtime(void)
{
    int found = 0;
    dl_iterate_phdr(is_runtime, &found);
    return found != 0;
}

static const struct device_activity_functions *load(struct reason *why)
{
    void *library = dlopen(DEVICE_ACTIVITY_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    device_activity_function *function = NULL;
    if (library == NULL) {
        reason_set(why, PAPI_ENOSUPP, "%.200s", dlerror());
        return NULL;
    }
    void *address = dlsym(library, DEVICE_ACTIVITY_FUNCTION);
    memcpy(&function, &address, sizeof function);
    const struct device_activity_functions *functions =
        function != NULL ? function(DEVICE_ACTIVITY_VERSION) : NULL;
    if (functions == NULL)
        reason_set(why, PAPI_ENOSUPP, "%s is of another version of this software", DEVICE_ACTIVITY_LIBRARY);
    return functions;
}

static void refuse(struct rank_devices *devices, const char *why)
{
    papi_mpi.activity = NULL;
    devices->state = DEVICES_REFUSED;
    snprintf(devices->reason, sizeof devices->reason, "%.*s", (int)sizeof devices->reason - 1, why);
}

void devices_begin(struct rank_record *record)
{
    struct reason why = {0};
    if (!papi_mpi.settings.devices)
        return;
    papi_mpi.activity = load(&why);
    if (papi_mpi.activity != NULL && papi_mpi.activity->start(is_in_mpi, &why) == PAPI_OK) {
        record->devices.state = DEVICES_RUNNING; /* perhaps without those of one vendor */
        snprintf(record->devices.reason, sizeof record->devices.reason, "%.*s",
                 (int)sizeof record->devices.reason - 1, why.text);
    } else
        refuse(&record->devices, why.text);
}

/* ---- marks */

static uint64_t number_of(int region, enum devices_side side)
{
    return (uint64_t)region * 2 + side;
}

static void mark(struct rank_record *record, int region, enum devices_side side)
{
    if (!papi_mpi.activity->mark(number_of(region, side)))
        refuse(&record->devices, "there is no memory for what devices do: ask for fewer regions");
}

static bool is_paused(const struct rank_record *record)
{
    return atomic_load(&record->paused_since) != 0;
}

/* Reads how long the main thread has been in the runtime, up to now. */
static void read_offload(struct rank_record *record, enum devices_side side)
{
    uint64_t now = papi_mpi.activity->offload();
    if (side == DEVICES_END)
        record->devices.offload_ns += now - papi_mpi.offload;
    papi_mpi.offload = now;
}

void devices_mark(struct rank_record *record, int region, enum devices_side side)
{
    if (likely(papi_mpi.activity == NULL) || is_paused(record))
        return;
    read_offload(record, region == DEVICES_OF_RANK ? side : DEVICES_END);
    int opened = 0;
    for (int i = 0; region != DEVICES_OF_RANK && i < papi_mpi.main->n_open; i++)
        opened += papi_mpi.main->open[i].region == region;
    if (opened <= (side == DEVICES_END))
        mark(record, region, side);
}

/* Marks the regions that are open, each once, and the whole. */
void devices_pause(struct rank_record *record, enum devices_side side)
{
    uint64_t done[MAX_REGIONS / 64] = {0};
    const struct thread_record *main = papi_mpi.main;
    if (papi_mpi.activity == NULL)
        return;
    read_offload(record, side);
    for (int i = 0; main != NULL && i < main->n_open && papi_mpi.activity != NULL; i++) {
        int region = main->open[i].region;
        if ((done[region / 64] >> region % 64 & 1) == 0)
            mark(record, region, side);
        done[region / 64] |= UINT64_C(1) << region % 64;
    }
    if (papi_mpi.activity != NULL)
        mark(record, DEVICES_OF_RANK, side);
}

/* ---- end */

/* The node of memory that a device is near to; -1: the kernel does not say. */
static int numa_of(const char *address)
{
    char path[PATH_MAX];
    long long node;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", address);
    return address[0] != '\0' && sysroot_number("", path, &node) == 0 && node >= 0 ? (int)node : -1;
}

/* Takes a moment's time into the difference between the ends and the begins of a region. */
static void tell(void *to, int device, uint64_t of, struct busy_time time)
{
    struct rank_devices *devices = to;
    int region = (int)(of / 2);
    uint64_t sign = of % 2 == DEVICES_END ? 1 : UINT64_MAX;
    if (device >= MAX_DEVICES || region > MAX_REGIONS)
        return;
    struct busy_time *sum =
        region == DEVICES_OF_RANK ? &devices->device[device].busy : &devices->region[region][device];
    sum->kernel += sign * time.kernel;
    sum->copy += sign * time.copy;
}

static void take_device(struct rank_device *to, const struct device_activity *from)
{
    memcpy(to->name, from->name, sizeof to->name);
    memcpy(to->address, from->address, sizeof to->address);
    to->number = from->number;
    to->numa = numa_of(from->address);
    to->kernels = from->kernels;
    to->copies = from->copies;
    to->copied_bytes = from->copied_bytes;
    to->late_ns = from->late_ns;
    to->unfinished = from->unfinished;
}

void devices_end(struct rank_record *record)
{
    struct rank_devices *devices = &record->devices;
    const struct device_activity *device;
    struct reason why = {0};
    unsigned node;
    if (papi_mpi.activity == NULL) {
        if (devices->state == DEVICES_OFF && has_runtime())
            devices->state = DEVICES_UNASKED;
        return;
    }
    if (!is_paused(record))
        devices_pause(record, DEVICES_END);
    if (papi_mpi.activity == NULL)
        return;
    if (papi_mpi.activity->settle(true, tell, devices, &why) != PAPI_OK) {
        refuse(devices, why.text);
        return;
    }
    devices->n = papi_mpi.activity->devices(&device);
    for (int i = 0; i < devices->n; i++)
        take_device(&devices->device[i], &device[i]);
    devices->dropped = papi_mpi.activity->dropped();
    devices->numa = getcpu(NULL, &node) == 0 ? (int32_t)node : -1;
    devices->state = DEVICES_RECORDED;
}
