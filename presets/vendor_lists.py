#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: vendor_lists.py LINUX/tools/perf/pmu-events/arch > vendor_lists.txt

Prints which masks the vendors' event lists, as the Linux kernel has them, give to each event of a processor of the
tables: the checker compares what the tables use (docs/presets.md).
"""
import collections
import json
import pathlib
import sys

# A folder of lists; on hybrid processors the unit of the events, too; and the names of processors.txt. Not here are
# lists that are a part of what their makers publish, such as ThunderX2's.
LISTS = {
    "x86/nehalemep": "nhm", "x86/nehalemex": "nhm_ex", "x86/westmereep-sp": "wsm", "x86/westmereep-dp": "wsm_dp",
    "x86/sandybridge": "snb", "x86/jaketown": "snb_ep", "x86/ivybridge": "ivb", "x86/ivytown": "ivb_ep",
    "x86/haswell": "hsw", "x86/haswellx": "hsw_ep", "x86/broadwell": "bdw", "x86/broadwellx": "bdw_ep",
    "x86/skylake": "skl", "x86/skylakex": "skx", "x86/cascadelakex": "clx", "x86/icelake": "icl",
    "x86/icelakex": "icx", "x86/sapphirerapids": "spr",
    "x86/bonnell": "atom", "x86/silvermont": "slm x86:GenuineIntel:6:0x4a", "x86/goldmont": "glm",
    "x86/goldmontplus": "x86:GenuineIntel:6:0x7a", "x86/elkhartlake": "tmt x86:GenuineIntel:6:0x9c",
    "x86/knightslanding": "knl knm",
    "x86/amdzen1": "amd64_fam17h amd64_fam17h_zen1", "x86/amdzen2": "amd64_fam17h_zen2",
    "x86/amdzen3": "amd64_fam19h_zen3", "x86/amdzen4": "amd64_fam19h_zen4 x86:AuthenticAMD:0x19:0x61",
    "x86/amdzen5": "x86:AuthenticAMD:0x1a:0x02",
    "x86/amdzen6": "x86:AuthenticAMD:0x1a:0x50",
    "x86/emeraldrapids": "x86:GenuineIntel:6:0xcf", "x86/graniterapids": "x86:GenuineIntel:6:0xad",
    "x86/alderlake:cpu_core": "x86:GenuineIntel:6:0x97:cpu_core",
    "x86/alderlake:cpu_atom": "x86:GenuineIntel:6:0x97:cpu_atom", "x86/alderlaken": "x86:GenuineIntel:6:0xbe",
    "x86/meteorlake:cpu_core": "x86:GenuineIntel:6:0xaa:cpu_core",
    "x86/meteorlake:cpu_atom": "x86:GenuineIntel:6:0xaa:cpu_atom", "x86/sierraforest": "x86:GenuineIntel:6:0xaf",
    "x86/lunarlake:cpu_core": "x86:GenuineIntel:6:0xbd:cpu_core",
    "x86/lunarlake:cpu_atom": "x86:GenuineIntel:6:0xbd:cpu_atom",
    "x86/arrowlake:cpu_core": "x86:GenuineIntel:6:0xc6:cpu_core",
    "x86/arrowlake:cpu_atom": "x86:GenuineIntel:6:0xc6:cpu_atom",
    "x86/arrowlake:cpu_lowpower": "x86:GenuineIntel:6:0xc5:cpu_lowpower",
    "x86/pantherlake:cpu_core": "x86:GenuineIntel:6:0xcc:cpu_core",
    "x86/pantherlake:cpu_atom": "x86:GenuineIntel:6:0xcc:cpu_atom",
    "x86/clearwaterforest": "x86:GenuineIntel:6:0xdd",
    "x86/novalake:cpu_core": "x86:GenuineIntel:18:0x1:cpu_core",
    "x86/novalake:cpu_atom": "x86:GenuineIntel:18:0x1:cpu_atom",
    "x86/grandridge": "x86:GenuineIntel:6:0xb6",
    "arm64/arm/cortex-a53": "arm_ac53", "arm64/arm/cortex-a57-a72": "arm_ac57 arm64:0x41:0xd08",
    "arm64/arm/neoverse-n1": "arm_n1", "arm64/arm/neoverse-v1": "arm_v1",
    "arm64/arm/neoverse-n2-v2": "arm_n2 arm_v2 arm64:0x6d:0xd49", "arm64/arm/neoverse-n3": "arm64:0x41:0xd8e",
    "arm64/arm/neoverse-v3": "arm64:0x41:0xd84", "arm64/arm/cortex-a76": "arm64:0x41:0xd0b",
    "arm64/arm/cortex-a77": "arm64:0x41:0xd0d", "arm64/arm/cortex-a78": "arm64:0x41:0xd41 arm64:0x41:0xd4b",
    "arm64/arm/cortex-x1": "arm64:0x41:0xd44 arm64:0x41:0xd4c", "arm64/arm/cortex-a710": "arm64:0x41:0xd47",
    "arm64/arm/cortex-x2": "arm64:0x41:0xd48", "arm64/arm/cortex-a34": "arm64:0x41:0xd02",
    "arm64/arm/cortex-a35": "arm64:0x41:0xd04", "arm64/arm/cortex-a55": "arm64:0x41:0xd05",
    "arm64/arm/cortex-a65-e1": "arm64:0x41:0xd06 arm64:0x41:0xd4a", "arm64/arm/cortex-a73": "arm64:0x41:0xd09",
    "arm64/arm/cortex-a75": "arm64:0x41:0xd0a", "arm64/arm/cortex-a510": "arm64:0x41:0xd46",
    "arm64/fujitsu/a64fx": "arm_a64fx", "arm64/fujitsu/monaka": "arm64:0x46:0x003",
    "arm64/nvidia/t410": "arm64:0x4e:0x010", "arm64/ampere/ampereone": "arm64:0xc0:0xac3",
    "arm64/ampere/ampereonex": "arm64:0xc0:0xac4",
}
# What Arm's lists refer to by name
ARCHITECTURE = ["common-and-microarch.json", "recommended.json"]


def numbers(text):
    """The numbers of "0x2A,0x2B" or of 66."""
    return [int(str(part), 0) for part in str(text).split(",") if str(part).strip()]


def entries(file):
    found = json.loads(file.read_text(encoding="utf-8"))
    return found if isinstance(found, list) else []


def events(folder, unit, architecture):
    """Events and masks of a list: {event: {mask, ...}}."""
    found = collections.defaultdict(set)
    for file in sorted(folder.rglob("*.json")):
        for entry in entries(file):
            entry = architecture.get(entry.get("ArchStdEvent"), {}) | entry
            if "EventCode" not in entry or not wanted(entry.get("Unit"), unit):
                continue
            umask = entry.get("UMask", "0")
            extended = numbers(entry.get("UMaskExt", "0"))[0] << 8
            for code in numbers(entry["EventCode"]):
                found[code].update(mask | extended for mask in numbers(umask))
    return found


def wanted(has, unit):
    return has == unit or (unit is None and has == "core")


def main():
    arch = pathlib.Path(sys.argv[1])
    masks_of = collections.defaultdict(list)  # (event, masks) -> processors
    architecture = {entry["EventName"]: entry for name in ARCHITECTURE for entry in entries(arch / "arm64" / name)
                    if "EventName" in entry}
    for place, names in LISTS.items():
        folder, _, unit = place.partition(":")
        if not (arch / folder).is_dir():
            raise SystemExit(f"{arch / folder}: there is no such list")
        for event, masks in events(arch / folder, unit or None, architecture).items():
            masks_of[event, tuple(sorted(masks))].extend(names.split())
    events_of = collections.defaultdict(list)  # what lists have in common stands in one line
    for (event, masks), names in sorted(masks_of.items()):
        events_of[masks, tuple(names)].append(event)
    print("# SPDX-License-Identifier: BSD-3-Clause\n"
          "# Made by presets/vendor_lists.py from the vendors' event lists in Linux 7.3: events, their masks, and the\n"
          "# processors whose lists give them these and no others.")
    for (masks, names), codes in sorted(events_of.items(), key=lambda line: line[1]):
        print(",".join(f"{code:x}" for code in codes), ",".join(f"{mask:02x}" for mask in masks), *names)


if __name__ == "__main__":
    main()
