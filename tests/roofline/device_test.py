#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""device_test.py [CASE SETTINGS.json]: roofs that papi_roofline measures on a device, which a stand-in for NVIDIA's driver
plays, and the kernels by which it does. Without arguments, lists the cases. Status: 0, 1, 77 for skipped."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time

import roofline_test
from roofline_test import Skip, check, near

RATES = {"double": 18e12, "single": 36e12, "copy": 2.0e12, "read": 2.2e12}
DRIVER = "CUDA 13.2, ECC on"


def run(scene, *options, device=0, status=0, fault="", rates=None, **more):
    rates = {**RATES, **(rates or {})}
    return scene.run(f"--device-roofs=measured:{device}", *options, status=status, LD_LIBRARY_PATH=scene.settings["driver"],
                     **{"DOUBLE_CUDA": "2 9 0", "DOUBLE_FAULT": fault, "DOUBLE_RATES": " ".join(map(str, rates.values())), **more})


def is_measured(roofs, part=1e-6):
    check([(peak["name"], peak["precision"]) for peak in roofs["peaks"]] == [("FMA", "double"), ("FMA", "single")], roofs["peaks"])
    for peak in roofs["peaks"]:
        near(peak["all_cores"], RATES[peak["precision"]], peak["precision"], part)
    memory, = roofs["levels"]
    for loop in ("copy", "scale", "add", "triad"):
        near(memory[loop]["all_cores"], RATES["copy"], loop, part)
    near(memory["read"]["all_cores"], RATES["read"], "reading", part)
    return [peak["all_cores_spread"] for peak in roofs["peaks"]] + [memory[loop]["all_cores_spread"] for loop in ("copy", "read")]


def case_measured(scene):
    """The rates of a device that is known, kept in a file with its name, its driver and the day."""
    before = int(time.time())
    found = json.loads(run(scene, "--json", device=1).stdout)["roofs"]
    check((found["device"], found["source"], found["driver"]) == ("Made 1", "measured", DRIVER), found)
    check(before <= found["measured"] <= time.time() and "busy" not in found, found)
    check(all(abs(spread) < 1e-6 for spread in is_measured(found)), found)
    text = run(scene, "-o", "device.json").stdout
    check(re.search(rf"^Made 0: roofs measured \d{{4}}-\d\d-\d\d \d\d:\d\d \({DRIVER}\)$", text, re.M), text)
    check(re.search(r"^double +18000\.0  FMA$", text, re.M) and re.search(r"^ +2000\.0$|^memory +2000\.0$", text, re.M), text)
    again = json.loads(scene.run("--device-roofs=device.json", "--json").stdout)["roofs"]
    is_measured(again)
    check((again["device"], again["source"], again["driver"]) == ("Made 0", "measured", DRIVER) and again["measured"] >= before, again)
    # what the kernel has of the driver
    pci = scene.folder / "root/sys/bus/pci/devices/0000:3b:00.0"
    for path, words in ((pci / "class", "0x030200"), (pci / "vendor", "0x10de"), (pci / "device", "0x1"),
                        (scene.folder / "root/sys/module/nvidia/version", "580.65.06")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words + "\n")
    module = scene.folder / "root/sys/bus/pci/drivers/nvidia"
    module.mkdir(parents=True)
    (module / "module").symlink_to("../../../../module/nvidia")
    (pci / "driver").symlink_to("../../drivers/nvidia")
    found = json.loads(run(scene, "--json", "--rounds=1", PAPI_SYSROOT=str(scene.folder / "root")).stdout)["roofs"]
    check(found["driver"] == "580.65.06, " + DRIVER, found)
    check("all_cores_spread" not in found["peaks"][0], found["peaks"])


def case_disturbed(scene):
    """Low clocks at first are not measured; turns that differ are said to, and the best of them counts."""
    found = json.loads(run(scene, "--json", fault="cold").stdout)["roofs"]
    check(all(abs(spread) < 1e-6 for spread in is_measured(found)), found)
    done = run(scene, "-o", "busy.json", fault="busy")
    words = "Turns of a test differed by more than a tenth while the roofs were measured: another process used the device"
    check(words in " ".join(done.stdout.split()), done.stdout)
    kept = scene.run("--device-roofs=busy.json", "--json").stdout
    found = json.loads(kept)["roofs"]
    spreads = is_measured(found)
    check(found["busy"] is True and all(abs(spread - 0.2) < 1e-6 for spread in spreads), found)


def case_refused(scene):
    """Work that was not done, clocks that are wrong, and what a driver refuses are no roofs, but a sentence."""
    cannot = "papi_roofline: Made 0 cannot be measured: "
    for fault, words in (("wrong_double", "the result of calculating in double precision is wrong"),
                         ("wrong_single", "the result of calculating in single precision is wrong"),
                         ("wrong_copy", "the result of copying is wrong"), ("wrong_read", "the result of reading is wrong"),
                         ("short", "calculating in double precision took 0.000 ms by the driver's clock"),
                         ("full", "it has 100 MB of memory that is free, and 1073 MB are needed"),
                         ("text", "NVIDIA's driver answers cuModuleLoadData with error 218")):
        done = run(scene, "-o", "none.json", status=1, fault=fault)
        check(cannot + words in " ".join(done.stderr.split()) and not done.stdout, f"{fault}: {done.stderr}{done.stdout}")
        check(not (scene.folder / "none.json").exists(), fault)
    # 101 multiprocessors of 64 units at 1.5 GHz; the memory's bus
    for rates, words in (({"double": 25e12}, "calculating at 2.5e+04 G a second would be more than the 1.92e+04 G"),
                         ({"read": 3e12}, "memory at 3000 G a second would be more than the 2560 G")):
        done = run(scene, status=1, rates=rates)
        check(words in " ".join(done.stderr.split()), done.stderr)
    done = run(scene, status=1, device=2)
    words = " ".join(done.stderr.split())
    check("there is no device 2" in words and '"papi_roofline --device-roofs=measured -o device.json" keeps them' in words
          and "roofs of AMD's and Intel's devices are to be given: --device-roofs=FILE" in words, done.stderr)


# ---- the kernels, as their text says


class Thread:
    """One thread of a kernel in the language PTX, as far as the kernels use it."""

    def __init__(self, memory, special, parameters):
        self.memory, self.register, self.parameters = memory, dict(special), parameters
        self.count = {}

    def value(self, word):
        return self.register[word] if word.startswith("%") else int(word)

    def place(self, word):
        base, _, more = word.strip("[]").partition("+")
        return self.parameters[base] if base in self.parameters else self.register[base] + int(more or 0)

    def step(self, name, words):
        self.count[name] = self.count.get(name, 0) + 1
        kind, to = name.split("."), words[0]
        if kind[:2] == ["ld", "param"]:
            self.register[to] = self.place(words[1])
        elif kind[0] in ("cvta", "mov", "cvt"):
            self.register[to] = float(self.value(words[1])) if kind[0] == "cvt" else self.value(words[1])
        elif kind[0] in ("mad", "fma", "mul", "add"):
            factors = [self.value(word) for word in words[1:]]
            product = factors[0] * factors[1] if kind[0] != "add" else sum(factors)
            found = product + (factors[2] if kind[0] in ("mad", "fma") else 0)
            self.register[to] = found if kind[-1][0] == "f" else found % 2 ** (64 if "wide" in kind or kind[-1] == "u64" else 32)
        elif kind[0] == "setp":
            self.register[to] = self.value(words[1]) != self.value(words[2])
        elif name == "ld.global.v4.u32":
            names = re.findall(r"%\w+", " ".join(words[:4]))
            for i, each in enumerate(names):
                self.register[each] = self.memory[self.place(words[4]) + 4 * i]
        elif kind[:2] == ["st", "global"]:
            self.memory[self.place(to)] = self.value(words[1])
        else:
            raise AssertionError(f"{name} is not known")

    def run(self, lines):
        labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
        at = 0
        while lines[at] != "ret;":
            line = lines[at].rstrip(";")
            at += 1
            if line.startswith("@%p bra"):
                at = labels[line.split()[-1]] if self.register["%p"] else at
            elif not line.endswith(":") and not line.startswith("."):
                name, _, rest = line.partition(" ")
                self.step(name, [word.strip() for word in rest.split(",")])


def kernel_of(text, name):
    body = re.search(rf"\.entry {name}\(.*?\n\{{\n(.*?)\n\}}\n", text, re.S).group(1)
    return [line.strip() for line in body.splitlines()]


def text_of(scene):
    return subprocess.run([scene.settings["kernels"]], check=True, capture_output=True, text=True).stdout


def special(block, thread, blocks):
    return {"%tid.x": thread, "%ctaid.x": block, "%ntid.x": 256, "%nctaid.x": blocks}


def case_kernels(scene):
    """What the kernels' text calculates, thread by thread: so many operations, and each result in a place of its own."""
    text, chains, steps = text_of(scene), 8, 32
    for name, size in (("papi_fma_double", 8), ("papi_fma_single", 4)):
        for block, number, rounds in ((0, 0, 1), (3, 200, 5)):
            memory = {}
            thread = Thread(memory, special(block, number, 4), {"out": 1000, "x": 1.0, "y": 1.0, "rounds": rounds})
            thread.run(kernel_of(text, name))
            done = sum(n for each, n in thread.count.items() if each.startswith("fma."))
            others = sum(thread.count.values()) - done
            check(done == chains * steps * rounds and others < 3 * rounds + 60, thread.count)
            first = 1000 + (256 * block + number) * chains * size
            check(memory == {first + size * k: number + k + steps * rounds for k in range(chains)}, memory)
    blocks, vectors, begin = 3, 7, 1 << 20
    memory = {begin + 4 * i: (i * 2654435761) % 2**32 for i in range(blocks * 256 * vectors * 4)}
    for block, number in ((0, 0), (2, 255), (1, 17)):
        thread = Thread(memory, special(block, number, blocks), {"out": 64, "from": begin, "vectors": vectors})
        thread.run(kernel_of(text, "papi_read"))
        i = 256 * block + number
        want = sum(memory[begin + 16 * (i + k * 256 * blocks) + 4 * word] for k in range(vectors) for word in range(4)) % 2**32
        check(memory[64 + 4 * i] == want and thread.count["ld.global.v4.u32"] == vectors, (block, number, memory[64 + 4 * i], want))


def case_translated(scene):
    """The toolkit's translator takes the kernels for all chips that it knows."""
    tool = shutil.which("ptxas", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
    if tool is None:
        raise Skip("there is no ptxas, which is in NVIDIA's CUDA toolkit")
    (scene.folder / "kernels.ptx").write_text(text_of(scene))
    taken = 0
    for chip in ("sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"):
        done = subprocess.run([tool, f"-arch={chip}", "-v", "kernels.ptx", "-o", "kernels.cubin"], cwd=scene.folder, capture_output=True,
                              text=True, check=False)
        if "is not defined for option 'gpu-name'" in done.stderr:
            continue
        check(done.returncode == 0 and "error" not in done.stderr, done.stderr)
        code = (scene.folder / "kernels.cubin").read_bytes()
        check(code[:4] == b"\x7fELF" and struct.unpack_from("<H", code, 18)[0] == 190, "no code for a device")
        names = {name.decode() for name in re.findall(rb"\.text\.(\w+)", code)}
        check(names == {"papi_fma_double", "papi_fma_single", "papi_read"}, names)
        registers = [int(n) for n in re.findall(r"Used (\d+) registers", done.stderr)]
        check(len(registers) == 3 and max(registers) <= 64, "too many registers for all threads of a multiprocessor")
        taken += 1
    check(taken > 0, "none of the chips is known")


if __name__ == "__main__":
    sys.exit(roofline_test.main(globals()))
