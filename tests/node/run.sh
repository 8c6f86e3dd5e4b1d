#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: run.sh [-k KIND] [-b BUILD] [-l LIST] [-o RESULTS]
# All the steps to an emulated node's results: downloads what it takes, builds, packs, boots.
#   KIND     of kinds.list (arm64)
#   BUILD    the build tree (build/arm64, or build/dev for x86-64); one of x86-64 that is named is taken as it is
#   LIST     the programs to run, where they name no other kind (those of programs.list that are for this kind)
#   RESULTS  where the logs go (build/node/results, or build/node/KIND)
# Status 77: the emulator or a compiler is not there; RESULTS/skip says which.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
. "$here/kind.sh"
kind=arm64 build='' list='' results=''
while getopts k:b:l:o: option; do
    case $option in
    k) kind=$OPTARG ;;
    b) build=$OPTARG ;;
    l) list=$OPTARG ;;
    o) results=$OPTARG ;;
    *) exit 2 ;;
    esac
done
read_kind "$kind" || exit 2
fetched=$source/build/node${kind_fetched:+-$kind_fetched}
given=$build
build=${build:-$source/build/$kind_preset}
[ -n "$results" ] || results=$source/build/node/$([ "$kind" = arm64 ] && echo results || echo "$kind")
mkdir -p "$fetched" "$results"
rm -f "$results"/*.log "$results"/*.status "$results/skip"

skip() {
    echo "Skipped: $1" | tee "$results/skip"
    exit 77
}
# quietly DIRECTORY COMMAND...: runs a command there; what it wrote is shown only if it fails.
quietly() {
    local directory=$1
    shift
    if ! (cd "$directory" && "$@") >"$results/build.txt" 2>&1; then
        tail -n 60 "$results/build.txt"
        exit 1
    fi
}
case $kind_architecture in
arm64)
    command -v qemu-system-aarch64 >/dev/null ||
        skip "qemu-system-aarch64 is not installed (package qemu-system-arm)"
    # Not grep -q: it would leave QEMU with a broken pipe.
    qemu-system-aarch64 -M virt -cpu help | grep neoverse-n1 >/dev/null ||
        skip "this QEMU has no neoverse-n1 (7.0 has)"
    for tool in gcc gfortran; do
        command -v "aarch64-linux-gnu-$tool" >/dev/null ||
            skip "aarch64-linux-gnu-$tool is not installed (package $tool-aarch64-linux-gnu)"
    done
    ;;
riscv64)
    [ "$(uname -m)" = x86_64 ] || skip "its emulator is fetched for x86-64 alone"
    for tool in gcc gfortran; do
        command -v "riscv64-linux-gnu-$tool" >/dev/null ||
            skip "riscv64-linux-gnu-$tool is not installed (package $tool-riscv64-linux-gnu)"
    done
    ;;
ppc64el)
    for tool in gcc gfortran; do
        command -v "powerpc64le-linux-gnu-$tool" >/dev/null ||
            skip "powerpc64le-linux-gnu-$tool is not installed (package $tool-powerpc64le-linux-gnu)"
    done
    FPAPI_PPC64_EMULATOR=$("$here/emulator.sh" ppc64el) || skip "$FPAPI_PPC64_EMULATOR"
    export FPAPI_PPC64_EMULATOR
    ;;
amd64)
    [ "$(uname -m)" = x86_64 ] || skip "the programs of an x86-64 node are built on x86-64 alone"
    FPAPI_X86_EMULATOR=$("$here/emulator.sh") || skip "$FPAPI_X86_EMULATOR"
    export FPAPI_X86_EMULATOR
    ;;
esac
command -v cpio >/dev/null || skip "cpio is not installed"

"$here/fetch.sh" -a "$kind_architecture" "$fetched"
if [ ! -e "$build/CMakeCache.txt" ]; then
    if command -v ninja >/dev/null; then
        export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
    fi
    echo "-- node: configuring and building for $kind_architecture"
    quietly "$source" cmake --preset "$kind_preset" -B "$build"
fi
# The tree whose tests these are is built, and another node's run may be reading it.
if [ "$kind_architecture" != amd64 ] || [ -z "$given" ]; then
    quietly . cmake --build "$build" -j "$(nproc)"
fi
# The list may be the file that is written here.
if [ -n "$list" ]; then
    selected=$("$here/select.py" "$kind" "$list" --any)
else
    selected=$("$here/select.py" "$kind" "$here/programs.list")
fi
[ -n "$selected" ] || { echo "run.sh: the list names no program for $kind" >&2 && exit 2; }
printf '%s\n' "$selected" >"$results/programs.list"
"$here/make-initrd.sh" "$kind" "$fetched" "$build" "$results/programs.list" "$results/initrd.cpio"
start=$(date +%s)
"$here/boot.sh" -k "$kind" "$fetched" "$results/initrd.cpio" "$results"
echo "-- node $kind: $(cat "$results"/*.status | wc -l) programs in $(($(date +%s) - start)) s"
echo "-- those that executed most, thousand million instructions (the node's seconds):"
awk '$1 == "#%fpapi" && $2 == "end" { printf "%8.2f %s\n", $6 - $5, $3 }' "$results/console" | sort -rn | sed 8q
