/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "base/visible.h"
#include "doctor.h"
#include "tools/common/event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the process */

static void read_status(const char *root, struct rights *rights)
{
    enum { SYS_ADMIN = 21, PERFMON = 38 };
    char line[256];
    unsigned long long capabilities;
    FILE *file = sysroot_open(root, "/proc/self/status");
    rights->seccomp = rights->user = DOCTOR_UNKNOWN;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "Uid: %*d %d", &rights->user);
        sscanf(line, "Seccomp: %d", &rights->seccomp);
        if (sscanf(line, "CapEff: %llx", &capabilities) == 1) {
            rights->known = true;
            rights->admin = capabilities >> SYS_ADMIN & 1;
            rights->perfmon = capabilities >> PERFMON & 1;
        }
    }
    if (file != NULL)
        fclose(file);
}

static void examine_rights(const char *root, struct rights *rights)
{
    char line[80];
    unsigned long inside, outside, length;
    read_status(root, rights);
    /* The first namespace has all users under their own numbers. */
    if (sysroot_line(root, "/proc/self/uid_map", line, sizeof line) > 0 &&
        sscanf(line, "%lu %lu %lu", &inside, &outside, &length) == 3)
        rights->of_user_namespace = inside != 0 || outside != 0 || length != 4294967295ul;
}

bool patient_is_privileged(const struct patient *patient)
{
    const struct rights *rights = &patient->rights;
    return (rights->admin || rights->perfmon) && !rights->of_user_namespace;
}

/* Levels above 2 are those of distributions; the kernel's own takes them as 2. Where it can be asked its
 * answer counts. */
bool patient_is_refused_by_level(const struct patient *patient)
{
    if (patient->paranoid == DOCTOR_UNKNOWN || patient->paranoid <= 2 || patient_is_privileged(patient))
        return false;
    return !patient->live || patient->trials.software != 0;
}

const char *patient_root(const struct patient *patient)
{
    return patient->container.name != NULL ? "as root, on the host" : "as root";
}

/* ---- the system */

static void make_visible(char *text, size_t size)
{
    char shown[256];
    visible(shown, sizeof shown, text);
    snprintf(text, size, "%s", shown);
}

static void examine_kernel(struct patient *patient)
{
    long long paranoid;
    machine_release(patient->release, sizeof patient->release);
    make_visible(patient->release, sizeof patient->release);
    if (sscanf(patient->release, "%d.%d", &patient->major, &patient->minor) != 2)
        patient->major = patient->minor = 0;
    bool read = sysroot_number(patient->root, "/proc/sys/kernel/perf_event_paranoid", &paranoid) == 0;
    patient->paranoid = read && paranoid > INT_MIN && paranoid <= INT_MAX ? (int)paranoid : DOCTOR_UNKNOWN;
}

static void examine_pmus(struct patient *patient)
{
    int n = machine_core_pmus(patient->pmu, DOCTOR_MAX_PMUS);
    patient->devices_seen = n >= 0;
    patient->n_pmus = n > 0 ? n : 0;
}

static void examine_hypervisor(struct patient *patient)
{
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    if (hw != NULL && hw->virtualized)
        patient->hypervisor = hw->virtual_vendor_string[0] != '\0' ? hw->virtual_vendor_string : "unknown";
    sysroot_line(patient->root, "/sys/class/dmi/id/sys_vendor", patient->firmware, sizeof patient->firmware);
    make_visible(patient->firmware, sizeof patient->firmware);
}

/* ---- the counting */

/* The first of them that the library counts. On cores of several types only presets count wherever the loop
 * runs; but a file of the user's may make presets of what the kernel itself counts. */
static void examine_counting(struct patient *patient)
{
    static const char *const natives[] = {"perf::INSTRUCTIONS", "perf::CYCLES", "PAPI_TOT_INS",
                                          "PAPI_TOT_CYC"};
    static const char *const presets[] = {"PAPI_TOT_INS", "PAPI_TOT_CYC"};
    bool several = patient->emulated || patient->n_pmus > 1;
    const char *const *events = several ? presets : natives;
    bool hardware = patient->emulated || patient->trials.hardware == 0;
    for (int i = 0; i < (several || !hardware ? 2 : 4) && patient->counted_event == NULL; i++) {
        int event, code = PAPI_event_name_to_code(events[i], &event);
        if (code == PAPI_OK)
            code = event_count_work(event, &patient->counted);
        if (code == PAPI_OK && hardware)
            patient->counted_event = events[i];
        else if (code != PAPI_OK && patient->counting_failed[0] == '\0')
            snprintf(patient->counting_failed, sizeof patient->counting_failed, "%s: %s", events[i],
                     PAPI_strerror(code));
    }
    if (patient->counted_event == NULL && patient->counting_failed[0] == '\0')
        snprintf(patient->counting_failed, sizeof patient->counting_failed,
                 "the kernel refuses events of the processor: %s", strerror(patient->trials.hardware));
}

void patient_examine(struct patient *patient)
{
    const char *root = machine_root();
    memset(patient, 0, sizeof *patient);
    patient->root = root;
    patient->live = !machine_is_elsewhere();
    patient->emulated = machine_is_emulated();
    examine_kernel(patient);
    examine_rights(root, &patient->rights);
    container_find(&patient->container, root, patient->live);
    examine_hypervisor(patient);
    examine_pmus(patient);
    if (!patient->live)
        return;
    patient->perf = PAPI_get_component_info(PAPI_get_component_index("perf_event"));
    trials_run(&patient->trials, patient->n_pmus <= 1);
    examine_counting(patient);
}

/* ---- what the patient is made to count */

/* The questions that papi_doctor asks the kernel itself, past the library: what it answers to a counter of
 * each kind, and how many it really runs at once. */

enum { MAX_EVENTS = 64 };

/* Opens an event in user mode; leader is the descriptor of its group, -1 for a leader. A leader is pinned: it
 * counts all the time, or not at all. Returns a descriptor, or the negative errno. */
static int ask(uint32_t type, uint64_t config, int leader)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = type;
    attr.config = config;
    attr.disabled = attr.pinned = leader < 0;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int answer(uint32_t type, uint64_t config)
{
    int fd = ask(type, config, -1);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? -fd : 0;
}

/* A group of cycles, reference cycles where the kernel has them, and instructions, with cycles_last of cycles
 * at the end, too. Returns how many the kernel took, at most n. */
static int open_group(int *fds, int n, bool cycles_last)
{
    static const uint64_t first[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES};
    int taken = 0;
    for (int i = 0; i < 2 && taken == i && taken < n; i++)
        taken += (fds[taken] = ask(PERF_TYPE_HARDWARE, first[i], i == 0 ? -1 : fds[0])) >= 0;
    while (taken > 0 && taken < n &&
           (fds[taken] =
                ask(PERF_TYPE_HARDWARE,
                    cycles_last && taken == n - 1 ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS,
                    fds[0])) >= 0)
        taken++;
    return taken;
}

static void close_group(const int *fds, int n)
{
    for (int i = 0; i < n; i++)
        close(fds[i]);
}

/* A pinned group for which there is no room at the moment reads as an end of file. */
static bool group_runs(int leader)
{
    struct {
        uint64_t value, enabled, running;
    } count;
    if (ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0)
        return false;
    for (volatile int i = 0; i < 200000; i++)
        ;
    return read(leader, &count, sizeof count) == (ssize_t)sizeof count && count.running > 0;
}

static int count_at_once(int n, bool any_group)
{
    int fds[MAX_EVENTS];
    for (; n > 0; n--) {
        int taken = open_group(fds, n, any_group);
        bool runs = taken == n && group_runs(fds[0]);
        close_group(fds, taken);
        if (runs)
            break;
    }
    return n;
}

/* The kernel looks at the flags first, before rights and levels: what it does not know is EINVAL, and any
 * other error is that of a filter before it. */
static int find_filter(void)
{
    errno = 0;
    long fd = syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0ul);
    return fd < 0 && errno != EINVAL ? errno : 0;
}

void trials_run(struct trials *trials, bool alike_cores)
{
    int fds[MAX_EVENTS];
    trials->filter = find_filter();
    trials->software = answer(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
    trials->hardware = answer(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    if (trials->hardware != 0)
        trials->hardware = answer(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    trials->group = open_group(fds, MAX_EVENTS, false);
    close_group(fds, trials->group);
    trials->any_group = trials->group == MAX_EVENTS;
    /* A group counts on one type of cores alone: with several, perhaps not where this runs. */
    trials->at_once = alike_cores && trials->group > 0 ? count_at_once(trials->group, trials->any_group) : -1;
}
