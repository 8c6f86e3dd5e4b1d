# SPDX-License-Identifier: BSD-3-Clause
"""What rules of CPU rows mean (docs/events.md), as src-c/events/rule.c reads them, and what people call processors."""

USUAL_PMU = {"arm64": "armv8_pmuv3_0"}  # of cores of one kind; elsewhere it is "cpu"
BY_GENERIC, BY_PMU, BY_PROCESSOR = range(3)


def is_rule(name):
    return name.split(":")[0] in ("x86", "arm64", "riscv64", "ppc64", "loongarch64", "sysfs")


def ranges(items):
    """The first and the last of each run of numbers in "0x55|0x60-0x6f"; "*" is all of them."""
    for item in items.split("|"):
        low, _, high = ("0-0xffff" if item == "*" else item).partition("-")
        yield int(low, 0), int(high or low, 0)


def has_number(items, number):
    return any(low <= number <= high for low, high in ranges(items))


def has_name(items, name):
    return any(name.startswith(item[:-1]) if item.endswith("*") else name == item for item in items.split("|"))


class Core:
    """The cores that a rule means alone: "x86:GenuineIntel:6:0x97:cpu_atom"."""

    def __init__(self, text):
        self.architecture, *parts = text.split(":")
        self.vendor = parts.pop(0) if self.architecture == "x86" else ""
        self.family, self.model = (int(part, 0) for part in parts[:2])
        self.usual = USUAL_PMU.get(self.architecture, "cpu")
        self.pmu = parts[2] if len(parts) > 2 else self.usual

    def rank(self, name):
        """How closely a CPU row means these cores; None: not at all."""
        if name == "generic":
            return BY_GENERIC if self.pmu == self.usual else None
        if not is_rule(name):
            return None
        architecture, *parts = name.split(":")
        if architecture == "sysfs":
            return BY_PMU if has_name(parts[0], self.pmu) else None
        if architecture != self.architecture or (architecture == "x86" and parts.pop(0) != self.vendor):
            return None
        pmus = parts[2] if len(parts) > 2 else "cpu" if architecture == "x86" else "*"
        same = has_number(parts[0], self.family) and has_number(parts[1], self.model) and has_name(pmus, self.pmu)
        return BY_PROCESSOR if same else None


def read_titles(processors):
    """{libpfm4's name of a processor, or a rule: what people call it}, of processors.txt."""
    lines = [line for line in processors.read_text(encoding="ascii").splitlines() if line and line[0] != "#"]
    return {name: title for name, _, title in (line.split(None, 2) for line in lines)}
