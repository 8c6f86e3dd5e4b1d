#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: boot.sh [-k KIND] FETCHED INITRD RESULTS
# Boots an emulated node of a KIND of kinds.list (arm64) and splits its console into RESULTS/NAME.log and
# RESULTS/NAME.status. One instruction is one cycle is one nanosecond of the node's time (-icount), so its counts
# and times are the same on every machine. FETCHED: the directory that fetch.sh filled. NODE_TIMEOUT: seconds
# before QEMU is stopped; NODE_OPTIONS: more words for its command line.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/kind.sh"
kind=arm64
if [ "${1:-}" = -k ]; then
    kind=$2
    shift 2
fi
read_kind "$kind" || exit 2
fetched=${1:?usage: boot.sh [-k KIND] FETCHED INITRD RESULTS}
initrd=${2:?}
results=${3:?}
limit=${NODE_TIMEOUT:-3600}

mkdir -p "$results"
rm -f "$results"/*.log "$results"/*.status "$results/skip"

case $kind_architecture in
arm64)
    machine=(qemu-system-aarch64 -M 'virt,gic-version=3' -nic none -nographic)
    console=ttyAMA0
    ;;
riscv64)
    # The newer release's, which its own loader starts. It finds another QEMU's modules for screens and sound, and stops
    # where it is to load two of them.
    root=$fetched/emulator/sysroot/usr
    machine=("$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/lib/x86_64-linux-gnu" "$root/bin/qemu-system-riscv64"
        -L "$root/share/qemu" -M virt -nodefaults -audiodev none,id=none -display none -serial stdio)
    console=ttyS0
    ;;
ppc64el)
    emulator=$("$here/emulator.sh" ppc64el) || { echo "$emulator" && exit 77; }
    # Firmware of QEMU's own, which starts the kernel in a tenth of the time. The kernel would warn of what the emulated
    # processor does not mitigate.
    machine=("$emulator" -L "$fetched/sysroot/usr/share/qemu" -M pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off
        -nodefaults -display none -serial stdio)
    console=hvc0
    ;;
amd64)
    emulator=$("$here/emulator.sh") || { echo "$emulator" && exit 77; }
    machine=("$emulator" -L "$fetched/sysroot/usr/share/seabios" -L "$fetched/sysroot/usr/share/qemu"
        -M microvm -nodefaults -display none -serial stdio)
    console=ttyS0
    ;;
esac
cpus=$(echo "$kind_arguments" | sed -n 's/.*cpus=\([0-9]*\).*/\1/p')
# run_emulator: the console's own lines go with QEMU's, whose warnings are of processor features that it does not
# emulate.
run_emulator() {
    status=0
    # shellcheck disable=SC2086
    timeout -k 5 "$limit" "${machine[@]}" -cpu "$kind_processor" ${cpus:+-smp "$cpus"} \
        -icount shift=0,sleep=off -m "${NODE_MEMORY:-512}" \
        -no-reboot -kernel "$fetched/vmlinuz" -initrd "$initrd" ${NODE_OPTIONS:-} \
        -append "console=$console quiet rdinit=/init loglevel=3 panic=-1 mitigations=off $kind_arguments" \
        </dev/null >"$results/console" 2>"$results/emulator" || status=$?
}
run_emulator
# With several processors, QEMU 7.2 and -icount now and then give the kernel flags that no instruction set, and it
# panics. No program under test can do that: the node is booted again, once, and says so.
if [ -n "$cpus" ] && grep -q 'Kernel panic' "$results/console"; then
    cp "$results/console" "$results/console.panic"
    echo "-- node: the emulator crashed the kernel of $kind ($results/console.panic); booting again"
    run_emulator
fi

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
    tail -n 30 "$results/emulator" "$results/console"
    exit 1
fi
