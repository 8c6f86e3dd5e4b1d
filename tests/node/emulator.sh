#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: emulator.sh [amd64|ppc64el]
# Prints the path of a QEMU whose x86-64 processors have performance counters, or whose POWER processors count as theirs
# do: the distribution's sources with x86-pmu.patch or ppc64-pmu.patch. Each is built once for each user, patch and
# version of the package, below the cache folder (XDG_CACHE_HOME, or ~/.cache), where it takes 10 MB; that downloads 24 MB
# and takes about three minutes on two cores.
# FPAPI_X86_EMULATOR and FPAPI_PPC64_EMULATOR name one that is ready. Status 77: it cannot be built here; the reason is
# the last line.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt.sh"
version=7.2 # what the patches are made for
case ${1:-amd64} in
amd64)
    ready=FPAPI_X86_EMULATOR patch=x86-pmu.patch target=x86_64 what=x86-64
    # Not microvm alone: QEMU 7.2 does not link without the other.
    devices='CONFIG_I440FX=y CONFIG_MICROVM=y'
    ;;
ppc64el)
    ready=FPAPI_PPC64_EMULATOR patch=ppc64-pmu.patch target=ppc64 what=POWER
    devices='CONFIG_PSERIES=y CONFIG_USB=y CONFIG_NVDIMM=y' # as for x86-64
    ;;
*) echo "emulator.sh: $1 has an emulator that needs no patch, or none" >&2 && exit 2 ;;
esac

skip() {
    echo "$1"
    exit 77
}
say() { echo "-- node: $1" >&2; }

if [ -n "${!ready:-}" ]; then
    [ -x "${!ready}" ] || skip "$ready: ${!ready} is not a program"
    echo "${!ready}"
    exit 0
fi

cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/fpapi
recipe=1 # to be raised where it is built in another way
sum=$(cat "$here/$patch" /etc/os-release <(echo $recipe) | sha256sum | cut -c 1-16)
kept=$cache/qemu-$version-$sum/qemu-system-$target
if [ -x "$kept" ]; then
    echo "$kept"
    exit 0
fi

needed=(gcc:gcc make:make ninja:ninja-build meson:meson pkg-config:pkg-config python3:python3 patch:patch xz:xz-utils bzip2:bzip2 apt-get:apt)
for tool in "${needed[@]}"; do
    command -v "${tool%:*}" >/dev/null || skip "the $what emulator cannot be built: ${tool%:*} is not installed (package ${tool#*:})"
done
for library in glib-2.0:libglib2.0-dev pixman-1:libpixman-1-dev; do
    pkg-config --exists "${library%:*}" || skip "the $what emulator cannot be built: package ${library#*:} is not installed"
done
echo '#include <libfdt.h>' | gcc -E - >/dev/null 2>&1 ||
    skip "the $what emulator cannot be built: package libfdt-dev is not installed"
if ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
    skip "the $what emulator cannot be kept: no folder $cache can be made"
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
    skip "the $what emulator cannot be built: this distribution has no sources of QEMU $version"
say "building QEMU with counters for $what (about three minutes on two idle cores; once, then it is kept in $cache)"
build() {
    mkdir "$work/source" "$work/build"
    cd "$work/source"
    tar -xf "$work"/qemu_*.orig.tar.xz --strip-components=1
    tar -xf "$work"/qemu_*.debian.tar.xz
    while read -r name; do
        case $name in '' | '#'*) continue ;; esac
        patch -s -p1 <"debian/patches/$name"
    done <debian/patches/series
    patch -s -p1 <"$here/$patch"
    # shellcheck disable=SC2086 # one word a line
    printf '%s\n' $devices >"configs/devices/$target-softmmu/pmu.mak"
    cd "$work/build"
    ../source/configure --target-list="$target-softmmu" --without-default-features --without-default-devices \
        "--with-devices-$target=pmu" --enable-tcg --enable-system --disable-kvm --disable-docs --disable-tools \
        --disable-user --disable-werror --enable-fdt=system --disable-debug-info --with-git-submodules=ignore
    ninja -j "$(nproc)" "qemu-system-$target"
    strip "qemu-system-$target"
}
# In a process of its own, where the first failure ends it: after a || it would continue.
build >"$work/log" 2>&1 </dev/null &
wait $! || {
    tail -n 30 "$work/log" >&2
    skip "the $what emulator could not be built (the reason is above)"
}
# Beside the binary, the licence and what was built, for whoever finds it there.
mkdir "$work/kept"
cp "$work/build/qemu-system-$target" "$work/source/COPYING" "$here/$patch" "$work/kept/"
mkdir -p "$(dirname "$kept")"
cp "$work/kept/COPYING" "$work/kept/$patch" "$(dirname "$kept")/"
# Complete, or not there: two builds may end at the same time.
mv "$work/kept/qemu-system-$target" "$kept"
say "built in $((SECONDS - start)) s: $kept"
echo "$kept"
