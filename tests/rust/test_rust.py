#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The crate of Rust: test_rust.py SETTINGS.json CASE

crate      cargo test: its unit tests, those of crate/ and the programs of its page, by events that count everywhere
lints      cargo doc and, where it is installed, clippy find nothing
targets    the structures are those of papi.h on machines of 32 bits and big-endian ones, too, as far as their compilers are here
interface  constants, structures and functions are those that a compiler sees in papi.h
emulated   instructions of a known loop, exactly, in papi_emulate
build      where build.rs finds the library, and what it says where there is none
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EVENTS = {"PAPI_TOT_INS": "perf::PAGE-FAULTS", "PAPI_TOT_CYC": "perf::TASK-CLOCK"}
C_TYPES = {"c_int": "int", "c_uint": "unsigned int", "c_long": "long", "c_ulong": "unsigned long", "c_longlong": "long long",
           "c_float": "float", "c_double": "double", "c_char": "char", "c_void": "void"}


def run(command, folder=None, **environment):
    """What a command prints. Its status is 0."""
    named = {**os.environ, "CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never", "RUSTFLAGS": "-D warnings",
             "RUSTDOCFLAGS": "-D warnings", **environment}
    done = subprocess.run(command, cwd=folder, env=named, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, timeout=1200)
    print(done.stdout)
    assert done.returncode == 0, "%s: status %d" % (" ".join(command), done.returncode)
    return done.stdout


def copied(settings, folder):
    """The crate as a package with its tests."""
    crate = shutil.copytree(settings["crate"], os.path.join(folder, "fpapi"))
    shutil.copytree(os.path.join(HERE, "crate"), os.path.join(crate, "tests"))
    page = os.path.join(crate, "README.md")
    with open(page) as text:
        programs = text.read()
    for name, other in EVENTS.items():
        programs = programs.replace(name, other)
    with open(page, "w") as out:
        out.write(programs)
    return crate


def environment(settings, folder):
    library = os.path.dirname(settings["library"])
    return {"PAPI_LIB_DIR": library, "LD_LIBRARY_PATH": library, "PAPI_OUTPUT_DIRECTORY": folder,
            "PAPI_EVENTS": "perf::PAGE-FAULTS", "CARGO_TARGET_DIR": os.path.join(folder, "target"), "CARGO_INCREMENTAL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0"}


# ---- the crate

def case_crate(settings, folder):
    crate = copied(settings, folder)
    said = run(["cargo", "test"], crate, **environment(settings, folder))
    passed = sum(map(int, re.findall(r"^test result: ok\. (\d+) passed", said, re.M)))
    files = len([name for name in os.listdir(os.path.join(HERE, "crate")) if name.endswith(".rs")])
    # The files, the unit tests and the documents.
    assert len(re.findall(r"^test result: ok", said, re.M)) == files + 2, "not all were run"
    assert passed > 25, passed
    assert len(re.findall(r"^test src/lib.rs - Document .* ok$", said, re.M)) == 2, "not the programs of the page"


def case_lints(settings, folder):
    crate = copied(settings, folder)
    named = environment(settings, folder)
    run(["cargo", "doc", "--no-deps"], crate, **named)
    if subprocess.run(["cargo", "clippy", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: clippy, which is not installed")
        return
    run(["cargo", "clippy", "--all-targets"], crate, **named)


# A loop of two instructions: the count of twice as many turns is twice as many instructions more.
EXACT = """
use std::arch::asm;

fn turns(n: u64) {
    // SAFETY: it changes the register that it names.
    #[cfg(target_arch = "x86_64")]
    unsafe { asm!("2: dec {n}", "jnz 2b", n = inout(reg) n => _) };
    #[cfg(target_arch = "aarch64")]
    unsafe { asm!("2: subs {n}, {n}, 1", "b.ne 2b", n = inout(reg) n => _) };
}

fn main() -> papi::Result<()> {
    let mut events = papi::EventSet::with_events(["PAPI_TOT_INS"])?;
    for n in [1000, 2000] {
        let ((), counts) = events.count(|| turns(n))?;
        let mut values = [0];
        events.read_into(&mut values)?;
        assert_eq!(counts["PAPI_TOT_INS"].as_i64(), Some(values[0]));
        println!("{}", counts["PAPI_TOT_INS"]);
    }
    println!("{}", events.metric("ipc", &events.read()?).unwrap_err());
    Ok(())
}
"""


def case_emulated(settings, folder):
    if not settings["emulate"]:
        print("papi_emulate is not built here")
        return 77
    crate = copied(settings, folder)
    os.mkdir(os.path.join(crate, "examples"))
    with open(os.path.join(crate, "examples", "exact.rs"), "w") as out:
        out.write(EXACT)
    named = environment(settings, folder)
    run(["cargo", "build", "--example", "exact"], crate, **named)
    # Of the emulator, nothing but the counts is on stdout.
    once, twice, reason = run([settings["emulate"], os.path.join(folder, "target/debug/examples/exact")], folder, **named).splitlines()
    assert int(twice) - int(once) == 2000 and 2000 <= int(once) < 4000, (once, twice)
    assert "ipc" in reason and "PAPI_TOT_CYC" in reason, reason


# ---- as papi.h

def without_prefix(name):
    return name[2:] if name.startswith("r#") else name


def structures(code):
    """{structure: members} as the module of Rust has them."""
    found = {}
    for name, body in re.findall(r"^pub (?:struct|union) (\w+) \{\n(.*?)^\}", code, re.S | re.M):
        found[name] = re.findall(r"^    pub ((?:r#)?\w+): ", body, re.M)
    return found


def bits(code):
    """{structure: methods of its bits}"""
    return {name: re.findall(r"pub fn ((?:r#)?\w+)\(&self\)", body)
            for name, body in re.findall(r"^impl (\w+) \{\n(.*?)^\}", code, re.S | re.M)}


def compiled_c(settings, folder, statements, declarations=""):
    source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
    with open(source, "w") as out:
        out.write("#include <papi.h>\n#include <stddef.h>\n#include <stdio.h>\n%s\nint main(void) {\n%s\n}\n"
                  % (declarations, "\n".join(statements)))
    run([settings["C"], "-Werror", "-I", settings["include"], source, "-o", program])
    return run([program]).splitlines()


def compiled_rust(settings, folder, statements):
    source, program = os.path.join(folder, "a.rs"), os.path.join(folder, "a")
    module = os.path.join(settings["crate"], "src", "sys.rs")
    with open(source, "w") as out:
        out.write('#![allow(dead_code, unused_imports)]\n#[path = "%s"]\nmod sys;\nuse std::mem::{size_of, MaybeUninit};\nuse std::ptr::addr_of;\n'
                  "fn size<T>(_: *const T) -> usize {\n    size_of::<T>()\n}\nfn main() {\n%s\n}\n" % (module, "\n".join(statements)))
    library = os.path.dirname(settings["library"])
    run(["rustc", "--edition", "2021", source, "-o", program, "-L", library, "-l", "papi"])
    return run([program], LD_LIBRARY_PATH=library).splitlines()


def constants(code):
    names = re.findall(r"^pub const (\w+): c_int = ", code, re.M)
    assert len(names) > 300, len(names)
    return (['printf("%s %%lld\\n", (long long)(%s));' % (name, name) for name in names],
            ['println!("%s {}", sys::%s);' % (name, name) for name in names])


def layouts(code):
    in_c, in_rust = [], []
    for name, members in structures(code).items():
        in_c.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
        in_rust.append('println!("%s {}", size_of::<sys::%s>());' % (name, name))
        in_rust.append("let all = MaybeUninit::<sys::%s>::zeroed();\nlet at = all.as_ptr();" % name)
        for member in members:
            if member.startswith("bits_"):
                continue
            c = without_prefix(member)
            in_c.append('printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));' % (name, c, name, c, name, c))
            in_rust.append("let member = unsafe { addr_of!((*at).%s) };" % member)
            in_rust.append('println!("%s.%s {} {}", member as usize - at as usize, size(member));' % (name, c))
    assert len(in_c) > 150, len(in_c)
    return in_c, in_rust


def places_of_bits(code):
    """C sets one bit and prints the byte that changed; Rust sets this byte, and its method and no other is true."""
    in_c, in_rust = [], []
    for name, methods in bits(code).items():
        assert len(methods) > 10, methods
        in_c.append("{ %s one;" % name)
        in_rust.append("let mut one = unsafe { MaybeUninit::<sys::%s>::zeroed().assume_init() };" % name)
        for method in methods:
            in_c.append("one = (%s){0}; one.%s = 1;" % (name, without_prefix(method)))
            in_c.append('for (size_t i = 0; i < sizeof one; i++) if (((unsigned char *)&one)[i]) '
                        'printf("%s %%zu %%d\\n", i, ((unsigned char *)&one)[i]);' % method)
        in_rust.append("let at: *mut u8 = std::ptr::addr_of_mut!(one).cast();")
        in_rust.append("for i in 0..size_of::<sys::%s>() { for bit in 0..8 {\nunsafe { *at.add(i) = 1 << bit; let one = &*at.cast::<sys::%s>();"
                       % (name, name))
        in_rust += ['if one.%s() { println!("%s {i} {}", 1 << bit); }' % (method, method) for method in methods]
        in_rust.append("*at.add(i) = 0; } } }\n")
        in_c.append("}")
    assert in_c
    return in_c, in_rust


def c_of(kind):
    """The declaration of C, with %s for the name, of a type of Rust."""
    kind = kind.strip()
    for prefix, text in (("*mut ", "*"), ("*const ", "const *")):
        if kind.startswith(prefix):
            inner = c_of(kind[len(prefix):])
            return inner.replace("%s", "*%s") if text == "*" else "const " + inner.replace("%s", "*%s")
    return C_TYPES.get(kind, kind) + " %s"


def prototypes(code):
    """The functions declared once more in C, by their types in Rust: a compiler refuses what is another type than papi.h has."""
    callbacks = {"papi_overflow_handler": "PAPI_overflow_handler_t %s", "papi_sample_receiver": "PAPI_sample_handler_t %s",
                 "papi_thread_id_function": "unsigned long (*%s)(void)"}
    found = re.findall(r"^    pub fn (PAPI_\w+)\((.*?)\)(?: -> (.*?))?;", code, re.M)
    lines = []
    for name, arguments, result in found:
        kinds = [argument.split(": ", 1)[1] for argument in arguments.split(", ") if argument]
        takes = ", ".join(callbacks.get(kind, c_of(kind)) % "" for kind in kinds) or "void"
        lines.append("#undef %s" % name)
        lines.append(c_of(result or "c_void") % ("%s(%s)" % (name, takes)) + ";")
    return {name for name, _, _ in found}, "\n".join(lines)


def same(there, here, least):
    assert len(there) >= least, len(there)
    assert sorted(there) == sorted(here), sorted(set(there) ^ set(here))


def case_interface(settings, folder):
    with open(os.path.join(settings["crate"], "src", "sys.rs")) as text:
        code = text.read()
    with open(settings["constants"]) as lines:
        known = {line.split("\t")[0] for line in lines}
    same(known, set(re.findall(r"^pub const (\w+): c_int = ", code, re.M)), 300)
    for part, least in ((constants, 300), (layouts, 150), (places_of_bits, 10)):
        in_c, in_rust = part(code)
        same(compiled_c(settings, folder, in_c), compiled_rust(settings, folder, in_rust), least)
    declared, once_more = prototypes(code)
    with open(settings["symbols"]) as names:
        same({name for name in names.read().split() if name.startswith("PAPI_")}, declared, 80)
    compiled_c(settings, folder, [], once_more)
    # The library has each of them.
    places = compiled_rust(settings, folder, ["println!(\"{}\", sys::%s as *const () as usize != 0);" % name for name in declared])
    same(places, ["true"] * len(declared), 80)


# ---- on other machines

TARGETS = ("i686-linux-gnu-gcc", "arm-linux-gnueabihf-gcc", "s390x-linux-gnu-gcc", "powerpc64le-linux-gnu-gcc", "sparc64-linux-gnu-gcc")


def member_of_c(kind, name, known):
    """The declaration in C of a member by its type in Rust, as repr(C) lays it out."""
    array = re.fullmatch(r"\[(.*); (\d+)\]", kind)
    if array:
        return member_of_c(array[1], "%s[%s]" % (name, array[2]), known)
    if kind.startswith("Option<unsafe extern"):
        return "void (*%s)(void)" % name
    for prefix in ("*mut ", "*const "):
        if kind.startswith(prefix):
            return "void *%s" % name
    return "%s %s" % ("rust_" + kind if kind in known else C_TYPES.get(kind, kind), name)


def laid_out(code):
    """The structures of the module of Rust once more in C, and what is to be the same in those of papi.h."""
    found = re.findall(r"^pub (struct|union) (\w+) \{\n(.*?)^\}", code, re.S | re.M)
    known = [name for _, name, _ in found]
    lines, checks = [], []
    for kind, name, body in found:
        members = re.findall(r"^    pub ((?:r#)?\w+): (.*),$", body, re.M)
        lines.append("typedef %s { %s } rust_%s;" % (kind, " ".join(member_of_c(m[1], without_prefix(m[0]), known) + ";" for m in members), name))
        checks.append('_Static_assert(sizeof(rust_%s) == sizeof(%s), "%s");' % (name, name, name))
        for member in (without_prefix(m[0]) for m in members if not m[0].startswith("bits_")):
            checks.append('_Static_assert(offsetof(rust_%s, %s) == offsetof(%s, %s), "%s.%s");' % (name, member, name, member, name, member))
    for name, methods in bits(code).items():  # which bit each is, by the rule of the module
        for method in methods:
            checks.append('void bit_%s(void) { union { %s c; rust_%s rust; } one = {.c = {.%s = 1}}; if (one.rust.%s != BIT(%s)) wrong("%s"); }'
                          % (method, name, name, without_prefix(method), *place_of(code, method), method))
    return lines + checks


def place_of(code, method):
    return re.search(r"pub fn %s\(&self\) -> bool \{\s*self\.(bits_\d) & bit\((\d+)\)" % re.escape(method), code).groups()


TOP_OF_C = """#include <papi.h>
#include <stddef.h>
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIT(place) (1u << (31 - (place)))
#else
#define BIT(place) (1u << (place))
#endif
extern void wrong(const char *) __attribute__((error("another bit")));
"""


def case_targets(settings, folder):
    with open(os.path.join(settings["crate"], "src", "sys.rs")) as text:
        code = text.read()
    lines = laid_out(code)
    assert len(lines) > 200, len(lines)
    source = os.path.join(folder, "a.c")
    with open(source, "w") as out:
        out.write(TOP_OF_C + "\n".join(lines) + "\n")
    here = [compiler for compiler in TARGETS if shutil.which(compiler)]
    for compiler in [settings["C"], *here]:
        run([compiler, "-std=gnu11", "-O2", "-Werror", "-I", settings["include"], "-c", source, "-o", os.path.join(folder, "a.o")])
        values = re.findall(r"^pub const (\w+): c_int = (-?\d+);", code, re.M)
        with open(source + "onstants.c", "w") as out:
            out.write("#include <papi.h>\n" + "".join('_Static_assert((int)(%s) == (int)(%sLL), "%s");\n' % (*pair, pair[0]) for pair in values))
        run([compiler, "-std=gnu11", "-I", settings["include"], "-c", source + "onstants.c", "-o", os.path.join(folder, "a.o")])
    print("on this machine and", *here)
    return 0 if here else 77


# ---- how it is built

def case_build(settings, folder):
    program = os.path.join(folder, "build")
    run(["rustc", "--edition", "2021", os.path.join(settings["crate"], "build.rs"), "-o", program])
    libraries, other = os.path.dirname(settings["library"]), os.path.join(folder, "empty")
    os.mkdir(other)
    tool = os.path.join(folder, "pkg-config")
    with open(tool, "w") as out:
        out.write('#!/bin/sh\n[ "$*" = "--variable=libdir papi" ] && echo /some/where\n')
    os.chmod(tool, 0o755)
    said = run([program], PAPI_LIB_DIR=libraries, PKG_CONFIG=tool)
    assert "cargo:rustc-link-search=native=%s\n" % libraries in said and "cargo:libdir=%s\n" % libraries in said, said
    assert "cargo:rustc-link-lib=papi\n" in said and "warning" not in said, said
    said = run([program], PAPI_LIB_DIR="", PKG_CONFIG=tool)
    assert "cargo:rustc-link-search=native=/some/where\n" in said and "warning" not in said, said
    said = run([program], PAPI_LIB_DIR="", PKG_CONFIG="/nonexistent/pkg-config")
    assert "cargo:warning=" in said and "PAPI_LIB_DIR" in said and "link-search" not in said, said
    done = subprocess.run([program], env={**os.environ, "PAPI_LIB_DIR": other}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    assert done.returncode == 1 and "has no libpapi.so" in done.stderr and "link-lib" not in done.stdout, done


def main():
    path, case = sys.argv[1:]
    with open(path) as file:
        settings = json.load(file)
    for program in ("cargo", "rustc"):
        if not shutil.which(program):
            print("no " + program)
            return 77
    with tempfile.TemporaryDirectory() as folder:
        return globals()["case_" + case](settings, folder) or 0


if __name__ == "__main__":
    sys.exit(main())
