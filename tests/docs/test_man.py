#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_man.py CASE SETTINGS.json [TOOL]: the manual pages against the table, the header, the compilers
and the tools. Status: 0 passed, 1 failed, 77 skipped."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

SETTINGS = json.load(open(sys.argv[2]))
SOURCE, MAN, WORK = SETTINGS["source"], SETTINGS["man"], SETTINGS["work"]
sys.path.insert(0, os.path.join(SOURCE, "fpapi"))
from generator import table  # noqa: E402

PLAIN = [(r"\\f[BIPR]", ""), (r"\\-", "-"), (r"\\\(aq", "'"), (r"\\\(dq", '"'), (r"\\\(ha", "^"), (r"\\\(ti", "~"),
         (r"\\\(ga", "`"), (r"\\&", ""), (r"\\e", r"\\")]


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failed(text)


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def plain(text):
    for pattern, instead in PLAIN:
        text = re.sub(pattern, instead, text)
    return text


def page(name, section=3):
    """The text of a page, links followed, or None."""
    path = os.path.join(MAN, f"man{section}", f"{name}.{section}")
    if not os.path.isfile(path):
        return None
    text = read(path)
    link = re.match(r"\.so (\S+)\n$", text)
    return read(os.path.join(MAN, link.group(1))) if link else text


def part(text, name):
    """A section of a page, without its heading."""
    found = re.search(r"^\.SH %s\n(.*?)(?=^\.SH |\Z)" % re.escape(name), text, re.M | re.S)
    return found.group(1) if found else ""


def names_of(table_read):
    return [f.name for f in table_read.exported()] + [f.fortran_name for f in table_read.with_fortran()]


def real_pages():
    found = [f for f in sorted(glob.glob(MAN + "/man*/*")) if not read(f).startswith(".so ")]
    check(found, "no pages in " + MAN)
    return found


def code_blocks(text):
    return [plain(block) for block in re.findall(r"^\.EX\n(.*?)^\.EE", text, re.M | re.S)]


# ---- what must be there

def case_functions():
    """Each function and routine has a page that names and shows it."""
    functions = table.read(os.path.join(SOURCE, "fpapi", "functions.tab"))
    names = names_of(functions)
    for name in names:
        text = page(name)
        check(text is not None, f"{name} has no page")
        check(re.search(r"\b%s\b" % name, plain(part(text, "NAME"))), f"{name} is not in the NAME of its page")
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"):
            check(part(text, section).strip(), f"{name}: no {section}")
    overview = plain(page("papi", 7))
    for name in names:
        check(f"{name}(3)" in overview, f"{name} is not in papi.7")
    pages = {os.path.basename(f)[:-2] for f in glob.glob(MAN + "/man3/*")}
    check(pages == set(names) | {"PAPI"}, f"pages of nothing: {sorted(pages - set(names) - {'PAPI'})}")
    print(f"{len(names)} functions and routines")


# ---- what compilers say

def compile_only(name, text, *command):
    os.makedirs(WORK, exist_ok=True)
    path = os.path.join(WORK, name)
    with open(path, "w") as out:
        out.write(text)
    done = subprocess.run([*command, "-fsyntax-only", path], cwd=WORK, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True)
    check(done.returncode == 0, f"{path} does not compile:\n{done.stdout}")


def fortran_call(block, number):
    """A subroutine whose dummy arguments are declared as the page has it, and which makes the call."""
    lines = block.strip().split("\n")
    end = next(i for i, text in enumerate(lines) if not text.rstrip().endswith("&"))
    arguments = re.search(r"\(([^)]*)\)", " ".join(text.rstrip("& ") for text in lines[:end + 1])).group(1)
    return "\n".join([f"subroutine s{number}({arguments})", "use, intrinsic :: iso_c_binding", "use papi",
                      "implicit none"] + lines[end + 1:] + lines[:end + 1] + [f"end subroutine s{number}", ""])


def case_synopsis():
    """Each C prototype is that of papi.h; each Fortran call compiles with its declarations."""
    macros = re.findall(r"^#define (PAPI_\w+)\(", read(os.path.join(SETTINGS["include"], "papi.h")), re.M)
    check("PAPI_profil" in macros, "papi.h's macros are not found")
    c, fortran = ["#include <papi.h>"] + ["#undef " + name for name in macros], []
    for path in real_pages():
        if "/man3/" not in path:
            continue
        for block in code_blocks(part(read(path), "SYNOPSIS")):
            if block.startswith("#include"):
                c.append(block.split("\n", 1)[1])
            else:
                calls = re.split(r"^(?=call )", block.replace("\n.PP", "").replace("use papi\n", ""), flags=re.M)
                fortran += [fortran_call(call, len(fortran) + i) for i, call in enumerate(calls[1:])]
    c = "\n".join(c).replace("\n.PP", "")
    check(c.count(";") > 50 and len(fortran) > 50, "the pages have hardly any synopsis")
    compile_only("synopsis.c", c, SETTINGS["C"], "-Werror", "-I" + SETTINGS["include"])
    if SETTINGS["Fortran_id"] == "GNU":
        compile_only("synopsis.f90", "\n".join(fortran), SETTINGS["Fortran"], "-std=f2008", "-I" + SETTINGS["modules"],
                     "-J", WORK)
    print(f"{c.count(';')} prototypes, {len(fortran)} Fortran calls")


# ---- errors

def case_errors():
    """Codes exist; what the tests of wrong calls get is on the page."""
    constants = {row.split("\t")[0] for row in read(os.path.join(SETTINGS["generated"], "constants.tsv")).splitlines()}
    for path in real_pages():
        for code in set(re.findall(r"\bPAPI_E[A-Z_]+\b", plain(read(path)))):
            check(code in constants or code in ("PAPI_EVENTS",) or code.startswith("PAPI_EMULAT"),
                  f"{path}: there is no {code}")
    checked = 0
    table = read(SOURCE + "/tests/c/wrong_calls.def")
    in_part = set(re.findall(r"^NOINIT\((\w+)", table, re.M))  # with some arguments they work beforehand, too
    in_part |= set(re.findall(r"^WRONG\(EMPTY, (\w+), PAPI_ENOINIT,", table, re.M))  # these work only beforehand
    for kind, rest in re.findall(r"^(NOINIT|HANDLE|WRONG|SAFE)\((.*)$", table, re.M):
        words = [word.strip() for word in rest.split(",")]
        name, want = (words[1], [words[2]]) if kind == "WRONG" else (words[0], {"NOINIT": ["PAPI_ENOINIT"], "HANDLE": [
            "PAPI_ENOINIT", "PAPI_ENOEVST"], "SAFE": []}[kind])
        listed = re.findall(r"^\\fB(PAPI_E\w+)\\fP$", part(page(name) or "", "ERRORS"), re.M)
        for code in want:
            if code.startswith("PAPI_E"):
                check(code in listed, f"{name} can answer {code}, which its page does not tell: papi.h's comment "
                      "above it is to name the code")
                checked += 1
        check(kind != "SAFE" or name in in_part or "PAPI_ENOINIT" not in listed,
              f"{name} works without PAPI_library_init; papi.h is to say "
              '"Never an error" or "before PAPI_library_init"')
    check(checked > 100, f"{checked} answers checked")
    print(f"{checked} answers of wrong calls are on the pages")


# ---- form

def case_links():
    """Each link and each reference leads to a page."""
    for path in glob.glob(MAN + "/man*/*"):
        text = read(path)
        for target in re.findall(r"^\.so (\S+)", text, re.M):
            check(os.path.isfile(os.path.join(MAN, target)), f"{path} links to {target}")
        for name, section in re.findall(r"^\.BR (\S+) \((\d)\)", text, re.M):
            check(page(plain(name), section), f"{path} refers to {name}({section})")


# The pages carry the version and no date: the same sources make the same pages.
NO_MATTER = re.compile(r".*missing date.*\n")


def quiet(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    said = NO_MATTER.sub("", done.stdout)
    check(not said.strip() and (done.returncode == 0 or said != done.stdout), " ".join(command[:4]) + "\n" + said[:4000])


def case_format():
    """groff, mandoc and lexgrog have nothing to say, those of them that are there."""
    pages, used = real_pages(), []
    for tool, command in (("groff", ["groff", "-ww", "-man", "-z", "-Tutf8"]),
                          ("mandoc", ["mandoc", "-Tlint", "-Wwarning"])):
        if shutil.which(tool):
            quiet(command + pages)
            used.append(tool)
    if shutil.which("lexgrog"):
        for path in pages:
            done = subprocess.run(["lexgrog", path], stdout=subprocess.PIPE, universal_newlines=True)
            name = os.path.basename(path).rsplit(".", 1)[0]
            check(done.returncode == 0 and f'"{name} - ' in done.stdout, f"{path}: lexgrog finds {done.stdout!r}")
        used.append("lexgrog")
    if not used:
        raise Skipped("neither groff nor mandoc is installed")
    print(f"{len(pages)} pages, checked with {', '.join(used)}")


# ---- tools

def options_in(text):
    return set(re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", text))


def case_tool(tool):
    """The options of --help and of the page are the same ones, and --help is what the source says."""
    name = os.path.basename(tool)
    text = page(name, 1)
    check(text, f"{name} has no page")
    help_text = subprocess.run([tool, "--help"], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    listed = "\n".join(re.findall(r"^ +(-\S.*?)(?: {2,}.*)?$", help_text, re.M))
    tags = "\n".join(plain(tag) for tag in re.findall(r"^\.TP\n(.*)$", part(text, "OPTIONS"), re.M))
    check(options_in(listed), f"{name} --help lists no options")
    check(options_in(listed) == options_in(tags), f"--help has {options_in(listed)}, the page {options_in(tags)}")
    unknown = {o for o in options_in(plain(part(text, "EXAMPLES"))) if o.startswith("--")} - options_in(listed)
    check(not unknown, f"the examples use {unknown}")


def main():
    try:
        globals()["case_" + sys.argv[1]](*sys.argv[3:])
    except Skipped as reason:
        print(f"SKIP: {reason}")
        return 77
    except Failed as reason:
        print(f"FAILED: {reason}")
        return 1
    return 0


sys.exit(main())
