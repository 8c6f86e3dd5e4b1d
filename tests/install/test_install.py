#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_install.py CASE SETTINGS.json [MPI]: the installed library as its users meet it.

Case "tree" installs the build into the folder WORK/prefix and looks at the files; the others build
programs against that folder alone and run them. Status: 0 passed, 1 failed, 77 skipped.
"""
import concurrent.futures
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
CONSUMER = os.path.join(HERE, "consumer")
# Nothing that points a compiler, pkg-config or CMake to another installation.
LEADING = re.compile(r"^(C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|CPATH|LIBRARY_PATH|LD_LIBRARY_PATH|LD_PRELOAD|"
                     r"LD_RUN_PATH|PKG_CONFIG.*|CMAKE_PREFIX_PATH|papi_.*|PAPI_.*|[CF]FLAGS|CXXFLAGS|LDFLAGS)$")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not LEADING.match(k)}
MODULES = ["papi", "papi_benches", "papi_bindings", "papi_errors", "papi_event_sets", "papi_information", "papi_lost_ends", "papi_regions",
           "papi_sde", "papi_structures"]
OLD_FORMS = ["uses_f77papi.f", "uses_fpapi.F", "uses_f90papi.f90"]


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failed(text)


def run(*command, show=True, **environment):
    """The output of a command; it must succeed."""
    print("$", " ".join(command), flush=True)
    done = subprocess.run(command, env={**ENVIRONMENT, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          timeout=600)
    if show or done.returncode != 0:
        print(done.stdout, end="", flush=True)
    check(done.returncode == 0, f"status {done.returncode}")
    return done.stdout


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


class Install:
    """Where the parts of the installed tree are, and programs that use them."""

    def __init__(self, settings, prefix):
        self.settings, self.prefix = settings, prefix
        self.lib = os.path.join(prefix, settings["libdir"])
        self.include = os.path.join(prefix, settings["includedir"])
        self.module = os.path.join(prefix, settings["module_dir"])
        self.archive = os.path.join(prefix, settings["archive_dir"])

    def library(self):
        return os.path.join(self.lib, "libpapi.so." + self.settings["soversion"])

    def loads_this_library(self, file, static=False, **environment):
        found = re.findall(r"libpapi\.\S* => (\S+)", run("ldd", file, show=False, **environment))
        wanted = [] if static else [os.path.realpath(self.library())]
        check([os.path.realpath(f) for f in found] == wanted, f"{file} loads {found}, not {wanted}")

    def program(self, file, static=False, **environment):
        """Runs it; it is this installation's library that it takes."""
        self.loads_this_library(file, static, **environment)
        output = run(file, **environment)
        check(output == f"PAPI {self.settings['soversion']}\n", f"{file} wrote {output!r}")

    def compile(self, name, *command, static=False):
        """A program of one source with the compiler's plain command, run with LD_LIBRARY_PATH."""
        folder = os.path.join(self.settings["work"], "plain")
        os.makedirs(folder, exist_ok=True)
        file = os.path.join(folder, name)
        run(*command, "-o", file)
        self.program(file, static, **({} if static else {"LD_LIBRARY_PATH": self.lib}))

    def cmake(self, name, programs, **variables):
        """Builds the consumer's project and runs its programs."""
        s = self.settings
        build = fresh(os.path.join(s["work"], "cmake-" + name))
        variables.update(CMAKE_PREFIX_PATH=self.prefix, CMAKE_MAKE_PROGRAM=s["make"], CMAKE_BUILD_TYPE="Release")
        variables["CMAKE_" + variables["LANGUAGES"] + "_COMPILER"] = s[variables["LANGUAGES"]]
        run(s["cmake"], "-S", CONSUMER, "-B", build, "-G", s["generator"], "-Werror=dev",
            *(f"-D{key}={value}" for key, value in variables.items()))
        run(s["cmake"], "--build", build)
        for program in programs:
            self.program(os.path.join(build, program), static=program in ("uses_static", "uses_sde_static"))
        return build


# ---- what is installed

def needed(file):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", file, show=False))


def check_moveable(install):
    """No file names a folder of the build or the sources: elsewhere they would be other bytes."""
    s = install.settings
    # As a path of its own: in a clone at /fpapi, $HOME/fpapi and lib/fpapi are other folders.
    folders = {f: re.compile(rb"(?:(?<![\w.})*-])|(?<=-[IL]))" + re.escape(f.encode()) + rb"(?![\w.-])")
               for f in (s["build"], s["source"], s["work"])}
    for folder, _, names in os.walk(install.prefix):
        for name in names:
            file = os.path.join(folder, name)
            if os.path.islink(file):
                continue
            with open(file, "rb") as opened:
                content = opened.read()
            for bad, pattern in folders.items():
                check(pattern.search(content) is None, f"{file} names {bad}")
            if name.endswith((".cmake", ".pc")):
                check(install.prefix.encode() not in content, f"{file} names the prefix")


def check_exports(install):
    """The shared library exports the interface and nothing of its own insides."""
    lines = run("nm", "-D", "--defined-only", install.library(), show=False).splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines}
    check({"PAPI_library_init", "papif_flops_", "PAPIF_FLOPS"} <= names, "the interface is not exported")
    strange = [n for n in names if not re.match(r"papi(f|8|48|84)?_|PAPI(F|8|48|84)?_", n)]
    check(not strange, f"exported: {strange}")


def case_tree(settings):
    stage = os.path.join(settings["work"], "stage")
    prefix = os.path.join(settings["work"], "prefix")
    fresh(settings["work"])
    run(settings["cmake"], "--install", settings["build"], "--prefix", stage, "--config", settings["config"])
    # Whoever knows only where it was installed does not find it any more.
    os.rename(stage, prefix)
    install = Install(settings, prefix)
    for file in ("include/papi.h", "include/papiStdEventDefs.h", "include/fpapi.h", "include/f77papi.h",
                 "include/f90papi.h", "include/fpapi/integer8/fpapi.h", "include/fpapi/integer8/f77papi.h",
                 "include/fpapi/integer8/f90papi.h", "include/fpapi/constants/f77papi.h", "include/fpapi/constants/f90papi.h",
                 "lib/libpapi.so", "lib/libpapi.a", "lib/libpapi_appio.so", "lib/papi/libpapi_data.so", "lib/papi/libpapi_launches.so", "lib/papi/libpapi_level_zero.so", "lib/libpapi_activity.so",
                 "lib/pkgconfig/papi.pc",
                 "include/papi.hpp", "include/fpapi/likwid/likwid-marker.h", "lib/libpapi_likwid.so", "lib/libpapi_kokkos.so", "lib/libpapi_openmp.so", "share/man/man1/papi_openmp.1", "share/papi/likwid.f90", "include/sde_lib.h", "include/sde_lib.hpp", "lib/libsde.so", "lib/libsde.so.1", "lib/libsde.so.1.0", "lib/libsde.a",
                 "lib/pkgconfig/sde.pc", "share/papi/papi_sde.f90",
                 "lib/cmake/papi/papi-config.cmake", "lib/cmake/papi/papi-config-version.cmake",
                 "bin/papi_avail", "share/papi/papi_events.csv", "share/papi/papi_metrics.csv", "share/doc/papi/presets.html",
                 "share/doc/papi/LICENSE", "share/doc/papi/docs/fortran.md", "share/doc/papi/examples/flops_loop.f90",
                 "share/doc/papi/examples/eventset.c", "share/doc/papi/examples/site/papi-exporter.service",
                 "share/doc/papi/examples/site/papi-to-influx", "share/doc/papi/examples/site/slurm-task-prolog",
                 "share/doc/papi/examples/site/slurm-task-epilog", "lib/pkgconfig/papi_fortran.pc",
                 "share/papi/papi.f90", "share/papi/papi_benches.f90", "share/papi/python/papi/low.py", "share/papi/python/cypapi.py",
                 "share/papi/rust/Cargo.toml", "share/papi/rust/build.rs", "share/papi/rust/src/lib.rs", "share/papi/rust/src/sys.rs",
                 "share/papi/julia/Project.toml", "share/papi/julia/src/PAPI.jl", "share/papi/julia/src/interface.jl", "share/man/man7/papi.7",
                 "share/man/man3/PAPI_flips.3", "share/man/man3/PAPIF_flops.3", "share/man/man1/papi_doctor.1",
                 "share/bash-completion/completions/papi_doctor", "share/bash-completion/completions/papi_tools",
                 "share/zsh/site-functions/_papi_tools"):
        path = re.sub("^lib/", settings["libdir"] + "/", re.sub("^include/", settings["includedir"] + "/", file))
        check(os.path.isfile(os.path.join(prefix, path)), f"{path} is not installed")
    for flavour in settings["mpi"]:
        for file in (f"lib/libpapi_mpi_{flavour}.so", "lib/libpapi_mpi.so", f"lib/pkgconfig/papi_mpi_{flavour}.pc",
                     "lib/pkgconfig/papi_mpi.pc", "bin/papi_mpirun", "share/man/man7/papi_mpi.7"):
            path = os.path.join(prefix, re.sub("^lib/", settings["libdir"] + "/", file))
            check(os.path.isfile(path), f"{path} is not installed")
    if settings["report"] == "1":
        check(os.path.isfile(os.path.join(prefix, "bin/papi_mpi_report")), "papi_mpi_report is not installed")
    for tool in os.listdir(os.path.join(prefix, "bin")):
        page = os.path.join(prefix, f"share/man/man1/{tool}.1")
        check(os.path.isfile(page), f"bin/{tool} has no manual page: its source has no usage text, docs/man no {tool}.1.md")
    modules = glob.glob(prefix + "/**/*.mod", recursive=True)
    wanted = sorted(os.path.join(install.module, name + ".mod") for name in MODULES)
    check(sorted(modules) == wanted, f"modules: {modules}")
    check(os.path.isfile(os.path.join(install.archive, "libpapi_fortran.a")), "no archive of the module")
    libraries = needed(install.library())
    check(not [n for n in libraries if n.startswith("libhwloc")], f"libpapi.so needs {libraries}")
    check_moveable(install)
    check_exports(install)
    # Libraries that are preloaded find this one beside them.
    for name in ("openmp", "likwid", "kokkos"):
        done = subprocess.run(["true"], env={**os.environ, "LD_PRELOAD": os.path.join(install.lib, f"libpapi_{name}.so")},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
        check((done.returncode, done.stdout) == (0, ""), f"libpapi_{name}.so is not loaded: {done.stdout}")
    # Each tool starts with the library beside it, without help from the environment.
    for tool in os.listdir(os.path.join(prefix, "bin")):
        run(os.path.join(prefix, "bin", tool), "--help", show=False)
    # The joined tables are a user's file like any other; a fault in one is reported with its name.
    tables = os.path.join(prefix, "share/papi/papi_events.csv")
    said = run(os.path.join(prefix, "bin/papi_avail"), show=False, PAPI_CSV_EVENT_FILE=tables)
    check(tables not in said, f"the library's reader on the installed tables: {said}")
    install.loads_this_library(os.path.join(prefix, "bin/papi_avail"))
    check_uninstall(settings)


def check_uninstall(settings):
    """What an installation put into a folder with somebody else's file, is gone afterwards, and nothing else."""
    prefix = os.path.join(settings["work"], "short-lived")
    fresh(os.path.join(prefix, "share/papi/other"))
    run(settings["cmake"], "--install", settings["build"], "--prefix", prefix, "--config", settings["config"], show=False)
    manifest = os.path.join(settings["build"], "install_manifest.txt")
    remove = (settings["cmake"], "-D", "manifest=" + manifest, "-P", os.path.join(settings["source"], "cmake/uninstall.cmake"))
    check(os.path.isfile(os.path.join(prefix, "bin/papi_avail")), "nothing was installed")
    run(*remove)
    left = [os.path.join(folder, name) for folder, _, names in os.walk(prefix) for name in names]
    check(not left, f"left: {left}")
    check(os.path.isdir(os.path.join(prefix, "share/papi/other")), "another's folder is gone")
    check(not os.path.isdir(os.path.join(prefix, "include/fpapi")), "an own folder is left")
    os.remove(manifest)
    check("nothing was installed from here" in refused(*remove), "there was no manifest")


def check_archive(archive):
    """A program may have any names but the interface's."""
    lines = run("nm", "--defined-only", "--extern-only", archive, show=False).splitlines()
    names = {line.split()[2] for line in lines if len(line.split()) == 3}
    check({"PAPI_library_init", "papif_flops_"} <= names, "the interface is not in the archive")
    strange = [n for n in names if not re.match(r"papi(f|8|48|84)?_|PAPI(F|8|48|84)?_", n)]
    check(not strange, f"global in {archive}: {strange}")


def is_program_or_library(file):
    """Not an object file, which is linked into others' programs."""
    with open(file, "rb") as opened:
        head = opened.read(18)
    return head[:4] == b"\x7fELF" and head[16] != 1


def case_protected(install):
    """Every program and library has what cmake/protection.cmake asks for."""
    if not install.settings["protection"]:
        raise Skipped("built with FPAPI_PROTECTION=OFF")
    files = [os.path.join(folder, name) for folder, _, names in os.walk(install.prefix) for name in names]
    files = [f for f in files if not os.path.islink(f) and is_program_or_library(f)]
    check(len(files) > 10, f"programs and libraries: {files}")
    for file in files:
        said = run("readelf", "-W", "-d", "-l", "-n", file, show=False)
        check(re.search(r"FLAGS_1.*\bNOW\b", said), f"{file} is bound lazily")
        check("GNU_RELRO" in said and re.search(r"GNU_STACK.* RW +0x", said), f"{file}: no RELRO, or code on the stack")
        check(re.search(r"x86 feature:.*SHSTK", said) or not install.settings["shadow_stack"], f"{file}: no shadow stack")
        if "/bin/" in file:
            check(re.search(r"FLAGS_1.*\bPIE\b", said), f"{file} is at a fixed address")
    used = run("nm", "-D", "--undefined-only", install.library(), show=False)
    for name in ("__stack_chk_fail", "_chk@GLIBC" if "@GLIBC" in used else "__stack_chk_fail"):
        check(name in used, f"libpapi.so uses no {name}")


def package_lists(source):
    """Of each Debian package, what its list of files says, as regular expressions of paths."""
    lists = {}
    for file in glob.glob(os.path.join(source, "packaging", "debian", "*.install")):
        with open(file, encoding="utf-8") as opened:
            for line in opened.read().split():
                pattern = re.escape(line).replace(r"\*", "[^/]*") + "(/.*)?"
                lists.setdefault(pattern, []).append(os.path.basename(file))
    return lists


def case_packages(install):
    """Each installed file is in one Debian package, and each line of the packages' lists finds one."""
    s = install.settings
    if len(s["mpi"]) < 2 or s["report"] != "1" or not os.path.exists(install.lib + "/papi/libpapi_emulator.so"):
        raise Skipped("not everything is built here: both MPIs, jansson and Capstone")
    files = [os.path.relpath(os.path.join(folder, name), install.prefix)
             for folder, _, names in os.walk(install.prefix) for name in names]
    with open(s["source"] + "/packaging/debian/rules", encoding="utf-8") as rules:
        python = re.search(r"-DFPAPI_PYTHON_DIR=(\S+)", rules.read())[1]
    files = ["usr/" + re.sub(f"^{s['libdir']}/", "lib/triplet/", file) for file in files]
    files = [re.sub("^usr/share/papi/python/", f"usr/{python}/", file) for file in files]
    lists = package_lists(s["source"])
    check(len(lists) > 20, f"lists of files: {lists}")
    for pattern, packages in lists.items():
        check(len(packages) == 1 and [f for f in files if re.fullmatch(pattern, f)], f"{packages}: nothing is {pattern}")
    for file in files:
        found = {p for pattern, packages in lists.items() if re.fullmatch(pattern, file) for p in packages}
        check(len(found) == 1, f"{file} is in the packages {found}")


def case_debian(install):
    """The Debian packages of the last commit, built, checked and used in clean systems: .ci/package."""
    source = install.settings["source"]
    for tool in ("debootstrap", "unshare", "git"):
        if shutil.which(tool) is None:
            raise Skipped(f"{tool} is not installed, which building packages in a clean system takes")
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skipped("a clean system takes root, and the right to mount")
    if subprocess.run(["git", "-C", source, "rev-parse", "-q", "--verify", "HEAD"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skipped("these sources are not a git checkout, of whose last commit packages are made")
    done = subprocess.run([source + "/.ci/package"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    if done.returncode and not glob.glob(source + "/build/systems/*.tar"):
        raise Skipped("no clean system could be downloaded (FPAPI_MIRROR)")
    print(done.stdout)
    check(done.returncode == 0, f".ci/package ended with {done.returncode}")


# Where the version is said, beside CMakeLists.txt.
SAID_VERSIONS = {
    "src-c/include/papi.h": r"^#define PAPI_VERSION PAPI_VERSION_NUMBER\((\d+,\d+,\d+),0\)$",
    "CHANGELOG.md": r"\A(?:(?!^## ).*\n)*## ([\d.]+)",
    "packaging/debian/changelog": r"\Afpapi \((.*)-\d+\)",
    "packaging/spack/package.py": r"version\(\"(.*?)\"",
    "packaging/easybuild/fpapi-{}-gompi-2023a.eb": r"^version = '(.*)'$",
    "packaging/conda/meta.yaml": r'set version = "(.*?)"',
}
RECIPES = ["packaging/debian/rules", "packaging/spack/package.py", "packaging/easybuild/fpapi-{}-gompi-2023a.eb", "packaging/conda/build.sh"]


def case_release(install):
    """Every place that says the version says the same, and recipes set variables that the build knows."""
    s = install.settings
    for file, pattern in SAID_VERSIONS.items():
        with open(os.path.join(s["source"], file.format(s["version"])), encoding="utf-8") as opened:
            found = re.search(pattern, opened.read(), re.MULTILINE)
        check(found and found[1].replace(",", ".") == s["version"], f"{file} says {found and found[1]}")
    with open(os.path.join(s["build"], "CMakeCache.txt"), encoding="utf-8") as opened:
        known = set(re.findall(r"^(\w+):", opened.read(), re.MULTILINE))
    for file in RECIPES:
        with open(os.path.join(s["source"], file.format(s["version"])), encoding="utf-8") as opened:
            text = opened.read()
        if file.endswith((".py", ".eb")): # both are Python
            compile(text, file, "exec")
        used = set(re.findall(r"(?:-D|\b)((?:FPAPI|CAPSTONE|JANSSON)_\w+)", text))
        check("FPAPI_MPI_COMPILERS" in used and used <= known, f"{file} sets {used - known}")


# ---- who uses it

def counted_program(install):
    """One that counts its own operations, where that is installed."""
    return ["uses_counted"] if os.path.exists(os.path.join(install.prefix, "bin/papi_counted")) else []


def check_counted(build):
    for program in glob.glob(build + "/**/uses_counted", recursive=True):
        if os.path.isfile(program):
            sections = run("readelf", "-SW", program, show=False)
            tables = re.search(r" papi_counted_units +PROGBITS +\S+ +\S+ +(\S+)", sections)
            check(tables and int(tables[1], 16) > 100, f"{program} has no counters")


def case_cmake_c(install):
    check_counted(install.cmake("c", ["uses_papi", "uses_static", "uses_sde", "uses_sde_static", *counted_program(install)],
                                LANGUAGES="C"))


def case_cmake_fortran(install):
    programs = ["uses_module", "uses_objects", "uses_static"] + [os.path.splitext(f)[0] for f in OLD_FORMS]
    check_counted(install.cmake("fortran", programs + counted_program(install), LANGUAGES="Fortran", MODULE="installed"))


def case_other_compiler(install):
    """The installed module is of a compiler that does not exist: the source builds one."""
    s = install.settings
    other = Install(s, os.path.join(s["work"], "other"))
    shutil.rmtree(other.prefix, ignore_errors=True)
    shutil.copytree(install.prefix, other.prefix, symlinks=True)
    strange = os.path.join(os.path.dirname(other.module), "Other-1.0")
    os.rename(other.module, strange)
    with open(os.path.join(strange, "papi.mod"), "w") as file:
        file.write("no module of this compiler\n")
    build = other.cmake("other", ["uses_module", "uses_objects"], LANGUAGES="Fortran", MODULE="built")
    check(glob.glob(build + "/**/papi.mod", recursive=True), "no module was built")
    # And by hand, as docs/install.md has it.
    folder = fresh(os.path.join(s["work"], "module"))
    run(s["Fortran"], "-c", os.path.join(other.prefix, "share/papi/papi.f90"), "-J", folder,
        "-o", os.path.join(folder, "papi.o"))
    other.compile("other_objects", s["Fortran"], "-I", folder, os.path.join(CONSUMER, "uses_objects.f90"),
                  os.path.join(folder, "papi.o"), "-L", other.lib, "-lpapi")
    other.compile("other_module", s["Fortran"], "-I", folder, os.path.join(CONSUMER, "uses_module.f90"),
                  "-L", other.lib, "-lpapi")


def pkg_config(install, *arguments, package="papi"):
    tool = shutil.which("pkg-config") or shutil.which("pkgconf")
    if tool is None:
        raise Skipped("pkg-config is not installed")
    return run(tool, *arguments, package, PKG_CONFIG_PATH=os.path.join(install.lib, "pkgconfig")).split()


def named_library(install, soname):
    """An empty library, so that a program linked with it needs that name: as one linked with another build of libsde does."""
    folder = os.path.join(install.settings["work"], "named")
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, soname)
    run(install.settings["C"], "-shared", "-Wl,-soname," + soname, "-o", file, "-x", "c", os.devnull)
    return file


def case_pkgconfig(install):
    c, fortran = install.settings["C"], install.settings["Fortran"]
    check(pkg_config(install, "--modversion") == [install.settings["version"]], "another version")
    flags = pkg_config(install, "--cflags", "--libs")
    install.compile("pc_c", c, os.path.join(CONSUMER, "uses_papi.c"), *flags)
    flags_of_sde = pkg_config(install, "--cflags", "--libs", package="sde")
    install.compile("pc_sde", c, os.path.join(CONSUMER, "uses_sde.c"), *flags, *flags_of_sde)
    others = [named_library(install, soname) for soname in ("libsde.so", "libsde.so.1")]
    install.compile("other_sde", c, os.path.join(CONSUMER, "uses_sde.c"), "-Wl,--no-as-needed", *others, *flags, *flags_of_sde)
    for name in ("module", "objects"):
        install.compile("pc_" + name, fortran, os.path.join(CONSUMER, f"uses_{name}.f90"), *flags)
    for source in OLD_FORMS:
        install.compile("pc_" + source.split(".")[0], fortran, os.path.join(CONSUMER, source), *flags)
    install.compile("pc_fortran", fortran, os.path.join(CONSUMER, "uses_objects.f90"),
                    *pkg_config(install, "--cflags", "--libs", package="papi_fortran"))
    for variable in ("module_dir", "module_source"):
        value = pkg_config(install, "--variable=" + variable)
        check(len(value) == 1 and os.path.exists(value[0]), f"{variable} is {value}")


RUST_PROGRAM = """
fn main() -> papi::Result<()> {
    papi::init()?;
    println!("PAPI {}.{}", papi::sys::PAPI_VER_CURRENT >> 24, papi::sys::PAPI_VER_CURRENT >> 16 & 0xff);
    Ok(())
}
"""


def case_rust(install):
    """The crate as its page says: added by its path, with the library that pkg-config knows."""
    if not shutil.which("cargo"):
        raise Skipped("no cargo")
    folder = os.path.join(fresh(os.path.join(install.settings["work"], "rust")), "consumer")
    manifest = os.path.join(folder, "Cargo.toml")
    run("cargo", "init", "--quiet", "--vcs", "none", folder)
    run("cargo", "add", "--offline", "--manifest-path", manifest, "--path", os.path.join(install.prefix, "share/papi/rust"))
    with open(os.path.join(folder, "src/main.rs"), "w", encoding="utf-8") as out:
        out.write(RUST_PROGRAM)
    run("cargo", "build", "--offline", "--manifest-path", manifest, PKG_CONFIG_PATH=os.path.join(install.lib, "pkgconfig"),
        RUSTFLAGS=f"-D warnings -C link-arg=-Wl,-rpath,{install.lib}")
    install.program(os.path.join(folder, "target/debug/consumer"))
    check(not os.path.exists(os.path.join(install.prefix, "share/papi/rust/target")), "cargo wrote into the installation")


def case_plain(install):
    """Nothing but the compiler."""
    s = install.settings
    for source, folder in [("uses_module.f90", install.module)] + [(f, install.include) for f in OLD_FORMS]:
        install.compile("plain_" + source.split(".")[0], s["Fortran"], "-I" + folder,
                        os.path.join(CONSUMER, source), "-L" + install.lib, "-lpapi")
    install.compile("plain_objects", s["Fortran"], "-I" + install.module, os.path.join(CONSUMER, "uses_objects.f90"),
                    "-L" + install.archive, "-lpapi_fortran", "-L" + install.lib, "-lpapi")
    install.compile("plain_c", s["C"], "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror",
                    "-I" + install.include, os.path.join(CONSUMER, "uses_papi.c"), "-L" + install.lib, "-lpapi")


# The documents' programs, by their names in the command lines. Each prints what uses_papi.c prints.
DOCUMENTED = {"my_code.f90": "uses_module.f90", "my_objects.f90": "uses_objects.f90", "old_code.F": "uses_fpapi.F",
              "old_code.f": "uses_f77papi.f", "my_code.c": "uses_papi.c", "first.f90": "uses_module.f90", "measured.f90": "uses_objects.f90"}


def documented_lines(path):
    """The indented lines of a document that call GNU's compilers, those that end with a backslash joined."""
    with open(path, encoding="utf-8") as document:
        text = document.read().replace("\\\n", "")
    return re.findall(r"^    ((?:gfortran|gcc) .*(?:-lpapi|--libs papi|libpapi[.]a)\b.*)", text, re.M)


def case_documented(install):
    """The command lines of the documents make programs that start, in a shell that was told nothing more."""
    s = install.settings
    if "GNU" not in os.path.basename(install.module) or s["libdir"] != "lib":
        raise Skipped("the documents' lines are those of GNU's compilers and of a folder lib")
    home = fresh(s["work"] + "-home")
    os.symlink(install.prefix, os.path.join(home, "fpapi"))
    os.makedirs(os.path.join(home, "bin"))
    for name, language in (("gfortran", "Fortran"), ("gcc", "C")):
        os.symlink(shutil.which(s[language]), os.path.join(home, "bin", name))
    for name, source in DOCUMENTED.items():
        shutil.copy(os.path.join(CONSUMER, source), os.path.join(home, name))
    environment = {"HOME": home, "PATH": os.path.join(home, "bin") + os.pathsep + ENVIRONMENT["PATH"]}
    for document, least in (("docs/install.md", 6), ("docs/fortran.md", 2), ("docs/emulation.md", 1)):
        lines = documented_lines(os.path.join(s["source"], document))
        check(len(lines) >= least, f"{document} has {len(lines)} command lines: {lines}")
        for line in lines:
            archive = "libpapi.a" in line
            if archive and not s["pfm_archive"]: # which is then not all that a program links with
                continue
            program = os.path.join(home, (re.findall(r" -o (\w+)", line) or ["a.out"])[0])
            if "pkg-config" in line:
                pkg_config(install, "--exists")
            run("sh", "-ec", f"cd {home} && {line}", PKG_CONFIG_PATH=os.path.join(home, "fpapi/lib/pkgconfig"), **environment)
            install.program(program, static=archive)
            os.remove(program)


def case_static(install):
    """The archive alone where it contains libpfm4, and also beside that library."""
    s = install.settings
    flags = [f for f in pkg_config(install, "--static", "--cflags", "--libs") if f != "-lpapi"]
    check(("-lpfm" in flags) != s["pfm_archive"], f"papi.pc links libpfm4 and libpapi.a contains it, or neither: {flags}")
    archive = os.path.join(install.lib, "libpapi.a")
    check_archive(archive)
    install.compile("static_c", s["C"], os.path.join(CONSUMER, "uses_papi.c"), archive, *flags, static=True)
    if s["pfm_archive"]:
        source = ["-I" + install.include, os.path.join(CONSUMER, "uses_papi.c")]
        install.compile("static_alone", s["C"], *source, archive, static=True)
        install.compile("static_twice", s["C"], *source, "-Wl,--whole-archive", s["pfm_archive_file"],
                        "-Wl,--no-whole-archive", archive, static=True)
    install.compile("static_fortran", s["Fortran"], os.path.join(CONSUMER, "uses_module.f90"), archive, *flags,
                    static=True)
    module = os.path.join(fresh(os.path.join(s["work"], "extension")), "extension.so")
    run(s["C"], "-shared", "-fPIC", "-Wl,--no-undefined", os.path.join(CONSUMER, "uses_papi.c"), "-o", module, archive, *flags)
    run(sys.executable, "-c", f"import ctypes; ctypes.CDLL({module!r}).main()")


def case_whole(install):
    """Programs without any shared library: gcc's runtimes take the C library's threads as they find them."""
    s = install.settings
    flags = pkg_config(install, "--static", "--cflags", "--libs")
    source = {"C": "uses_papi.c", "Fortran": "uses_module.f90"}
    for language, options in (("C", []), ("C", ["-fopenmp"]), ("Fortran", []), ("Fortran", ["-fopenmp"]),
                              ("Fortran", ["-fopenmp", "-Wl,--gc-sections"])):
        program = os.path.join(fresh(os.path.join(s["work"], "whole")), "program")
        run(s[language], os.path.join(CONSUMER, source[language]), *options, *flags, "-static", "-o", program)
        check("not a dynamic executable" in subprocess.run(["ldd", program], capture_output=True, text=True).stderr,
              f"{program} is not static")
        check(run(program) == f"PAPI {s['soversion']}\n", "the program has written something else")


def case_cxx(install):
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise Skipped("there is no C++ compiler")
    for standard in ("c++98", "c++17"):
        install.compile("cxx_" + standard, compiler, "-std=" + standard, "-pedantic-errors", "-Wno-long-long", "-Wall", "-Wextra",
                        "-Werror", "-I" + install.include, "-x", "c++", os.path.join(CONSUMER, "uses_papi.c"),
                        "-L" + install.lib, "-lpapi")


GATED = """#include <papi_bench.h>
double a[2000];
__attribute__((noinline)) double sum(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 1.5;
    return s;
}
int main(void)
{
    PAPI_BENCH("sum")
        PAPI_BENCH_KEEP(sum(TURNS));
    return 0;
}
"""


def case_gate(install):
    """A project outside of the tree: papi_gate() of the package, micro-benchmarks of papi_bench.h, and Fortran's."""
    s = install.settings
    if not os.path.isfile(os.path.join(install.prefix, "bin/papi_gate")):
        raise Skipped("papi_gate is not built")
    source = fresh(os.path.join(s["work"], "gated"))
    build = os.path.join(source, "build")
    for name, text in (("main.c", GATED), ("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(gated LANGUAGES C)\nenable_testing()\n"
                                           "find_package(papi REQUIRED)\nadd_executable(gated main.c)\ntarget_compile_options(gated PRIVATE -g -O2 -DTURNS=${TURNS})\n"
                                           "target_link_libraries(gated PRIVATE papi::papi)\npapi_counted(gated)\npapi_gate(TARGET gated)\n")):
        with open(os.path.join(source, name), "w") as file:
            file.write(text)

    def built(turns):
        run(s["cmake"], "-S", source, "-B", build, "-G", s["generator"], f"-DCMAKE_MAKE_PROGRAM={s['make']}", f"-DCMAKE_C_COMPILER={s['C']}",
            "-DCMAKE_C_COMPILER_LAUNCHER=", f"-DCMAKE_PREFIX_PATH={install.prefix}", f"-DTURNS={turns}", show=False)
        run(s["cmake"], "--build", build, show=False)

    def tested():
        return subprocess.run(["ctest", "--test-dir", build, "--output-on-failure"], capture_output=True, text=True)

    built(1000)
    run(s["cmake"], "--build", build, "--target", "gate_gated_record")
    with open(os.path.join(source, "gated.gate.json"), encoding="utf-8") as file:
        (region,) = json.load(file)["regions"]
    check(region["region"] == "sum" and region["counts"]["FP_OPS"] == 2000, region)
    same = tested()
    check(same.returncode == 0, same.stdout)
    built(1100)
    more = tested()
    check(more.returncode != 0 and re.search(r"FP_OPS in region sum +2,000 +2,200 +\+10.0 %", more.stdout), more.stdout)
    run(s["Fortran"], "-c", os.path.join(install.prefix, "share/papi/papi_benches.f90"), "-J", build, "-o", os.path.join(build, "papi_benches.o"))


# ---- the wrapper libraries

def run_job(install, flavour, calls, *command, **environment):
    """Runs a job of two ranks; its report and its result file are those of a job with as many calls."""
    folder = fresh(os.path.join(install.settings["work"], "job-" + flavour))
    result = os.path.join(folder, "result.json")
    output = run(*command, PAPI_MPI_OUTPUT=result, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                 OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_orte_tmpdir_base=folder, **environment)
    check("sum of the ranks: 1\n" in output, "the program's own output is missing")
    check("load balance" in output, "there is no report")
    with open(result, encoding="utf-8") as opened:
        job = json.load(opened)
    counted = {call["name"]: call["calls"] for call in job["calls"]}
    for name, times in calls.items():
        check(counted.get(name) == times, f"{name}: {counted.get(name)} calls, not {times}")
    return result


def case_mpi(install, flavour):
    """Preloaded by papi_mpirun, linked by CMake in either order, linked by pkg-config."""
    s = install.settings
    mpi, first = s["mpi"][flavour], next(iter(s["mpi"]))
    if not mpi["run"]:
        raise Skipped(f"there is no mpirun of {flavour}")
    library = os.path.join(install.lib, f"libpapi_mpi_{flavour}.so")
    calls = {"MPI_Barrier": 6, "MPI_Allreduce": 2}
    install.loads_this_library(library)
    link = os.path.join(install.lib, "libpapi_mpi.so")
    check(flavour != first or os.path.realpath(link) == os.path.realpath(library), "libpapi_mpi.so is another MPI's")

    plain = os.path.join(fresh(os.path.join(s["work"], "mpi-" + flavour)), "plain")
    source = os.path.join(CONSUMER, "mpi/uses_mpi.c")
    run(mpi["CC"], source, "-o", plain)
    result = run_job(install, flavour, calls, os.path.join(install.prefix, "bin/papi_mpirun"), "-n", "2", plain,
                     PAPI_MPIRUN=mpi["run"])
    if s["report"] == "1":
        said = run(os.path.join(install.prefix, "bin/papi_mpi_report"), result)
        check("MPI_Barrier" in said, "papi_mpi_report does not have MPI_Barrier")

    build = fresh(os.path.join(s["work"], "cmake-" + flavour))
    wrappers = "papi::mpi" if flavour == first else "papi::mpi_" + flavour
    run(s["cmake"], "-S", os.path.join(CONSUMER, "mpi"), "-B", build, "-G", s["generator"], "-Werror=dev",
        "-DCMAKE_PREFIX_PATH=" + install.prefix, "-DCMAKE_MAKE_PROGRAM=" + s["make"], "-DCMAKE_C_COMPILER=" + s["C"],
        "-DMPI_C_COMPILER=" + mpi["CC"], "-DWRAPPERS=" + wrappers, show=False)
    run(s["cmake"], "--build", build, show=False)
    for program in ("linked", "linked_behind"):
        run_job(install, flavour, calls, mpi["run"], "-n", "2", os.path.join(build, program))

    name = "papi_mpi" if flavour == first else "papi_mpi_" + flavour
    flags = pkg_config(install, "--cflags", "--libs", package=name)
    program = os.path.join(os.path.dirname(plain), "pkgconfig")
    run(mpi["CC"], source, *flags, "-o", program)
    run_job(install, flavour, calls, mpi["run"], "-n", "2", program, LD_LIBRARY_PATH=install.lib)
    check(os.path.realpath(pkg_config(install, "--variable=library", package=name)[0]) == os.path.realpath(library),
          "papi_mpi.pc names another library")


def configured(settings, name, **variables):
    """What CMake says of a build tree, and the targets that it has."""
    build = fresh(os.path.join(settings["work"] + "-configured", name))  # case_tree remakes the other folder
    variables = {"FPAPI_TESTS": "OFF", "CMAKE_C_COMPILER": settings["C"],
                 "CMAKE_Fortran_COMPILER": settings["Fortran"], **variables}
    said = run(settings["cmake"], "-S", settings["source"], "-B", build, "-G", settings["generator"],
               "-DCMAKE_MAKE_PROGRAM=" + settings["make"], *(f"-D{key}={value}" for key, value in variables.items() if value is not None),
               show=False, FC="/nowhere/gfortran")
    listed = run(settings["cmake"], "--build", build, "--target", "help", show=False)
    targets = set(re.findall(r"\bpapi_\w+|\bheat_\w+", listed))
    check("papi_avail" in targets, f"no targets were listed: {listed}")
    return said, targets


def case_lacking(install):
    """The build without what MPI jobs take, and with one MPI of two."""
    settings = install.settings
    said, targets = configured(settings, "nothing", FPAPI_MPI_COMPILERS="none", JANSSON_LIBRARY="", FPAPI_SYSTEMD_DIR="lib/systemd/system")
    tools = os.path.join(settings["work"] + "-configured", "nothing", "src-c", "tools")
    if "papi_exporter" in targets: # the units are installed where that was asked for, and name the program
        with open(os.path.join(tools, "cmake_install.cmake"), encoding="utf-8") as opened:
            check(re.search(r"lib/systemd/system.*papi-exporter\.service", opened.read(), re.DOTALL), "the units are not installed")
        with open(os.path.join(tools, "papi-exporter.service"), encoding="utf-8") as opened:
            check(re.search(r"^ExecStart=/usr/local/bin/papi_exporter$", opened.read(), re.MULTILINE), "the unit names another program")
    strange = {t for t in targets if re.match("papi_mpi_(mpich|openmpi|report)|heat_", t)}
    check(not strange, f"without MPI and jansson there is {strange}")
    check("no wrapper library" in said and "no papi_mpi_report" in said, f"CMake does not say what is left out:\n{said}")
    for flavour, mpi in settings["mpi"].items():
        said, targets = configured(settings, flavour, FPAPI_MPI_COMPILERS=mpi["CC"])
        found = {t for t in targets if re.fullmatch("papi_mpi_(mpich|openmpi)", t)}
        check(found == {"papi_mpi_" + flavour}, f"with {flavour} alone there is {found}")


# What cannot be found, and what CMake then says.
WITHOUT = {
    "PFM_LIBRARY": ("", "apt-get install libpfm4-dev"),
    "PFM_INCLUDE_DIR": ("", "apt-get install libpfm4-dev"),
    "HWLOC_INCLUDE_DIR": ("", "apt-get install libhwloc-dev"),
    "Python3_EXECUTABLE": ("/nowhere/python3", "apt-get install python3"),
}


def case_without(install):
    """The build without what it needs: the message names the package. Without Fortran it is a library for C."""
    settings = install.settings
    build = settings["work"] + "-without"
    configure = [settings["cmake"], "-S", settings["source"], "-B", build, "-G", settings["generator"],
                 "-DCMAKE_MAKE_PROGRAM=" + settings["make"], "-DFPAPI_MPI_COMPILERS=none"]
    fresh(build)
    for variable, (value, command) in WITHOUT.items(): # the compiler is looked at once
        said = refused(*configure, *(f"-U{other}" for other in WITHOUT), f"-D{variable}={value}", "-DFPAPI_FORTRAN=OFF",
                       CC=settings["C"])
        check(command in said, f"without {variable}:\n{said}")
    said = refused(*configure, "-DBUILD_SHARED_LIBS=OFF", CC=settings["C"])
    check("leave -DBUILD_SHARED_LIBS=OFF out" in said, f"without a shared library:\n{said}")
    fresh(build)
    said = refused(*configure, PATH="", CC="")
    check("apt-get install gcc libc6-dev" in said, f"without a C compiler:\n{said}")
    said = refused(*configure, "-DFPAPI_TESTS=ON", CC=settings["C"], FC="/nowhere/gfortran")
    check("apt-get install gfortran" in said, f"tests without Fortran:\n{said}")
    said, targets = configured(settings, "c", FPAPI_MPI_COMPILERS="none", CMAKE_Fortran_COMPILER=None)
    check("No Fortran compiler (gfortran): module papi and the examples in Fortran are left out" in said,
          f"CMake does not say what is left out:\n{said}")
    check("papi_fortran_source" in targets and "papi_fortran" not in targets, f"without Fortran there is {targets}")


OTHER_LANGUAGES = re.compile(r"c\+\+|g\+\+|clang\+\+|cargo|rust|julia|pip[0-9.]*$")


def case_bare(install):
    """The sources of the bindings need no compiler of their language: nothing but C, Fortran and Python is there."""
    settings, programs = install.settings, fresh(install.settings["work"] + "-bare")
    for folder in {os.path.dirname(os.path.realpath(settings["C"])), "/usr/bin", "/bin"}:
        for name in sorted(os.listdir(folder)):
            if not OTHER_LANGUAGES.search(name) and not os.path.lexists(os.path.join(programs, name)):
                os.symlink(os.path.join(folder, name), os.path.join(programs, name))
    check(not shutil.which("c++", path=programs) and shutil.which("python3", path=programs), f"{programs} is not bare")
    before = ENVIRONMENT["PATH"]
    ENVIRONMENT["PATH"] = programs
    try:
        check(not run("sh", "-c", "command -v c++ cargo rustc julia || true"), "the programs are found")
        _, targets = configured(settings, "bare", FPAPI_MPI_COMPILERS="none")
        build = os.path.join(settings["work"] + "-configured", "bare")
        run(settings["cmake"], "--build", build, "--target", "papi_python", "papi_rust", "papi_julia", show=False)
    finally:
        ENVIRONMENT["PATH"] = before
    check({"papi_python", "papi_rust", "papi_julia"} <= targets, f"without other compilers there is {targets}")
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        found = re.findall(r"^(?:CMAKE_CXX_COMPILER:|.*/(?:c\+\+|g\+\+|cargo|rustc|julia)$).*", cache.read(), re.MULTILINE)
    check(not found, f"these are looked for: {found}")
    for made in ("python/packages/papi/low.py", "rust/fpapi/src/sys.rs"):
        check(os.path.isfile(os.path.join(build, "bindings", made)), f"there is no {made}")


BY_VARIABLES = """cmake_minimum_required(VERSION 3.10)
project(older C)
find_package(PAPI REQUIRED)
include_directories(${PAPI_INCLUDE_DIRS})
add_executable(program program.c)
target_link_libraries(program ${PAPI_LIBRARIES})
"""


def write_project(folder, text):
    with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "program.c"), "w", encoding="utf-8") as file:
        file.write("#include <papi.h>\n"
                   "int main(void) { return PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT; }\n")


def refused(*command, **environment):
    """What a command that fails says, on one line."""
    done = subprocess.run(command, env={**ENVIRONMENT, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    check(done.returncode != 0, f"{command} succeeded:\n{done.stdout}")
    return " ".join(done.stdout.split())


# What a project in C is told; papi::static is there, and says nothing.
MISSING_COMPONENTS = {
    "fortran": "Component fortran: it needs a project with Fortran enabled before find_package",
    "static Fortran": "Component Fortran: it needs a project with Fortran enabled before find_package",
    "mpi_other": "Component mpi_other: no wrapper library of such an MPI is installed",
    "cuda": "Component cuda: there are fortran, mpi, mpi_mpich, mpi_openmpi and static",
}

# As modules that look for PAPI, and configure scripts, read its version.
VERSION_READERS = [
    r"^#define[ \t]+PAPI_VERSION[ \t]+PAPI_VERSION_NUMBER\(([0-9]+),([0-9]+),([0-9]+),[0-9]+\)$",
    r"#define PAPI_VERSION\s+PAPI_VERSION_NUMBER *\( *([0-9]+) *, *([0-9]+) *, *([0-9]+)",
    r"define PAPI_VERSION [^0-9]*([0-9]+),([0-9]+),([0-9]+)",
]


def case_version(install):
    """papi.h's version as scripts find it, and as the compiler does."""
    wanted = install.settings["version"]
    header = os.path.join(install.include, "papi.h")
    with open(header, encoding="utf-8") as file:
        text = file.read()
    for pattern in VERSION_READERS:
        found = [".".join(numbers) for numbers in re.findall(pattern, text, re.MULTILINE)]
        check(found == [wanted], f"{pattern} finds {found}")
    said = run(install.settings["C"], "-E", "-P", "-include", header, "-xc", "/dev/null", "-dM", show=False)
    check(re.search(r"^#define PAPI_VER_CURRENT \(PAPI_VERSION & 0xffff0000\)$", said, re.MULTILINE),
          "PAPI_VER_CURRENT is another expression")


def case_variables(install):
    """A project that takes files from find_package(PAPI), and one in C that asks for components that it cannot have."""
    settings = install.settings
    folder = fresh(settings["work"] + "-variables")
    build = os.path.join(folder, "build")
    configure = [settings["cmake"], "-S", folder, "-B", build, "-G", settings["generator"],
                 "-DCMAKE_MAKE_PROGRAM=" + settings["make"], "-DCMAKE_PREFIX_PATH=" + install.prefix,
                 "-DCMAKE_C_COMPILER=" + settings["C"]]
    write_project(folder, BY_VARIABLES)
    run(*configure, show=False)
    run(settings["cmake"], "--build", build, show=False)
    run(os.path.join(build, "program"))
    for components, sentence in MISSING_COMPONENTS.items():
        write_project(folder, BY_VARIABLES.replace("REQUIRED", "REQUIRED COMPONENTS " + components))
        said = refused(*configure)
        check(sentence in said, f"asked for {components} in C:\n{said}")


SUBPROJECT = """cmake_minimum_required(VERSION 3.22...3.25)
project(larger C Fortran)
include(FetchContent)
FetchContent_Declare(fpapi URL fpapi.tar.gz)
FetchContent_MakeAvailable(fpapi)
add_executable(program program.c)
target_link_libraries(program PRIVATE papi::papi)
"""


def case_subproject(install):
    """The library as a part of a larger project, by the generator that CMake takes where there is no other."""
    settings = install.settings
    if not shutil.which("make"):
        raise Skipped("make is not installed")
    folder = fresh(settings["work"] + "-subproject")
    write_project(folder, SUBPROJECT)
    build = os.path.join(folder, "build")
    said = run(settings["cmake"], "-S", folder, "-B", build, "-G", "Unix Makefiles", "-DFPAPI_MPI_COMPILERS=none",
               "-DFETCHCONTENT_SOURCE_DIR_FPAPI=" + settings["source"],
               "-DCMAKE_C_COMPILER=" + settings["C"], "-DCMAKE_Fortran_COMPILER=" + settings["Fortran"],
               CMAKE_GENERATOR="", show=False)
    check("Warning" not in said, f"CMake warns:\n{said}")
    run(settings["cmake"], "--build", build, "--target", "program", "-j2", show=False)
    run(os.path.join(build, "program"))
    check(not os.path.exists(os.path.join(build, "tests")) and not os.path.exists(os.path.join(build, "presets")),
          "the library wrote beside its own part of the build tree")


def case_dist(install):
    """The source archive of a commit has the same bytes whoever makes it, and its checksum."""
    settings = install.settings
    script = os.path.join(settings["source"], "packaging/dist")
    if not shutil.which("git") or not os.path.exists(os.path.join(settings["source"], ".git")):
        raise Skipped("the sources are not a clone")
    name, sums = f"fpapi-{settings['version']}.tar.gz", []
    for zone, mask in (("UTC", "022"), ("Asia/Tokyo", "077")):
        folder = fresh(settings["work"] + "-dist")
        said = run("sh", "-c", f"umask {mask} && cd {folder} && {script}", TZ=zone, show=False)
        run("sh", "-c", f"cd {folder} && sha256sum -c --quiet {name}.sha256", show=False)
        sums.append(said.split()[0])
    check(sums[0] == sums[1], f"two archives of one commit: {sums}")
    with tarfile.open(os.path.join(folder, name)) as archive:
        members = archive.getnames()
    check(f"fpapi-{settings['version']}/CMakeLists.txt" in members, f"the archive begins with {members[:3]}")
    check(subprocess.run([script, "no such commit"], cwd=folder, stderr=subprocess.DEVNULL).returncode == 1,
          "a commit that does not exist is no error")


def case_clang(install):
    """clang has nothing to say about libpapi's sources; .ci/matrix builds it all, with more compilers."""
    clang = shutil.which("clang")
    if clang is None:
        raise Skipped("clang is not installed")
    with open(os.path.join(install.settings["build"], "compile_commands.json"), encoding="utf-8") as file:
        commands = [c for c in json.load(file) if "papi_objects.dir" in c["command"]]
    check(len(commands) > 50, f"{len(commands)} sources")

    def compile_one(command):
        words = [w for w in shlex.split(command["command"]) if re.match("-(I|D|std=)", w)]
        return subprocess.run([clang, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *words, command["file"]],
                              cwd=command["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True, check=False).stdout

    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        said = "".join(threads.map(compile_one, commands))
    check(not said, said)


def main():
    case, file, *arguments = sys.argv[1:]
    with open(file) as opened:
        settings = json.load(opened)
    function = globals()["case_" + case]
    try:
        if case == "tree":
            function(settings)
        else:
            function(Install(settings, os.path.join(settings["work"], "prefix")), *arguments)
    except Skipped as reason:
        print(f"SKIP: {reason}")
        return 77
    except Failed as reason:
        print(f"FAILED: {reason}")
        return 1
    return 0


sys.exit(main())
