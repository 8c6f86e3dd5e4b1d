#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: run.sh [-b BUILD] [-l LIST] [-o RESULTS]
# All the steps to the emulated node's results: downloads what it takes, cross-builds, packs, boots.
#   BUILD    the arm64 build tree (build/arm64)
#   LIST     the programs to run (programs.list beside this script)
#   RESULTS  where the logs go (build/node/results)
# Status 77: QEMU or the cross compiler is not installed; RESULTS/skip says which.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
node=$source/build/node
build=$source/build/arm64
list=$here/programs.list
results=$node/results
while getopts b:l:o: option; do
    case $option in
    b) build=$OPTARG ;;
    l) list=$OPTARG ;;
    o) results=$OPTARG ;;
    *) exit 2 ;;
    esac
done
mkdir -p "$node" "$results"
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
command -v qemu-system-aarch64 >/dev/null || skip "qemu-system-aarch64 is not installed (package qemu-system-arm)"
# Not grep -q: it would leave QEMU with a broken pipe.
qemu-system-aarch64 -M virt -cpu help | grep neoverse-n1 >/dev/null || skip "this QEMU has no neoverse-n1 (7.0 has)"
for tool in gcc gfortran; do
    command -v "aarch64-linux-gnu-$tool" >/dev/null ||
        skip "aarch64-linux-gnu-$tool is not installed (package $tool-aarch64-linux-gnu)"
done
command -v cpio >/dev/null || skip "cpio is not installed"

"$here/fetch.sh" "$node"
if [ ! -e "$build/CMakeCache.txt" ]; then
    if command -v ninja >/dev/null; then
        export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
    fi
    echo "-- node: configuring and building for arm64"
    quietly "$source" cmake --preset arm64 -B "$build"
fi
quietly . cmake --build "$build" -j "$(nproc)"
"$here/make-initrd.sh" "$node" "$build" "$list" "$results/initrd.gz"
start=$(date +%s)
"$here/boot.sh" "$node/vmlinuz" "$results/initrd.gz" "$results"
echo "-- node: $(cat "$results"/*.status | wc -l) programs in $(($(date +%s) - start)) s"
