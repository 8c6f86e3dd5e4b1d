#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The arrows between the rooms of the design point down only, and state lives in two places.

  test_layers.py includes ROOT [BUILD]    reads every #include line
  test_layers.py state NM LIBRARY         reads the symbols of the library
  test_layers.py self-test                both find what they are for
"""
import os
import re
import subprocess
import sys
import tempfile

# The rooms of src-c from the bottom up: a file sees its own room and those of a smaller number.
RANKS = {"base": 0, "hardware": 1, "components": 2, "events": 3, "core": 4, "api": 5}
# These see the public header and their own folder.
LAUNCHER = "src-c/components/emulated/launcher"
# What builds counted programs: tools, of which each sees the format, what they complain by, and itself. The weigher takes the emulator's
# classification: what an instruction is and does is decided in one place.
COUNTED = "src-c/components/counted/"
ASSEMBLER, DRIVER, RUNTIME, SHARE, WEIGHER = (
    COUNTED + name for name in ("assembler", "driver", "runtime", "share", "weigher"))
WRAPPERS = "mpi-wrappers"
CHECKER = "presets/checker"
# libsde is a library of its own; the component sde and it know one structure.
SDE = "sde"
METRICS = "src-c/metrics"
OUTSIDE = ["src-c/highlevel", METRICS, "src-c/utils", "src-fortran", "fpapi", WRAPPERS, CHECKER, LAUNCHER, SDE,
           ASSEMBLER, DRIVER, RUNTIME, SHARE, WEIGHER]
# The rooms of the MPI wrappers, and which others each of them sees. A record, the settings and the names of calls
# are at the bottom, and how MPI is reached. On one side stands what there is while the program runs, a rank and
# its calls; on the other what is made of records afterwards, a job and its report. entry alone knows both.
WRAPPER_ROOMS = {
    "record": set(),
    "mpi": set(),
    "rank": {"record"},
    "calls": {"record", "mpi", "rank"},
    "job": {"record", "mpi"},
    "page": set(),
    "report": {"record", "job", "page"},
    "entry": {"record", "mpi", "rank", "calls", "job", "report"},
    "nodes": set(),
}
# Where mpi.h itself may be named: everyone else has MPI's functions looked up, by mpi/mpi_now.h.
NAME_MPI_H = {"mpi", "nodes"}
# papi_emulate is a tool and the other end of a component: it sees what that has for it.
EMULATED = "src-c/components/emulated/"
# Counted builds have the emulator's events, by the same names.
EVENTS_OF_BOTH = {EMULATED + "events.def"}
# The high-level interface keeps its state in the library's, and writes JSON as the tools do.
# Metrics by name are in the library, and in the tools and reports that show them.
BY_NAME = {METRICS + "/metrics.h"}
MORE = {"src-c/highlevel": {"src-c/api/client.h", "src-c/base/json.h", "src-c/base/reason.h", "src-c/base/visible.h",
                            "src-c/base/trust.h",
                            # Beside what a counted program counts stands what it does not see.
                            COUNTED + "advice.h", COUNTED + "sampler.h"} | BY_NAME,
        METRICS: {"src-c/base/reason.h", "src-c/events/csv.h", "src-c/events/text_file.h"},
        "src-c/utils": {"src-c/base/input.h", "src-c/base/whole.h", "src-c/base/trust.h", "src-c/base/output.h", "src-c/base/json.h", "src-c/base/sysroot.h", "src-c/base/visible.h", "src-c/base/options.h",
                        "mpi-wrappers/nodes/nodes.h", "sde/sde_lib.h",
                        # papi_profile finds events as the library does, and explains a kernel's refusal.
                        "src-c/events/source.h", "src-c/components/perf_event/sys.h", "src-c/base/reason.h",
                        "src-c/base/times_file.h", "mpi-wrappers/page/page.h",
                        # ... and says what instructions do as the emulator does.
                        EMULATED + "plugin/classify.h",
                        EMULATED + "shared.h", EMULATED + "events.def"} | BY_NAME,
        SDE: {"src-c/components/sde/shared.h", "src-c/components/sde/value.h", "src-c/base/lock.h", "src-c/base/whole.h"},
        WRAPPERS: {"src-c/base/input.h", "src-c/base/output.h", "src-c/base/json.h", "src-c/base/visible.h", "src-c/base/options.h", "src-c/base/trust.h",
                   "src-c/utils/terminal.h", "src-c/base/reason.h", "src-c/base/sysroot.h",
                   # Beside what counted ranks count stands what that does not see.
                   COUNTED + "advice.h", COUNTED + "sampler.h",
                   # The library that finds what is at an address is opened, and shared with papi_profile.
                   "src-c/utils/profile/symbols/symbols.h"} | BY_NAME,
        # It has the library's reader take the tables, and knows the emulator's events by name.
        CHECKER: {"src-c/events/csv.h", "src-c/events/presets.h", "src-c/events/rule.h", EMULATED + "events.def",
                  "src-c/base/options.h"},
        ASSEMBLER: {COUNTED + "format.h", COUNTED + "complain.h"},
        DRIVER: {COUNTED + "complain.h", "src-c/base/options.h"},
        RUNTIME: {COUNTED + "format.h"},
        SHARE: {COUNTED + "sampler.h"},
        WEIGHER: {COUNTED + "format.h", COUNTED + "complain.h", EMULATED + "plugin/classify.h"},
        LAUNCHER: {EMULATED + "command.h", "src-c/base/output.h", EMULATED + "shared.h", EMULATED + "events.def",
                   EMULATED + "plugin/cache.h", "src-c/base/times_file.h", "src-c/base/json.h", "src-c/base/visible.h",
                   "src-c/base/options.h", "src-c/utils/ending.h", "src-c/utils/terminal.h", "src-c/utils/text.h"}}
PUBLIC = {"src-c/include/papi.h", "src-c/include/papiStdEventDefs.h"}
# Made by the build where there is an MPI, and of no room's business elsewhere.
MADE_WITH_MPI = {"mpi/mpi_now.h"}
SUFFIXES = (".c", ".h", ".inc", ".def", ".F", ".F90")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Where mutable state may be: the one struct papi_library and the thread-local struct papi_thread, with what finds it.
STATE = {"papi_library", "papi_thread_pointer", "papi_last_slot"}
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
    for base in (os.path.dirname(path), "src-c", "src-c/include", "mpi-wrappers", SDE):
        candidate = os.path.normpath(os.path.join(base, target))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def wrapper_room(path):
    """The folder of the MPI wrappers that a file is in, or None."""
    parts = path.split("/")
    return parts[1] if parts[0] == WRAPPERS and len(parts) == 3 and parts[1] in WRAPPER_ROOMS else None


def room(path):
    """('outside', folder), ('rank', number) or ('public', None)."""
    for folder in OUTSIDE:
        if path.startswith(folder + "/"):
            return ("outside", folder) if folder != WRAPPERS or wrapper_room(path) else ("unknown", None)
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


def complaint(path, target):
    kind, where = room(path)
    if kind == "unknown":
        return "is in no room of the design"
    if target in PUBLIC:
        return None
    if kind == "public":
        return "the public headers include none of the project's"
    if kind == "outside":
        own, other = wrapper_room(path), wrapper_room(target)
        if own and other:
            return None if other == own or other in WRAPPER_ROOMS[own] else f"{own} does not see {other}"
        seen = target.startswith(where + "/") or target in MORE.get(where, ())
        return None if seen else "sees papi.h alone"
    other, rank = room(target)
    if other != "rank" or rank > where:
        return "looks up"
    # The table of components names them all; otherwise nobody sees into one but itself.
    registry = path.startswith("src-c/components/") and component(path) is None
    if target in EVENTS_OF_BOTH and component(path) == "counted":
        return None
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
                if wrapper_room(path) and match[2] == "mpi.h" and wrapper_room(path) not in NAME_MPI_H:
                    problems.append(f"{path}:{number}: names mpi.h, not mpi/mpi_now.h")
                if target is None and wrapper_room(path) and wrapper_room(f"{WRAPPERS}/{match[2]}") \
                        and (match[2] in MADE_WITH_MPI or generated(build, match[2])):
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


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as out:
        out.write(text)
    return full


def self_test():
    with tempfile.TemporaryDirectory() as root:
        for header in ("include/papi.h", "base/b.h", "core/c.h", "api/a.h", "components/x/x.h",
                       "components/component.h", "highlevel/h.h", "events/csv.h", "events/native.h"):
            write(root, "src-c/" + header, "")
        for room_of_mpi in WRAPPER_ROOMS:
            write(root, f"mpi-wrappers/{room_of_mpi}/{room_of_mpi}.h", "")
        good = {
            "src-c/core/good.c": '#include "core/c.h"\n#include "../base/b.h"\n#include <stdio.h>\n',
            "src-c/components/list.c": '#include "components/x/x.h"\n#include "papi.h"\n',
            "src-c/components/y/y.c": '#include "components/component.h"\n',
            "src-c/highlevel/h.c": '#include "h.h"\n#include "papi.h"\n',
            "presets/checker/c.c": '#include "events/csv.h"\n#include "papi.h"\n',
            "mpi-wrappers/calls/c.c": '#include "rank/rank.h"\n#include "mpi/mpi_now.h"\n#include "calls/calls.h"\n',
            "mpi-wrappers/entry/e.c": '#include "rank/rank.h"\n#include "report/report.h"\n',
            "mpi-wrappers/nodes/n.c": '#include <mpi.h>\n',
        }
        bad = {
            "src-c/base/up.c": '#include "core/c.h"\n',
            "src-c/core/up.c": '  # include <api/a.h>\n',
            "src-c/core/in.c": '#include "components/x/x.h"\n',
            "src-c/components/y/side.c": '#include "../x/x.h"\n',
            "src-c/highlevel/in.c": '#include "../core/c.h"\n',
            "fpapi/in.c": '#include "base/b.h"\n',
            "src-c/api/lost.c": '#include "nowhere.h"\n',
            "src-c/attic/x.c": "\n",
            "presets/checker/in.c": '#include "events/native.h"\n',
            "mpi-wrappers/record/up.c": '#include "rank/rank.h"\n',
            "mpi-wrappers/rank/across.c": '#include "job/job.h"\n',
            "mpi-wrappers/job/across.c": '#include "rank/rank.h"\n',
            "mpi-wrappers/job/up.c": '#include "report/report.h"\n',
            "mpi-wrappers/calls/up.c": '#include "entry/entry.h"\n',
            "mpi-wrappers/rank/calls_mpi.c": '#include "mpi/mpi_now.h"\n',
            "mpi-wrappers/calls/past.c": '#include <mpi.h>\n',
            "mpi-wrappers/job/in.c": '#include "base/b.h"\n',
            "mpi-wrappers/lost.c": "\n",
        }
        for path, text in {**good, **bad}.items():
            write(root, path, text)
        found = {problem.split(":")[0] for problem in check_includes(root)}
        if found != set(bad):
            return [f"found {sorted(found)}, not {sorted(bad)}"]
        compiler = os.environ.get("CC", "cc")
        code = "static int kept; int f(void); int f(void) { return ++kept; }\n" \
               "extern const char *const names[]; const char *const names[] = {\"a\"};\n"
        source, target = write(root, "s.c", code), os.path.join(root, "s.o")
        subprocess.run([compiler, "-fPIC", "-c", source, "-o", target], check=True)
        names = list(mutable_symbols("nm", target))
        return [] if names == ["kept"] else [f"state found: {names}"]


def main(arguments):
    if arguments[:1] == ["includes"]:
        problems = check_includes(*arguments[1:3])
    elif arguments[:1] == ["state"]:
        problems = check_state(*arguments[1:3])
    else:
        problems = self_test()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
