#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: boot.sh VMLINUZ INITRD RESULTS
# Boots the emulated node and splits its console into RESULTS/NAME.log and RESULTS/NAME.status.
# One instruction is one cycle is one nanosecond of the node's time (-icount), so its counts and
# times are the same on every machine. NODE_TIMEOUT: seconds before QEMU is stopped; NODE_OPTIONS: more
# words for its command line.
set -euo pipefail
kernel=${1:?usage: boot.sh VMLINUZ INITRD RESULTS}
initrd=${2:?}
results=${3:?}
limit=${NODE_TIMEOUT:-1500}

mkdir -p "$results"
rm -f "$results"/*.log "$results"/*.status "$results/skip"

status=0
# shellcheck disable=SC2086
timeout -k 5 "$limit" qemu-system-aarch64 -M virt,gic-version=3 -nic none -cpu neoverse-n1 \
    -icount shift=0,sleep=off -m "${NODE_MEMORY:-512}" -nographic -no-reboot \
    -kernel "$kernel" -initrd "$initrd" ${NODE_OPTIONS:-} \
    -append "console=ttyAMA0 quiet rdinit=/init loglevel=3 panic=-1" \
    </dev/null >"$results/console" 2>&1 || status=$?

tr -d '\r' <"$results/console" | awk -v dir="$results" '
    $1 == "#%fpapi" && $2 == "begin" { name = $3; log_file = dir "/" name ".log"; held = ""; printf "" >log_file; next }
    $1 == "#%fpapi" && $2 == "end" && $3 == name {
        # The line break before the mark is the guest script'"'"'s, unless the text lacked its last one.
        if (held != "" && held != "\n") printf "%s", held >log_file
        print $4 >(dir "/" name ".status")
        close(log_file); name = ""; next
    }
    name != "" { if (held != "") printf "%s", held >log_file; held = $0 "\n" }
    END { if (name != "") { printf "%s", held >log_file; print "the node stopped while it ran" >log_file } }
'
if ! grep -q '^#%fpapi off' "$results/console"; then
    if [ "$status" = 124 ] || [ "$status" = 137 ]; then
        echo "boot.sh: the node had not finished after $limit s"
    else
        echo "boot.sh: the node stopped early (status $status)"
    fi
    tail -n 30 "$results/console"
    exit 1
fi
