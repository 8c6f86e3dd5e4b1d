#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gate_test.py SETTINGS.json CASE: papi_gate on programs before and after a change.

Counted builds count the same each time, so that every expectation is exact. Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

from gate_shared import FORTRAN_BENCHES

SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
SUM = """#include <stdio.h>
#include <stdlib.h>
double a[9000];
__attribute__((noipa)) double sum(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 1.5; /* hot */
    return s;
}
int main(int argc, char **argv)
{
    volatile double s = 0;
    static int turns;
    turns = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < turns; i++)
        s += sum(1000);
    return s != 0;
}
"""


def fail(*what):
    sys.exit("FAILED: " + " ".join(map(str, what)))


def check(truth, *what):
    if not truth:
        fail(*what)


class Place:
    """A folder with one program in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        tools = (SETTINGS["papi_profile"], SETTINGS["papi_emulate"])
        path = [str(pathlib.Path(tool).parent) for tool in tools if tool]
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.temporary), "PATH": os.pathsep.join([*path, os.environ["PATH"]])}

    def build(self, source, *flags, name="a.c", compiler="C"):
        (self.folder / name).write_text(source)
        command = [SETTINGS["papi_counted"], SETTINGS[compiler], "-g", name, *(flags or ("-O2",)), "-o", "a.out", "-pthread"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        check(done.returncode == 0, done.stderr)

    def gate(self, *words, status=0, **env):
        done = subprocess.run([SETTINGS["papi_gate"], *words], cwd=self.folder, capture_output=True, text=True, timeout=600,
                              env={**self.env, **env}, check=False)
        check(done.returncode == status, words, done.returncode, done.stdout, done.stderr)
        return done

    def result(self, name="gate.json"):
        return json.loads((self.folder / name).read_text())

    def compared(self, *words, status=0):
        return json.loads(self.gate("check", "--json", *words, status=status).stdout)


def total(result, event="INSTRUCTIONS"):
    return sum(routine["counts"].get(event, 0) for routine in result["routines"])


def failed(comparison):
    """Counts; time is estimated on some processors alone (case_time)."""
    return {change["event"] for change in comparison["changes"] if change["verdict"] == "above" and change["event"] != "ESTIMATED_TIME"}


def line_with(source, text):
    return next(i for i, line in enumerate(source.splitlines(), 1) if text in line)


def case_same(place):
    """Ten runs, each with other addresses, and one verdict."""
    place.build(SUM)
    place.gate("record", "./a.out")
    first = place.result()
    check(first["mode"] == "counted" and first["processes"] == 1, first)
    (routine,) = [r for r in first["routines"] if r["routine"] == "sum"]
    check(routine["counts"]["FP_OPS"] == 20000, routine)
    check([line["counts"].get("FP_OPS") for line in routine["lines"] if line["text"].endswith("/* hot */")] == [20000], routine)
    place.gate("record", "--runs=10", "-b", "ten.json", "./a.out")
    ten = place.result("ten.json")
    check(ten["routines"] == first["routines"] and ten["runs"] == 10, "ten runs differ")
    done = place.gate("check")
    check(re.fullmatch(r"papi_gate: no count is outside its limit; INSTRUCTIONS [\d,]+ \(same\)(, estimated time [\d.]+ [mun]s \(same\))?\.\n", done.stdout), done.stdout)


THREADS = SUM.replace("#include <stdlib.h>", "#include <pthread.h>\n#include <stdlib.h>").replace("int main", """
static void *work(void *turns)
{
    volatile double s = 0;
    for (int i = 0; i < *(int *)turns; i++)
        s += sum(1000);
    return NULL;
}
int main""").replace("    for (int i = 0; i < turns; i++)\n        s += sum(1000);\n    return", """    pthread_t thread[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&thread[i], NULL, work, &turns);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    pthread_detach(thread[4]);
    pthread_exit(NULL);
    return""")


def case_threads(place):
    """Threads that end before the process, after main, and in whatever order."""
    place.build(THREADS)
    place.gate("record", "--runs=5", "./a.out")
    result = place.result()
    (routine,) = [r for r in result["routines"] if r["routine"] == "sum"]
    check(routine["counts"]["FP_OPS"] == 5 * 20000, routine)
    check(not any(isinstance(value, list) and event != "ESTIMATED_TIME" for r in result["routines"] for event, value in r["counts"].items()), "runs differ")


def case_processes(place):
    """The child of a fork counts what it does itself; so does a program that another one executes."""
    place.build(SUM.replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>").replace(
        "    return s != 0;", "    if (argc == 1 && fork() == 0) {\n        s += sum(500);\n        _exit(0);\n    }\n    while (wait(NULL) > 0)\n        ;\n    return s != 0;"))
    place.gate("record", "./a.out")
    result = place.result()
    check(result["processes"] == 2 and total(result, "FP_OPS") == 20000 + 10 + 1000 + 1, result)
    place.gate("record", "-b", "two.json", "sh", "-c", "./a.out 3; ./a.out 4 & wait")
    result = place.result("two.json")
    check(result["processes"] == 2 and total(result, "FP_OPS") == 7 * 2001, result)


EXECUTES = SUM.replace("#include <stdlib.h>", "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdlib.h>\n#include <unistd.h>").replace("    return s != 0;", """    extern char **environ;
    char *words[] = {"a.out", "3", NULL};
    switch (argc > 2 ? argv[2][0] : 0) {
    case 'l': execl("./a.out", "a.out", "3", NULL); break;
    case 'e': execle("./a.out", "a.out", "3", NULL, environ); break;
    case 'p': execlp("true", "true", "3", NULL); break;
    case 'v': execv("./a.out", words); break;
    case 'V': execvp("./a.out", words); break;
    case 'E': execve("./a.out", words, environ); break;
    case 'P': execvpe("./a.out", words, environ); break;
    case 'f': fexecve(open("./a.out", O_RDONLY), words, environ); break;
    case 'n': execl("./none", "none", NULL); s += sum(500); break;
    case 'c': if (vfork() == 0) { execl("./none", "none", NULL); _exit(0); } s += sum(500); break;
    }
    return s != 0;""")


def case_executes(place):
    """A process that executes another program has counted, too, by whatever function; one that cannot goes on, and counts once."""
    place.build(EXECUTES)
    alone = 7 * 2001
    for how in "leEvVPf":
        place.gate("record", "./a.out", "7", how)
        check(total(place.result(), "FP_OPS") == alone + 3 * 2001 and place.result()["processes"] == 2, how, place.result())
    place.gate("record", "./a.out", "7", "p")
    check(total(place.result(), "FP_OPS") == alone and place.result()["processes"] == 1, "a program that does not count", place.result())
    for how in "nc":
        place.gate("record", "./a.out", "7", how)
        check(total(place.result(), "FP_OPS") == alone + 1001 and place.result()["processes"] == 1, how, place.result())


def case_loaded(place):
    """A library that a program loads late counts, also where nothing else does."""
    place.build(SUM.replace("int main(int argc, char **argv)", "int run(int argc, char **argv)"), "-O2", "-shared", "-fPIC")
    (place.folder / "a.out").rename(place.folder / "a.so")
    (place.folder / "main.c").write_text('#include <dlfcn.h>\nint main(int n, char **word)\n{\n    void *library = dlopen("./a.so", RTLD_NOW);\n'
                                         '    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "run") : 0;\n'
                                         '    return run ? run(n, word) : 9;\n}\n')
    subprocess.run([SETTINGS["C"], "main.c", "-o", "main", "-ldl"], cwd=place.folder, check=True)
    place.gate("record", "./main")
    result = place.result()
    check(result["processes"] == 1 and total(result, "FP_OPS") == 20010, result)
    check({routine["object"] for routine in result["routines"]} == {"a.so"}, result["routines"])


def case_endings(place):
    """Ends of a process: exit in another thread, _exit and quick ends count; a signal loses counts, which is said."""
    ways = {"exit(0)": 0, "_exit(0)": 0, "_Exit(0)": 0}
    for way in ways:
        place.build(THREADS.replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <unistd.h>").replace("    pthread_exit(NULL);\n", f"    {way};\n")
                    .replace("pthread_detach(thread[4])", "pthread_join(thread[4], NULL)"))
        place.gate("record", "./a.out")
        check(total(place.result(), "FP_OPS") >= 5 * 20000, way, total(place.result(), "FP_OPS"))
    place.build(SUM.replace("return s != 0;", "abort();"))
    done = place.gate("record", "-b", "none.json", "./a.out", status=3)
    check("signal 6 ended ./a.out: its counts are not those of a whole run" in done.stderr, done.stderr)
    done = place.gate("record", "-b", "none.json", "sh", "-c", "./a.out; true", status=3)
    check("a counted process did not come to its end" in done.stderr, done.stderr)
    check(not (place.folder / "none.json").exists(), "a result of half a run")
    check(not list(place.folder.glob("gate.json.*")), "what is left")


def case_division(place):
    """The same instructions, of which one is slow, at the line."""
    place.build(SUM)
    place.gate("record", "./a.out")
    changed = SUM.replace("* 1.5", "/ 1.7")
    place.build(changed)
    comparison = place.compared(status=1)
    check(failed(comparison) == {"FP_DIVIDE_INSTRUCTIONS"} and not comparison["passed"], comparison["verdict"])
    (line,) = [line for line in comparison["lines"] if "FP_DIVIDE_INSTRUCTIONS" in line["counts"]]
    check((line["file"], line["line"], line["routine"]) == ("a.c", line_with(changed, "/ 1.7"), "sum"), line)
    check(line["counts"]["FP_DIVIDE_INSTRUCTIONS"] == [0, 10000], line)
    said = place.gate("check", status=1).stdout
    check("Where FP_DIVIDE_INSTRUCTIONS rose most:\n  a.c:8 in sum: 0 to 10,000\n    - s += a[i] * 1.5; /* hot */\n    + s += a[i] / 1.7;" in said, said)


def case_comment(place):
    """Lines that move, and blanks, change nothing."""
    place.build(SUM)
    place.gate("record", "./a.out")
    place.build("/* one\n   two\n   three */\n" + SUM.replace("    double s = 0;\n", "    double s = 0;\n\n    /* here, too */\n"))
    comparison = place.compared("--limit=0")
    check(comparison["lines"] == [] and comparison["passed"], comparison)


def case_renamed(place):
    place.build(SUM)
    place.gate("record", "./a.out")
    place.build(SUM.replace("sum(", "accumulate("))
    comparison = place.compared("--limit=0")
    check(comparison["passed"] and {change["verdict"] for change in comparison["changes"]} == {"same"}, comparison)


def case_folder(place):
    place.build(SUM)
    place.gate("record", "./a.out")
    other = place.folder / "other" / "place"
    other.mkdir(parents=True)
    (place.folder / "gate.json").rename(other / "gate.json")
    there = Place(other)
    there.build(SUM)
    comparison = there.compared("--limit=0")
    check(comparison["passed"] and comparison["lines"] == [] and comparison["notes"] == [], comparison)
    # Named by whole paths, the result is the same file in both folders, and its command runs there.
    for build, name in ((place, "one.json"), (there, "other.json")):
        build.build(SUM, "-O2", name=str(build.folder / "a.c"))
        build.gate("record", "-b", str(place.folder / name), str(build.folder / "a.out"))
    one, two = (place.result(name) for name in ("one.json", "other.json"))
    check(one["command"] == ["./a.out"] and one["objects"][0]["path"] == "a.out" and {r["file"] for r in one["routines"]} == {"a.c"}, one)
    for result in (one, two):
        result["made"] = result["objects"][0]["build_id"] = result["processor_seconds"] = 0
    check(one == two, "the folder is in the result")
    there.gate("check", "--limit=0", "-b", str(place.folder / "one.json"))


def case_vectors(place):
    """A flag that got lost, and an attribute that prevents vectors."""
    source = SUM.replace("s += a[i] * 1.5; /* hot */", "a[i] = a[i] * 1.5 + 1; /* hot */")
    place.build(source, "-O3")
    place.gate("record", "./a.out")
    place.build(source, "-O1")
    comparison = place.compared(status=1)
    check("INSTRUCTIONS" in failed(comparison) and any('"' in note and "-O1" in note and "-O3" in note for note in comparison["notes"]), comparison["notes"])
    changed = source.replace("noipa", 'noipa, optimize("no-tree-vectorize")')
    place.build(changed, "-O3")
    comparison = place.compared(status=1)
    check("INSTRUCTIONS" in failed(comparison), comparison["verdict"])
    worst = max(comparison["lines"], key=lambda line: (lambda pair: pair[1] - pair[0])(line["counts"].get("INSTRUCTIONS", [0, 0])))
    check(worst["routine"] == "sum" and worst["file"] == "a.c", worst)


VARIES = SUM.replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <unistd.h>").replace(
    "int main", "enum { base = 1000 };\n__attribute__((noipa)) double wanders(void)\n{\n    return sum(base + getpid() % 997);\n}\nint main").replace(
    "    return s != 0;", "    s += wanders();\n    return s != 0;").replace("__attribute__((noipa)) double sum", "static inline __attribute__((always_inline)) double sum")


def case_varies(place):
    """What depends on the number of the process is named, and judged only where it is far above all that was seen."""
    place.build(VARIES)
    done = place.gate("record", "--runs=4", "./a.out")
    check("vary from run to run" in done.stderr, done.stderr)
    comparison = place.compared("--limit=0")
    names = {varying["routine"] for varying in comparison["varying"]}
    check(names == {"wanders"} and comparison["passed"], comparison)
    (instructions,) = [change for change in comparison["changes"] if change["event"] == "INSTRUCTIONS"]
    check(instructions["verdict"] == "same" and instructions["left_out"] > 0, instructions)
    share = re.search(r"\(same; ([\d.]+) % of all are not judged\)", place.gate("check", "--limit=0").stdout)
    check(share and 0 < float(share.group(1)) < 50, "how much is not judged")
    place.build(VARIES.replace("base = 1000", "base = 6000"))
    slower = place.compared(status=1)
    check(slower["verdict"].startswith("INSTRUCTIONS in wanders rose from "), slower["verdict"])
    place.build(SUM)
    place.gate("record", "./a.out")
    place.build(VARIES.replace("sum(1000)", "wanders()"))
    check("rose" in place.gate("check", "--runs=4", status=1).stdout, "all varies now, and is more at the least")


def case_limits(place):
    """A file of limits: of a routine, of the total, and what is left out."""
    place.build(SUM)
    place.gate("record", "./a.out")
    place.gate("check", "./a.out", "12", status=1)
    place.gate("check", "--limit=25%", "./a.out", "12")
    limits = place.folder / "gate.limits"
    limits.write_text("* 25%\n")
    place.gate("check", "./a.out", "12")
    limits.write_text("* 25%\nFP_OPS 10% routine sum\n")
    comparison = place.compared("./a.out", "12", status=1)
    check([(c["scope"], c["name"]) for c in comparison["changes"] if c["verdict"] == "above"] == [("routine", "sum")], comparison["changes"])
    limits.write_text("* 25%\n* ignore routine sum\n")
    (operations,) = [c for c in place.compared("./a.out", "12")["changes"] if c["event"] == "FP_OPS"]
    check((operations["before"], operations["after"], operations["left_out"], operations["verdict"]) == (10, 12, 24000, "within"), operations)
    limits.write_text("* 1%\n* ignore routine sum\n* ignore routine main\n")
    check("nothing was judged" in place.gate("check", "./a.out", "12", status=3).stderr, "all routines are left out")
    limits.write_text("* 1% both\n")
    check("fell from" in place.gate("check", "./a.out", "8", status=1).stdout, "a fall")
    limits.write_text("\nLOADS some\n")
    check("gate.limits:2: the second word is not a limit" in place.gate("check", status=3).stderr, "a wrong limit")
    check("--limit=much: a limit is 1%, 5000 or 1%+5000" in place.gate("check", "--limit=much", status=2).stderr, "a wrong limit")


REGION = SUM.replace("#include <stdlib.h>", '#include <stdlib.h>\n#include "papi.h"').replace(
    "        s += sum(1000);", '        if (i % 2) {\n            PAPI_hl_region_begin("solve it");\n            s += sum(1000 + extra);\n            PAPI_hl_region_end("solve it");\n'
    "        }").replace("    volatile", "    int extra = argc > 2;\n    volatile")


def case_regions(place):
    """Regions are judged by themselves: here one that is a small part of the program."""
    flags = ["-O2", "-I", SETTINGS["include"], "-L", SETTINGS["library"], "-lpapi", f"-Wl,-rpath,{SETTINGS['library']}"]
    place.build(REGION, *flags)
    place.gate("record", "--runs=3", "./a.out")
    (region,) = place.result()["regions"]
    check(region["region"] == "solve it" and region["counts"]["FP_OPS"] == 5 * 2001, region)
    (place.folder / "gate.limits").write_text("FP_OPS 0 region solve*\n")
    comparison = place.compared("./a.out", "10", "more", status=1)
    (change,) = [change for change in comparison["changes"] if change["verdict"] == "above"]
    check((change["scope"], change["name"], change["before"], change["after"]) == ("region", "solve it", 10005, 10015), change)


BENCHES = """#include "papi_bench.h"
double a[1000];
__attribute__((noinline)) double sum(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 1.5;
    return s;
}
void none(void);
void none(void)
{
    PAPI_BENCH("none at the end") {
    }
}
int main(void)
{
    volatile double s = 0;
    for (int i = 0; i < 2000; i++)
        s = s + sum(1000);
    PAPI_BENCH("none") {
    }
    PAPI_BENCH("one") {
        PAPI_BENCH_KEEP(sum(TURNS));
    }
    for (int i = 0; i < 10; i++)
        PAPI_BENCH("ten") {
            PAPI_BENCH_KEEP(sum(TURNS));
        }
    PAPI_BENCH("outer") {
        PAPI_BENCH("inner") {
            PAPI_BENCH_KEEP(sum(TURNS));
        }
    }
    PAPI_BENCH("left") {
        break;
    }
    none();
    return 0;
}
"""


def case_bench(place):
    """PAPI_BENCH has what is between its braces and nothing else, whatever the compiler and its options; it is judged however small."""
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-shadow", "-I", SETTINGS["include"]]
    SETTINGS.update(clang=shutil.which("clang"), clangxx=shutil.which("clang++"))
    for name, compiler in (("a.c", "C"), ("a.cc", "CXX"), ("b.c", "clang"), ("b.cc", "clangxx")):
        if not SETTINGS[compiler]:
            print("without clang")
            continue
        for option in ("-O0", "-O2", "-O3", "-Os"):
            place.build(BENCHES, option, "-DTURNS=10", *warnings, name=name, compiler=compiler)
            place.gate("record", "./a.out")
            regions = {region["region"]: region["counts"] for region in place.result()["regions"]}
            check(set(regions) == {"none", "one", "ten", "inner", "none at the end"}, name, option, regions)
            check(regions["none"] == regions["none at the end"] == {}, name, option, regions)
            check(regions["one"]["FP_OPS"] == 20 and regions["one"]["RETURNS"] <= 1, name, option, regions)
            one = regions["inner"]
            times = [regions[region].pop("ESTIMATED_TIME", 0) for region in ("ten", "inner", "one")]  # case_time_benches looks at them
            check((times[0] == 0) == (times[1] == 0) == (times[2] == 0), name, option, times)
            check(regions["ten"] == {event: 10 * count for event, count in one.items()}, name, option, regions)
            # Of the code behind a bench the compiler may move what needs no memory into it: clang does, with an address.
            other = {event for event in one if regions["one"].get(event) != one[event]}
            check(other <= {"INSTRUCTIONS", "INTEGER_INSTRUCTIONS"} and abs(regions["one"]["INSTRUCTIONS"] - one["INSTRUCTIONS"]) <= 2, name, option, regions)
    check(subprocess.run([place.folder / "a.out"], env=place.env, check=False).returncode == 0, "without papi_gate")
    place.build(BENCHES, "-O2", "-DTURNS=10", *warnings)
    place.gate("record", "./a.out")
    place.build(BENCHES, "-O2", "-DTURNS=11", *warnings)
    comparison = place.compared(status=1)
    above = {(change["scope"], change["name"]) for change in comparison["changes"] if change["verdict"] == "above"}
    check(above == {("region", name) for name in ("one", "ten", "inner")}, above)


def case_fortran(place):
    """papi_bench of module papi_benches, which needs nothing of libpapi, has what the subroutine does, with its return."""
    if not SETTINGS["Fortran"]:
        print("SKIPPED: no Fortran compiler")
        sys.exit(77)
    subprocess.run([SETTINGS["Fortran"], "-std=f2008", "-c", SETTINGS["benches"]], cwd=place.folder, check=True)
    for option in ("-O0", "-O2"):
        place.build(FORTRAN_BENCHES, option, "papi_benches.o", name="f.f90", compiler="Fortran")
        place.gate("record", "./a.out")
        result = place.result()
        regions = {region["region"]: region["counts"] for region in result["regions"]}
        routines = {re.split("_MOD_|::", routine["routine"])[-1]: {event: count for event, count in routine["counts"].items() if event != "ESTIMATED_TIME"}
                    for routine in result["routines"]}
        for counts in regions.values():
            counts.pop("ESTIMATED_TIME", None)  # case_time_benches looks at it
        check(regions == {"nothing": routines["nothing"], "sum": routines["add"]} and regions["sum"]["FP_OPS"] == 4000, option, regions, routines)
    subprocess.run([place.folder / "a.out"], check=True)


def case_forms(place):
    """Markdown, JUnit and kept results say the same."""
    place.build(SUM)
    place.gate("record", "--model=none", "./a.out")
    place.gate("check", "-o", "same.json")
    check(place.result("same.json")["routines"] == place.result()["routines"], "a kept result")
    place.gate("check", "--markdown=same.md", "--junit=same.xml")
    check((place.folder / "same.md").read_text().count("\n") == 1, "more than a line")
    place.gate("check", "-o", "more.json", "--markdown=more.md", "--junit=more.xml", "./a.out", "20", status=1)
    text = (place.folder / "more.md").read_text()
    check(text.startswith(":x: **papi\\_gate**") or text.startswith(":x: **papi_gate**"), text)
    check("| FP\\_OPS | 20,010 | 40,020 | **+100.0 %** | 1 % |" in text and "<details>" in text, text)
    (suite,) = xml.dom.minidom.parse(str(place.folder / "more.xml")).getElementsByTagName("testsuite")
    check(int(suite.getAttribute("failures")) == len(suite.getElementsByTagName("failure")) == 6, suite.toxml())
    said = suite.getElementsByTagName("system-out")[0].firstChild.data
    check(said.startswith("INSTRUCTIONS rose from") and "\nNote: the command has other arguments" in said, said)
    reported = json.loads(place.gate("report", "--json", "gate.json", "more.json", status=1).stdout)
    check(failed(reported) == {"INSTRUCTIONS", "FP_OPS", "LOADS", "STORES", "BRANCHES", "CALLS"}, failed(reported))
    check(any("arguments" in note for note in reported["notes"]), reported["notes"])


ELSEWHERE = """#include "sizes.h"
static double a[1000];
static int n; /* of a */
__attribute__((noipa)) void set(int first)
{
    n = 100; /* of 1000 */
    a[0] = first;
}
__attribute__((noipa)) double run(void)
{
    double sum = 0;
    for (int i = 0; i < n * TURNS; i++)
        sum += a[i % n];
    return sum;
}
int main(int argc, char **argv)
{
    (void)argv;
    set(argc);
    return run() == 0;
}
"""


def case_changed(place):
    """Lines that changed are named where others do more because of them: also in a header without counts, and not comments."""
    header = place.folder / "sizes.h"
    header.write_text("#define TURNS 2\n#define OTHER 1\nstruct size { int x; };\nextern struct size the_size;\n")
    place.build(ELSEWHERE.replace("static int n;", "extern struct size *used;\nstruct size *used;\nstatic int n;"))
    place.gate("record", "--model=none", "./a.out")
    source = ELSEWHERE.replace("static int n;", "extern struct size *used;\nstruct size *used;\nstatic int n;").replace("/* of a */", "/* the length of a */")

    def said(text):
        place.build(text)
        found = place.compared(status=1)["changed"]
        return [(one["file"], one["line"], one["routine"], one["inside"], one["renamed"]) for one in found], place.gate("check", status=1).stdout

    more = source.replace("n = 100;", "n = 400;")
    lines, text = said(more)
    check(lines == [("a.c", line_with(more, "n = 400"), "set", True, False)], lines)
    check(f"\nWhat changed in the source, where INSTRUCTIONS rose most first:\n  a.c:{lines[0][1]} in set\n    + n = 400; /* of 1000 */\n" in text, text)
    header.write_text(header.read_text().replace("TURNS 2", "TURNS 4"))
    lines, text = said(source)
    check(lines == [("sizes.h", 1, "", False, False)] and "\n  sizes.h:1\n    + #define TURNS 4\n" in text, lines, text)
    place.gate("check", "--markdown=gate.md", status=1)
    check("| sizes\\.h:1 |  | `` #define TURNS 4 `` |" in (place.folder / "gate.md").read_text(), (place.folder / "gate.md").read_text())
    # The line that rose is the one that changed: once is enough.
    header.write_text(header.read_text().replace("TURNS 4", "TURNS 2"))
    slower = source.replace("sum += a[i % n];", "sum += a[i % n] / 3;")
    lines, text = said(slower)
    check(lines == [("a.c", line_with(slower, "/ 3"), "run", True, False)] and "What changed" not in text, text)
    # Names that are not UTF-8 are left out.
    names = [os.fsencode(place.folder) + b"/\xfe.h", os.fsencode(place.folder) + b"/\xff.h"]
    for i, name in enumerate(names):
        pathlib.Path(os.fsdecode(name)).write_text(f"extern struct size one{i};\nstruct size one{i};\n")
    (place.folder / "a.c").write_bytes(source.replace('#include "sizes.h"', '#include "sizes.h"\n#include "@.h"\n#include "#.h"').encode().replace(b'"@', b'"\xfe').replace(b'"#', b'"\xff'))
    command = [SETTINGS["papi_counted"], SETTINGS["C"], "-g", "-O2", "a.c", "-o", "a.out"]
    check(subprocess.run(command, cwd=place.folder, check=False).returncode == 0, command)
    place.gate("record", "--model=none", "-b", "names.json", "./a.out")
    check([one["path"] for one in place.result("names.json")["sources"]] == ["a.c", "sizes.h"], place.result("names.json")["sources"])
    place.gate("check", "-b", "names.json")
    # Files of older versions have no sources; those that are no lines are refused.
    old = place.result()
    sources = old.pop("sources")
    (place.folder / "gate.json").write_text(json.dumps(old))
    check(said(more)[0] == [], "sources that are not known")
    check([one["path"] for one in sources] == ["a.c", "sizes.h"] and len(sources[1]["lines"]) == 4 * 6, sources)
    for lines in ("abc", "abcde!"):
        (place.folder / "gate.json").write_text(json.dumps({**old, "sources": [{"path": "a.c", "lines": lines}]}))
        check('"lines" of a source' in place.gate("check", status=3).stderr, lines)


def case_refused(place):
    """What cannot be done is said, with what can."""
    place.build(SUM)
    check('run "papi_gate record ./a.out 1" first' in place.gate("check", "./a.out", "1", status=3).stderr, "no baseline")
    check('run "papi_gate record COMMAND" first' in place.gate("check", status=3).stderr, "no baseline, no command")
    said = place.gate("record", "true", status=3).stderr
    check("no process that ran was a counted build" in said and "papi_gate record --emulate true" in said, said)
    for name, advice in (("./none", "build it, or run papi_gate in the folder"), ("a.out", "no folder of PATH has it")):
        said = place.gate("record", name, status=3).stderr
        check(said.startswith(f"papi_gate: {name}: No such file or directory: {advice}") and said.count("\n") == 1, said)
    check("exit status 3" in place.gate("record", "sh", "-c", "exit 3", status=3).stderr, "a program that fails")
    check("the verbs are" in place.gate("chek", status=2).stderr, "a verb")
    check("the COMMAND to run is missing" in place.gate("record", status=2).stderr, "no command")
    place.gate("record", "./a.out")
    kept = place.result()
    for spoil, word in ((lambda r: r.update(version=2), "version"), (lambda r: r.update(events=[1]), "event"), (lambda r: r["routines"][0].pop("lines"), "lines"),
                        (lambda r: r["routines"][0]["counts"].update(INSTRUCTIONS=-1), "whole number"),
                        (lambda r: r["routines"][0]["counts"].update(INSTRUCTIONS=[5, 6, 7]), "range"),
                        (lambda r: r["routines"][0]["counts"].update(INSTRUCTIONS=90000), "not the sum of its lines"),
                        (lambda r: r["routines"][0]["lines"].pop(), "not the sum of its lines"), (lambda r: r.update(command=[3]), "command")):
        spoilt = json.loads(json.dumps(kept))
        spoil(spoilt)
        (place.folder / "spoilt.json").write_text(json.dumps(spoilt))
        said = place.gate("check", "-b", "spoilt.json", status=3).stderr
        check("spoilt.json is not a result of papi_gate" in said and word in said, word, said)
    (place.folder / "spoilt.json").write_text((place.folder / "gate.json").read_text()[:700])
    check("is not a result of papi_gate" in place.gate("check", "-b", "spoilt.json", status=3).stderr, "half a file")
    check("no/such" in place.gate("record", "-b", "no/such/x.json", "./a.out", status=3).stderr, "a folder")
    said = place.gate("check", "-e", "FP_OP", "./a.out", "12", status=2).stderr
    check("FP_OP is not among the events" in said and "the nearest is FP_OPS" in said, said)
    check("FP_OPS rose" in place.gate("check", "-e", "FP_OPS", "./a.out", "12", status=1).stdout, "an event that is there")
    said = place.gate("check", "--emulate", "./a.out", status=3).stderr
    check("was counted cannot be compared with one that is emulated" in said and "record --emulate -b emulated.json" in said, said)
    (place.folder / "spoilt.json").write_text(json.dumps({**kept, "mode": "emulated"}))
    check("was emulated cannot be compared" in place.gate("report", "spoilt.json", "gate.json", status=3).stderr, "two modes")
    (place.folder / "gate.limits").write_text("* ignore\n")
    check("nothing was judged" in place.gate("check", "./a.out", "12", status=3).stderr, "all left out")
    (place.folder / "gate.limits").write_text("FP_OP 0\n")
    check("a limit has no effect: FP_OP is not" in place.gate("check").stdout, "a limit of no event")
    # What an earlier check wrote does not look like the verdict of one that was not done.
    place.gate("check", "--markdown=said.md", "--junit=said.xml")
    check((place.folder / "said.md").exists() and (place.folder / "said.xml").exists(), "the forms")
    place.gate("check", "--markdown=said.md", "--junit=said.xml", "false", status=3)
    check(not (place.folder / "said.md").exists() and not (place.folder / "said.xml").exists(), "an earlier verdict")
    left = list(place.temporary.iterdir())
    check(not left, "files are left", left)


# 1,000 times 16 MB: no processor writes them in the tenth of a second from which on papi_gate names what is not counted.
READS = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char space[1 << 24];
int main(void)
{
    int sum = 0, c;
    while ((c = getchar()) != EOF)
        sum += c;
    size_t size = strtoul(getenv("SIZE"), NULL, 10);
    for (int i = 0; i < 1000; i++)
        memset(space, i, size);
    printf("{%d\\n", sum + space[0]);
    return 0;
}
"""


def case_doubts(place):
    """What makes a comparison worthless is said, although no count rose: another input, a program that was not built, work where nothing is counted."""
    place.build(READS)

    def run(words, given="in", size="1", status=0):
        done = subprocess.run(["sh", "-c", f'exec "$0" "$@" < {given}', SETTINGS["papi_gate"], *words], cwd=place.folder, capture_output=True, text=True,
                              env={**place.env, "SIZE": size}, check=False)
        check(done.returncode == status, words, done.returncode, done.stdout, done.stderr)
        return done.stdout, done.stderr

    (place.folder / "in").write_text("some text")
    (place.folder / "other").write_text("some")
    check("vary" not in run(["record", "--runs=3", "./a.out"])[1], "each run reads all of the file")
    check(len(place.result()["inputs"]) == 1 and "Note" not in run(["check"])[0], "the same")
    check("input /dev/stdin is not the same as before" in run(["check"], "other")[0], "another standard input")
    check("input /dev/stdin, which the baseline names, is not there" in run(["check"], "/dev/null")[0], "no standard input")
    out, err = run(["check", "--json"])
    check(json.loads(out)["passed"] and "{" in err, "what the program prints is not among the JSON", out)
    run(["record", "--input=other", "./a.out"])
    (place.folder / "other").write_text("more")
    check("input other is not the same as before" in run(["check"])[0], "an input that check does not name")
    (place.folder / "other").unlink()
    check("input other, which the baseline names, is not there" in run(["check"])[0], "an input that is gone")
    run(["record", "./a.out"])
    check("processor time was 0.0" in run(["check"], size=str(1 << 24))[0], "work in a library")
    check("newer" not in run(["check"])[1], "a program as its source")
    later = (place.folder / "a.out").stat().st_mtime_ns + 1000  # within the same second
    os.utime(place.folder / "a.c", ns=(later, later))
    check("Note: a.c is newer than a.out, which may not have the change" in run(["check", "--markdown=gate.md"])[0], "a program that was not built again")
    check("a\\.c is newer than a\\.out" in (place.folder / "gate.md").read_text(), "nor in Markdown")
    check("a.c is newer than a.out" in run(["record", "./a.out"])[1], "nor when it is recorded")
    (place.folder / "kept").mkdir()
    (place.folder / "gate.json").rename(place.folder / "kept/gate.json")
    run(["check", "-b", "kept/gate.json", "./a.out", "1"])
    (place.folder / "kept/gate.limits").write_text("INSTRUCTION 0\n")
    check("a limit has no effect: INSTRUCTION is" in run(["check", "-b", "kept/gate.json"])[0], "limits beside the baseline")
    (place.folder / "gate.limits").write_text("* 2%\n")
    check("a limit" not in run(["check", "-b", "kept/gate.json"])[0], "limits of this folder")


WORK = """#include <stdlib.h>
double a[1000], b[1000] = {1, 2, 3};
unsigned random_number = 1;
__attribute__((noipa)) void divide(int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] / 1.7; /* divisions */
}
__attribute__((noipa)) void add(int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 1.7;
}
__attribute__((noipa)) int guess(int n)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        random_number = random_number * 1664525 + 1013904223;
        if (random_number >> 31)
            a[i % 1000] = i;
        else
            found++;
    }
    return found;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < atoi(argv[1]); i++)
        divide(1000);
    for (int i = 0; i < atoi(argv[2]); i++)
        add(1000);
    return argc > 3 && guess(atoi(argv[3])) < 0;
}
"""


def case_time(place):
    """Estimated time: a division weighs more than an addition; what is not known is not judged; models are not mixed up."""
    if platform.machine() != "x86_64":
        print("SKIPPED: x86-64 alone has a model that can be tried here")
        sys.exit(77)
    place.build(WORK, "-O1")
    said = place.gate("record", "--model=zen3", "./a.out", "100", "100").stderr
    check(re.search(r"; estimated time [\d.]+ us \([\d.]+ us to [\d.]+ us, model zen3 [0-9a-f]{8}, all data in the first cache\)", said), said)
    recorded = place.result()
    time_of = lambda name, result: next(r["counts"]["ESTIMATED_TIME"] for r in result["routines"] if r["routine"] == name)
    value, least, most = time_of("divide", recorded)
    # The divider takes one each 4.5 cycles of 3.2 GHz: 100,000 of them; as each run of the loop ends, a branch may be mispredicted.
    check(round(4.5 * 1e5 / 3.2 * 1000) <= least <= value <= most <= 1.02 * least + 100 * 1000 * 22 / 3.2 * 1000 + 1e5 * 0.25 * 2 / 3.2 * 1000, value, least, most)

    def rise(*words):
        (change,) = [c for c in place.compared("--limit=20%", "./a.out", *words)["changes"] if c["event"] == "ESTIMATED_TIME"]
        return change["after"] - change["before"]

    check(rise("101", "100") > 2 * rise("100", "101") > 0, rise("101", "100"), rise("100", "101"))
    said = place.gate("check", "-e", "ESTIMATED_TIME", "--markdown=a.md", "--junit=a.xml", "./a.out", "120", "100", status=1).stdout
    check(re.search(r"ESTIMATED_TIME rose from [\d.]+ us to [\d.]+ us", said) and f"a.c:{line_with(WORK, 'divisions')} in divide" in said, said)
    check("| ESTIMATED\\_TIME | " in (place.folder / "a.md").read_text() and "failure" in (place.folder / "a.xml").read_text(), "other forms")
    (place.folder / "gate.limits").write_text("ESTIMATED_TIME 50%\n")
    place.gate("check", "-e", "ESTIMATED_TIME", "./a.out", "120", "100")
    (place.folder / "gate.limits").unlink()
    said = place.gate("check", "-e", "ESTIMATED_TIME", "./a.out", "100", "100", "100000").stdout
    check("ESTIMATED_TIME in guess" in said and "mispredicted" in said, said)
    # The model of the baseline is taken, whatever this machine is; another one's time is not compared.
    place.gate("check", "-o", "again.json")
    check(place.result("again.json")["model"] == recorded["model"] and place.result("again.json")["routines"] == recorded["routines"], "another model")
    said = place.gate("check", "--model=skylake-sp").stdout
    check("ESTIMATED_TIME is not compared: it is by the model zen3" in said, said)
    said = place.gate("record", "--model=zen4", "./a.out", "1", "1", status=2).stderr
    check("zen4 is not the name of a model; the nearest is zen3" in said, said)
    (place.folder / "mine.json").write_text("{}")
    check("is not a model of a processor" in place.gate("record", "--model=mine.json", "./a.out", "1", "1", status=2).stderr, "a file")
    place.gate("record", "--model=none", "./a.out", "100", "100")
    check("ESTIMATED" not in place.gate("check").stdout and "model" not in place.result(), "no model")
    check("--model" in place.gate("record", "--emulate", "--model=zen3", "./a.out", status=2).stderr, "the emulator")


TIMED = """#include "papi_bench.h"
double a[1000];
__attribute__((noipa)) void divide(void)
{
    for (int i = 0; i < TURNS; i++)
        a[i] = a[i] / 1.7;
}
__attribute__((noipa)) void add(void)
{
    for (int i = 0; i < 1000; i++)
        a[i] = a[i] + 1.7;
}
int main(void)
{
    PAPI_BENCH("none") {
    }
    for (int i = 0; i < 3; i++)
        PAPI_BENCH("division") {
            divide();
        }
    PAPI_BENCH("addition") {
        add();
    }
    add();
    return 0;
}
"""


def case_time_benches(place):
    """A bench has the estimated time of its blocks; what has none says why."""
    if platform.machine() != "x86_64":
        print("SKIPPED: x86-64 alone has a model that can be tried here")
        sys.exit(77)
    flags = ["-O1", "-I", SETTINGS["include"]]
    place.build(TIMED, *flags, "-DTURNS=1000")
    place.gate("record", "--model=zen3", "./a.out")
    result = place.result()
    routines = {routine["routine"]: routine["counts"]["ESTIMATED_TIME"] for routine in result["routines"] if "ESTIMATED_TIME" in routine["counts"]}
    regions = {region["region"]: region["counts"].get("ESTIMATED_TIME") for region in result["regions"]}
    check(regions["none"] is None and not any("no_time" in region for region in result["regions"]), regions)
    value, least, most = regions["division"]
    check(3 * 4.5 * 1000 / 3.2 * 1000 <= least <= value <= most, regions)  # the divider takes one each 4.5 cycles
    # divide runs in its bench alone: the bench has the routine's time, and that of the call. add runs twice, once outside.
    call = 3 * 20 / 3.2 * 1000
    check(all(0 <= bench - routine <= call for bench, routine in zip(regions["division"][:2], routines["divide"][:2])), regions, routines)
    check(all(0 <= bench - routine / 2 <= call for bench, routine in zip(regions["addition"][:2], routines["add"][:2])), regions, routines)
    place.build(TIMED, *flags, "-DTURNS=900")
    place.gate("check", "-o", "less.json", "-e", "ESTIMATED_TIME")
    comparison = json.loads(place.gate("report", "--json", "-e", "ESTIMATED_TIME", "less.json", "gate.json", status=1).stdout)
    above = {(change["scope"], change["name"]) for change in comparison["changes"] if change["verdict"] == "above"}
    check(("region", "division") in above and ("region", "addition") not in above, comparison["changes"])
    # Regions of the library, which counts events, not blocks.
    place.build(REGION, "-O2", "-I", SETTINGS["include"], "-L", SETTINGS["library"], "-lpapi", f"-Wl,-rpath,{SETTINGS['library']}")
    place.gate("record", "--model=zen3", "./a.out")
    (region,) = place.result()["regions"]
    check("PAPI_BENCH" in region["no_time"] and "ESTIMATED_TIME" not in region["counts"], region)
    check("ESTIMATED_TIME of region solve it is not estimated" in place.gate("check").stdout, "a region")
    place.gate("check", "-o", "kept.json")
    check(place.result("kept.json")["regions"] == place.result()["regions"], "kept")
    place.gate("record", "--model=none", "./a.out")
    check("not estimated" not in place.gate("check").stdout and "no_time" not in place.result()["regions"][0], "the user's choice")


def case_emulated(place):
    """Any program, with caches: the loop order shows in misses alone."""
    if not SETTINGS["papi_emulate"]:
        print("SKIPPED: papi_emulate is not built")
        sys.exit(77)
    source = """static double a[2000][40];
int main(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2000; i++)
            for (int j = 0; j < 40; j++)
                a[i][j] += 1; /* hot */
    return a[3][4] != 3;
}
"""
    build = lambda text: ((place.folder / "a.c").write_text(text), subprocess.run([SETTINGS["C"], "-g", "-O1", "a.c", "-o", "a.out"], cwd=place.folder, check=True))
    build(source)
    said = place.gate("record", "--emulate", "./a.out").stderr
    check("; no estimated time: the emulator" in said and "emulator" in place.result()["no_time"], said)
    check("ESTIMATED_TIME is not estimated: the emulator" in place.gate("check").stdout, "a note")
    check(place.result()["mode"] == "emulated" and "misses" not in place.gate("check", "--limit=1%").stdout, "the same")
    build(source.replace("for (int i = 0; i < 2000; i++)", "for (int j = 0; j < 40; j++)", 1).replace("    for (int j = 0; j < 40; j++)\n                a", "    for (int i = 0; i < 2000; i++)\n                a"))
    comparison = place.compared(status=1)
    check("L1D_READ_MISSES" in failed(comparison) and "INSTRUCTIONS" not in failed(comparison), comparison["verdict"])
    worst = max(comparison["lines"], key=lambda line: (lambda pair: pair[1] - pair[0])(line["counts"].get("L1D_READ_MISSES", [0, 0])))
    check((worst["file"].split("/")[-1], worst["line"]) == ("a.c", line_with(source, "hot")), worst)


def case_cmake(place):
    """papi_gate() of the CMake package: the test fails where a count rose above the limit, and the target writes the baseline."""
    package = place.folder / "prefix/lib/cmake/papi"
    package.mkdir(parents=True)
    shutil.copy(SETTINGS["package"], package)
    (package / "papi-targets.cmake").write_text(
        f"add_library(papi::papi SHARED IMPORTED)\nset_target_properties(papi::papi PROPERTIES IMPORTED_LOCATION {SETTINGS['library']}/libpapi.so)\n")
    (place.folder / "prefix/bin").mkdir()
    for tool in ("papi_gate", "papi_counted"):
        (place.folder / "prefix/bin" / tool).symlink_to(SETTINGS[tool])
    source, build = place.folder / "source", place.folder / "build"
    source.mkdir()
    head = "cmake_minimum_required(VERSION 3.22)\nproject(gated LANGUAGES C)\nenable_testing()\nfind_package(papi REQUIRED)\n"
    gated = head + """add_executable(program a.c)
papi_counted(program)
papi_gate(TARGET program ARGS 10 "a;b c")
papi_gate(TARGET program NAME wide ARGS 10 BASELINE sub/wide.json LIMITS sub/wide.limits WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
papi_gate(TARGET program NAME exact ARGS 300 BASELINE sub/exact.json LIMIT 0)
"""
    (source / "sub").mkdir()
    (source / "sub/wide.limits").write_text("* 300%\n")

    def run(*words, good=True):
        done = subprocess.run([str(word) for word in words], cwd=place.folder, env=place.env, capture_output=True, text=True, timeout=600, check=False)
        check((done.returncode == 0) == good, words, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def configure(text, good=True):
        (source / "CMakeLists.txt").write_text(text)
        return run(SETTINGS["cmake"], "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={place.folder}/prefix",
                   f"-DCMAKE_C_COMPILER={SETTINGS['C']}", "-DCMAKE_C_COMPILER_LAUNCHER=", "-DCMAKE_C_FLAGS=-g -O1", good=good)

    def tests(good, said=""):
        run(SETTINGS["cmake"], "--build", build)
        text = run(SETTINGS["ctest"], "--test-dir", build, "-V", good=good)
        check(said in text, said, text)
        return dict(re.findall(r"Test +#\d+: (\S+) \.+[ *]*(Passed|Failed)", text))

    (source / "a.c").write_text(SUM)
    configure(gated)
    check(tests(False, f'there is nothing to compare with: run "cmake --build {build} --target gate_program_record" first') == {"gate_program": "Failed", "wide": "Failed", "exact": "Failed"}, "no baseline")
    run(SETTINGS["cmake"], "--build", build, "--target", "gate_program_record", "wide_record", "exact_record")
    recorded = json.loads((source / "program.gate.json").read_text())
    check(recorded["command"] == ["./program", "10", "a;b c"] and recorded["objects"][0]["path"] == "program" and (source / "sub/wide.json").exists(), recorded["command"])
    check(tests(True, f"Working Directory: {source}\n") == {"gate_program": "Passed", "wide": "Passed", "exact": "Passed"}, "nothing has changed")
    (source / "a.c").write_text(SUM.replace("i < turns", "i < turns + (turns == 300)"))
    check(tests(False, "rose from") == {"gate_program": "Passed", "wide": "Passed", "exact": "Failed"}, "1 of 300 more")
    (source / "a.c").write_text(SUM.replace("i < turns", "i < 2 * turns"))
    check(tests(False, "rose from") == {"gate_program": "Failed", "wide": "Passed", "exact": "Failed"}, "twice the work")
    check([(build / f"{name}.md").read_text()[:3] for name in ("gate_program", "wide", "exact")] == [":x:", ":wh", ":x:"], "the comments")
    for wrong, why in (("TARGET no_such", "no_such"), ("TARGET program 10", "ARGS input.txt"), ("TARGET program LIMIT", "LIMIT")):
        check(why in configure(f"{head}add_executable(program a.c)\npapi_gate({wrong})\n", good=False), wrong)


def tools_on_path(place):
    """The place's environment, in which papi_gate and papi_counted are found by name."""
    folders = [str(pathlib.Path(SETTINGS[tool]).parent) for tool in ("papi_gate", "papi_counted")]
    return {**place.env, "PATH": os.pathsep.join([*folders, place.env["PATH"]])}


def case_pytest(place):
    """The example for pytest: it passes, and fails with what papi_gate says."""
    if subprocess.run([sys.executable, "-m", "pytest", "--version"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: pytest is not installed (package python3-pytest)")
        sys.exit(77)
    shutil.copy(pathlib.Path(SETTINGS["examples"]) / "test_counts.py", place.folder)

    def tested():
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_counts.py"], cwd=place.folder, env=tools_on_path(place),
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    (place.folder / "Makefile").write_text("program: a.c\n\t$(CC) -O2 a.c -o program\n")
    place.build(SUM)
    (place.folder / "a.out").rename(place.folder / "program")
    place.gate("record", "./program", "10")
    status, said = tested()
    check(status == 0 and "1 passed" in said, said)
    (place.folder / "a.c").write_text(SUM.replace("* 1.5", "/ 1.7"))
    later = (place.folder / "program").stat().st_mtime + 1
    os.utime(place.folder / "a.c", (later, later))  # the test builds it
    status, said = tested()
    check(status == 1 and "FP_DIVIDE_INSTRUCTIONS rose from 0 to 10,000" in said and "a.c:8 in sum" in said, said)


FPM = """#!/bin/sh
# fpm test NAME --compiler COMPILER --flag FLAGS --runner RUNNER: builds the test of this name, and runs it by the runner.
[ "$1 $2 $3 $5 $7" = "test counts --compiler --flag --runner" ] || exit 9
"$4" $6 test/counts.f90 -o "$PWD/counts" && $8 "$PWD/counts"
"""


def case_fpm(place):
    """The example for fpm, whose commands are run by a stand-in that does with a runner what fpm does."""
    if not SETTINGS["Fortran"]:
        print("SKIPPED: no Fortran compiler")
        sys.exit(77)
    manifest = (pathlib.Path(SETTINGS["examples"]) / "fpm.toml").read_text()
    commands = re.findall(r"^#   (fpm test .*)$", manifest, re.M)
    check(len(commands) == 2 and 'main = "counts.f90"' in manifest and 'source-dir = "test"' in manifest, manifest)
    script = re.search(r"counted-gfortran is a script: (.*)", manifest).group(1).replace("gfortran", SETTINGS["Fortran"])
    (place.folder / "test").mkdir()
    for name, text in (("fpm", FPM), ("counted-gfortran", f"#!/bin/sh\n{script}\n")):
        (place.folder / name).write_text(text)
        (place.folder / name).chmod(0o755)

    def run(command, turns):
        (place.folder / "test/counts.f90").write_text(f"program counts\n  double precision :: s\n  integer :: i\n  s = 0\n  do i = 1, {turns}\n    s = s + sqrt(dble(i))\n"
                                                      "  end do\n  if (s < 1) stop 1\nend program\n")
        env = tools_on_path(place)
        done = subprocess.run(command, shell=True, cwd=place.folder, env={**env, "PATH": f"{place.folder}:{env['PATH']}"}, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    check(run(commands[0], 1000)[0] == 0, "record")
    check(run(commands[1], 1000)[0] == 0, "the same")
    status, said = run(commands[1], 1100)
    roots = [int(count.replace(",", "")) for count in re.search(r"FP_SQRT_INSTRUCTIONS +([\d,]+) +([\d,]+)", said).groups()]
    check(status == 1 and roots[1] - roots[0] == 100 and "counts.f90:6 in" in said, status, said)


def main():
    with tempfile.TemporaryDirectory(prefix="gate_") as folder:
        globals()[f"case_{sys.argv[2]}"](Place(folder))
    print("passed")


main()
