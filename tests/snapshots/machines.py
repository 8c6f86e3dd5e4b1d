# SPDX-License-Identifier: BSD-3-Clause
"""Machines that nobody here owns, from public facts: data sheets of the processors and what the kernel's drivers
put into /proc and /sys. write(name, folder) makes such a machine's files; what tools make of them is in expected/.

Amounts of memory are those of a usual configuration. Where CPUs are numbered in several ways, the numbers are
those that Linux gives on that maker's systems.
"""
import pathlib

EVENT_SOURCES = "sys/bus/event_source/devices"
CPUS = "sys/devices/system/cpu"
NODES = "sys/devices/system/node"


# --------------------------------------------------------------------------------------------------- PMUs

INTEL_FORMAT = {
    "event": "config:0-7", "umask": "config:8-15", "edge": "config:18", "pc": "config:19", "inv": "config:23",
    "cmask": "config:24-31", "in_tx": "config:32", "in_tx_cp": "config:33", "offcore_rsp": "config1:0-63",
    "ldlat": "config1:0-15", "frontend": "config1:0-23"}
INTEL_ATOM_FORMAT = {
    "event": "config:0-7", "umask": "config:8-15", "edge": "config:18", "pc": "config:19", "inv": "config:23",
    "cmask": "config:24-31", "offcore_rsp": "config1:0-63", "ldlat": "config1:0-15"}
INTEL_EVENTS = {
    "cpu-cycles": "event=0x3c", "instructions": "event=0xc0", "branch-instructions": "event=0xc4",
    "branch-misses": "event=0xc5", "bus-cycles": "event=0x3c,umask=0x01", "ref-cycles": "event=0x00,umask=0x03",
    "cache-references": "event=0x2e,umask=0x4f", "cache-misses": "event=0x2e,umask=0x41"}
INTEL_SLOTS = {
    "slots": "event=0x00,umask=0x4", "topdown-retiring": "event=0x00,umask=0x80",
    "topdown-bad-spec": "event=0x00,umask=0x81", "topdown-fe-bound": "event=0x00,umask=0x82",
    "topdown-be-bound": "event=0x00,umask=0x83"}
INTEL_MEM = {"mem-loads": "event=0xcd,umask=0x1,ldlat=3"}

AMD_FORMAT = {"event": "config:0-7,32-35", "umask": "config:8-15", "edge": "config:18", "inv": "config:23",
              "cmask": "config:24-31"}
AMD_ZEN_EVENTS = {
    "cpu-cycles": "event=0x76", "instructions": "event=0xc0", "branch-instructions": "event=0xc2",
    "branch-misses": "event=0xc3", "cache-references": "event=0x60,umask=0xff",
    "cache-misses": "event=0x64,umask=0x09", "stalled-cycles-frontend": "event=0xa9"}

ARM_FORMAT = {"event": "config:0-15", "long": "config1:0", "rdpmc": "config1:1"}
# The kernel's names of the architecture's events, by number; it shows those that a core's PMCEID registers list.
ARM_NAMES = {
    0x00: "sw_incr", 0x01: "l1i_cache_refill", 0x02: "l1i_tlb_refill", 0x03: "l1d_cache_refill", 0x04: "l1d_cache",
    0x05: "l1d_tlb_refill", 0x06: "ld_retired", 0x07: "st_retired", 0x08: "inst_retired", 0x09: "exc_taken",
    0x0A: "exc_return", 0x0B: "cid_write_retired", 0x0C: "pc_write_retired", 0x0D: "br_immed_retired",
    0x0E: "br_return_retired", 0x0F: "unaligned_ldst_retired", 0x10: "br_mis_pred", 0x11: "cpu_cycles",
    0x12: "br_pred", 0x13: "mem_access", 0x14: "l1i_cache", 0x15: "l1d_cache_wb", 0x16: "l2d_cache",
    0x17: "l2d_cache_refill", 0x18: "l2d_cache_wb", 0x19: "bus_access", 0x1A: "memory_error", 0x1B: "inst_spec",
    0x1C: "ttbr_write_retired", 0x1D: "bus_cycles", 0x20: "l2d_cache_allocate", 0x21: "br_retired",
    0x22: "br_mis_pred_retired", 0x23: "stall_frontend", 0x24: "stall_backend", 0x25: "l1d_tlb", 0x26: "l1i_tlb",
    0x29: "l3d_cache_allocate", 0x2A: "l3d_cache_refill", 0x2B: "l3d_cache", 0x2D: "l2d_tlb_refill",
    0x2E: "l2i_tlb_refill", 0x2F: "l2d_tlb", 0x30: "l2i_tlb", 0x31: "remote_access", 0x34: "dtlb_walk",
    0x35: "itlb_walk", 0x36: "ll_cache_rd", 0x37: "ll_cache_miss_rd", 0x39: "l1d_cache_lmiss_rd",
    0x3A: "op_retired", 0x3B: "op_spec", 0x3C: "stall", 0x3D: "stall_slot_backend", 0x3E: "stall_slot_frontend",
    0x3F: "stall_slot", 0x4000: "sample_pop", 0x4001: "sample_feed", 0x4002: "sample_filtrate",
    0x4003: "sample_collision", 0x4004: "cnt_cycles", 0x4005: "stall_backend_mem", 0x4006: "l1i_cache_lmiss",
    0x4009: "l2d_cache_lmiss_rd", 0x400B: "l3d_cache_lmiss_rd", 0x4020: "ldst_align_lat", 0x4021: "ld_align_lat",
    0x4022: "st_align_lat"}


def arm_events(*numbers):
    return {ARM_NAMES[n]: f"event={n:#04x}" for n in numbers}


A64FX_EVENTS = arm_events(*range(0x00, 0x06), *range(0x08, 0x0C), 0x10, 0x11, 0x12, *range(0x14, 0x19), 0x1B, 0x23, 0x24,
                          *range(0x2D, 0x31))
NEOVERSE_V2_EVENTS = arm_events(*range(0x00, 0x06), *range(0x08, 0x0C), *range(0x10, 0x1E), *range(0x20, 0x27), 0x29,
                                0x2A, 0x2B, 0x2D, 0x2F, 0x31, *range(0x34, 0x38), *range(0x39, 0x40),
                                *range(0x4000, 0x4007), 0x4009, 0x400B, 0x4020, 0x4021, 0x4022)
CORTEX_A53_EVENTS = arm_events(0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0F,
                               0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1D)
CORTEX_A72_EVENTS = arm_events(0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x0A, 0x0B, 0x10, 0x11, 0x12, 0x13, 0x14,
                               0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D)


def pmu(name, kind, form, events=None, cpus=None):
    files = {f"{EVENT_SOURCES}/{name}/type": kind}
    files |= {f"{EVENT_SOURCES}/{name}/format/{field}": bits for field, bits in form.items()}
    files |= {f"{EVENT_SOURCES}/{name}/events/{event}": terms for event, terms in (events or {}).items()}
    if cpus is not None:
        files[f"{EVENT_SOURCES}/{name}/cpus"] = cpus
    return files


# What every kernel has.
SOFTWARE = pmu("software", 1, {}) | pmu("tracepoint", 2, {}) | pmu("breakpoint", 5, {})


# ------------------------------------------------------------------------------------------------- parts

def text_of(cpus):
    """A list of CPUs as the kernel writes it."""
    ranges, cpus = [], sorted(cpus)
    for cpu in cpus:
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges)


def kernel(release, paranoid=2):
    return {"proc/sys/kernel/osrelease": release, "proc/sys/kernel/perf_event_paranoid": paranoid}


def topology(cores, packages):
    """cores, packages: lists of sets of CPUs."""
    files = {f"{CPUS}/online": text_of(set().union(*cores))}
    for name, sets in (("core_cpus_list", cores), ("package_cpus_list", packages)):
        for cpus in sets:
            for cpu in cpus:
                files[f"{CPUS}/cpu{cpu}/topology/{name}"] = text_of(cpus)
    return files


def caches(cpu, *described):
    """described: (level, type, KiB, line size, ways; 0: not said)"""
    files = {}
    for index, (level, kind, size, line, ways) in enumerate(described):
        folder = f"{CPUS}/cpu{cpu}/cache/index{index}"
        files |= {f"{folder}/level": level, f"{folder}/type": kind, f"{folder}/size": f"{size}K",
                  f"{folder}/coherency_line_size": line}
        if ways:
            files[f"{folder}/ways_of_associativity"] = ways
    return files


def frequencies(most, least, base=None):
    """MHz"""
    folder = f"{CPUS}/cpu0/cpufreq"
    files = {f"{folder}/cpuinfo_max_freq": most * 1000, f"{folder}/cpuinfo_min_freq": least * 1000}
    if base:
        files[f"{folder}/base_frequency"] = base * 1000
    return files


def nodes(cpus_of, kilobytes):
    """cpus_of: a set of CPUs for each node; kilobytes: the memory of each."""
    files = {f"{NODES}/online": text_of(range(len(cpus_of))),
             "proc/meminfo": f"MemTotal:       {kilobytes * len(cpus_of)} kB\n"}
    for node, cpus in enumerate(cpus_of):
        files[f"{NODES}/node{node}/cpulist"] = text_of(cpus)
        files[f"{NODES}/node{node}/meminfo"] = f"Node {node} MemTotal:       {kilobytes} kB\n"
    return files


def x86_cpuinfo(n, mhz, siblings, cores, flags="", **facts):
    """facts: vendor_id, family, model, name, stepping"""
    text = ""
    for cpu in range(n):
        text += (f"processor\t: {cpu}\nvendor_id\t: {facts['vendor_id']}\ncpu family\t: {facts['family']}\n"
                 f"model\t\t: {facts['model']}\nmodel name\t: {facts['name']}\nstepping\t: {facts['stepping']}\n"
                 f"cpu MHz\t\t: {mhz:.3f}\nsiblings\t: {siblings}\ncpu cores\t: {cores}\n"
                 f"flags\t\t: fpu tsc msr apic sse sse2 constant_tsc {flags}\n\n")
    return {"proc/cpuinfo": text}


def arm_cpuinfo(bogomips, *kinds):
    """kinds: (CPUs, implementer, variant, part, revision)"""
    text = ""
    files = {}
    for cpus, implementer, variant, part, revision in kinds:
        midr = implementer << 24 | variant << 20 | 0xF << 16 | part << 4 | revision
        for cpu in sorted(cpus):
            text += (f"processor\t: {cpu}\nBogoMIPS\t: {bogomips:.2f}\nFeatures\t: fp asimd evtstrm crc32 cpuid\n"
                     f"CPU implementer\t: {implementer:#04x}\nCPU architecture: 8\nCPU variant\t: {variant:#x}\n"
                     f"CPU part\t: {part:#05x}\nCPU revision\t: {revision}\n\n")
            files[f"{CPUS}/cpu{cpu}/regs/identification/midr_el1"] = f"{midr:#018x}"
    return files | {"proc/cpuinfo": text}


def blocks(n, size):
    return [set(range(first, first + size)) for first in range(0, n, size)]


def with_siblings(sets, distance):
    """Linux numbers the second threads of all cores after the first ones."""
    return [cpus | {cpu + distance for cpu in cpus} for cpus in sets]


# ---------------------------------------------------------------------------------------------- machines

def two_socket_intel():
    """Two Xeon Platinum 8360Y: 36 cores of 2 threads, 54 MB of level 3 each."""
    cores, sockets = with_siblings(blocks(72, 1), 72), with_siblings(blocks(72, 36), 72)
    return (SOFTWARE | pmu("cpu", 4, INTEL_FORMAT, INTEL_EVENTS | INTEL_SLOTS | INTEL_MEM)
            | x86_cpuinfo(144, 2400, 72, 36, vendor_id="GenuineIntel", family=6, model=106, stepping=6,
                          name="Intel(R) Xeon(R) Platinum 8360Y CPU @ 2.40GHz")
            | topology(cores, sockets) | nodes(sockets, 131_596_164) | frequencies(3500, 800, 2400)
            | caches(0, (1, "Data", 48, 64, 12), (1, "Instruction", 32, 64, 8), (2, "Unified", 1280, 64, 20),
                     (3, "Unified", 55296, 64, 12))
            | kernel("5.14.0-427.13.1.el9_4.x86_64"))


def hybrid_intel():
    """Core i9-12900K: 8 big cores of 2 threads and 8 small ones."""
    cores = blocks(16, 2) + [{cpu} for cpu in range(16, 24)]
    everything = set(range(24))
    return (SOFTWARE | pmu("cpu_core", 4, INTEL_FORMAT, INTEL_EVENTS | INTEL_SLOTS | INTEL_MEM, "0-15")
            | pmu("cpu_atom", 10, INTEL_ATOM_FORMAT, INTEL_EVENTS, "16-23")
            | x86_cpuinfo(24, 3187.2, 24, 16, vendor_id="GenuineIntel", family=6, model=151, stepping=2,
                          name="12th Gen Intel(R) Core(TM) i9-12900K")
            | topology(cores, [everything]) | nodes([everything], 32_631_364) | frequencies(5100, 800, 3200)
            | caches(0, (1, "Data", 48, 64, 12), (1, "Instruction", 32, 64, 8), (2, "Unified", 1280, 64, 10),
                     (3, "Unified", 30720, 64, 12))
            | kernel("6.1.0-18-amd64", 3))


def amd_many_nodes():
    """Two EPYC 9654 with four NUMA nodes for each socket: 96 cores of 2 threads, 32 MB of level 3 for 8 cores."""
    cores, sockets = with_siblings(blocks(192, 1), 192), with_siblings(blocks(192, 96), 192)
    return (SOFTWARE | pmu("cpu", 4, AMD_FORMAT, AMD_ZEN_EVENTS)
            | x86_cpuinfo(384, 2400, 192, 96, vendor_id="AuthenticAMD", family=25, model=17, stepping=1,
                          name="AMD EPYC 9654 96-Core Processor")
            | topology(cores, sockets) | nodes(with_siblings(blocks(192, 24), 192), 197_987_124)
            | frequencies(3707, 1500)
            | caches(0, (1, "Data", 32, 64, 8), (1, "Instruction", 32, 64, 8), (2, "Unified", 1024, 64, 8),
                     (3, "Unified", 32768, 64, 16))
            | kernel("5.14.0-427.13.1.el9_4.x86_64"))


def a64fx():
    """A PRIMEHPC FX700: 48 cores in four groups of 12, each with 8 MiB of level 2 and 8 GB of its memory. The kernel
    takes each group for a socket."""
    groups = blocks(48, 12)
    return (SOFTWARE | pmu("armv8_pmuv3_0", 8, ARM_FORMAT, A64FX_EVENTS, "0-47")
            | arm_cpuinfo(200, (range(48), 0x46, 1, 0x001, 0))
            | topology(blocks(48, 1), groups) | nodes(groups, 8_352_128)
            | caches(0, (1, "Data", 64, 256, 4), (1, "Instruction", 64, 256, 4), (2, "Unified", 8192, 256, 16))
            | kernel("4.18.0-348.el8.aarch64"))


def grace():
    """One Grace: 72 cores of Neoverse V2, 114 MB of level 3."""
    everything = set(range(72))
    return (SOFTWARE | pmu("armv8_pmuv3_0", 8, ARM_FORMAT, NEOVERSE_V2_EVENTS, "0-71")
            | arm_cpuinfo(2000, (everything, 0x41, 0, 0xD4F, 0))
            | topology(blocks(72, 1), [everything]) | nodes([everything], 501_481_664) | frequencies(3474, 81)
            | caches(0, (1, "Data", 64, 64, 4), (1, "Instruction", 64, 64, 4), (2, "Unified", 1024, 64, 8),
                     (3, "Unified", 116736, 64, 12))
            | kernel("6.8.0-1013-nvidia-64k", 4))


def big_little_arm():
    """RK3399: 4 Cortex-A53 and 2 Cortex-A72, whose PMUs have names of their own."""
    everything = set(range(6))
    return (SOFTWARE | pmu("armv8_cortex_a53", 7, ARM_FORMAT, CORTEX_A53_EVENTS, "0-3")
            | pmu("armv8_cortex_a72", 8, ARM_FORMAT, CORTEX_A72_EVENTS, "4-5")
            | arm_cpuinfo(48, (range(4), 0x41, 0, 0xD03, 4), ((4, 5), 0x41, 0, 0xD08, 2))
            | topology(blocks(6, 1), [everything]) | frequencies(1416, 408)
            | {"proc/meminfo": "MemTotal:        3913348 kB\n"}
            | caches(0, (1, "Data", 32, 64, 4), (1, "Instruction", 32, 64, 2), (2, "Unified", 512, 64, 16))
            | kernel("6.6.20-arm64"))


def power10():
    """A partition of an IBM Power S1024: two sockets, 8 cores of 8 threads of each."""
    sockets = blocks(128, 64)
    text = "".join(f"processor\t: {cpu}\ncpu\t\t: POWER10 (architected), altivec supported\n"
                   "clock\t\t: 3550.000000MHz\nrevision\t: 2.0 (pvr 0080 0200)\n\n" for cpu in range(128))
    return (SOFTWARE | pmu("cpu", 4, {"event": "config:0-59", "pmcxsel": "config:0-7", "mark": "config:8",
                                      "combine": "config:10-11", "unit": "config:12-15", "pmc": "config:16-19"},
                           {"cpu-cycles": "event=0x600f4", "instructions": "event=0x500fa",
                            "branch-instructions": "event=0x4d05e", "branch-misses": "event=0x400f6",
                            "cache-references": "event=0x100fc", "cache-misses": "event=0x3e054"})
            | {"proc/cpuinfo": text + "timebase\t: 512000000\nplatform\t: pSeries\nmodel\t\t: IBM,9105-42A\n"
                                      "machine\t\t: CHRP IBM,9105-42A\nMMU\t\t: Radix\n",
               "proc/device-tree/ibm,partition-name": "lpar-7\0"}
            | topology(blocks(128, 8), sockets) | nodes(sockets, 133_169_152)
            | caches(0, (1, "Data", 32, 128, 8), (1, "Instruction", 48, 128, 6), (2, "Unified", 1024, 128, 8),
                     (3, "Unified", 4096, 128, 16))
            | kernel("5.14.0-427.13.1.el9_4.ppc64le"))


def power11():
    """The same partition of a Power11, which libpfm4 4.13 does not know."""
    text = power10()
    return text | {"proc/cpuinfo": text["proc/cpuinfo"].replace("POWER10", "Power11").replace("pvr 0080", "pvr 0082")}


def riscv():
    """A StarFive VisionFive 2 (JH7110): 4 SiFive U74. The kernel counts through the firmware and names no events."""
    everything = set(range(4))
    text = "".join(f"processor\t: {cpu}\nhart\t\t: {cpu + 1}\nisa\t\t: rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb\n"
                   "mmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\n"
                   "mimpid\t\t: 0x4210427\n\n" for cpu in range(4))
    return (SOFTWARE | pmu("cpu", 4, {"event": "config:0-47", "firmware": "config:63"}) | {"proc/cpuinfo": text}
            | topology(blocks(4, 1), [everything]) | frequencies(1500, 375)
            | {"proc/meminfo": "MemTotal:        8136576 kB\n"}
            | caches(0, (1, "Instruction", 32, 64, 4), (1, "Data", 32, 64, 8), (2, "Unified", 2048, 64, 16))
            | kernel("6.6.20-starfive"))


def unknown_x86():
    """Zhaoxin KX-U6880A: 8 cores, which the kernel knows and libpfm4 does not."""
    everything = set(range(8))
    return (SOFTWARE | pmu("cpu", 4, {"event": "config:0-7", "umask": "config:8-15", "edge": "config:18",
                                      "inv": "config:23", "cmask": "config:24-31"},
                           {"cpu-cycles": "event=0x82", "instructions": "event=0xc0"})
            | x86_cpuinfo(8, 3000, 8, 8, vendor_id="  Shanghai  ", family=7, model=59, stepping=0,
                          name="ZHAOXIN KaiXian KX-U6880A@3.0GHz")
            | topology(blocks(8, 1), [everything]) | nodes([everything], 16_273_812)
            | frequencies(3000, 1200)
            | caches(0, (1, "Data", 32, 64, 8), (1, "Instruction", 32, 64, 8), (2, "Unified", 4096, 64, 16))
            | kernel("6.1.0-18-amd64", 3))


def emerald_rapids():
    """A Xeon Platinum 8592+: 64 cores of 2 threads, 320 MB of level 3. Debian's libpfm4 does not know it; a rule does."""
    cores = with_siblings(blocks(64, 1), 64)
    everything = set(range(128))
    return (SOFTWARE | pmu("cpu", 4, INTEL_FORMAT, INTEL_EVENTS | INTEL_SLOTS | INTEL_MEM)
            | x86_cpuinfo(128, 1900, 128, 64, vendor_id="GenuineIntel", family=6, model=207, stepping=2,
                          name="INTEL(R) XEON(R) PLATINUM 8592+")
            | topology(cores, [everything]) | nodes([everything], 263_596_164) | frequencies(3900, 800, 1900)
            | caches(0, (1, "Data", 48, 64, 12), (1, "Instruction", 32, 64, 8), (2, "Unified", 2048, 64, 16),
                     (3, "Unified", 327680, 64, 20))
            | kernel("6.8.0-31-generic", 4))


def zen5():
    """An EPYC 9755: 128 cores of 2 threads, 32 MB of level 3 for 8 cores. For libpfm4 as above."""
    cores = with_siblings(blocks(128, 1), 128)
    everything = set(range(256))
    return (SOFTWARE | pmu("cpu", 4, AMD_FORMAT, AMD_ZEN_EVENTS)
            | x86_cpuinfo(256, 2700, 256, 128, vendor_id="AuthenticAMD", family=26, model=2, stepping=1,
                          name="AMD EPYC 9755 128-Core Processor")
            | topology(cores, [everything]) | nodes([everything], 792_187_124) | frequencies(4121, 1500)
            | caches(0, (1, "Data", 48, 64, 12), (1, "Instruction", 32, 64, 8), (2, "Unified", 1024, 64, 16),
                     (3, "Unified", 32768, 64, 16))
            | kernel("6.8.0-31-generic", 4))


def container():
    """A container on the two sockets of Intel: /proc is there, without kernel/; /sys is empty."""
    return {name: text for name, text in two_socket_intel().items() if name in ("proc/cpuinfo", "proc/meminfo")}


# Which processor it is libpfm4 finds by running on it; for those of its own architecture it can be told.
MACHINES = {
    "two-socket-intel": (two_socket_intel, {"LIBPFM_FORCE_PMU": "icx"}),
    "hybrid-intel": (hybrid_intel, {}),
    "amd-many-nodes": (amd_many_nodes, {"LIBPFM_FORCE_PMU": "amd64_fam19h_zen4"}),
    "a64fx": (a64fx, {}),
    "grace": (grace, {}),
    "big-little-arm": (big_little_arm, {}),
    "power10": (power10, {}),
    "power11": (power11, {}),
    "riscv": (riscv, {}),
    "unknown-x86": (unknown_x86, {}),
    "emerald-rapids": (emerald_rapids, {}),
    "zen5": (zen5, {}),
    "container": (container, {}),
}


def write(name, folder):
    """Makes the machine's files below folder. Returns the environment that belongs to them."""
    make, environment = MACHINES[name]
    for path, text in make().items():
        file = pathlib.Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = str(text)
        file.write_text(text if text.endswith(("\n", "\0")) else text + "\n", encoding="ascii")
    # A machine without this has no /sys at all.
    pathlib.Path(folder, "sys").mkdir(exist_ok=True)
    return environment | {"PAPI_SYSROOT": str(folder)}
