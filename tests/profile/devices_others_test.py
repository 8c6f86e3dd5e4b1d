#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""devices_others_test.py CASE SETTINGS.json: papi_profile --devices on programs whose devices of AMD and Intel, and of several
vendors at once, are played by stand-ins (tests/activity), to the nanosecond. Without a case: lists them. Status: 0, 1 for a
difference, 77 for skipped."""
import os
import re
import sys

import devices_test
import profile_test
from devices_test import is_row, rows_of
from profile_test import SETTINGS, check, compile_program, show

SOURCE = "devices_others.c"
INTEL = "[device 0: Stand-in A, 0000:3b:00.0]"
INTEL_2 = "[device 1: Stand-in B, 0000:3c:00.0]"
LIBRARIES = {"AMD": ("amd", ["-l:librocprofiler-sdk.so.1"]), "INTEL": ("intel", ["-l:libze_loader.so.1"]),
             "NVIDIA": ("doubles", ["-lcupti", "-lcuda"])}


def line(word):
    return devices_test.source_line(SOURCE, word, SOURCE)


def build(*vendors, looked_up=False):
    flags = []
    for vendor in vendors:
        folder, libraries = LIBRARIES[vendor]
        flags += [f"-DWITH_{vendor}", f"-L{SETTINGS[folder]}", f"-Wl,-rpath,{SETTINGS[folder]}"]
        if vendor != "INTEL" or not looked_up:
            flags += ["-Wl,--no-as-needed", *libraries]
    name = "devices_" + "_".join(vendors).lower()
    return compile_program(name, SOURCE, "-O1", "-g", "-fno-inline", "-D_GNU_SOURCE", "-I", SETTINGS["double_headers"],
                           *(["-DLOOKED_UP"] if looked_up else []), *flags, "-pthread", "-ldl")


def folders(intel="intel"):
    """Where the libraries are, by the loader's variable, and those that stand for devices of AMD and Intel."""
    return {"LD_LIBRARY_PATH": ":".join([SETTINGS["amd"], SETTINGS["doubles"], SETTINGS[intel]]),
            "PAPI_INTEL_GPU_ROOT": os.path.dirname(SETTINGS[intel]), "PAPI_ROCM_ROOT": os.path.dirname(SETTINGS["amd"])}


def profile(*words, environment=None, **more):
    return profile_test.profile("--devices", *words, environment={**folders(), **(environment or {})}, **more)


def words_of(done):
    return " ".join(done.stderr.split())


AMD_WHOLE = 3 * 1000 + 1500 + 7000 + 2000 + 1000 + 20 * 10


def check_amd(rows):
    is_row(rows, "saxpy(float*, int)", line("amd first"), 3, 4500, 1000, 2000, device="[device 0]")
    is_row(rows, "saxpy(float*, int)", line("amd second"), 1, 7000, 7000, 7000, device="[device 0]")
    is_row(rows, "(copy to the device)", line("amd in"), 1, 2000, 2000, 2000, 8000, "[device 1]")
    is_row(rows, "(copy to the host)", line("amd out"), 1, 1000, 1000, 1000, 3000, "[device 1]")
    is_row(rows, "threaded", line("amd thread"), 20, 200, 10, 10, device="[device 0]")
    return 5


INTEL_WHOLE = 3 * 100 + 150 + 700 + 2000 + 1000 + 50 + 4 * 30 + 6 + 20 * 10


def check_intel(rows):
    is_row(rows, "typeinfo name for copy", line("intel first"), 3, 450, 100, 200, device=INTEL)
    is_row(rows, "typeinfo name for copy", line("intel second"), 1, 700, 700, 700, device=INTEL)
    is_row(rows, "(copy to the device)", line("intel in"), 1, 2000, 2000, 2000, 8000, INTEL_2)
    is_row(rows, "(copy to the host)", line("intel out"), 1, 1000, 1000, 1000, 3000, INTEL_2)
    is_row(rows, "(memory set)", line("intel set"), 1, 50, 50, 50, 64, INTEL)
    # a list is noted where the kernel is put into it, and runs four times
    is_row(rows, "listed", line("intel list"), 4, 126, 30, 33, device=INTEL)
    is_row(rows, "threaded", line("intel thread"), 20, 200, 10, 10, device=INTEL)
    return 7


NVIDIA_WHOLE = 40 + 50


def check_nvidia(rows):
    is_row(rows, "saxpy(float*, int)", line("nvidia first"), 1, 40, 40, 40)
    is_row(rows, "dot", line("nvidia second"), 1, 50, 50, 50)
    return 2


def check_whole(found, whole, checks, processes=1):
    rows = rows_of(found)
    n = sum(each(rows) for each in checks)
    check(len(rows) == n, found["device_work"])
    check(found["events"][-1]["name"] == "device time" and found["events"][-1]["sum"] == whole, found["events"])
    want = {"processes": processes, "unended": 0, "dropped": 0, "unfinished": 0, "reason": None}
    check(found["devices"] == want, found["devices"])


def case_amd():
    """AMD's devices: lines, copies of both directions, threads."""
    found, done = profile(build("AMD"))
    check_whole(found, AMD_WHOLE, [check_amd])
    check(f"saxpy(float*, int)  {SOURCE}:{line('amd first')}" in done.stderr, done.stderr)
    routines = {routine["name"]: routine for routine in found["routines"]}
    check(routines["amd"]["total"][1] == AMD_WHOLE - 200, routines["amd"])
    check(not any("rocprofiler" in routine["object"] and routine["total"][1] for routine in found["routines"]), found["routines"])


def case_intel():
    """Intel's: the same, and a list that runs several times; the driver started by each of its two calls."""
    program = build("INTEL")
    for what in ("all", "drivers"):
        found, done = profile(program, what)
        check_whole(found, INTEL_WHOLE, [check_intel])
    check(f"listed  {SOURCE}:{line('intel list')}" in done.stderr, done.stderr)


def case_looked_up():
    """The same where the program loads Level Zero's loader itself, and looks its functions up."""
    program = build("INTEL", looked_up=True)
    for what in ("all", "drivers"):
        check_whole(profile(program, what)[0], INTEL_WHOLE, [check_intel])


def case_several():
    """Devices of several vendors in one process, whose calls are numbered alike."""
    found, _ = profile(build("NVIDIA", "AMD", "INTEL"))
    check_whole(found, NVIDIA_WHOLE + AMD_WHOLE + INTEL_WHOLE, [check_nvidia, check_amd, check_intel])
    found, _ = profile(build("AMD", "INTEL", looked_up=True))
    check_whole(found, AMD_WHOLE + INTEL_WHOLE, [check_amd, check_intel])


def case_forks():
    """A process that forks before it uses devices, and one that is another program before, has its own notes; after it, none."""
    program = build("AMD", "INTEL")
    found, _ = profile(program, "exec")
    check_whole(found, AMD_WHOLE + INTEL_WHOLE, [check_amd, check_intel])
    found, _ = profile(program, "after")
    check_whole(found, AMD_WHOLE + INTEL_WHOLE, [check_amd, check_intel])
    found, _ = profile(program, "fork")
    check(found["devices"]["processes"] == 2 and found["events"][-1]["sum"] == 2 * (AMD_WHOLE + INTEL_WHOLE), found["devices"])
    check(all(row["launches"] % 2 == 0 for row in found["device_work"]) and len(found["device_work"]) == 12, found["device_work"])
    found, done = profile(program, "starts")
    check(found["events"][-1]["sum"] == AMD_WHOLE + INTEL_WHOLE and found["devices"]["processes"] == 2, found["devices"])
    check("Not all devices are shown: devices of process" in words_of(done) and "the child of a process" in words_of(done), done.stderr)


def case_ends():
    """A program that ends by _exit or a signal is said to lack what came last."""
    for program in (build("AMD"), build("INTEL")):
        for what, status in (("exit", 0), ("killed", -9)):
            found, done = profile(program, what, status=status)
            check(found["devices"]["unended"] == 1 and found["devices"]["processes"] == 1, found["devices"])
            check("(by a signal, or _exit): 1 of 1" in words_of(done), done.stderr)
    # what was done seconds before is there, of devices whose names are not known yet
    found, done = profile("./devices_intel", "late", status=-9)
    rows = rows_of(found)
    is_row(rows, "listed", line("intel list"), 4, 126, 30, 33, device="[device 0]")
    is_row(rows, "late", line("intel late"), 1, 5, 5, 5, device="[device 0]")
    check(found["events"][-1]["sum"] == INTEL_WHOLE + 5 and found["devices"]["unended"] == 1, found["devices"])


def case_unknown():
    """Records of AMD's that are not as they should be are no figure; some that had no room are counted."""
    found, done = profile(build("AMD", "INTEL"), "unknown")
    check(found["device_work"] == [] and found["devices"]["unended"] == 0, found["device_work"], found["devices"])
    check("records is not known to this library" in words_of(done), done.stderr)
    found, done = profile("./devices_amd_intel", "dropped")
    check(found["devices"]["dropped"] == 2 and found["devices"]["unfinished"] == 0, found["devices"])
    check("because there was no room for them: 2" in words_of(done), done.stderr)


def case_lacking():
    """One vendor's devices that cannot be recorded are a sentence; those of another are there."""
    program = build("AMD", "INTEL")
    found, done = profile(program, environment=folders("intel_lacking"))
    rows = rows_of(found)
    check(check_amd(rows) == len(rows) and found["devices"]["unended"] == 0, found["device_work"], found["devices"])
    check("Not all devices are shown: devices of process" in words_of(done) and "zelTracerCreate" in words_of(done), done.stderr)
    found, done = profile("./devices_amd_intel", "killed", environment=folders("intel_lacking"), status=-9)
    check(found["devices"]["unended"] == 1, found["devices"])


def environment_of(*words, environment=None):
    """What a program that uses no device has in it, and in its environment."""
    found, done = profile_test.profile(*words, environment=environment or folders())
    lines = done.stdout.splitlines()
    variables = dict(each.split("=", 1) for each in lines if re.match("[A-Z_0-9]+=", each))
    return found, {os.path.basename(each) for each in lines if each.startswith("/")}, variables


def case_unused():
    """A program that uses no device has nothing of it but a library of one page or two, where a device of Intel's is shown."""
    program = build("AMD", "INTEL")
    found, libraries, variables = environment_of("--devices", program, "host")
    check(libraries == {"libpapi_level_zero.so"} and found["devices"]["processes"] == 0, libraries, found["devices"])
    check(os.path.basename(variables["LD_PRELOAD"]) == "libpapi_level_zero.so" and variables["ZE_ENABLE_TRACING_LAYER"] == "1", variables)
    check(os.path.basename(variables["ROCP_TOOL_LIBRARIES"]) == "libpapi_launches.so", variables)
    check(os.path.getsize(SETTINGS["level_zero"]) < 60000, os.path.getsize(SETTINGS["level_zero"]))
    # others who are there stay
    others = {**folders(), "ROCP_TOOL_LIBRARIES": "/a/tool.so", "LD_PRELOAD": SETTINGS["intel"] + "/libze_loader.so.1"}
    _, _, variables = environment_of("--devices", program, "host", environment=others)
    check(variables["ROCP_TOOL_LIBRARIES"].endswith("/libpapi_launches.so:/a/tool.so"), variables)
    check(variables["LD_PRELOAD"].endswith("/libpapi_level_zero.so:" + others["LD_PRELOAD"]), variables)
    # no device of Intel's, or not asked for
    os.makedirs("empty/sys/bus/pci/devices")
    none = {"LD_LIBRARY_PATH": folders()["LD_LIBRARY_PATH"], "PAPI_SYSROOT": os.path.abspath("empty")}
    _, libraries, variables = environment_of("--devices", program, "host", environment=none)
    nothing = [variables[name] for name in ("LD_PRELOAD", "ZE_ENABLE_TRACING_LAYER", "ROCP_TOOL_LIBRARIES")]
    check(not libraries and nothing == ["(none)"] * 3, libraries, variables)
    # a device that the kernel shows
    for vendor, shown in (("0x1002", "ROCP_TOOL_LIBRARIES"), ("0x8086", "LD_PRELOAD")):
        for name, words in (("class", "0x030200"), ("vendor", vendor), ("device", "0x1")):
            os.makedirs("empty/sys/bus/pci/devices/0000:3b:00.0", exist_ok=True)
            with open("empty/sys/bus/pci/devices/0000:3b:00.0/" + name, "w", encoding="utf-8") as file:
                file.write(words + "\n")
        _, _, variables = environment_of("--devices", program, "host", environment=none)
        found = [name for name in ("LD_PRELOAD", "ROCP_TOOL_LIBRARIES") if variables[name] != "(none)"]
        check(found == [shown], vendor, variables)
    _, libraries, variables = environment_of(program, "host")
    check(not libraries and set(variables.values()) == {"(none)"}, libraries, variables)


NEXT = """
#include <dlfcn.h>
#include <stdio.h>
int where(void);
#ifdef FIRST
int where(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "where");
    return next != NULL ? 10 + next() : -1;
}
#elif defined SECOND
int where(void) { return 2; }
#else
int main(void)
{
    int init = dlsym(RTLD_DEFAULT, "zeInit") != NULL, drivers = dlsym(RTLD_NEXT, "zeInitDrivers") != NULL;
    int none = dlsym(RTLD_DEFAULT, "no such function") != NULL && dlerror() == NULL;
    printf("%d %d %d %d\\n", where(), init, drivers, none);
    return where() == 12 ? 0 : 1;
}
#endif
"""


def case_next():
    """The functions that a preloaded library has beside the C library's and the loader's change nothing that others look up."""
    with open("next.c", "w", encoding="utf-8") as file:
        file.write(NEXT)
    source, shared = os.path.abspath("next.c"), ["-D_GNU_SOURCE", "-shared", "-fPIC"]
    compile_program("libsecond.so", source, *shared, "-DSECOND", "-ldl")
    compile_program("libfirst.so", source, *shared, "-DFIRST", "-ldl")
    program = compile_program("next", source, "-D_GNU_SOURCE", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-L.", "-lfirst", "-lsecond",
                              "-ldl")
    plain = profile_test.call([program])
    check(plain.returncode == 0 and plain.stdout == "12 0 0 0\n", plain)
    preloaded = profile_test.call([program], environment={"LD_PRELOAD": SETTINGS["level_zero"]})
    check(preloaded.returncode == 0 and preloaded.stdout == plain.stdout, preloaded)


LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *library = dlopen("libze_loader.so.1", RTLD_NOW);
    if (library == NULL)
        return 77;
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "zeInit");
    int drivers = dlsym(library, "zeInitDrivers") != NULL;
    printf("%x %d\\n", (unsigned)init(0), drivers);
    return 0;
}
"""


def case_loader():
    """Level Zero's own loader, where it is installed: what it answers, and has, is what the program gets."""
    with open("loader.c", "w", encoding="utf-8") as file:
        file.write(LOADER)
    program = compile_program("loader", os.path.abspath("loader.c"), "-ldl")
    plain = profile_test.call([program])
    if plain.returncode == 77:
        raise profile_test.Skipped("Level Zero's loader (libze1) is not installed")
    check(plain.returncode == 0, plain)
    preloaded = profile_test.call([program], environment={"LD_PRELOAD": SETTINGS["level_zero"], "ZE_ENABLE_TRACING_LAYER": "1"})
    check(preloaded.returncode == 0 and preloaded.stdout == plain.stdout, plain, preloaded)


def case_static():
    """A static program is sampled as before, and is said to use no device."""
    with open("static.c", "w", encoding="utf-8") as file:
        file.write("#include <time.h>\nint main(void)\n{\n    while (clock() < CLOCKS_PER_SEC / 10)\n        ;\n    return 0;\n}\n")
    program = compile_program("static", os.path.abspath("static.c"), "-static")
    found, done = profile(program)
    check(found["devices"]["processes"] == 0 and found["events"][0]["sum"] > 0 and "ld.so" not in done.stderr, done.stderr)
    check("no process of the program started the runtime of a device" in words_of(done), done.stderr)
    check("or has Level Zero's loader linked statically" in words_of(done), done.stderr)


if __name__ == "__main__":
    sys.exit(devices_test.main(globals()))
