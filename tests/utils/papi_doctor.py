#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_doctor on other machines and under other circumstances: papi_doctor.py TOOL CASE

A snapshot of MACHINES is a folder of files that is made here; the checks are compared with what is expected of
them. CIRCUMSTANCES change the process that runs the tool. papi_doctor.py node RESULTS CASE looks at what it
printed on the emulated node. Status: 0 passed, 1 failed, 77 skipped.
"""
import ctypes
import errno
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

DEVICES = "sys/bus/event_source/devices/"
KERNEL = "proc/sys/kernel/"
ORDINARY = {"proc/self/status": "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nSeccomp:\t0\n",
            "proc/self/uid_map": "         0          0 4294967295\n"}
X86 = {"proc/cpuinfo": "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\nmodel name\t: Some Xeon\n"
                       "stepping\t: 6\nflags\t\t: fpu sse\n",
       "sys/devices/system/cpu/online": "0-3\n"}
GUEST = {**X86, "proc/cpuinfo": X86["proc/cpuinfo"].replace("fpu sse", "fpu sse hypervisor")}
PERF = {KERNEL + "osrelease": "6.1.0-18-amd64\n", KERNEL + "perf_event_paranoid": "2\n",
        KERNEL + "nmi_watchdog": "0\n", KERNEL + "perf_event_mlock_kb": "516\n",
        KERNEL + "perf_event_max_sample_rate": "100000\n", DEVICES + "software/type": "1\n"}
CPU = {DEVICES + "cpu/type": "4\n", DEVICES + "cpu/rdpmc": "1\n"}
NODE = {**X86, **PERF, **CPU, **ORDINARY}


def status(capabilities=0, seccomp=0):
    return {"proc/self/status": f"Uid:\t0\t0\t0\t0\nCapEff:\t{capabilities:016x}\nSeccomp:\t{seccomp}\n"}


class Link(str):
    """What a link holds."""


def namespaces(pid, uts):
    return {"proc/self/ns/pid": Link(f"pid:[{pid}]"), "proc/self/ns/uts": Link(f"uts:[{uts}]")}


FIRST_NAMESPACES, OWN_NAMESPACES = namespaces(4026531836, 4026531838), namespaces(4026532201, 4026532199)
MOUNT = "1200 1100 0:50 {} {} rw,relatime - ext4 /dev/sda1 rw\n"


PERFMON, SYS_ADMIN = 1 << 38, 1 << 21
GB_FIRMWARE = "sys/class/dmi/id/sys_vendor"

PCI = "sys/bus/pci/devices/0000:3b:00.0/"


def device(vendor, driver=None, **files):
    """A graphics device of a vendor, with the driver that is bound to it."""
    found = {**NODE, PCI + "class": "0x030200\n", PCI + "vendor": vendor + "\n", PCI + "device": "0x1\n", "dev/null": "", **files}
    return {**found, **({PCI + "driver": Link("../../drivers/" + driver)} if driver else {})}


NVIDIA, AMD, INTEL = "0x10de", "0x1002", "0x8086"
ADMIN_ONLY = {"proc/driver/nvidia/params": "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n"}
PARANOID = "proc/sys/dev/i915/perf_stream_paranoid"

EMULATORS = {"x86_64": "qemu-x86_64", "aarch64": "qemu-aarch64"}

# name: (files, exit status, {check: (verdict, pattern of what is seen, patterns of commands...)})
MACHINES = {
    "node": (NODE, 0, {
        "kernel": ("ok", r"^Linux 6\.1\.0-18-amd64, with perf_event$"),
        "container": ("ok", "^in none"),
        "perf_event_open": ("ok", "no seccomp filter"),
        "paranoid": ("ok", "^2: the user's own programs in user mode"),
        "capabilities": ("ok", "^neither CAP_PERFMON nor CAP_SYS_ADMIN, and none is needed"),
        "virtual_machine": ("ok", "^none"),
        "pmu": ("ok", "^cpu in /sys"),
        "nmi_watchdog": ("ok", "^off$"),
        "core_types": ("ok", "^one$"),
        "user_reads": ("ok", "^allowed$"),
        "overflow": ("ok", "516 kB")}),
    "debian_user": ({**NODE, KERNEL + "perf_event_paranoid": "3\n"}, 1, {
        "paranoid": ("obstacle", "^3: an ordinary user may count nothing$",
                     r"^sysctl kernel\.perf_event_paranoid=2$", "/etc/sysctl.d/", "^setcap cap_perfmon=ep PROGRAM$"),
        "capabilities": ("note", "^neither", "^setcap cap_perfmon=ep PROGRAM$")}),
    "debian_root": ({**NODE, **status(PERFMON), KERNEL + "perf_event_paranoid": "3\n"}, 0, {
        "paranoid": ("ok", "^3, which does not concern this process"),
        "capabilities": ("ok", "^CAP_PERFMON$")}),
    "old_kernel": ({**NODE, KERNEL + "osrelease": "3.10.0-1160.el7.x86_64\n", KERNEL + "perf_event_paranoid": "3\n"}, 1, {
        "kernel": ("note", r"^Linux 3\.10\.0.* It is old", "kernel of"),
        "paranoid": ("obstacle", "^3", "paranoid=2", "sysctl.d", "^setcap cap_sys_admin=ep PROGRAM$")}),
    "paranoid_1": ({**NODE, KERNEL + "perf_event_paranoid": "1\n"}, 0, {"paranoid": ("ok", "^1: .*kernel mode")}),
    "paranoid_0": ({**NODE, KERNEL + "perf_event_paranoid": "0\n"}, 0, {"paranoid": ("ok", "^0: .*whole CPUs")}),
    "paranoid_none": ({**NODE, KERNEL + "perf_event_paranoid": "-1\n"}, 0, {"paranoid": ("ok", "^-1: everything$")}),
    "paranoid_nonsense": ({**NODE, KERNEL + "perf_event_paranoid": "many\n"}, 0, {
        "paranoid": ("note", "cannot be read"), "kernel": ("note", "perf_event is not known")}),
    "kvm_guest": ({**GUEST, **PERF, **ORDINARY, GB_FIRMWARE: "QEMU\n"}, 1, {
        "virtual_machine": ("obstacle", "^a guest of QEMU .* passes no PMU through", "cpu host,pmu=on"),
        "pmu": ("note", "as in every guest without a PMU"),
        "user_reads": ("note", "no counters")}),
    "kvm_guest_with_pmu": ({**GUEST, **PERF, **CPU, **ORDINARY, GB_FIRMWARE: "Red Hat\n"}, 0, {
        "virtual_machine": ("ok", "^a guest of .* passes a PMU through"), "pmu": ("ok", "^cpu in")}),
    "vmware": ({**GUEST, **PERF, **ORDINARY, GB_FIRMWARE: "VMware, Inc.\n"}, 1, {
        "virtual_machine": ("obstacle", "VMware", r'vpmc\.enable = "TRUE"')}),
    "xen": ({**GUEST, **PERF, **ORDINARY, "sys/hypervisor/type": "xen\n"}, 1, {
        "virtual_machine": ("obstacle", "Xen", "^vpmu=on$")}),
    "hyperv": ({**GUEST, **PERF, **ORDINARY, GB_FIRMWARE: "Microsoft Corporation\n",
                "sys/class/dmi/id/product_name": "Virtual Machine\n"}, 1, {
        "virtual_machine": ("obstacle", "Hyper-V", "Set-VMProcessor")}),
    "ec2": ({**GUEST, **PERF, **ORDINARY, GB_FIRMWARE: "Amazon EC2\n"}, 1, {
        "virtual_machine": ("obstacle", "Amazon", r"\.metal")}),
    "google": ({**GUEST, **PERF, **ORDINARY, GB_FIRMWARE: "Google\n",
                "sys/class/dmi/id/product_name": "Google Compute Engine\n"}, 1, {
        "virtual_machine": ("obstacle", "Google", "--performance-monitoring-unit")}),
    "unknown_hypervisor": ({**GUEST, **PERF, **ORDINARY}, 1, {
        "virtual_machine": ("obstacle", "a guest of unknown", "if its hypervisor has one")}),
    "no_driver": ({**X86, **PERF, **ORDINARY}, 1, {
        "pmu": ("obstacle", "no driver for this processor's PMU", "^dmesg", "firmware"),
        "virtual_machine": ("ok", "^none")}),
    "watchdog": ({**NODE, KERNEL + "nmi_watchdog": "1\n"}, 0, {
        "nmi_watchdog": ("note", "takes one counter of each CPU", r"^sysctl kernel\.nmi_watchdog=0$", "command line|nmi_watchdog=0")}),
    "no_watchdog": ({k: v for k, v in NODE.items() if not k.endswith("nmi_watchdog")}, 0, {
        "nmi_watchdog": ("ok", "this kernel has none")}),
    "no_user_reads": ({**NODE, DEVICES + "cpu/rdpmc": "0\n"}, 0, {
        "user_reads": ("note", "system call", "^echo 1 >/sys/bus/event_source/devices/cpu/rdpmc$")}),
    "arm64": ({**PERF, **ORDINARY, "proc/cpuinfo": "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n",
               "sys/devices/system/cpu/online": "0-79\n", DEVICES + "armv8_pmuv3_0/type": "8\n",
               DEVICES + "armv8_pmuv3_0/cpus": "0-79\n", KERNEL + "perf_user_access": "0\n"}, 0, {
        "pmu": ("ok", "^armv8_pmuv3_0 in"),
        "user_reads": ("note", "system call", r"^sysctl kernel\.perf_user_access=1$")}),
    "arm64_user_reads": ({**NODE, DEVICES + "cpu/rdpmc": None, KERNEL + "perf_user_access": "1\n"}, 0, {
        "user_reads": ("ok", "^allowed$")}),
    "hybrid": ({**X86, **PERF, **ORDINARY, DEVICES + "cpu_core/type": "4\n", DEVICES + "cpu_core/cpus": "0-15\n",
                DEVICES + "cpu_atom/type": "10\n", DEVICES + "cpu_atom/cpus": "16-23\n",
                DEVICES + "cpu_core/rdpmc": "0\n", DEVICES + "uncore_imc_0/type": "12\n",
                DEVICES + "uncore_imc_0/cpumask": "0\n"}, 0, {
        "pmu": ("ok", "^cpu_atom, cpu_core in"),
        "core_types": ("note", r"cpu_atom \(CPUs 16-23\), cpu_core \(CPUs 0-15\).*adds up",
                       "^taskset -c 16-23 PROGRAM$", "^taskset -c 0-15 PROGRAM$"),
        "user_reads": ("note", "system call", "/cpu_core/rdpmc$")}),
    "docker": ({**NODE, **status(0, 2), KERNEL + "perf_event_paranoid": "4\n", ".dockerenv": "", **OWN_NAMESPACES}, 1, {
        "container": ("ok", "^Docker$"),
        "perf_event_open": ("note", "seccomp filter is in force", "^docker run --cap-add PERFMON", "seccomp=unconfined"),
        "paranoid": ("obstacle", "^4", "^sysctl", "sysctl.d", "setcap"),
        "capabilities": ("note", "^neither", "--cap-add PERFMON")}),
    # The file alone, as in a virtual machine whose disk was made of an image.
    "docker_perhaps": ({**NODE, ".dockerenv": ""}, 0, {"container": ("ok", "^perhaps Docker: there is /.dockerenv")}),
    "docker_image": ({**NODE, ".dockerenv": "", **FIRST_NAMESPACES}, 0, {
        "container": ("ok", "^in none: /.dockerenv is there, but the namespaces")}),
    "docker_mounts": ({**NODE, "proc/self/mountinfo": MOUNT.format("/", "/") +
                       MOUNT.format("/var/lib/docker/containers/0123/hostname", "/etc/hostname")}, 0, {
        "container": ("ok", "^Docker$")}),
    "docker_host": ({**NODE, "proc/self/mountinfo": MOUNT.format("/", "/var/lib/docker/containers/0123/mounts/shm"),
                     **FIRST_NAMESPACES}, 0, {"container": ("ok", "^in none that is known$")}),
    "podman_word": ({**NODE, "proc/1/environ": "PATH=/bin\0container=podman\0HOME=/\0"}, 0, {
        "container": ("ok", "^Podman$")}),
    "apart": ({**NODE, **OWN_NAMESPACES}, 0, {"container": ("ok", "^perhaps a container: its namespaces")}),
    "podman": ({**NODE, **status(PERFMON | SYS_ADMIN, 2), "run/.containerenv": "",
                "proc/self/uid_map": "0 1000 1\n1 100000 65536\n", **OWN_NAMESPACES, KERNEL + "perf_event_paranoid": "3\n"}, 1, {
        "container": ("note", "^Podman. In a user namespace"),
        "perf_event_open": ("note", "seccomp", "^podman run --cap-add", "^podman run"),
        "paranoid": ("obstacle", "^3: an ordinary user may count nothing", "^sysctl", "sysctl.d", "setcap"),
        "capabilities": ("note", "only inside its user namespace", "^podman run --cap-add PERFMON")}),
    "kubernetes": ({**NODE, **status(0, 2), "proc/1/cgroup": "0::/kubepods/burstable/pod1\n"}, 0, {
        "container": ("ok", "^Kubernetes$"),
        "perf_event_open": ("note", "seccomp", r"add: \[PERFMON\]", "type: Unconfined")}),
    "service": ({**NODE, **status(0, 2)}, 0, {
        "perf_event_open": ("note", "seccomp", "SystemCallFilter=")}),
    "lxc": ({**NODE, **status(0, 2), "run/systemd/container": "lxc\n"}, 0, {
        "container": ("ok", "^LXC$"), "perf_event_open": ("note", "seccomp", "^lxc.cap.drop", "^lxc.seccomp")}),
    "nspawn": ({**NODE, **status(0, 2), "run/systemd/container": "systemd-nspawn\n"}, 0, {
        "container": ("ok", "^a container$"), "perf_event_open": ("note", "seccomp", "CAP_PERFMON$", "seccomp profile$")}),
    "kubernetes_hidden": ({**{k: v for k, v in NODE.items() if not k.startswith("sys/")},
                           "proc/1/cgroup": "0::/kubepods/pod1\n"}, 0, {
        "container": ("note", "^Kubernetes. Hidden", "hostPath")}),
    "apptainer": ({**NODE, ".singularity.d/env": ""}, 0, {"container": ("ok", "^perhaps Apptainer: there is ")}),
    "hidden_sys": ({**{k: v for k, v in NODE.items() if not k.startswith("sys/")}, ".dockerenv": ""}, 0, {
        "container": ("note", "Hidden from this process: /sys/bus/event_source/devices, /sys/devices/system/cpu/online$",
                      "^docker run -v /sys:/sys:ro"),
        "pmu": ("note", "cannot be read")}),
    "nothing": ({"etc/hostname": "x\n"}, 1, {
        "kernel": ("note", "no release is told"),
        "container": ("note", "Hidden from this process: /proc/cpuinfo", "^mount -t sysfs", "^mount -t proc"),
        "nmi_watchdog": ("note", "cannot be read"),
        "capabilities": ("note", "does not tell")}),
    "small_buffers": ({**NODE, KERNEL + "perf_event_mlock_kb": "64\n", KERNEL + "perf_event_max_sample_rate": "1\n"}, 0, {
        "overflow": ("note", "64 kB.*less than usual.*more than 1 a second", "mlock_kb=516$", "sample_rate=")}),
    "no_devices": (NODE, 0, {"devices": ("ok", "^none of NVIDIA, AMD or Intel$")}),
    "device": (device(NVIDIA, "nvidia", **{"dev/nvidiactl": "", "sys/module/nvidia/version": "550.54.15\n",
                                           "proc/driver/nvidia/params": "RmProfilingAdminOnly: 0\n"}), 0, {
        "devices": ("ok", r"^NVIDIA 0000:3b:00\.0 \(nvidia 550\.54\.15\)$")}),
    "device_admin_only": (device(NVIDIA, "nvidia", **{"dev/nvidiactl": "", **ADMIN_ONLY}), 0, {
        "devices": ("note", "administrator alone .RmProfilingAdminOnly is 1", "NVreg_RestrictProfilingToAdminUsers=0 >/etc/modprobe.d/")}),
    "device_admin": ({**device(NVIDIA, "nvidia", **{"dev/nvidiactl": "", **ADMIN_ONLY}), **status(SYS_ADMIN)}, 0, {
        "devices": ("ok", r"^NVIDIA 0000:3b:00\.0 \(nvidia\)$")}),
    "device_of_docker": (device(NVIDIA, "nvidia", **{".dockerenv": "", **OWN_NAMESPACES}), 0, {
        "devices": ("note", "there is no /dev/nvidiactl: the container was given no devices$", "^docker run --gpus all")}),
    "device_of_apptainer": (device(AMD, "amdgpu", **{".singularity.d/env": ""}), 0, {
        "devices": ("note", "there is no /dev/kfd: the container", "^apptainer exec --rocm")}),
    "device_without_file": (device(NVIDIA, "nvidia"), 0, {
        "devices": ("note", "there is no /dev/nvidiactl$", "^nvidia-modprobe")}),
    "device_nouveau": (device(NVIDIA, "nouveau", **{"dev/nvidiactl": ""}), 0, {
        "devices": ("note", "nouveau of 0000:3b:00.0 has no counters", "^apt install nvidia-driver$")}),
    "device_without_driver": (device(AMD), 0, {
        "devices": ("note", r"\(no driver\). no driver is bound to 0000:3b:00.0: it takes amdgpu$", "^modprobe amdgpu$")}),
    "device_paranoid": (device(INTEL, "i915", **{PARANOID: "1\n"}), 0, {
        "devices": ("note", r"dev\.i915\.perf_stream_paranoid is not 0", r"^sysctl dev\.i915\.perf_stream_paranoid=0$")}),
    "device_open": (device(INTEL, "i915", **{PARANOID: "0\n"}), 0, {"devices": ("ok", "^Intel 0000:3b:00.0 .i915.$")}),
    # What no file should hold, but a broken one may.
    "hostile": ({**NODE, "proc/cpuinfo": GUEST["proc/cpuinfo"], KERNEL + "osrelease": "x" * 5000, KERNEL + "perf_event_paranoid": "9" * 50 + "\n",
                 GB_FIRMWARE: "%s%n\x1b[2J\"" * 99, "proc/self/status": "CapEff:\nSeccomp: many\nUid:\n",
                 "proc/self/uid_map": "?\n", **{DEVICES + f"cpu{i}{'y' * 90}/type": "4\n" for i in range(30)}}, 0, {
        "paranoid": ("note", "cannot be read"), "core_types": ("note", "^8, with"),
        "virtual_machine": ("ok", r"^a guest of .* \(%s%n\\x1b\[2J")}),
}


# On the emulated node, which has 7 counters of a Neoverse N1: what the program of this name printed there.
NODE_CASES = {
    "papi_doctor": {"counts": True, "checks": {
        "kernel": ("ok", "with perf_event$"), "perf_event_open": ("ok", "^perf_event_open works$"),
        "capabilities": ("ok", "CAP_PERFMON"), "pmu": ("ok", "^armv8_pmuv3"),
        "counting": ("ok", r"^perf::INSTRUCTIONS counted [1-9]\d{5} in a loop$"),
        "counters_at_once": ("ok", "^7 in one event set, and as many ran"),
        "user_reads": ("note", "system call", r"^sysctl kernel\.perf_user_access=1$"),
        "libpfm": ("ok", "arm_n1"), "presets": ("ok", r"^[1-9]\d* of 110", "papi_avail")}},
    "papi_doctor.reads": {"counts": True, "checks": {"user_reads": ("ok", "without a system call$")}},
    "papi_doctor.nobody": {"counts": True, "checks": {
        "paranoid": ("ok", "^2: the user's own programs"), "capabilities": ("ok", "none is needed"),
        "counters_at_once": ("ok", "^7 in one")}},
    "papi_doctor.refused": {"counts": False, "checks": {
        "perf_event_open": ("note", "as the paranoid level says$"),
        "paranoid": ("obstacle", "^3: an ordinary user may count nothing", "paranoid=2$"),
        "counting": ("obstacle", "paranoid is 3"), "libpfm": ("note", "^not asked")}},
    "papi_doctor.taken": {"counts": True, "checks": {
        "counting": ("ok", "counted"), "counters_at_once": ("note", "^4 of 7 ran", "^pgrep")}},
    "papi_doctor.all_taken": {"counts": False, "checks": {
        "counting": ("obstacle", "could not give the event set its counters"),
        "counters_at_once": ("obstacle", "^0 of 7 ran", "^pgrep")}},
}


def node(results, name):
    skip = os.path.join(results, "skip")
    if os.path.exists(skip):
        with open(skip, encoding="utf-8") as file:
            print(file.read())
        return 77
    with open(os.path.join(results, name + ".log"), encoding="utf-8") as log:
        text = log.read()
    # Behind it stands what was on standard error.
    document = json.JSONDecoder().raw_decode(text)[0]
    found = list(compare(document, NODE_CASES[name]["checks"]))
    if document["counts"] != NODE_CASES[name]["counts"]:
        found.append(f"counts is {document['counts']}")
    if found:
        print(*found, text, sep="\n")
    return bool(found)


def write(root, files):
    for path, text in files.items():
        if text is None:
            continue
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if isinstance(text, Link):
            os.symlink(text, full)
            continue
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def run(tool, *arguments, **options):
    environment = running.clean("KUBERNETES_SERVICE_HOST", **options.pop("environment", {}))
    return running.run(tool, *arguments, env=environment, **options)


def compare(document, expected):
    checks = {check["check"]: check for check in document["checks"]}
    for name, (verdict, seen, *commands) in expected.items():
        check = checks[name]
        if check["verdict"] != verdict:
            yield f"{name}: {check['verdict']}, not {verdict}"
        if not re.search(seen, check["seen"]):
            yield f"{name}: no match for {seen}"
        found = [change["command"] for change in check["changes"]]
        if len(found) < len(commands) or any(not re.search(p, c) for p, c in zip(commands, found)):
            yield f"{name}: the commands are {found}, not {commands}"
        if not commands and found and verdict == "ok":
            yield f"{name}: is ok, but has {found}"


def judge(result, wanted_status, expected):
    document = json.loads(result.stdout)
    found = list(compare(document, expected))
    if result.returncode != wanted_status:
        found.append(f"exit status {result.returncode}, not {wanted_status}")
    if bool(result.stderr) != bool(wanted_status):
        found.append("on standard error: " + result.stderr)
    if found:
        print(*found, result.stdout, sep="\n")
    return bool(found)


def machine(tool, name):
    files, wanted_status, expected = MACHINES[name]
    with tempfile.TemporaryDirectory() as root:
        write(root, files)
        environment = {"PAPI_SYSROOT": root}
        text = run(tool, environment=environment)
        said = text.stderr if wanted_status else text.stdout
        if "\x1b" in text.stdout:
            print("a control character for the terminal")
            return 1
        if text.returncode != wanted_status or "The files of this other machine show" not in said:
            print(f"as text: exit status {text.returncode}\n{text.stdout}{text.stderr}")
            return 1
        return judge(run(tool, "--json", environment=environment), wanted_status, expected)


# ---------------------------------------------------------------- circumstances

class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]


NUMBER = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}.get(platform.machine())


def refuse(error):
    """perf_event_open gives this error to this process from now on."""
    load, compare_equal, give = 0x20, 0x15, 0x06
    code = (Filter * 4)((load, 0, 0, 0), (compare_equal, 0, 1, NUMBER or 0), (give, 0, 0, 0x50000 | error),
                        (give, 0, 0, 0x7fff0000))
    program = Program(4, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp filter can be set")


def refused(tool, error, pattern):
    if NUMBER is None:
        print("SKIP: the number of perf_event_open is not known here")
        return 77
    try:
        result = run(tool, "--json", preexec_fn=lambda: refuse(error))
    except subprocess.SubprocessError:
        print("SKIP: no seccomp filter can be set")
        return 77
    level = {"perf_event_open": ("obstacle", pattern, "."), "counting": ("obstacle", "."),
             "software_events": ("note", "do not count")}
    return judge(result, 1, level)


# In a user namespace, so that no capability helps; the file of the level is hidden behind one that says 4.
OUTSIDE = """
import subprocess, sys
sys.path.insert(0, sys.argv[1])
import papi_doctor
sys.stdout.flush()
papi_doctor.refuse(1)
sys.exit(subprocess.call([sys.argv[2], "--json"]))
"""


def all_at_once(tool):
    """A level of 4, a filter, and in a virtual machine no PMU: each is named, none hides another."""
    if NUMBER is None or not os.path.exists("/proc/sys/kernel/perf_event_paranoid"):
        print("SKIP: there is no level here, or the number of perf_event_open is not known")
        return 77
    with tempfile.NamedTemporaryFile("w", suffix=".level") as level:
        level.write("4\n")
        level.flush()
        shell = 'mount --bind "$1" /proc/sys/kernel/perf_event_paranoid || exit 77; shift; exec "$@"'
        inside = [sys.executable, "-B", "-c", OUTSIDE, os.path.dirname(os.path.abspath(__file__)), tool]
        result = run("unshare", "-rm", "sh", "-c", shell, "sh", level.name, *inside)
    if result.returncode != 1 or not result.stdout:
        print("SKIP: no file of /proc can be replaced in a namespace here: " + result.stderr)
        return 77
    found = json.loads(result.stdout)
    pmu = next(check for check in found["checks"] if check["check"] == "pmu")["verdict"] == "ok"
    guest = next(check for check in found["checks"] if check["check"] == "virtual_machine")["seen"] != "none: no hypervisor names itself"
    wanted = {"perf_event_open": ("obstacle", "by a seccomp filter, before the kernel"), "paranoid": ("obstacle", "^4: "),
              "counting": ("obstacle", ".")}
    if guest and not pmu:
        wanted["virtual_machine"] = ("obstacle", "It passes no PMU through")
    named = {name for name in wanted if name != "counting"}
    if set(found["in_the_way"]) != named:
        print(f"in the way is {found['in_the_way']}, not {named}")
        return 1
    return judge(result, 1, wanted)


def no_proc(tool):
    """As in a chroot without /proc and /sys: papi_avail and papi_doctor say the same of it."""
    shell = 'mount -t tmpfs none /proc && mount -t tmpfs none /sys || exit 77; exec "$@"'
    avail = os.path.join(os.path.dirname(tool), "papi_avail")
    # Without /proc the loader does not know where a program is, nor what is beside it.
    there = {"LD_LIBRARY_PATH": str(pathlib.Path(tool).resolve().parent.parent)}
    start = ("unshare", "-rm", "sh", "-c", shell, "sh")
    doctor, listing = [run(*start, program, "--json", environment=there) for program in (tool, avail)]
    text = run(*start, avail, environment=there)
    if not doctor.stdout.startswith("{"):
        print("SKIP: nothing can be mounted over /proc in a namespace here: " + doctor.stderr)
        return 77
    checks = {check["check"]: check["seen"] for check in json.loads(doctor.stdout)["checks"]}
    listing = json.loads(listing.stdout)
    own, unnamed = checks["software_events"], "software events here, but libpfm4 does not name them" in text.stdout.replace("\n", " ")
    pairs = (bool(listing["software_events"]), own.startswith("perf::")), (unnamed, "libpfm4 does not name them" in own), (
        listing["available"] > 0, checks["presets"].split()[0] != "0")
    if any(one != other for one, other in pairs):
        print(pairs, doctor.stdout, text.stdout)
    return int(any(one != other for one, other in pairs))


def energy(tool):
    """Of a machine without zones of powercap, and with one."""
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        for make in (False, True):
            zone = os.path.join(folder, "sys/class/powercap/intel-rapl:0")
            if make:
                os.makedirs(zone)
                for name, text in (("name", "package-0"), ("energy_uj", "1")):
                    with open(os.path.join(zone, name), "w", encoding="utf-8") as file:
                        file.write(text + "\n")
            result = run(tool, "--json", environment={"PAPI_SYSROOT": folder})
            check = next(c for c in json.loads(result.stdout)["checks"] if c["check"] == "energy")
            seen.append((check["verdict"], check["seen"]))
    good = seen[0][0] == "note" and "/sys/class/powercap" in seen[0][1] and seen[1] == (
        "ok", "powercap:::ENERGY_UJ:ZONE0 and its like can be read")
    if not good:
        print(seen)
    return int(not good)


def device_components(tool):
    """papi_doctor and papi_component_avail say the same of a device's component, with a library that stands for Level Zero."""
    library = pathlib.Path(tool).resolve().parents[2] / "tests/components/level_zero"
    if not library.exists():
        print("SKIP: the library that stands for Level Zero is not built")
        return 77
    with tempfile.TemporaryDirectory() as root:
        write(root, device(INTEL, "i915", **{PARANOID: "0\n"}))
        for environment, counts in ({"PAPI_INTEL_GPU_ROOT": str(library)}, True), ({}, False):
            result = run(tool, "--json", environment={"PAPI_SYSROOT": root, **environment})
            seen = next(c for c in json.loads(result.stdout)["checks"] if c["check"] == "devices")["seen"]
            avail = run(tool.replace("papi_doctor", "papi_component_avail"), environment={"PAPI_SYSROOT": root, **environment}).stdout
            active = avail[avail.rindex("Active components"):]
            if ("Component intel_smi counts" in seen, "intel_smi" in active) != (counts, counts):
                print(counts, seen, avail)
                return 1
        # The layer that records kernels and copies is a file beside the library, or missed.
        missing = "Level Zero's tracing layer: there is no libze_tracing_layer.so.1 in lib64 or lib of "
        for files, found in ({}, False), ({"lib/libze_tracing_layer.so.1": ""}, True):
            folder = os.path.join(root, f"intel_{found}")
            write(folder, {"lib/none": "", **files})
            document = json.loads(run(tool, "--json", environment={"PAPI_SYSROOT": root, "PAPI_INTEL_GPU_ROOT": folder}).stdout)
            check = next(c for c in document["checks"] if c["check"] == "devices")
            installs = "apt install libze1" in [change["command"] for change in check["changes"]]
            if (missing + folder in check["seen"], installs) != (not found, not found):
                print(check)
                return 1
    return 0


def few_descriptors(tool):
    result = run(tool, "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
    return judge(result, result.returncode, {"descriptors": ("note", "^at most 40;", "prlimit")})


def no_descriptors(tool):
    """The program and its libraries are loaded one by one; a counter finds none."""
    result = run(tool, "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 40)))
    checks = {check["check"]: check for check in json.loads(result.stdout)["checks"]}
    fine = checks["descriptors"]["verdict"] == "note" and checks["descriptors"]["changes"][0]["command"] == "ulimit -n 40"
    if not fine or result.returncode not in (0, 1):
        print(result.stdout, result.stderr)
    return not fine


def empty_path(tool):
    """Everything is found through PATH; an empty one has no emulator."""
    result = run(tool, "--json", environment={"PATH": "/nonexistent"})
    return judge(result, result.returncode, {"emulator": ("note", "is not in PATH", "qemu-user")})


def programs(folder, *names):
    for name in names:
        with open(os.path.join(folder, name), "w", encoding="ascii"):
            os.chmod(os.path.join(folder, name), 0o755)


def without_launcher(tool):
    """The emulator alone is not enough; that of the tool's own folder, a build tree's, has no papi_emulate."""
    if platform.machine() not in EMULATORS:
        print("SKIP: papi_emulate does not run on this architecture")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        programs(folder, EMULATORS[platform.machine()])
        result = run(tool, "--json", environment={"PATH": folder})
    return judge(result, result.returncode, {"emulator": ("note", "neither beside this tool nor in PATH", "^cmake --install")})


def without_plugin(tool):
    """papi_emulate is installed beside the tool even where its plugin was not built."""
    if platform.machine() not in EMULATORS:
        print("SKIP: papi_emulate does not run on this architecture")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        programs(folder, EMULATORS[platform.machine()], "papi_emulate")
        copy = shutil.copy(tool, folder)
        # The copy does not find the library by its own place.
        library = pathlib.Path(tool).resolve().parent.parent
        result = run(copy, "--json", environment={"PATH": folder, "LD_LIBRARY_PATH": str(library)})
    return judge(result, result.returncode, {"emulator": ("note", "plugin, .* is not here", "libcapstone-dev")})


def emulated(tool, papi_emulate):
    """The same in papi_emulate, where the processor's counters are not missed."""
    here = {"PAPI_EMULATOR": os.environ["PAPI_EMULATOR"]} if "PAPI_EMULATOR" in os.environ else {}
    result = running.run(papi_emulate, tool, "--json", env=running.clean(**here))
    if "is not in PATH" in result.stderr:
        print("SKIP: " + result.stderr)
        return 77
    return judge(result, 0, {
        "perf_event_open": ("note", "the emulator has no perf_event_open"),
        "counting": ("ok", r"^PAPI_TOT_INS counted [1-9]\d{5} in a loop, by the emulator"),
        "counters_at_once": ("ok", "all its events at once"), "user_reads": ("ok", "without a system call"),
        "presets": ("ok", r"^[1-9]\d* of 110", "papi_avail"), "emulator": ("ok", "runs in it"), "overflow": ("ok", "exact")})


CIRCUMSTANCES = {
    "eperm": lambda tool: refused(tool, errno.EPERM, "refused .*seccomp filter"),
    "eacces": lambda tool: refused(tool, errno.EACCES, "refused .*seccomp filter"),
    "enosys": lambda tool: refused(tool, errno.ENOSYS, "is not there .*seccomp filter"),
    "all_at_once": all_at_once,
    "no_proc": no_proc,
    "energy": energy,
    "device_components": device_components,
    "few_descriptors": few_descriptors,
    "no_descriptors": no_descriptors,
    "empty_path": empty_path,
    "without_launcher": without_launcher,
    "without_plugin": without_plugin,
}


def main():
    if sys.argv[1:] == ["list"]:
        print(*MACHINES, *CIRCUMSTANCES, sep="\n")
        return 0
    if sys.argv[1] == "node":
        return int(node(*sys.argv[2:]))
    if sys.argv[2] == "emulated":
        return int(emulated(sys.argv[1], sys.argv[3]))
    tool, name = sys.argv[1:]
    return int(CIRCUMSTANCES[name](tool) if name in CIRCUMSTANCES else machine(tool, name))


if __name__ == "__main__":
    sys.exit(main())
