#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: result.sh RESULTS NAME
# Shows what a program wrote on the emulated node and ends with its status.
results=${1:?usage: result.sh RESULTS NAME}
name=${2:?}
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
exit "$status"
