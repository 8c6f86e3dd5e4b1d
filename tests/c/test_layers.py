#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The arrows between the rooms of the design point down only, as docs/internals.md draws them, and state lives in two places.

  test_layers.py includes ROOT [BUILD]    reads every #include line
  test_layers.py state NM LIBRARY         reads the symbols of the library
  test_layers.py sizes ROOT               counts the lines of each component of devices
  test_layers.py self-test                all find what they are for
"""
import os
import re
import subprocess
import sys
import tempfile

# The rooms of libpapi from the bottom up: a file sees its own room and those of a smaller number.
RANKS = {"base": 0, "hardware": 1, "formats": 2, "components": 3, "events": 4, "core": 5, "api": 6}
# The programs, and the parts of the library that are written against papi.h: each sees the public headers, its own
# room, and what is there for all of them.
WRAPPERS = "mpi-wrappers"
OUTSIDE = ["src-c/highlevel", "src-c/metrics", "src-c/tools", "src-c/profile", "src-c/roofline", "src-c/why", "src-c/gate", "src-c/counted",
           "src-c/emulator", "src-c/preload", "src-c/activity", "src-c/sde", "src-fortran", "fpapi", WRAPPERS, "presets/checker", "web"]
FOR_ALL = ("src-c/base/", "src-c/formats/", "src-c/metrics/metrics.h", "src-c/tools/common/", "web/")
# What some see besides; docs/internals.md says why.
SHARE_OF_COUNTED = {"src-c/components/counted/uncounted_share.h"}
MORE = {
    "src-c/highlevel": {"src-c/api/client.h"} | SHARE_OF_COUNTED,
    "src-c/counted": {"src-c/components/counted/counted_modules.h"} | SHARE_OF_COUNTED,
    "src-c/profile": {"src-c/events/natives.h", "src-c/components/perf_event/precise_processor.h", "src-c/components/perf_event/sys.h"},
    "src-c/gate": {"src-c/profile/routine_names.h", "src-c/profile/code.h", "src-c/profile/loops/step.h", "src-c/profile/loops/dependence.h"},
    "src-c/activity": {"src-c/components/device/device_library.h", "src-c/components/device/device_places.h",
                       "src-c/components/device/rocprofiler.h", "src-c/components/device/level_zero.h"},
    "src-c/why": {"src-c/profile/symbols/symbols.h"},
    "presets/checker": {"src-c/events/presets.h", "src-c/events/rule.h"},
    WRAPPERS: {"src-c/profile/symbols/symbols.h"} | SHARE_OF_COUNTED,
}
# The library and what is written against papi.h alone are not for terminals.
WITHOUT_TOOLS = {"src-c/highlevel", "src-c/metrics", "src-c/preload", "src-c/activity", "src-c/sde", "src-fortran", "fpapi"}
# Rooms within programs: each sees what its program has at the top, and the rooms that are named.
PARTS = {
    "src-c/counted": {"assembler": set(), "driver": set(), "weigher": set(), "runtime": set(), "share": set(), "totals": set()},
    "src-c/emulator": {"launcher": set(), "plugin": set()},
    "src-c/tools": {"common": set(), "events": {"common"}, "machine": {"common"}, "costs": {"common"},
                    "doctor": {"common"}, "site": {"common", "events"}, "completion": set()},
    "src-c/profile": {"symbols": set()},
    # A record, the settings, the names of calls and how MPI is reached are at the bottom. On one side stands what
    # there is while the program runs, a rank and its calls; on the other what is made of records afterwards, a job
    # and its report. entry alone knows both.
    WRAPPERS: {"record": set(), "rank": {"record"}, "calls": {"record", "rank"}, "job": {"record"}, "page": set(),
               "report": {"record", "job", "page"}, "entry": {"record", "rank", "calls", "job", "report"}},
}
# Where mpi.h itself may be named: everyone else has MPI's functions looked up, by mpi/mpi_now.h.
NAMES_MPI_H = {"mpi-wrappers/entry/nodes_mpi.c"}
PUBLIC = {"src-c/include/papi.h", "src-c/include/papiStdEventDefs.h", "src-c/include/papi_bench.h", "src-c/sde/sde_lib.h"}
# Made by the build where there is an MPI, and of no room's business elsewhere.
MADE_WITH_MPI = {"mpi/mpi_now.h"}
SUFFIXES = (".c", ".h", ".inc", ".def", ".F", ".F90")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Where mutable state may be: the one struct papi_library and the thread-local struct papi_thread, with what finds it.
STATE = {"papi_library", "papi_thread_pointer", "papi_last_slot"}
# Components of devices' vendors are small, because device_*.c has what they have in common. Each: the beginnings of its files' names.
DEVICES = "src-c/components/device"
COMMON = ("device_",)
OF_DEVICES = {"amd_smi": ("amd_smi",), "cuda": ("cuda",), "intel_gpu": ("intel_gpu", "intel_library", "intel_counting"), "intel_smi": ("intel_smi",),
              "lmsensors": ("lmsensors",), "nvml": ("nvml",), "pcp": ("pcp",), "rocm_smi": ("rocm_smi",), "rocp_sdk": ("rocp_",)}
MOST_LINES = 600
FROM_COMPILERS = re.compile(r"^(\.L|__asan|__odr_asan|__sanitizer|__gcov|__ubsan|_sub_|__TMC_END__$|__cpu_(model|features2)$|"
                            r"__dso_handle$|completed\.0$)")



def sources(root):
    for top in ["src-c"] + [folder for folder in OUTSIDE if not folder.startswith("src-c/")]:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def resolve(root, path, target):
    """The included file's path from the root, or None where it is not in the tree."""
    for base in (os.path.dirname(path), "src-c", "src-c/include", "mpi-wrappers", "src-c/sde", "."):
        candidate = os.path.normpath(os.path.join(base, target))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def part(path):
    """(program, its room) of a file, (program, None) of one at its top, or (None, None)."""
    for program, rooms in PARTS.items():
        if path.startswith(program + "/"):
            rest = path[len(program) + 1:].split("/")
            return program, rest[0] if len(rest) > 1 and rest[0] in rooms else None
    return None, None


def room(path):
    """('outside', folder), ('rank', number) or ('public', None)."""
    for folder in OUTSIDE:
        if path.startswith(folder + "/"):
            known = folder != WRAPPERS or part(path)[1]
            return ("outside", folder) if known else ("unknown", None)
    if path.startswith("src-c/include/"):
        return "public", None
    parts = path.split("/")
    if parts[0] == "src-c" and len(parts) > 2 and parts[1] in RANKS:
        return "rank", RANKS[parts[1]]
    return "unknown", None


def component(path):
    """The folder of one component, or None: files beside the folders belong to all of them."""
    parts = path.split("/")
    return parts[2] if parts[:2] == ["src-c", "components"] and len(parts) > 3 else None


def complaint_outside(path, where, target):
    program, own = part(path)
    other_program, other = part(target)
    if program and program == other_program:
        seen = other in {own, None} | PARTS[program].get(own, set()) or own is None
        return None if seen else f"{own} does not see {other}"
    if target.startswith(where + "/") or target in MORE.get(where, ()):
        return None
    if target.startswith(FOR_ALL) and not (where in WITHOUT_TOOLS and target.startswith("src-c/tools/")):
        return None
    return "sees papi.h alone"


def complaint(path, target):
    kind, where = room(path)
    if kind == "unknown":
        return "is in no room of the design"
    if target in PUBLIC:
        return None
    if kind == "public":
        return "the public headers include none of the project's"
    if kind == "outside":
        return complaint_outside(path, where, target)
    other, rank = room(target)
    if other != "rank" or rank > where:
        return "looks up"
    # The table of components names them all; otherwise nobody sees into one but itself.
    registry = path.startswith("src-c/components/") and component(path) is None
    if component(target) and component(path) != component(target) and not registry:
        return "looks into a component"
    return None


def generated(build, target):
    return build and any(os.path.basename(target) in names for _, _, names in os.walk(build))


def check_includes(root, build=None):
    problems, files = [], 0
    for path in sources(root):
        files += 1
        if room(path)[0] == "unknown":
            problems.append(f"{path}: {complaint(path, path)}")
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as text:
            for number, line in enumerate(text, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = resolve(root, path, match[2])
                if path.startswith(WRAPPERS) and match[2] == "mpi.h" and path not in NAMES_MPI_H:
                    problems.append(f"{path}:{number}: names mpi.h, not mpi/mpi_now.h")
                if target is None and path.startswith(WRAPPERS) and part(f"{WRAPPERS}/{match[2]}")[1] \
                        and generated(build, match[2]):
                    target = f"{WRAPPERS}/{match[2]}"  # made by the build, for the room that it is called by
                if target is None:
                    # The system's, another library's, or made by the build: no room to look into.
                    if match[1] == '"' and match[2] not in MADE_WITH_MPI and not generated(build, match[2]):
                        problems.append(f"{path}:{number}: {match[2]} is not in the tree")
                    continue
                why = complaint(path, target)
                if why:
                    problems.append(f"{path}:{number}: {why}: {match[2]}")
    if files == 0:
        problems.append("no source file was read")
    return problems


def check_drawing(root):
    """docs/internals.md has the library's rooms in this order, the arrows of mpi-wrappers, what is seen besides, and
    every room that there is."""
    with open(os.path.join(root, "docs/internals.md"), encoding="utf-8") as opened:
        text = opened.read()
    problems = []
    drawn = re.findall(r"^   \|  (\w+)/ ", text, re.M)
    if drawn != sorted(RANKS, key=RANKS.get, reverse=True):
        problems.append(f"docs/internals.md draws the library as {drawn}")
    arrows = {name: set(seen.split()) for name, seen in re.findall(r"^ (\w+) +->((?: \w+)*)(?:  .*)?$", text, re.M)}
    if arrows != PARTS[WRAPPERS]:
        problems.append(f"docs/internals.md draws the rooms of {WRAPPERS} as {arrows}")
    table = text[text.index("What else is seen"):text.index("The test `layers.includes`")]
    rows = [[re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:3]] for row in table.splitlines() if row.startswith("| `")]
    more = {}
    for rooms, headers in rows:
        for name in rooms:
            more.setdefault(name, set()).update(os.path.basename(header) for header in headers)
    if more != {name: {os.path.basename(header) for header in headers} for name, headers in MORE.items()}:
        problems.append(f"docs/internals.md says that these are seen besides: {more}")
    for top in ("src-c", WRAPPERS):
        for name in sorted(os.listdir(os.path.join(root, top))):
            if os.path.isdir(os.path.join(root, top, name)) and not re.search(rf"\b{name}\b", text):
                problems.append(f"docs/internals.md does not name {top}/{name}")
    return problems


def mutable_symbols(nm, path):
    """Names in writable sections. Constant tables that need relocation are in .data.rel.ro."""
    table = subprocess.run([nm, "-f", "sysv", path], check=True, capture_output=True, text=True).stdout
    for line in table.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 7 or FROM_COMPILERS.match(fields[0]):
            continue
        name, section = fields[0], fields[6]
        common = fields[2] == "C"
        if common or (re.match(r"\.t?(data|bss)", section) and not section.startswith(".data.rel.ro")):
            if fields[3] not in ("SECTION", "FILE"):
                yield name


def check_state(nm, library):
    """Of the whole library: objects that are optimised when it is linked do not say what is in them."""
    found = set(mutable_symbols(nm, library))
    return ([f"{library}: mutable state outside core/library.c and core/thread.c: {name}" for name in sorted(found - STATE)] +
            [f"{library}: {name} is not there: is it stripped?" for name in sorted(STATE - found)])


def check_sizes(root):
    """The lines of each component's .c files: headers there declare what the vendor's library has."""
    lines, problems = dict.fromkeys(OF_DEVICES, 0), []
    for name in sorted(os.listdir(os.path.join(root, DEVICES))):
        if not name.endswith(".c") or name.startswith(COMMON):
            continue
        owners = [component for component, begins in OF_DEVICES.items() if name.startswith(begins)]
        if len(owners) != 1:
            problems.append(f"{DEVICES}/{name}: is of {' and '.join(owners) or 'no component'} by its name")
            continue
        with open(os.path.join(root, DEVICES, name), encoding="utf-8") as text:
            lines[owners[0]] += sum(1 for _ in text)
    for component, n in lines.items():
        if n == 0:
            problems.append(f"{DEVICES}: there is no {component}")
        if n > MOST_LINES:
            problems.append(f"{component}: {n} lines of C, and at most {MOST_LINES}: what all vendors need is in {DEVICES}/device_*.c")
    return problems


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as out:
        out.write(text)
    return full


def self_test():
    with tempfile.TemporaryDirectory() as root:
        for header in ("include/papi.h", "base/b.h", "core/c.h", "api/a.h", "components/x/x.h", "formats/f.h",
                       "components/component.h", "highlevel/h.h", "events/presets.h", "events/native.h",
                       "tools/common/t.h", "tools/doctor/d.h", "counted/complain.h", "counted/driver/d.h"):
            write(root, "src-c/" + header, "")
        for room_of_mpi in PARTS[WRAPPERS]:
            write(root, f"mpi-wrappers/{room_of_mpi}/{room_of_mpi}.h", "")
        good = {
            "src-c/core/good.c": '#include "core/c.h"\n#include "../base/b.h"\n#include <stdio.h>\n',
            "src-c/components/list.c": '#include "components/x/x.h"\n#include "papi.h"\n',
            "src-c/components/y/y.c": '#include "components/component.h"\n#include "formats/f.h"\n',
            "src-c/highlevel/h.c": '#include "h.h"\n#include "papi.h"\n',
            "src-c/counted/driver/d.c": '#include "counted/complain.h"\n#include "d.h"\n#include "tools/common/t.h"\n',
            "src-c/tools/doctor/d.c": '#include "tools/common/t.h"\n#include "base/b.h"\n#include "formats/f.h"\n',
            "presets/checker/c.c": '#include "events/presets.h"\n#include "papi.h"\n',
            "mpi-wrappers/calls/c.c": '#include "rank/rank.h"\n#include "mpi/mpi_now.h"\n#include "calls/calls.h"\n',
            "mpi-wrappers/entry/e.c": '#include "rank/rank.h"\n#include "report/report.h"\n',
            "mpi-wrappers/entry/nodes_mpi.c": '#include <mpi.h>\n',
        }
        bad = {
            "src-c/base/up.c": '#include "core/c.h"\n',
            "src-c/core/up.c": '  # include <api/a.h>\n',
            "src-c/core/in.c": '#include "components/x/x.h"\n',
            "src-c/core/tool.c": '#include "tools/common/t.h"\n',
            "src-c/components/y/side.c": '#include "../x/x.h"\n',
            "src-c/highlevel/in.c": '#include "../core/c.h"\n',
            "src-c/highlevel/tool.c": '#include "tools/common/t.h"\n',
            "src-c/tools/common/up.c": '#include "tools/doctor/d.h"\n',
            "src-c/tools/events/side.c": '#include "tools/doctor/d.h"\n',
            "src-c/counted/weigher/side.c": '#include "counted/driver/d.h"\n',
            "fpapi/in.c": '#include "core/c.h"\n',
            "src-c/api/lost.c": '#include "nowhere.h"\n',
            "src-c/attic/x.c": "\n",
            "presets/checker/in.c": '#include "events/native.h"\n',
            "mpi-wrappers/record/up.c": '#include "rank/rank.h"\n',
            "mpi-wrappers/rank/across.c": '#include "job/job.h"\n',
            "mpi-wrappers/job/across.c": '#include "rank/rank.h"\n',
            "mpi-wrappers/job/up.c": '#include "report/report.h"\n',
            "mpi-wrappers/calls/up.c": '#include "entry/entry.h"\n',
            "mpi-wrappers/calls/past.c": '#include <mpi.h>\n',
            "mpi-wrappers/job/in.c": '#include "core/c.h"\n',
            "mpi-wrappers/lost.c": "\n",
        }
        for path, text in {**good, **bad}.items():
            write(root, path, text)
        found = {problem.split(":")[0] for problem in check_includes(root)}
        if found != set(bad):
            return [f"found {sorted(found)}, not {sorted(bad)}"]
        for component, begins in OF_DEVICES.items():
            write(root, f"{DEVICES}/{begins[0]}.c", "\n" * MOST_LINES)
        write(root, f"{DEVICES}/device_any.c", "\n" * 9999)
        if check_sizes(root):
            return [f"sizes found: {check_sizes(root)}"]
        for path in ("nvml_more.c", "cuda_more.c", "nobodys.c"):
            write(root, f"{DEVICES}/{path}", "\n")
        if len(check_sizes(root)) != 3:
            return [f"sizes found: {check_sizes(root)}"]
        compiler = os.environ.get("CC", "cc")
        code = "static int kept; int f(void); int f(void) { return ++kept; }\n" \
               "extern const char *const names[]; const char *const names[] = {\"a\"};\n"
        source, target = write(root, "s.c", code), os.path.join(root, "s.o")
        subprocess.run([compiler, "-fPIC", "-c", source, "-o", target], check=True)
        names = list(mutable_symbols("nm", target))
        return [] if names == ["kept"] else [f"state found: {names}"]


def main(arguments):
    if arguments[:1] == ["includes"]:
        problems = check_includes(*arguments[1:3]) + check_drawing(arguments[1])
    elif arguments[:1] == ["sizes"]:
        problems = check_sizes(arguments[1])
    elif arguments[:1] == ["state"]:
        problems = check_state(*arguments[1:3])
    else:
        problems = self_test()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
