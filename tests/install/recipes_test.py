#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""recipes_test.py ROOT: packagers' recipes name options, variants, versions and files that there are.

Neither Spack, EasyBuild nor conda is here: what can be read without them is compared with the sources."""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PACKAGING = ROOT / "packaging"
OF_CMAKE = re.compile(r"CMAKE_(INSTALL_(PREFIX|LIBDIR|RPATH)|BUILD_TYPE|SKIP_INSTALL_RPATH)$")


def check(holds, *what):
    if not holds:
        sys.exit("FAILED: " + " ".join(map(str, what)))


def options():
    """What a build may be told: options, cached settings, and libraries that are looked for."""
    found = set()
    for path in [ROOT / "CMakeLists.txt", *(path for folder in ("cmake", "src-c", "mpi-wrappers", "bindings", "fpapi") for path in (ROOT / folder).rglob("*"))]:
        if path.name != "CMakeLists.txt" and path.suffix != ".cmake":
            continue
        text = path.read_text()
        found |= set(re.findall(r"\b(?:option|find_library|find_path|find_program)\(\s*(\w+)", text))
        found |= set(re.findall(r"\bset\(\s*(\w+)[^()]*?\bCACHE\b", text))
        for names in re.findall(r"^\s*fpapi_package\(\s*(\w+)", text, re.M):
            found |= {names + "_LIBRARY", names + "_INCLUDE_DIR"}
    return found


def recipe_files():
    return [path for path in PACKAGING.rglob("*") if path.is_file() and path.name not in ("dist", "README.md")]


def each_option(known):
    named = {}
    for path in recipe_files():
        text = path.read_text()
        for name in re.findall(r"-D([A-Z]\w+)=", text) + re.findall(r"self\.define(?:_from_variant)?\(\s*[\"'](\w+)", text):
            named.setdefault(name, path.relative_to(ROOT))
    check(len(named) >= 8, "the recipes name hardly any option:", named)
    for name, path in named.items():
        check(OF_CMAKE.match(name) or name in known, f"{path}: no build has an option {name}")
    return named


def calls(tree, name):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == name]


def spack(version):
    tree = ast.parse((PACKAGING / "spack/package.py").read_text())
    variants = {call.args[0].value for call in calls(tree, "variant")}
    versions = [call.args[0].value for call in calls(tree, "version")]
    check(versions == [version], "Spack's versions:", versions)
    used = {call.args[1].value for call in calls(tree, "define_from_variant")}
    texts = [keyword.value.value for call in calls(tree, "depends_on") + calls(tree, "conflicts") for keyword in call.keywords if keyword.arg == "when"]
    texts += [node.left.value for node in ast.walk(tree) if isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant)]
    for text in texts:
        used |= set(re.findall(r"[+~](\w+)", text))
    check(used == variants, "variants that are declared and used:", variants, used)
    depends = {call.args[0].value.split("@")[0] for call in calls(tree, "depends_on")}
    for name in re.findall(r"self\.spec\[[\"'](\w+)[\"']\]", (PACKAGING / "spack/package.py").read_text()):
        check(name in depends, "Spack's recipe asks for", name, "which it does not depend on")


def easybuild(version):
    for path in (PACKAGING / "easybuild").glob("*.eb"):
        tree = ast.parse(path.read_text())
        names = {target.id: node.value for node in tree.body if isinstance(node, ast.Assign) for target in node.targets}
        check({"easyblock", "name", "version", "homepage", "description", "toolchain", "sources", "moduleclass"} <= set(names), path, sorted(names))
        toolchain = ast.literal_eval(names["toolchain"])
        check(ast.literal_eval(names["version"]) == version, path, "version")
        check(path.name == f"fpapi-{version}-{toolchain['name']}-{toolchain['version']}.eb", "its name:", path.name)


def conda(version):
    text = (PACKAGING / "conda/meta.yaml").read_text()
    check(f'version = "{version}"' in text, "conda's version")
    try:
        import yaml
    except ImportError:
        print("without PyYAML (python3-yaml): conda's recipe is not parsed")
        return
    plain = re.sub(r"\{%.*?%\}", "", text)
    recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "value", plain))
    check(set(recipe) >= {"package", "source", "build", "requirements", "test", "about"}, recipe)
    check((PACKAGING / "conda" / recipe["source"]["path"]).resolve() == ROOT.resolve(), recipe["source"])
    check((ROOT / recipe["about"]["license_file"]).exists(), recipe["about"])


def main():
    version = re.search(r"^project\(fpapi VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    known = options()
    named = each_option(known)
    check("FPAPI_NO_SUCH_OPTION" not in known and "FPAPI_STATIC" in known and "FPAPI_PYTHON_DIR" in known, sorted(known))
    spack(version)
    easybuild(version)
    conda(version)
    print(f"{len(named)} options of {len(recipe_files())} files are there: {' '.join(sorted(named))}")


main()
