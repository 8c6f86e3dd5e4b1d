#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
usage="Usage: tests/fuzz/run.sh [SECONDS] [TARGET...]
Runs fuzz targets (all of them) for SECONDS each (60), as many at a time as there are processors. They are
built with clang in build/fuzz. What an earlier run found worth keeping is in build/fuzz/corpus, and this one
goes on from there; an input that fails is in build/fuzz/findings/TARGET, to be made small and put into
tests/fuzz/found/TARGET. Executions a second are those of a second of a processor, which the target may have had
only in part.

  --list    the targets
  --build   builds them, and no more
  --help    this text

Exit status: 0; 1 if there was a finding; 2 if the command line is wrong; 77 if there is no clang with
libFuzzer (Debian: clang libclang-rt-14-dev)."
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/fuzz
out=$root/build/fuzz

find_clang() {
    local name
    for name in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
        command -v "$name" >/dev/null || continue
        if echo 'int LLVMFuzzerTestOneInput(void){return 0;}' |
            "$name" -x c -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

# One run at a time builds, whoever else has begun one.
build() {
    local clang
    clang=$(find_clang) || { echo "SKIP: no clang with libFuzzer (Debian: clang libclang-rt-14-dev)"; exit 77; }
    mkdir -p "$out"
    if ! (
        flock 9
        command -v ninja >/dev/null && export CMAKE_GENERATOR=Ninja
        [ -f "$out/CMakeCache.txt" ] ||
            cmake -S "$root" -B "$out" -DCMAKE_C_COMPILER="$clang" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DFPAPI_FUZZ=ON \
                -DFPAPI_TESTS=OFF -DFPAPI_WERROR=OFF -DFPAPI_SANITIZE=address,undefined -DFPAPI_MPI_COMPILERS=none
        cmake --build "$out" --target fuzzers -j "$(nproc)"
    ) 9>"$out/lock" >"$out/build.log" 2>&1; then
        tail -n 40 "$out/build.log"
        echo "the fuzz targets could not be built ($out/build.log)"
        exit 1
    fi
}

targets() {
    local file
    for file in "$here"/fuzz_*.c; do
        file=${file##*/fuzz_}
        echo "${file%.c}"
    done
}

# run TARGET SECONDS: what libFuzzer says goes into a file.
run() {
    local name=$1 seconds=$2 options=() longest=16384
    case $name in assembler_*) longest=1024 ;; esac # a function; more of them take longer, and are the same
    mkdir -p "$out/corpus/$name" "$out/findings/$name" "$here/found/$name"
    [ -f "$here/$name.dict" ] && options+=("-dict=$here/$name.dict")
    # A unit that is slow on a busy machine is not a finding; one that does not end is.
    local TIMEFORMAT='%U %S'
    export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
    { time "$out/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=2048 -max_len=$longest \
        -artifact_prefix="$out/findings/$name/" -print_final_stats=1 "${options[@]}" \
        "$out/corpus/$name" "$here/seeds/$name" "$here/found/$name" >"$out/$name.log" 2>&1 </dev/null
        echo $? >"$out/$name.status"; } 2>"$out/$name.time"
}

# The last figures of a target's log: executions, per second of a processor, which others may have had meanwhile,
# coverage, inputs kept.
figures() {
    awk -v name="$1" -v seconds="$(awk '{ print $1 + $2 }' "$out/$1.time")" '
        match($0, /^#[0-9]+/) { runs = substr($0, 2, RLENGTH - 1) }
        match($0, / cov: [0-9]+/) { cov = substr($0, RSTART + 6, RLENGTH - 6) }
        match($0, / corp: [0-9]+/) { corp = substr($0, RSTART + 7, RLENGTH - 7) }
        /stat::number_of_executed_units/ { runs = $2 }
        END {
            speed = seconds > 0 ? runs / seconds : 0
            printf "%-15s %12d %8d %8.0f %8d %8d", name, runs, speed, seconds, cov, corp
        }' "$out/$1.log"
}

seconds=60
case ${1:-} in
-h | --help) echo "$usage"; exit 0 ;;
--list) targets; exit 0 ;;
--build) build; exit 0 ;;
[0-9]*) seconds=$1; shift ;;
esac
case $seconds in *[!0-9]* | 0) echo "run.sh: SECONDS is a whole number above 0, not \"$seconds\"" >&2; exit 2 ;; esac
mapfile -t known < <(targets)
[ $# -gt 0 ] || set -- "${known[@]}"
for name in "$@"; do
    [ -f "$here/fuzz_$name.c" ] || { printf 'run.sh: there is no target "%s"; --list names them\n' "$name" >&2; exit 2; }
done
build

FUZZ_FOLDER=$(mktemp -d /dev/shm/papi_fuzz.XXXXXX) || exit 1
export FUZZ_FOLDER
running=()
stop() {
    for pid in "${running[@]}"; do kill "$pid" 2>/dev/null; done
    wait
    rm -rf "$FUZZ_FOLDER"
}
trap 'stop; exit 1' INT TERM
for name in "$@"; do
    rm -f "$out/$name.status"
    [ -x "$out/tests/fuzz/fuzz_$name" ] || { echo "SKIP: $name: not built (jansson is not here)"; continue; }
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    [ $# -eq 1 ] || echo "$(date +%T) $name for $seconds s"
    run "$name" "$seconds" &
    running+=($!)
done
wait
rm -rf "$FUZZ_FOLDER"

findings=0 ran=0
printf '%-15s %12s %8s %8s %8s %8s %8s\n' target executions exec/s seconds coverage inputs findings
for name in "$@"; do
    [ -f "$out/$name.status" ] || continue
    ran=$((ran + 1))
    failed=$([ "$(cat "$out/$name.status")" = 0 ] || echo 1)
    echo "$(figures "$name") $(printf '%8d' "${failed:-0}")"
    [ -z "$failed" ] && continue
    findings=$((findings + 1))
    grep -E 'does not hold|ERROR:|SUMMARY|runtime error|Test unit written|^    #[0-9] ' "$out/$name.log" | head -n 20
done
[ $ran -gt 0 ] || exit 77
[ $findings = 0 ]
