#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: sources.py ARCHITECTURE [RELEASE]

Prints one-line apt sources of this distribution for an architecture (arm64 ...), or of another release of Debian
(trixie) where this is Debian.

They are taken from the machine's own sources, so that a local mirror or a snapshot stays in use.
Sources of anybody else are left out: they may lack the packages of another architecture, and none is needed.
"""
import glob
import re
import sys


def os_release():
    with open("/etc/os-release", encoding="utf-8") as file:
        return dict(
            (key, value.strip().strip('"'))
            for key, _, value in (line.partition("=") for line in file)
        )


def one_line_sources(path):
    """(options, uri, suite) of each "deb [options] uri suite components"."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"\s*deb\s+(?:\[(.*?)\]\s*)?(\S+)\s+(\S+)\s+(.*)", line)
            if match and "main" in match[4].split("#")[0].split():
                yield dict(o.split("=", 1) for o in (match[1] or "").split()), match[2], match[3]


def deb822_sources(path):
    """The same from the stanzas of a .sources file."""
    with open(path, encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", text):
        fields = {}
        key = ""
        for line in stanza.splitlines():
            if line[:1].isspace():
                fields[key] += "\n" + line.strip()
            elif ":" in line:
                key, _, value = line.partition(":")
                key = key.strip().lower()
                fields[key] = value.strip()
        if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes").lower() == "no":
            continue
        if "main" not in fields.get("components", "").split():
            continue
        # A key in the stanza itself cannot be said in one line; the default keyring has it too.
        signed = fields.get("signed-by", "")
        options = {"signed-by": signed} if signed.startswith("/") else {}
        for uri in fields.get("uris", "").split():
            for suite in fields.get("suites", "").split():
                yield options, uri, suite


def main():
    release = os_release()
    ubuntu = release.get("ID") == "ubuntu"
    codename = release.get("VERSION_CODENAME", "stable")
    wanted = re.compile(rf"({codename}|stable)(-updates|-security|/updates)?/?$")
    found = []
    for path in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*")):
        try:
            if path.endswith(".sources"):
                found += deb822_sources(path)
            elif path.endswith(".list"):
                found += one_line_sources(path)
        except OSError:
            pass
    lines = []
    for options, uri, suite in found:
        if not wanted.match(suite):
            continue
        components = "main"
        if not ubuntu and len(sys.argv) > 2:
            suite = suite.replace(codename, sys.argv[2])
        if ubuntu:  # its main archive has x86 only
            uri = "http://ports.ubuntu.com/ubuntu-ports"
            components = "main universe"
        keep = [f"{k}={v}" for k, v in options.items() if k in ("signed-by", "trusted")]
        lines.append(f"deb [{' '.join([f'arch={sys.argv[1]}'] + keep)}] {uri} {suite} {components}")
    if not lines:
        sys.exit("no apt source of this distribution found in /etc/apt")
    print("\n".join(dict.fromkeys(lines)))


main()
