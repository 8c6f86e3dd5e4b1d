#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check.sh ARCHITECTURE LIBPFM4 BUILD SOURCE... -- [ARGUMENT]...
# Builds the checker from its sources for another architecture of machines.list, with its libpfm4, as fetch.sh
# has put it into LIBPFM4, and runs it with these arguments. 77 (skipped) where the compiler, the emulator or
# the library is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
architecture=$1 library=$2/$1 build=$3/$1
shift 3
machine=$(grep "^$architecture " "$here/machines.list") || {
    echo "check.sh: $architecture is not in machines.list" >&2
    exit 1
}
compiler=$(echo "$machine" | awk '{ print $2 }')-gcc
emulator=$(echo "$machine" | awk '{ print $3 }')

skip() {
    echo "skipped: $1"
    exit 77
}
command -v "$compiler" >/dev/null || skip "no $compiler"
command -v "$emulator" >/dev/null || skip "no $emulator (Debian: qemu-user)"
[ -f "$library/libpfm.a" ] || skip "no $library/libpfm.a: presets/elsewhere/fetch.sh downloads it"

sources=()
while [ "$1" != -- ]; do
    sources+=("$1")
    shift
done
shift

mkdir -p "$build"
# Two runs at once do not see each other's half of a program.
program=$build/check_presets.$$
trap 'rm -f "$program"' EXIT
"$compiler" -std=gnu11 -O1 -static -D_GNU_SOURCE -I"$root/src-c" -I"$root/src-c/include" -I"$library/include" \
    -o "$program" "${sources[@]}" "$library/libpfm.a"
# libpfm4 looks at the machine for which events there are on some architectures: a folder of the architecture's
# name has what it finds below /proc and /sys.
"$emulator" -L "$here/$architecture" "$program" "$@"
