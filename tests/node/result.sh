#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: result.sh RESULTS NAME [KEPT]
# Shows what a program wrote on the emulated node and ends with its status. KEPT: a directory; a text NAME there is
# what it has to have written, with KERNEL for the kernel's release. FPAPI_KEEP=1 writes that text anew, to be read and
# committed by whoever knows the processor.
results=${1:?usage: result.sh RESULTS NAME [KEPT]}
name=${2:?}
kept=${3:-}
if [ -e "$results/skip" ]; then
    cat "$results/skip"
    exit 77
fi
if [ -e "$results/$name.log" ]; then
    cat "$results/$name.log"
fi
if [ ! -e "$results/$name.status" ]; then
    echo "node: $name left no status: the node did not run it to its end"
    exit 1
fi
status=$(cat "$results/$name.status")
case $status in
137) echo "node: $name was killed (its time-out, or signal 9)" ;;
12[89] | 1[3-9]? | 2??) echo "node: $name ended by signal $((status - 128))" ;;
esac
case $name in kept.*) ;; *) exit "$status" ;; esac
release=$(tr -d '\r' <"$results/console" | sed -n 's/^#%fpapi boot //p')
# What the doctor counts in a loop has a few instructions of the C library's more or less.
sed -e "s/$release/KERNEL/g" -e 's/counted [0-9]* in a loop/counted N in a loop/' "$results/$name.log" >"$results/$name.now"
if [ "${FPAPI_KEEP:-}" = 1 ]; then
    mkdir -p "$kept" && cp "$results/$name.now" "$kept/$name"
fi
# Kernels, libpfm4's tables and firmware of other distributions say other things.
if [ "$(. /etc/os-release && echo "$ID $VERSION_ID")" != "debian 12" ]; then
    cat "$results/$name.now"
    echo "SKIP: the text is kept for the packages of Debian 12"
    exit 77
fi
if ! diff "$kept/$name" "$results/$name.now"; then
    echo "node: it is not what $kept/$name has (<): FPAPI_KEEP=1 writes that anew"
    exit 1
fi
exit "$status"
