#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/security.md names each variable that the libraries read, in which call, and what they load.

  variables_test.py SETTINGS.json CASE

Cases: asked (by secure_getenv, in the calls that the document names), named (each of the libraries' texts that is a
variable), loaded (and linked), tests (each test that the document names exists). Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIMIT = 120  # seconds
# Where the program says that it has made the call: the last line before which a variable may be read first.
CALLS = {"`PAPI_library_init`": "version", "an event's name, or a component's description": "component perf_event",
         "the machine's description": "processors", "the first counter or clock": "component perf_event",
         "a name that libpfm4 does not know": "event of a caller's file", "the first region": "region",
         # or the first list of all events
         **{f"the component `{name}`": "component net" for name in ("nvml", "cuda", "lmsensors", "pcp", "rocp_sdk", "intel_gpu")},
         "the components `amd_smi`, `rocm_smi`, on a machine with a device of AMD": "component net",
         "the component `intel_smi`, on a machine with a device of Intel": "component net"}
ROW = re.compile(r"^\| (`[A-Z].*?) \|(.*?)\|(.*?)\|", re.M)


class Skip(Exception):
    pass


class Test:
    def __init__(self, settings):
        self.settings = settings
        self.document = (pathlib.Path(settings["source"]) / "docs/security.md").read_text()
        section = re.search(r"^## The environment\n(.*?)^## ", self.document, re.M | re.S).group(1)
        # Of each variable the call that reads it.
        self.calls = {name: row.group(3).strip() for row in ROW.finditer(section)
                      for name in re.findall(r"`([A-Z][A-Z0-9_]*)`", row.group(1))}

    def run(self):
        """What the program's lines say, with what was asked between them: (label, what, name, by whom)."""
        with tempfile.TemporaryDirectory() as folder:
            program, shim = f"{folder}/program", f"{folder}/asked.so"
            here, library = pathlib.Path(__file__).parent, self.settings["library"]
            compiler = self.settings["C"]
            subprocess.run([compiler, "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", shim, here / "asked.c", "-ldl"],
                           check=True, timeout=LIMIT)
            subprocess.run([compiler, "-o", program, self.settings["object"], library,
                            "-Wl,-rpath," + os.path.dirname(library)], check=True, timeout=LIMIT)
            out = subprocess.run([program], env={"LD_PRELOAD": shim}, cwd=folder, stdout=subprocess.PIPE, check=True,
                                 universal_newlines=True, timeout=LIMIT).stdout
        waiting, found = [], []
        for line in out.splitlines():
            asked = re.match(r"(getenv|secure_getenv|dlopen) (\S+) by (\S+)$", line)
            if asked:
                waiting.append(asked.groups())
            else:
                found += [(line.split(":")[0], *each) for each in waiting]
                waiting = []
        return [each for each in found if each[3].startswith("libpapi")]


def imports(test, library):
    text = subprocess.run([test.settings["nm"], "-D", "--undefined-only", library], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True, timeout=LIMIT).stdout
    return set(re.findall(r" U (\w+)", text))


def asked(test):
    found = test.run()
    plain = {(what, name) for _, what, name, _ in found if what == "getenv"}
    assert not plain, f"read for whoever set it: {plain}"
    first = {}
    for label, what, name, _ in found:
        if what == "secure_getenv":
            first.setdefault(name, label)
    assert len(first) > 20, f"hardly anything is asked: {first}"
    wrong = {name: (label, test.calls.get(name)) for name, label in first.items()
             if CALLS.get(test.calls.get(name)) != label}
    assert not wrong, f"read before another line than docs/security.md says: {wrong}"
    # Once for the process, not at every open of a counter.
    times = [name for _, _, name, _ in found].count("PAPI_NATIVE_TIMES")
    assert times == 1, f"PAPI_NATIVE_TIMES is read {times} times"
    print(f"{len(first)} variables are read in the calls that docs/security.md names")


def named(test):
    header = "".join(path.read_text() for path in pathlib.Path(test.settings["include"]).glob("*.h"))
    interface = set(re.findall(r"\bPAPI_[A-Z0-9_]+\b", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
    missing = set()
    for library in (test.settings["library"], *(mpi["mpi_library"] for mpi in test.settings["mpi"].values())):
        texts = {text.decode() for text in re.findall(rb"(?<=\0)PAPI_[A-Z][A-Z0-9_]+(?=\0)",
                                                      pathlib.Path(library).read_bytes())}
        variables = {text for text in texts if not text.endswith("_")} - interface
        assert len(variables) > 5, f"{library} has only {variables}"
        missing |= variables - set(test.calls)
        imported = imports(test, library)
        assert "getenv" not in imported, f"{library} calls getenv"
        assert "secure_getenv" in imported, f"{library} does not call secure_getenv"
    assert not missing, f"docs/security.md lacks {sorted(missing)}"
    doctor = (pathlib.Path(test.settings["source"]) / "src-c/tools/doctor/doctor_software.c").read_text()
    known = set(re.findall(r'"(PAPI_\w+)"', re.search(r"variables\[\] = \{(.*?)\n\};", doctor, re.S)[1]))
    missing = {name for name in test.calls if name.startswith("PAPI_")} - known
    assert not missing, f"papi_doctor does not know {sorted(missing)}"


def loaded(test):
    if not test.settings["hwloc"]:
        raise Skip("no hwloc")
    libraries = {name for _, what, name, _ in test.run() if what == "dlopen"}
    of_devices = re.compile(r"(/opt/rocm/.*/)?lib(amd_smi|rocm_smi64|ze_loader)[.]so[.0-9]*$")  # where there are such devices
    libraries = {name for name in libraries if not of_devices.match(name)}
    wanted = {"libhwloc.so.15", "libpfm.so.4", "libnvidia-ml.so.1", "libcuda.so.1"}
    if os.path.isdir("/sys/class/hwmon") and os.listdir("/sys/class/hwmon"):
        wanted.add("libsensors.so.5")
    if os.path.exists("/run/pcp/pmcd.socket"):
        wanted.add("libpcp.so.3")
    assert libraries == wanted, libraries
    text = subprocess.run([test.settings["readelf"], "-d", test.settings["library"]], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True, timeout=LIMIT).stdout
    linked = set(re.findall(r"NEEDED.*\[(\w+)", text))
    assert linked <= {"libc", "libpthread", "libdl", "ld"}, linked
    starters = {name for name in imports(test, test.settings["library"])
                if re.match(r"(f?exec|posix_spawn|popen|system|v?fork)", name)}
    assert not starters, f"libpapi can start programs: {starters}"
    unnamed = {name for name in libraries if name not in test.document}
    assert not unnamed, f"docs/security.md does not name {unnamed}"


def tests(test):
    # In a folder of its own, since the log of the tests that run now is in the build's.
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "CTestTestfile.cmake").write_text(f'subdirs("{test.settings["build"]}")\n')
        listed = subprocess.run([test.settings["ctest"], "-N"], cwd=folder, stdout=subprocess.PIPE,
                                check=True, universal_newlines=True, timeout=LIMIT).stdout
    known = set(re.findall(r"Test +#\d+: (\S+)", listed))
    if not any(name.startswith("mpi.") for name in known):
        raise Skip("no MPI: its tests are not here")
    wanted = set(re.findall(r"\[((?:\w+\.)+\w+)\]", test.document))
    assert len(wanted) > 10, wanted
    # An MPI's name may follow.
    lacking = {name for name in wanted
               if not any(each == name or re.fullmatch(rf"{re.escape(name)}[._](mpich|openmpi)", each) for each in known)}
    assert not lacking, f"docs/security.md names tests that do not exist: {sorted(lacking)}"


CASES = {each.__name__: each for each in (asked, named, loaded, tests)}


def main(settings, case):
    with open(settings, encoding="utf-8") as text:
        test = Test(json.load(text))
    try:
        CASES[case](test)
    except Skip as reason:
        print(f"SKIP: {reason}")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
