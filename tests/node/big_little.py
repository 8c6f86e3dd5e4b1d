#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: big_little.py <VIRT.dts >NODE.dts

Makes the device tree of QEMU's machine virt (two CPUs, GICv3) one of big and little cores: each CPU has a PMU of its
own. PMUs of some CPUs share an interrupt through partitions of the interrupt controller, which takes a fourth cell in
each interrupt.
"""
import re
import sys


def node(tree, name):
    """Where a node begins and ends, with the newline after it."""
    begin = re.search(rf"^\t{name}[^\n]*{{\n", tree, re.MULTILINE).start()
    return begin, tree.index("\n\t};\n", begin) + len("\n\t};\n")


def without(tree, name):
    begin, end = node(tree, name)
    return tree[:begin] + tree[end:]


def widened(match):
    cells = match[1].split()
    groups = [" ".join(cells[i:i + 3] + ["0x00"]) for i in range(0, len(cells), 3)]
    return f"interrupts = <{' '.join(groups)}>;"


def handle(tree, cpu):
    begin = tree.index(f"cpu@{cpu} {{")
    return re.search(r"phandle = <(0x[0-9a-f]+)>", tree[begin:])[1]


def main():
    tree = sys.stdin.read()
    cpus = [handle(tree, 0), handle(tree, 1)]
    tree = without(without(tree, "pcie@"), "pmu ")
    tree = re.sub(r"interrupts = <([^>]*)>;", widened, tree)
    parts = "".join(f"interrupt-partition-{i} {{ affinity = <{cpu}>; phandle = <{0x9000 + i:#x}>; }}; "
                    for i, cpu in enumerate(cpus))
    cells, wider = "#interrupt-cells = <0x03>;", "#interrupt-cells = <0x04>;\n\t\tppi-partitions { " + parts + "};"
    if tree.count(cells) != 1:
        raise SystemExit("not one interrupt controller with three cells")
    tree = tree.replace(cells, wider)
    pmus = "".join(f'\tpmu-{core} {{ compatible = "arm,cortex-{core}-pmu"; '
                   f"interrupts = <0x01 0x07 0x04 {0x9000 + i:#x}>; }};\n" for i, core in enumerate(("a53", "a72")))
    begin, _ = node(tree, "cpus ")
    print(tree[:begin] + pmus + tree[begin:], end="")


if __name__ == "__main__":
    main()
