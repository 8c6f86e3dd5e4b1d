#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: emulator.sh
# Prints the path of a QEMU whose x86-64 processors have performance counters: the distribution's sources with
# x86-pmu.patch. It is built once for each user, patch and version of the package, below the cache folder
# (XDG_CACHE_HOME, or ~/.cache), where it takes 10 MB; that downloads 24 MB and takes about three minutes on two cores.
# FPAPI_X86_EMULATOR names one that is ready. Status 77: it cannot be built here; the reason is the last line.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt.sh"
version=7.2 # what the patch is made for

skip() {
    echo "$1"
    exit 77
}
say() { echo "-- node: $1" >&2; }

if [ -n "${FPAPI_X86_EMULATOR:-}" ]; then
    [ -x "$FPAPI_X86_EMULATOR" ] || skip "FPAPI_X86_EMULATOR: $FPAPI_X86_EMULATOR is not a program"
    echo "$FPAPI_X86_EMULATOR"
    exit 0
fi

cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/fpapi
recipe=1 # to be raised where it is built in another way
sum=$(cat "$here/x86-pmu.patch" /etc/os-release <(echo $recipe) | sha256sum | cut -c 1-16)
kept=$cache/qemu-$version-$sum/qemu-system-x86_64
if [ -x "$kept" ]; then
    echo "$kept"
    exit 0
fi

needed=(gcc:gcc make:make ninja:ninja-build meson:meson pkg-config:pkg-config python3:python3 patch:patch xz:xz-utils bzip2:bzip2 apt-get:apt)
for tool in "${needed[@]}"; do
    command -v "${tool%:*}" >/dev/null || skip "the x86-64 emulator cannot be built: ${tool%:*} is not installed (package ${tool#*:})"
done
for library in glib-2.0:libglib2.0-dev pixman-1:libpixman-1-dev; do
    pkg-config --exists "${library%:*}" || skip "the x86-64 emulator cannot be built: package ${library#*:} is not installed"
done
echo '#include <libfdt.h>' | gcc -E - >/dev/null 2>&1 ||
    skip "the x86-64 emulator cannot be built: package libfdt-dev is not installed"
if ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
    skip "the x86-64 emulator cannot be kept: no folder $cache can be made"
fi

exec 9>"$cache/lock"
flock 9 # several nodes may be started together; one of them builds
if [ -x "$kept" ]; then
    echo "$kept"
    exit 0
fi
work=$(mktemp -d "$cache/building.XXXXXX")
trap 'rm -rf "$work"' EXIT
start=$SECONDS
say "downloading QEMU's sources (24 MB)"
apt_state "$work" "$(dpkg --print-architecture)" deb-src >&2
(cd "$work" && apt apt-get update && apt apt-get source --download-only qemu) >"$work/log" 2>&1 || tail -n 5 "$work/log" >&2
compgen -G "$work/qemu_$version*.orig.tar.xz" >/dev/null ||
    skip "the x86-64 emulator cannot be built: this distribution has no sources of QEMU $version"
say "building QEMU with counters for x86-64 (about three minutes on two idle cores; once, then it is kept in $cache)"
build() {
    mkdir "$work/source" "$work/build"
    cd "$work/source"
    tar -xf "$work"/qemu_*.orig.tar.xz --strip-components=1
    tar -xf "$work"/qemu_*.debian.tar.xz
    while read -r name; do
        case $name in '' | '#'*) continue ;; esac
        patch -s -p1 <"debian/patches/$name"
    done <debian/patches/series
    patch -s -p1 <"$here/x86-pmu.patch"
    # Not microvm alone: QEMU 7.2 does not link without the other.
    printf 'CONFIG_I440FX=y\nCONFIG_MICROVM=y\n' >configs/devices/x86_64-softmmu/pmu.mak
    cd "$work/build"
    ../source/configure --target-list=x86_64-softmmu --without-default-features --without-default-devices \
        --with-devices-x86_64=pmu --enable-tcg --enable-system --disable-kvm --disable-docs --disable-tools \
        --disable-user --disable-werror --enable-fdt=system --disable-debug-info --with-git-submodules=ignore
    ninja -j "$(nproc)" qemu-system-x86_64
    strip qemu-system-x86_64
}
# In a process of its own, where the first failure ends it: after a || it would continue.
build >"$work/log" 2>&1 </dev/null &
wait $! || {
    tail -n 30 "$work/log" >&2
    skip "the x86-64 emulator could not be built (the reason is above)"
}
# Beside the binary, the licence and what was built, for whoever finds it there.
mkdir "$work/kept"
cp "$work/build/qemu-system-x86_64" "$work/source/COPYING" "$here/x86-pmu.patch" "$work/kept/"
mkdir -p "$(dirname "$kept")"
cp "$work/kept/COPYING" "$work/kept/x86-pmu.patch" "$(dirname "$kept")/"
# Complete, or not there: two builds may end at the same time.
mv "$work/kept/qemu-system-x86_64" "$kept"
say "built in $((SECONDS - start)) s: $kept"
echo "$kept"
