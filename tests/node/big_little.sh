#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: big_little.sh BUILD RESULTS
# Boots the node as a machine of big and little cores, with two CPUs whose PMUs are two, and prints what its programs
# said. run.sh has made all that it takes. Status 77: skipped.
#   BUILD    the arm64 build tree
#   RESULTS  where the logs go
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
node=$(cd "$here/../.." && pwd)/build/node
build=${1:?usage: big_little.sh BUILD RESULTS}
results=${2:?}

for tool in qemu-system-aarch64:qemu-system-arm dtc:device-tree-compiler; do
    command -v "${tool%:*}" >/dev/null || { echo "SKIP: ${tool%:*} is not installed (package ${tool#*:})"; exit 77; }
done
if [ ! -e "$node/vmlinuz" ] || [ ! -e "$build/tests/node/node_kinds" ]; then
    echo "SKIP: node.boot was skipped"
    exit 77
fi

mkdir -p "$results"
qemu-system-aarch64 -M virt,gic-version=3,dumpdtb="$results/virt.dtb" -nic none -cpu neoverse-n1 -smp 2 \
    -m "${NODE_MEMORY:-512}" -nographic -kernel "$node/vmlinuz" </dev/null >/dev/null 2>&1
# dtc's warnings are of QEMU's own tree, too.
dtc -q -I dtb -O dts "$results/virt.dtb" | python3 -B "$here/big_little.py" >"$results/node.dts"
dtc -q -I dts -O dtb -o "$results/node.dtb" "$results/node.dts"
"$here/make-initrd.sh" arm64 "$node" "$build" "$here/big_little.list" "$results/initrd.cpio"
NODE_OPTIONS="-smp 2 -dtb $results/node.dtb" "$here/boot.sh" "$node" "$results/initrd.cpio" "$results"
failed=0
for log in "$results"/*.log; do
    cat "$log"
    [ "$(cat "${log%.log}.status" 2>/dev/null)" = 0 ] || failed=1
done
# papi_check_presets tries each kind of cores by itself.
[ "$(grep -c '^PAPI_TOT_INS  counts  .* 6.00  ' "$results/check_presets.log")" = 2 ] || failed=1
exit $failed
