#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""AVX-512 on an emulated processor that has it: counted builds count what their instructions are, one by one.

  avx512_test.py --build BUILD --source SOURCE --work FOLDER [--kernel VMLINUZ]

Bochs boots Linux, in which each program runs twice: as a counted build, and single-stepped between the same marks
(step.c). What its instructions count is taken from objdump's text of them (classify.py). The AVX-512 kernels of
papi_roofline are stepped, too, and have to do what they claim. It takes some minutes.

With --here the programs are stepped on this machine, whose processor has to have AVX-512: seconds, and -march=native besides.

Else it needs Debian's bochs, bochs-term, isolinux and genisoimage. BOCHS_ROOT: a folder where these are unpacked. Status: 0
passed, 1 failed, 77 skipped.
"""
import argparse
import collections
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

from classify import Unknown, events

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from running import Failure, Skip, run  # noqa: E402 pylint: disable=wrong-import-position

SKIPPED, LIMIT = 77, 3600
TARGET = "-march=skylake-avx512 -mprefer-vector-width=512"
KEEP = "-fno-tree-loop-distribute-patterns -fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels"
# What TARGET needs.
FLAGS = {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"}
# name: compiler, source, flags
PROGRAMS = {
    "numeric": ("gcc", "numeric.c", "-O3 -DN=19"),
    "fast": ("gcc", "numeric.c", "-Ofast -funroll-loops -DN=19"),
    "masks": ("gcc", "avx512/masks.c", "-O3"),
    "masks-O0": ("gcc", "avx512/masks.c", "-O0"),
    "fortran": ("gfortran", "kernels.F90", "-O3"),
    "fortran32": ("gfortran", "kernels.F90", "-Ofast -DKIND=real32"),
}

# Besides on this machine: by the last -march.
NATIVE = "-march=native -mprefer-vector-width=512"
HERE = {
    "native": ("gcc", "numeric.c", f"-O3 -DN=19 {NATIVE}"),
    "native-fast": ("gcc", "numeric.c", f"-Ofast -DN=19 {NATIVE}"),
    "native-clang": ("clang", "numeric.c", f"-O3 -DN=19 {NATIVE}"),
    "native-fortran": ("gfortran", "kernels.F90", f"-O3 {NATIVE}"),
    "native-fortran32": ("gfortran", "kernels.F90", f"-Ofast -DKIND=real32 {NATIVE}"),
}
# Where it has halves.
HALVES = {
    "halves": ("gcc", "avx512/halves.c", "-O3 -fno-math-errno -fcx-limited-range -march=sapphirerapids -mprefer-vector-width=512"),
    "halves-fast": ("gcc", "avx512/halves.c", "-Ofast -fno-math-errno -march=sapphirerapids -mprefer-vector-width=512"),
}


def read(source):
    """What is there. A terminal that nobody writes to any more is an error."""
    try:
        return os.read(source, 65536)
    except OSError:
        time.sleep(0.1)
        return b""


class Bench:
    programs = PROGRAMS

    def __init__(self, options):
        self.build, self.source = pathlib.Path(options.build).resolve(), pathlib.Path(options.source).resolve()
        self.work = pathlib.Path(options.work).resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        (self.work / "root").mkdir(parents=True)
        self.tests = self.source / "tests/counted"
        self.tool = self.build / "src-c/counted/papi_counted"
        self.includes = [f"-I{self.source}/{name}" for name in ("src-c", "src-c/include", "tests/counted")]
        self.system = pathlib.Path(os.environ.get("BOCHS_ROOT", "/"))
        self.kernel = pathlib.Path(options.kernel or self.build.parent / "node-amd64/vmlinuz").resolve()
        self.need()

    def need(self):
        if not self.tool.exists():
            raise Skip("papi_counted is not built: no Capstone, or another processor")
        for name, package in (("usr/bin/bochs-bin", "bochs"), ("usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so", "bochs-term"),
                              ("usr/bin/genisoimage", "genisoimage"), ("usr/lib/ISOLINUX/isolinux.bin", "isolinux")):
            if not (self.system / name).exists():
                raise Skip(f"no {self.system / name} (Debian's package {package})")
        if not self.kernel.exists():
            raise Skip(f"no {self.kernel}: tests/node/fetch.sh -a amd64 {self.kernel.parent} downloads it")

    def run(self, command, **options):
        result = run(*command, status=0, cwd=self.work, timeout=300, **{"env": os.environ, **options})
        if "papi_counted:" in result.stderr:
            raise Failure(f"{command}: {result.stderr}")
        return result.stdout

    # ---- programs

    def object(self, name):
        self.run(["gcc", "-O1", "-D_GNU_SOURCE", *self.includes, "-c", self.tests / f"{name}.c", "-o", pathlib.Path(name).name + ".o"])
        return pathlib.Path(name).name + ".o"

    def compile(self):
        parts = {name: self.object(name) for name in ("counts", "marks_counted", "avx512/marks_stepped")}
        fixed = ["-static", "-no-pie", "-fno-pie"]
        self.run(["gcc", "-O2", "-D_GNU_SOURCE", *fixed, self.tests / "avx512/step.c", "-o", "root/init"])
        for name, (compiler, source, flags) in self.programs.items():
            keep = KEEP if compiler != "clang" else "-fno-builtin-memcpy -fno-builtin-memset -fno-builtin-memmove"
            command = [compiler, *self.includes, *f"{TARGET} {flags} {keep}".split(), *fixed, self.tests / source]
            self.run([*command, parts["avx512/marks_stepped"], "-o", f"root/{name}"])
            self.run([self.tool, *command, parts["marks_counted"], parts["counts"], "-o", f"root/{name}.counted"])
        self.run(["gcc", "-O2", *self.includes, *fixed, self.tests / "avx512/roofline.c", parts["avx512/marks_stepped"],
                  self.build / "src-c/roofline/libpapi_roofline_kernels.a", "-o", "root/roofline"])

    # ---- the machine

    def image(self, wanted):
        root, disk = self.work / "root", self.work / "disk"
        lines = [line for name in wanted for line in ([f"run {name}.counted"] if name in self.programs else []) + [f"step {name}"]]
        (root / "list").write_text("\n".join(lines) + "\n")
        for program in root.iterdir():
            if program.name != "list":
                self.run(["strip", "-o", program.with_name("stripped"), program])
                shutil.copy(program, self.work / (program.name + ".whole"))
                program.with_name("stripped").rename(program)
        disk.mkdir()
        names = "\n".join(path.name for path in root.iterdir())
        (disk / "initrd").write_bytes(subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=names.encode(), cwd=root, check=True,
                                                     capture_output=True).stdout)
        shutil.copy(self.kernel, disk / "linux")
        shutil.copy(self.system / "usr/lib/ISOLINUX/isolinux.bin", disk)
        shutil.copy(self.system / "usr/lib/syslinux/modules/bios/ldlinux.c32", disk)
        # Bochs gives the size of the registers' area wrongly where that is compacted, and Linux would do without AVX.
        (disk / "isolinux.cfg").write_text("default linux\nprompt 0\nlabel linux\nkernel /linux\nappend initrd=/initrd console=ttyS0 quiet "
                                           "idle=poll noxsaves clearcpuid=xsaves,xsavec mitigations=off panic=-1 tsc=reliable no_timer_check nokaslr\n")
        self.run([self.system / "usr/bin/genisoimage", "-quiet", "-o", "disk.iso", "-b", "isolinux.bin", "-c", "boot.cat", "-no-emul-boot",
                  "-boot-load-size", "4", "-boot-info-table", disk])

    def settings(self):
        share = self.system / "usr/share"
        (self.work / "bochsrc").write_text(f"""
display_library: term
config_interface: textconfig
cpu: model=corei7_skylake_x, count=1, ips=15000000, reset_on_triple_fault=0
memory: guest=256, host=256
romimage: file={share}/bochs/BIOS-bochs-latest
vgaromimage: file={share}/bochs/VGABIOS-lgpl-latest
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path={self.work}/disk.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev={self.work}/console
clock: sync=none
log: {self.work}/log
panic: action=fatal
""")

    def start(self, screen):
        libraries = self.system / "usr/lib/x86_64-linux-gnu"
        environment = {**os.environ, "TERM": "linux", "LTDL_LIBRARY_PATH": str(libraries / "bochs/plugins"),
                       "BXSHARE": str(self.system / "usr/share/bochs")}
        if str(self.system) != "/":
            environment["LD_LIBRARY_PATH"] = str(libraries)
        return subprocess.Popen([str(self.system / "usr/bin/bochs-bin"), "-q", "-f", "bochsrc", "-rc", "go"], cwd=self.work,
                                stdin=subprocess.DEVNULL, stdout=screen, stderr=screen, env=environment)

    def boot(self):
        """Until the machine is switched off."""
        self.settings()
        (self.work / "console").write_text("")
        (self.work / "go").write_text("continue\n")  # where Bochs has a debugger, which asks before it begins
        master, screen = pty.openpty()
        bochs = self.start(screen)
        os.close(screen)
        begin, shown, sources = time.monotonic(), b"", [master]
        try:
            while time.monotonic() - begin < LIMIT and bochs.poll() is None:
                for source in select.select(sources, [], [], 1)[0]:
                    shown += read(source)
                other = re.search(rb'connected to screen "(/dev/pts/\d+)"', shown)
                if other and len(sources) == 1:  # its own, where the terminal is the debugger's: it waits until somebody reads
                    sources.append(os.open(other[1], os.O_RDONLY | os.O_NOCTTY))
        finally:
            bochs.kill()
            bochs.wait()
        (self.work / "screen").write_bytes(shown)
        print(f"Bochs ran for {time.monotonic() - begin:.0f} s", flush=True)
        if "#%off" not in self.console():
            raise Failure(f"the machine did not finish:\n{self.console()[-3000:]}\n{(self.work / 'log').read_text()[-2000:]}")

    def console(self):
        return (self.work / "console").read_text(errors="replace").replace("\r", "")

    def results(self):
        """{program: text}"""
        found = {}
        for name, text, status in re.findall(r"#%begin \w+ (\S+)\n(.*?)#%end (-?\d+)\n", self.console(), re.S):
            if status != "0":
                raise Failure(f"{name}: status {status}\n{text[-1000:]}")
            found[name] = text
        return found

    def disassemble(self, name):
        """{address: (text, the next one's address)}"""
        text = self.run(["objdump", "-d", "-w", "--no-show-raw-insn", "-M", "intel", name + ".whole"])
        lines = [(int(at, 16), what.strip()) for at, what in re.findall(r"^ *([0-9a-f]+):\t(.*)$", text, re.M)]
        return {at: (what, following) for (at, what), (following, _) in zip(lines, lines[1:])}


def features():
    found = re.search(r"^flags\s*:(.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return set(found[1].split()) if found else set()


class Here(Bench):
    """This machine in place of an emulated one."""
    programs = {**PROGRAMS, **{name: program for name, program in {**HERE, **(HALVES if "avx512_fp16" in features() else {})}.items()
                               if shutil.which(program[0])}}

    def need(self):
        if not self.tool.exists():
            raise Skip("papi_counted is not built: no Capstone, or another processor")
        if not FLAGS <= features():
            raise Skip("this processor has no AVX-512: counted.avx512 emulates one")

    def image(self, wanted):
        self.wanted = wanted

    def boot(self):
        text = ""
        for name in self.wanted:
            shutil.copy(self.work / "root" / name, self.work / (name + ".whole"))
            commands = [("run", name + ".counted")] if name in self.programs else []
            for how, program in [*commands, ("step", name)]:
                text += re.sub(r"^#%begin (\w+) \S*/", r"#%begin \1 ", self.run(["root/init", how, f"root/{program}"]), flags=re.M)
        (self.work / "console").write_text(text)


# ---- comparing

def counted_values(text):
    return {(name, event): int(count) for name, event, count in re.findall(r"^(\S+) ([A-Z0-9_]+) (-?\d+)$", text, re.M)}


def stepped_values(text, code):
    """{(kernel, event): count}, less what the first one, "empty", has."""
    kernels = collections.OrderedDict()
    for name, lines in re.findall(r"#%kernel (\S+)\n((?:[0-9a-f]+ \d+ [0-9a-f]+ \d+\n)*)", text):
        counts = kernels[name] = collections.Counter()
        for at, runs, following, times in re.findall(r"(\S+) (\d+) (\S+) (\d+)\n", lines):
            what, behind = code[int(at, 16)]
            runs, times = int(runs), int(times)
            for event, amount in events(what).items():
                counts[event] += runs * amount
                if event == "CONDITIONAL_BRANCHES":
                    on = times if int(following, 16) == behind else runs - times
                    counts["NOT_TAKEN_BRANCHES"] += on
                    counts["TAKEN_BRANCHES"] += runs - on
    return kernels


def without_empty(kernels):
    empty = kernels.get("empty", {})
    return {(name, event): count - empty.get(event, 0) for name, counts in kernels.items() for event, count in counts.items()
            if count != empty.get(event, 0)}


def compare(name, stepped, counted, compiler):
    """LLVM aligns loops by NOPs, which counters move."""
    keys = sorted(key for key in {*stepped, *counted} if compiler != "clang" or key[1] != "INSTRUCTIONS")
    differ = [key for key in keys if stepped.get(key, 0) != counted.get(key, 0)]
    total = collections.Counter()
    for (_, event), count in stepped.items():
        total[event] += count
    print(f"{name}: {len(keys)} values, {len(differ)} differ; {total['INSTRUCTIONS']} instructions, {total['DP_OPS']} operations in double "
          f"and {total['SP_OPS']} in single precision"
          + (f" and {total['HP_OPS']} in half" if total["HP_OPS"] else ""))
    for key in differ[:20]:
        print(f"  {key}: {counted.get(key, 0)}, not {stepped.get(key, 0)}")
    return not differ and total["INSTRUCTIONS"] > 1000 and total["FP_OPS"] > 100


def roofline(text, kernels):
    """Ten rounds or passes: what MANY of roofline.c does more than FEW."""
    good = True
    claims = re.findall(r"#%claim (\S+) bits (\d+) operations (\d+)(?: read (\d+) written (\d+))?", text)
    for name, bits, operations, read, written in claims:
        more = kernels[name + "-11"]
        more.subtract(kernels[name + "-1"])
        lanes = int(bits) // (32 if name == "peak32" else 64)
        wanted = {"FP_OPS": 10 * int(operations), ("SP" if name == "peak32" else "DP") + "_OPS": 10 * int(operations)}
        wanted["FP_OPS"] = 10 * int(operations)
        if read:
            wanted.update({"LOADS": 10 * int(read) // lanes, "STORES": 10 * int(written) // lanes})
        else:
            wanted.update({"LOADS": 0, "STORES": 0, "FMA_INSTRUCTIONS": 10 * int(operations) // (2 * lanes)})
        found = {event: more[event] for event in wanted}
        print(f"papi_roofline {name}, {bits} bits: {found}")
        good = good and found == wanted and bits == "512"
    if len(claims) != 7:
        print(f"papi_roofline: {len(claims)} kernels of AVX-512, not 7")
    return good and len(claims) == 7


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--kernel")
    parser.add_argument("--here", action="store_true")
    parser.add_argument("programs", nargs="*", help="some of the programs")
    options = parser.parse_args()
    kind = Here if options.here else Bench
    wanted = options.programs or [*kind.programs, "roofline"]
    try:
        bench = kind(options)
        bench.programs = {name: program for name, program in kind.programs.items() if name in wanted}
        bench.compile()
        bench.image(wanted)
        bench.boot()
        results = bench.results()
        good = []
        for name in [name for name in wanted if name in bench.programs]:
            stepped = without_empty(stepped_values(results[name], bench.disassemble(name)))
            good.append(compare(name, stepped, counted_values(results[name + ".counted"]), bench.programs[name][0]))
        if "roofline" in wanted:
            good.append(roofline(results["roofline"], stepped_values(results["roofline"], bench.disassemble("roofline"))))
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIPPED
    except (Failure, Unknown) as failure:
        print(f"FAIL: {type(failure).__name__}: {failure}")
        return 1
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
