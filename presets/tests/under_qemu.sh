#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: under_qemu.sh SYSROOT CHECK_PRESETS [ARGUMENT]...
# Runs an arm64 build of the checker, whose libpfm4 knows the ARM processors that this one does not.
# 77 (skipped) where it is not built or there is no emulator.
set -eu
sysroot=$1
shift
command -v qemu-aarch64 >/dev/null || {
    echo "skipped: no qemu-aarch64 (Debian: qemu-user)"
    exit 77
}
[ -x "$1" ] || {
    echo "skipped: $1 is not built"
    exit 77
}
exec qemu-aarch64 -L "$sysroot" "$@"
