#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: fetch.sh DIR
# Downloads libpfm4 as a static library, and its headers, for each architecture of machines.list:
#   DIR/ARCHITECTURE/libpfm.a   DIR/ARCHITECTURE/include/perfmon/...
# apt runs on state of its own below DIR, so the machine's package lists, its architectures and its
# installed packages stay as they are, and no privileges are needed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
apt_tools=$here/../../tests/node
. "$apt_tools/apt.sh"
dir=${1:?usage: fetch.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

stamp=$(cat "$here/machines.list" "$here/fetch.sh" "$apt_tools/apt.sh" /etc/os-release | cksum)
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
need_tools fetch.sh apt-get dpkg-deb python3

architectures=$(sed -n 's/^\([a-z0-9]*\) .*/\1/p' "$here/machines.list")
# The release alone: libpfm4 is not among what is updated later.
release_alone() {
    grep -v -e -updates -e -security "$dir/apt/sources.list" >"$dir/apt/release.list"
    mv "$dir/apt/release.list" "$dir/apt/sources.list"
}

# An architecture that this distribution does not have only shortens the check.
fetch() {
    apt_state "$dir" "$1"
    release_alone
    apt apt-get update && (cd "$dir/apt" && apt apt-get download libpfm4-dev) || return 1
    dpkg-deb -x "$dir"/apt/libpfm4-dev_*.deb "$dir/apt/unpacked"
    rm -rf "${dir:?}/$1"
    mkdir "$dir/$1"
    find "$dir/apt/unpacked" -name libpfm.a -exec mv {} "$dir/$1/" \;
    mv "$dir/apt/unpacked/usr/include" "$dir/$1/"
}

# Field 2, 3, ... of an architecture's line.
field() {
    awk -v name="$1" -v field="$2" '$1 == name { print $field }' "$here/machines.list"
}

# Where the distribution has no packages for an architecture, its compiler does.
build() {
    compiler=$(field "$1" 2)-gcc
    command -v make >/dev/null && command -v "$compiler" >/dev/null || return 1
    apt_state "$dir" "$(dpkg --print-architecture)" deb-src
    release_alone
    apt apt-get update && (cd "$dir/apt" && apt apt-get source --download-only libpfm4) || return 1
    mkdir "$dir/apt/source"
    tar -xf "$dir"/apt/libpfm4_*.orig.tar.* -C "$dir/apt/source" --strip-components=1
    make -C "$dir/apt/source/lib" ARCH="$1" SYS=Linux CC="$compiler" CONFIG_PFMLIB_SHARED=n DBG= \
        >"$dir/apt/make.log" 2>&1 || return 1
    rm -rf "${dir:?}/$1"
    mkdir "$dir/$1"
    mv "$dir/apt/source/lib/libpfm.a" "$dir/apt/source/include" "$dir/$1/"
}

missing=
for architecture in $architectures; do
    how=fetch
    [ "$(field "$architecture" 4)" != source ] || how=build
    "$how" "$architecture" || {
        missing="$missing $architecture"
        echo "-- presets: no libpfm4-dev for $architecture here; going on without it"
    }
done
rm -rf "$dir/apt" "$dir/debs"
# What is missing is tried again the next time.
[ -n "$missing" ] || echo "$stamp" >"$dir/stamp"
