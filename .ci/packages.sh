# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034 # the lists are for those scripts
# For ./demo and ./check: the packages that they need from Debian or Ubuntu, installed if missing.

packages_library=(gcc gfortran libc6-dev cmake ninja-build python3 libpfm4-dev libhwloc-dev libcapstone-dev libdw-dev
    qemu-user libjansson-dev libmicrohttpd-dev)
packages_build=("${packages_library[@]}" mpich libmpich-dev)
packages_here=("${packages_library[@]}" libcmocka-dev)
packages_node=(qemu-system-arm gcc-aarch64-linux-gnu gfortran-aarch64-linux-gnu libc6-dev-arm64-cross
    gcc-riscv64-linux-gnu gfortran-riscv64-linux-gnu libc6-dev-riscv64-cross
    gcc-powerpc64le-linux-gnu gfortran-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
    binutils cpio device-tree-compiler
    libglib2.0-dev libpixman-1-dev libfdt-dev make meson patch xz-utils bzip2 pkg-config)
packages_32_bits=(gcc-i686-linux-gnu gfortran-i686-linux-gnu libc6-dev-i386-cross libc6-i386)
packages_presets=(gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-i686-linux-gnu libc6-dev-i386-cross
    gcc-mips64el-linux-gnuabi64 libc6-dev-mips64el-cross gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
    gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-sparc64-linux-gnu libc6-dev-sparc64-cross make)
packages_test=(libcmocka-dev valgrind libc6-dbg pkg-config openmpi-bin libopenmpi-dev chromium libblas-dev
    libopenblas0-pthread groff-base clang clang-format libclang-rt-14-dev ccache g++ lld strace
    python3-jsonschema python3-pytest python3-yaml csmith libcsmith-dev libomp-dev flang-16 flang-19 llvm-19
    python3-pandas python3-numpy python3-ipython python3-pip python3-setuptools python3-wheel rustc cargo r-base-core libsensors-dev libpcp3-dev libze-dev librocm-smi-dev)
packages_seldom=(bochs bochs-term isolinux genisoimage)

# need_packages NAME...: installs those that are missing. Without root and sudo, prints the command and exits.
need_packages() {
    local name missing=() sudo=() command
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        echo "This script installs what it needs with apt-get, which is not here. The packages of Debian 12:"
        echo "  $*"
        echo "Going on with what is installed."
        return
    fi
    for name in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        # sudo may ask for a password where there is somebody to answer.
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
            sudo=(sudo)
        else
            echo "Some packages are missing. As root, run:"
            echo "  $command"
            exit 1
        fi
    fi
    echo "== installing ${#missing[@]} packages: ${missing[*]}"
    mkdir -p build
    if ! { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 \
            install --no-install-recommends "${missing[@]}"; } 2>&1 </dev/null | tee build/packages.log |
        awk '/^Need to get/ { print "   " $0; fflush() }
             /^Get:/ && ++got % 25 == 0 { print "   downloaded " got; fflush() }
             /^Unpacking/ && ++unpacked % 25 == 0 { print "   unpacked " unpacked; fflush() }
             /^Setting up/ && ++ready % 25 == 0 { print "   set up " ready; fflush() }'; then
        tail -n 20 build/packages.log
        echo "The packages could not be installed. The command was:"
        echo "  $command"
        exit 1
    fi
}

# For cmake: ninja if installed, and all cores also with make; with ccache, which finds again what the same sources were
# compiled to in another clone.
build_settings() {
    # The packages' own programs before a version manager's: its python3 takes longer to start than most tests run.
    PATH=/usr/bin:/bin:$PATH
    if command -v ninja >/dev/null; then
        export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
    fi
    CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
    export CMAKE_BUILD_PARALLEL_LEVEL
    if command -v ccache >/dev/null; then
        export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=2G
        export CCACHE_DIR=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/fpapi/ccache
    fi
}

# heading TEXT: says what begins now, and which of $steps steps it is where that is known.
heading() {
    local where=''
    if [ -n "${steps:-}" ]; then
        step_now=$((${step_now:-0} + 1))
        where=" $step_now of $steps, after $((SECONDS / 60)) min $((SECONDS % 60)) s:"
    fi
    echo "==$where $1"
}

# progress FILE: how far a build is, by the last "[12/345]" or "[ 12%]" that it wrote there, every half minute.
progress() {
    local last='' now
    while sleep 30 >/dev/null 2>&1; do # it outlives this function by half a minute, and keeps no pipe open
        now=$(grep -o '^\[ *[0-9][0-9/%]*\]' "$1" 2>/dev/null | tail -n 1) || true
        [ -z "$now" ] || [ "$now" = "$last" ] || echo "   $now"
        last=$now
    done
}

# step TEXT COMMAND...: runs a command quietly, and says how far it is; if it fails, shows its output and exits.
step() {
    local text=$1 start=$SECONDS status=0 watch
    shift
    heading "$text"
    mkdir -p build
    : >build/step.log
    progress build/step.log </dev/null &
    watch=$!
    "$@" >build/step.log 2>&1 </dev/null || status=$?
    kill $watch 2>/dev/null || true
    wait $watch 2>/dev/null || true
    if [ $status != 0 ]; then
        cat build/step.log
        echo "== failed: $text"
        exit 1
    fi
    echo "   $((SECONDS - start)) s"
}
