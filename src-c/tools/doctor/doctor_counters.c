/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks of what there is to count with: the PMU, also of a guest, its counters and who else has them.
 */
#include "base/sysroot.h"
#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

/* ---- virtual machine */

/* Remedies for a guest without a PMU, for each hypervisor; word is part of the name that the processor or the
 * firmware has for it. */
static const struct hypervisor {
    const char *word, *who, *command;
} hypervisors[] = {
    {"Amazon", "another instance", "a .metal instance, or the largest size of its family"},
    {"Google", "when the instance is made",
     "gcloud compute instances create ... --performance-monitoring-unit=standard"},
    {"Alibaba", "another instance", "a bare-metal one (ecs.ebm...)"},
    {"DigitalOcean", "another machine", "a bare-metal server"},
    {"Hetzner", "another machine", "a dedicated server"},
    {"VMware", "in the machine's .vmx file", "vpmc.enable = \"TRUE\""},
    {"Hyper-V", "in the host's PowerShell", "Set-VMProcessor -VMName NAME -Perfmon @(\"pmu\")"},
    {"Microsoft", "in the host's PowerShell", "Set-VMProcessor -VMName NAME -Perfmon @(\"pmu\")"},
    {"Xen", "on the hypervisor's command line", "vpmu=on"},
    {"Parallels", "on the host", "prlctl set NAME --pmu-virt on"},
    {"VirtualBox", "another hypervisor", "VirtualBox passes no PMU through; KVM and VMware can"},
    {"bhyve", "another hypervisor", "bhyve passes no PMU through; KVM and VMware can"},
    {"TCG", "on the host", "qemu-system-... -accel kvm -cpu host,pmu=on"},
    {"KVM", "on the host", "qemu-system-... -cpu host,pmu=on"},
    {"QEMU", "on the host", "qemu-system-... -accel kvm -cpu host,pmu=on"},
    {"OpenStack", "in the image's or flavor's properties",
     "hw:pmu=True (hw_pmu=True), with cpu_mode=host-passthrough"},
};

static const struct hypervisor *find_hypervisor(const char *name)
{
    for (size_t i = 0; i < sizeof hypervisors / sizeof hypervisors[0]; i++)
        if (strstr(name, hypervisors[i].word) != NULL)
            return &hypervisors[i];
    return NULL;
}

/* A cloud's firmware tells more than the signature of the hypervisor that it runs; QEMU's less. */
static void pass_through(const struct patient *patient, struct finding *finding)
{
    const struct hypervisor *found = find_hypervisor(patient->firmware),
                            *named = find_hypervisor(patient->hypervisor);
    if (named != NULL && (found == NULL || strcmp(found->word, "QEMU") == 0))
        found = named;
    if (found == NULL) {
        finding_change(finding, "on the host", "a virtual PMU for this guest, if its hypervisor has one");
        return;
    }
    finding_change(finding, found->who, "%s", found->command);
    if (strcmp(found->word, "KVM") != 0)
        return;
    finding_change(finding, "with libvirt (virsh edit)",
                   "<cpu mode='host-passthrough'/> <features><pmu state='on'/></features>");
    finding_change(finding, "if /sys/module/kvm/parameters/enable_pmu is N there, before a restart",
                   "echo options kvm enable_pmu=1 >/etc/modprobe.d/kvm-pmu.conf");
    finding_change(finding, "with Firecracker and the like",
                   "a virtual machine monitor that has a virtual PMU");
}

/* True if the PMU is really missing, and not only out of sight. If the kernel refuses to answer, its files
 * decide. */
static bool lacks_pmu(const struct patient *patient)
{
    int error = patient->trials.hardware;
    if (patient->live && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == ENXIO))
        return true;
    bool refused = error == EACCES || error == EPERM || error == ENOSYS;
    return (!patient->live || refused) && patient->devices_seen && patient->n_pmus == 0;
}

void check_virtual_machine(const struct patient *patient, struct finding *finding)
{
    if (patient->hypervisor == NULL) {
        finding_ok(finding, "none: no hypervisor names itself");
        return;
    }
    finding_ok(finding, "a guest of %s%s%s%s", patient->hypervisor, patient->firmware[0] != '\0' ? " (" : "",
               patient->firmware, patient->firmware[0] != '\0' ? ")" : "");
    if (lacks_pmu(patient)) {
        finding->verdict = DOCTOR_OBSTACLE;
        finding_add(finding, "It passes no PMU through");
        pass_through(patient, finding);
    } else if (patient->n_pmus > 0)
        finding_add(finding, "It passes a PMU through; counts are those of the guest alone");
}

/* ---- PMU */

void check_pmu(const struct patient *patient, struct finding *finding)
{
    char list[DOCTOR_MAX_PMUS * 66] = "";
    for (int i = 0; i < patient->n_pmus; i++)
        text_append(list, sizeof list, ", ", "%s", patient->pmu[i]);
    if (patient->n_pmus > 0) {
        finding_ok(finding, "%s in " DEVICES, list);
    } else if (!patient->devices_seen) {
        finding_note(finding, DEVICES " cannot be read: which PMUs there are is not known, and events cannot "
                                      "be named by them (cpu/event=0x3c/)");
    } else if (patient->hypervisor != NULL) {
        finding_note(finding,
                     "none of the processor's cores in " DEVICES ", as in every guest without a PMU");
    } else {
        finding_set(finding, lacks_pmu(patient) ? DOCTOR_OBSTACLE : DOCTOR_NOTE,
                    "the kernel has no driver for this processor's PMU: none of its cores in " DEVICES);
        finding_change(finding, "to see why", "dmesg | grep -i -e 'performance events' -e pmu");
        finding_change(finding, "as root", "a newer kernel, or firmware that describes the PMU");
    }
}

/* ---- counting */

void check_counting(const struct patient *patient, struct finding *finding)
{
    if (patient->counted_event != NULL && patient->counted > 0) {
        finding_ok(finding, "%s counted %lld in a loop%s", patient->counted_event, patient->counted,
                   patient->emulated ? ", by the emulator (papi_emulate), exactly" : "");
    } else if (patient->counted_event != NULL) {
        finding_obstacle(finding,
                         "%s was accepted but stayed at 0 in a loop: this PMU is there in name alone, as on "
                         "some hypervisors",
                         patient->counted_event);
    } else {
        finding_obstacle(finding, "%s", patient->counting_failed);
    }
}

/* The reasons that leave fewer counters than the kernel thinks there are. */
static void explain_missing(const struct patient *patient, struct finding *finding)
{
    long long on;
    if (sysroot_number(patient->root, "/proc/sys/kernel/nmi_watchdog", &on) == 0 && on == 1)
        finding_change(finding, patient_root(patient), "sysctl kernel.nmi_watchdog=0");
    if (sysroot_number(patient->root, "/sys/devices/cpu/allow_tsx_force_abort", &on) == 0 && on == 0)
        finding_change(finding, patient_root(patient), "echo 1 >/sys/devices/cpu/allow_tsx_force_abort");
    finding_change(finding, "to see who counts",
                   "pgrep -a 'perf|vtune|likwid|oprofiled|pcm|node_exporter|dcgm'");
}

void check_counters_at_once(const struct patient *patient, struct finding *finding)
{
    const struct trials *trials = &patient->trials;
    if (patient->emulated) {
        finding_ok(finding, "the emulator counts all its events at once");
    } else if (trials->group == 0) {
        finding_note(finding, "none");
    } else if (trials->at_once < 0) {
        finding_ok(finding, "%d in one event set; not tried on each type of core", trials->group);
    } else if (trials->any_group && trials->at_once > 0) {
        finding_ok(finding, "%d ran in one event set; how many there are, this kernel does not say",
                   trials->at_once);
    } else if (trials->at_once == trials->group) {
        finding_ok(
            finding,
            "%d in one event set, and as many ran; with more, events must take turns (PAPI_set_multiplex)",
            trials->group);
    } else {
        finding_set(finding, trials->at_once > 0 ? DOCTOR_NOTE : DOCTOR_OBSTACLE,
                    "%d of %d ran: something else holds the others on this CPU", trials->at_once,
                    trials->group);
        explain_missing(patient, finding);
    }
}

void check_nmi_watchdog(const struct patient *patient, struct finding *finding)
{
    long long on;
    const struct trials *trials = &patient->trials;
    bool known = sysroot_number(patient->root, "/proc/sys/kernel/nmi_watchdog", &on) == 0;
    if (!known && patient->paranoid == DOCTOR_UNKNOWN)
        finding_note(finding, "kernel.nmi_watchdog cannot be read");
    else if (!known)
        finding_ok(finding, "this kernel has none");
    else if (on == 0)
        finding_ok(finding, "off");
    else if (patient->live && trials->group > 0 && trials->at_once == trials->group)
        finding_ok(finding, "on, but it takes no counter here");
    else {
        finding_note(finding, "on: it takes one counter of each CPU");
        finding_change(finding, patient_root(patient), "sysctl kernel.nmi_watchdog=0");
        finding_change(finding, "for every start", "nmi_watchdog=0 on the kernel's command line");
    }
}

/* ---- core types */

void check_core_types(const struct patient *patient, struct finding *finding)
{
    char path[PATH_MAX], cpus[128], list[DOCTOR_MAX_PMUS * 196] = "";
    if (patient->n_pmus <= 1) {
        finding_ok(finding, patient->n_pmus == 1 ? "one" : "none is known");
        return;
    }
    finding_note(finding, "%d, with a PMU each", patient->n_pmus);
    for (int i = 0; i < patient->n_pmus; i++) {
        snprintf(path, sizeof path, DEVICES "/%s/cpus", patient->pmu[i]);
        if (sysroot_line(patient->root, path, cpus, sizeof cpus) <= 0)
            snprintf(cpus, sizeof cpus, "?");
        text_append(list, sizeof list, ", ", "%s (CPUs %s)", patient->pmu[i], cpus);
        if (i < DOCTOR_MAX_CHANGES && cpus[0] != '?')
            finding_change(finding, i == 0 ? "to run on one type" : "or on the other",
                           "taskset -c %s PROGRAM", cpus);
    }
    finding_add(finding,
                "%s. A preset counts on all of them and adds up; a native event counts on its own type alone",
                list);
}

/* ---- reads, overflow */

/* Reads whether programs may read counters themselves: on x86 from a file for each PMU, on 64-bit ARM from
 * one setting. change is the command that would allow it. */
static int read_user_reads(const struct patient *patient, long long *value, char *change, size_t size)
{
    char path[PATH_MAX];
    for (int i = 0; i < patient->n_pmus; i++) {
        snprintf(path, sizeof path, DEVICES "/%s/rdpmc", patient->pmu[i]);
        snprintf(change, size, "echo 1 >%.*s", (int)size - 10, path);
        if (sysroot_number(patient->root, path, value) == 0)
            return 0;
    }
    snprintf(change, size, "sysctl kernel.perf_user_access=1");
    return sysroot_number(patient->root, "/proc/sys/kernel/perf_user_access", value);
}

void check_user_reads(const struct patient *patient, struct finding *finding)
{
    long long value;
    char change[sizeof finding->change[0].command];
    bool known = read_user_reads(patient, &value, change, sizeof change) == 0;
    if (patient->emulated)
        finding_ok(finding, "the emulator's counts are read without a system call");
    else if (patient->live && patient->perf != NULL && patient->perf->fast_counter_read)
        finding_ok(finding, "counters are read without a system call");
    else if (patient->n_pmus == 0)
        finding_note(finding, "there are no counters to read");
    else if (!known)
        finding_note(finding, "each read is a system call: this kernel has no other way");
    else if (value == 0) {
        finding_note(finding, "each read is a system call, because the kernel is set so");
        finding_change(finding, patient_root(patient), "%s", change);
    } else
        finding_set(finding, patient->live ? DOCTOR_NOTE : DOCTOR_OK, "allowed%s",
                    patient->live ? ", but it does not work here: each read is a system call" : "");
}

void check_overflow(const struct patient *patient, struct finding *finding)
{
    enum { USUAL_KB = 516, FEW = 1000 };
    long long kilobytes, rate;
    bool known = sysroot_number(patient->root, "/proc/sys/kernel/perf_event_mlock_kb", &kilobytes) == 0;
    if (patient->emulated) {
        finding_ok(finding, "the emulator's own, exact");
        return;
    }
    bool interrupts = patient->perf == NULL || patient->perf->hardware_intr;
    finding_ok(finding, "%s", interrupts ? "" : "By a timer (software): the counters raise no interrupts");
    if (known)
        finding_add(finding, "Buffers of %lld kB for each CPU and user (kernel.perf_event_mlock_kb)",
                    kilobytes);
    else
        finding_add(finding, "The room for buffers is not told (kernel.perf_event_mlock_kb)");
    if (known && kilobytes < USUAL_KB && !patient_is_privileged(patient)) {
        finding->verdict = DOCTOR_NOTE;
        finding_add(finding, "That is less than usual: programs with many threads may be refused overflows");
        finding_change(finding, patient_root(patient), "sysctl kernel.perf_event_mlock_kb=%d", USUAL_KB);
    }
    if (sysroot_number(patient->root, "/proc/sys/kernel/perf_event_max_sample_rate", &rate) == 0 &&
        rate < FEW) {
        finding->verdict = DOCTOR_NOTE;
        finding_add(finding, "No more than %lld a second on a CPU (kernel.perf_event_max_sample_rate)", rate);
        finding_change(finding, patient_root(patient), "sysctl kernel.perf_event_max_sample_rate=100000");
    }
}
