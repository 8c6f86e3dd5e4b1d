/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Permissions to count: the kernel, the container, the level, the capabilities.
 */
#include "base/sysroot.h"
#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_older(const struct patient *patient, int major, int minor)
{
    return patient->major != 0 &&
           (patient->major < major || (patient->major == major && patient->minor < minor));
}

static bool is_refused(int error)
{
    return error == EACCES || error == EPERM;
}

/* The capability that lets a process count, by the name that this kernel knows. */
static const char *capability(const struct patient *patient)
{
    return is_older(patient, 5, 8) ? "cap_sys_admin" : "cap_perfmon";
}

/* ---- kernel */

void check_kernel(const struct patient *patient, struct finding *finding)
{
    const char *release = patient->release[0] != '\0' ? patient->release : "(no release is told)";
    if (patient->paranoid != DOCTOR_UNKNOWN || (patient->live && patient->trials.software == 0)) {
        finding_ok(finding, "Linux %s, with perf_event", release);
        if (is_older(patient, 4, 0)) {
            finding->verdict = DOCTOR_NOTE;
            finding_add(finding,
                        "It is old: events of newer processors and reads in user space may be missing");
            finding_change(finding, "as root", "a kernel of 4.14 or later");
        }
    } else if (patient->live && patient->trials.software == ENOSYS) {
        finding_obstacle(
            finding,
            "Linux %s answers that it has no perf_event_open, and there is no kernel.perf_event_paranoid: it "
            "was built without perf_event, or a sandbox (gVisor, say) stands in its place",
            release);
        finding_change(finding, "as root", "a kernel built with CONFIG_PERF_EVENTS=y");
    } else {
        finding_note(
            finding,
            "Linux %s; kernel.perf_event_paranoid cannot be read, so that its perf_event is not known",
            release);
    }
}

/* ---- container */

/* Options by which each container gives a process more rights. The first row is for those that have none. */
static const struct ways {
    const char *container, *who, *show_sys, *show_proc, *add_capability, *no_filter;
} all_ways[] = {
    {"", "at the container's start", "/sys mounted in it", "/proc/sys and /proc/cpuinfo not masked",
     "the capability CAP_PERFMON", "perf_event_open added to its seccomp profile"},
    {"Docker", "at the container's start", "docker run -v /sys:/sys:ro ...",
     "docker run --security-opt systempaths=unconfined ...", "docker run --cap-add PERFMON ...",
     "docker run --security-opt seccomp=unconfined ..."},
    {"Podman", "at the container's start", "podman run -v /sys:/sys:ro ...",
     "podman run --security-opt unmask=ALL ...", "podman run --cap-add PERFMON ...",
     "podman run --security-opt seccomp=unconfined ..."},
    {"Kubernetes", "in the pod's description", "a volume with hostPath: {path: /sys}, mounted at /sys",
     "securityContext: {procMount: Unmasked}", "securityContext: {capabilities: {add: [PERFMON]}}",
     "securityContext: {seccompProfile: {type: Unconfined}}"},
    {"Apptainer", "at the container's start", "apptainer exec --bind /sys ...",
     "apptainer exec --bind /proc ...", "apptainer exec --add-caps CAP_PERFMON ...", NULL},
    {"LXC", "in the container's configuration", "lxc.mount.auto = sys:ro", "lxc.mount.auto = proc:rw",
     "lxc.cap.drop =", "lxc.seccomp.profile ="},
};

/* Ways outside of a container: the system itself has not mounted its files. */
static const struct ways no_container = {
    NULL, "as root", "mount -t sysfs sysfs /sys", "mount -t proc proc /proc", NULL, NULL};

/* Ways to have a container's processes reach devices. */
static const struct {
    const char *container, *nvidia, *others;
} device_ways[] = {
    {"Docker", "docker run --gpus all ...", "docker run --device /dev/kfd --device /dev/dri ..."},
    {"Podman", "podman run --device nvidia.com/gpu=all ...",
     "podman run --device /dev/kfd --device /dev/dri ..."},
    {"Kubernetes", "resources: {limits: {nvidia.com/gpu: 1}}", "resources: {limits: {amd.com/gpu: 1}}"},
    {"Apptainer", "apptainer exec --nv ...", "apptainer exec --rocm ..."},
};

const char *container_gives_devices(const struct container *container, bool nvidia)
{
    for (size_t i = 0; container->name != NULL && i < sizeof device_ways / sizeof *device_ways; i++)
        if (strcmp(device_ways[i].container, container->name) == 0)
            return nvidia ? device_ways[i].nvidia : device_ways[i].others;
    return NULL;
}

static const struct ways *find_ways(const struct patient *patient)
{
    if (patient->container.name == NULL)
        return &no_container;
    for (size_t i = 1; i < sizeof all_ways / sizeof all_ways[0]; i++)
        if (strcmp(all_ways[i].container, patient->container.name) == 0)
            return &all_ways[i];
    return &all_ways[0];
}

static const char *const needed_files[] = {
    "/proc/cpuinfo",
    "/proc/self/status",
    "/proc/sys/kernel/perf_event_paranoid",
    "/sys/bus/event_source/devices",
    "/sys/devices/system/cpu/online",
};
enum { N_NEEDED_FILES = sizeof needed_files / sizeof needed_files[0] };

static void list_hidden(const char *root, char *list, size_t size)
{
    list[0] = '\0';
    for (int i = 0; i < N_NEEDED_FILES; i++) {
        FILE *file = sysroot_open(root, needed_files[i]);
        if (file != NULL)
            fclose(file);
        else
            text_append(list, size, ", ", "%s", needed_files[i]);
    }
}

static void name_container(const struct patient *patient, struct finding *finding, enum verdict verdict)
{
    const struct container *container = &patient->container;
    if (container->name == NULL && container->file != NULL)
        finding_set(finding, verdict,
                    "in none: %s is there, but the namespaces are the machine's own (an image may have been "
                    "copied to its disk)",
                    container->file);
    else if (container->name == NULL)
        finding_set(finding, verdict, "in none that is known");
    else if (container->sure)
        finding_set(finding, verdict, "%s", container->name);
    else if (container->file != NULL)
        finding_set(finding, verdict, "perhaps %s: there is %s, and nothing else tells", container->name,
                    container->file);
    else
        finding_set(finding, verdict, "perhaps a container: its namespaces are not the machine's own");
}

void check_container(const struct patient *patient, struct finding *finding)
{
    char hidden[512];
    bool rootless = patient->rights.of_user_namespace;
    const struct ways *ways = find_ways(patient);
    list_hidden(patient->root, hidden, sizeof hidden);
    bool all = hidden[0] == '\0';
    name_container(patient, finding, !all || rootless ? DOCTOR_NOTE : DOCTOR_OK);
    if (rootless)
        finding_add(finding, "In a user namespace (rootless): root and capabilities in here are none "
                             "outside, where perf_event_open asks for them");
    if (all)
        return;
    finding_add(finding, "Hidden from this process: %s", hidden);
    if (strstr(hidden, "/sys/bus") != NULL || strstr(hidden, "/sys/devices") != NULL)
        finding_change(finding, ways->who, "%s", ways->show_sys);
    if (strstr(hidden, "/proc") != NULL)
        finding_change(finding, ways->who, "%s", ways->show_proc);
}

/* ---- system call */

static void allow_in_container(const struct patient *patient, struct finding *finding)
{
    const struct ways *ways = find_ways(patient);
    if (patient->container.name == NULL) {
        finding_change(finding, "where this process was started",
                       "the sandbox, or SystemCallFilter= of the systemd service, without perf_event_open");
        return;
    }
    finding_change(finding, ways->who, "%s", ways->add_capability);
    if (ways->no_filter != NULL)
        finding_change(finding, "or without its filter", "%s", ways->no_filter);
}

static void explain_refusal(const struct patient *patient, struct finding *finding)
{
    int error = patient->trials.software;
    if (patient->trials.filter != 0) {
        finding_obstacle(finding,
                         "perf_event_open is refused (%s), by a seccomp filter, before the kernel sees it",
                         strerror(error));
        allow_in_container(patient, finding);
        return;
    }
    if (patient->rights.seccomp == 2 || patient->container.name != NULL) {
        finding_obstacle(finding, "perf_event_open is refused (%s), %s", strerror(error),
                         patient->rights.seccomp == 2 ? "and a seccomp filter is in force that may refuse it"
                                                      : "by a policy of the container or of the host");
        allow_in_container(patient, finding);
        return;
    }
    finding_obstacle(finding,
                     "perf_event_open is refused (%s) although the level allows it: a security module, or a "
                     "sandbox around this process",
                     strerror(error));
    finding_change(finding, "to see which one", "cat /sys/kernel/security/lsm; dmesg | grep -i denied");
}

static void seccomp_of_snapshot(const struct patient *patient, struct finding *finding)
{
    if (patient->rights.seccomp == DOCTOR_UNKNOWN)
        finding_note(finding, "not tried, and whether a seccomp filter is in force is not told");
    else if (patient->rights.seccomp == 2) {
        finding_note(finding, "not tried; a seccomp filter is in force, and those of containers refuse "
                              "perf_event_open to processes without CAP_PERFMON");
        allow_in_container(patient, finding);
    } else
        finding_ok(finding, "not tried; no seccomp filter is in force");
}

void check_perf_event_open(const struct patient *patient, struct finding *finding)
{
    int error = patient->trials.software;
    if (!patient->live)
        seccomp_of_snapshot(patient, finding);
    else if (error == 0)
        finding_ok(finding, "perf_event_open works%s",
                   patient->rights.seccomp == 2 ? "; the seccomp filter that is in force lets it pass" : "");
    else if (error == ENOSYS && patient->emulated)
        finding_note(finding, "the emulator has no perf_event_open");
    else if (error == ENOSYS) {
        finding_obstacle(finding,
                         "perf_event_open is not there (%s): a seccomp filter or a sandbox hides it, or an "
                         "emulator that has none",
                         strerror(error));
        allow_in_container(patient, finding);
    } else if (is_refused(error) && patient->trials.filter == 0 && patient_is_refused_by_level(patient))
        finding_note(finding, "perf_event_open is refused (%s), as the paranoid level says", strerror(error));
    else if (is_refused(error))
        explain_refusal(patient, finding);
    else if (error == EMFILE || error == ENFILE) {
        finding_obstacle(finding, "no file descriptor is free for a counter (%s)", strerror(error));
        finding_change(finding, "in the shell", "ulimit -n 65536");
    } else
        finding_obstacle(finding, "perf_event_open fails: %s", strerror(error));
}

/* ---- rights */

static void level_change(const struct patient *patient, struct finding *finding, int level)
{
    finding_change(finding, patient_root(patient), "sysctl kernel.perf_event_paranoid=%d", level);
    finding_change(finding, "for every start",
                   "echo kernel.perf_event_paranoid=%d >/etc/sysctl.d/90-perf_event.conf", level);
    finding_change(finding, "or for one program", "setcap %s=ep PROGRAM", capability(patient));
}

void check_paranoid(const struct patient *patient, struct finding *finding)
{
    int level = patient->paranoid;
    if (level == DOCTOR_UNKNOWN)
        finding_note(finding, "kernel.perf_event_paranoid cannot be read");
    else if (patient_is_privileged(patient))
        finding_ok(finding, "%d, which does not concern this process: it has the capability", level);
    else if (patient_is_refused_by_level(patient)) {
        finding_obstacle(finding, "%d: an ordinary user may count nothing", level);
        level_change(patient, finding, 2);
    } else if (level >= 2) {
        finding_ok(
            finding,
            "%d: the user's own programs in user mode; kernel mode (PAPI_DOM_KERNEL) needs 1, whole CPUs 0",
            level);
    } else
        finding_ok(finding, "%d: %s", level,
                   level == 1   ? "the user's own programs, also in kernel mode; whole CPUs need 0"
                   : level == 0 ? "programs and whole CPUs; the kernel's tracepoints need -1"
                                : "everything");
}

void check_capabilities(const struct patient *patient, struct finding *finding)
{
    const struct rights *rights = &patient->rights;
    bool needed = patient_is_refused_by_level(patient);
    if (!rights->known) {
        finding_note(finding, "/proc/self/status does not tell them");
        return;
    }
    const char *has = rights->admin && rights->perfmon ? "CAP_PERFMON and CAP_SYS_ADMIN"
                      : rights->perfmon                ? "CAP_PERFMON"
                                                       : "CAP_SYS_ADMIN";
    if (patient_is_privileged(patient))
        finding_ok(finding, "%s", has);
    else if (rights->admin || rights->perfmon)
        finding_note(finding, "%s, but only inside its user namespace, which does not help to count", has);
    else
        finding_set(finding, needed ? DOCTOR_NOTE : DOCTOR_OK, "neither CAP_PERFMON nor CAP_SYS_ADMIN%s",
                    needed ? "" : ", and none is needed in user mode");
    if (needed && patient->container.name == NULL)
        finding_change(finding, "as root", "setcap %s=ep PROGRAM", capability(patient));
    else if (needed)
        finding_change(finding, find_ways(patient)->who, "%s", find_ways(patient)->add_capability);
}
