#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Usage: make-initrd.sh KIND FETCHED BUILD LIST OUTPUT
# Packs busybox, the programs of LIST (from BUILD, the build tree), the libraries that they
# need and the data files that they ask for into an initial ram disk.
#   FETCHED  the directory that fetch.sh filled
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
. "$here/kind.sh"
read_kind "${1:?usage: make-initrd.sh KIND FETCHED BUILD LIST OUTPUT}"
fetched=${2:?}
build=${3:?}
list=${4:?}
output=${5:?}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
libs=$root/usr/lib/$kind_triplet
mkdir -p "$root"/{bin,dev,etc,fpapi,data,lib,proc,sys,tmp,run} "$libs" "$root/debian"
chmod 755 "$root"
ln -s "../usr/lib/$kind_triplet" "$root/lib/$kind_triplet"

# Where a library may be: the build's own first, then the packages, then the cross compiler's.
declare -A found
while IFS= read -r file; do
    name=${file##*/}
    [ -n "${found[$name]-}" ] || [ ! -e "$file" ] || found[$name]=$file
done < <(
    find "$build" -name 'lib*.so*' -not -path '*/CMakeFiles/*' -not -path '*/tests/*'
    [ ! -d "$build/tests" ] || find "$build/tests" -name 'lib*.so*' -not -path '*/CMakeFiles/*'
    find -L "$fetched/sysroot/usr/lib/$kind_triplet" "$fetched/sysroot/lib" \
        "/usr/$kind_triplet/lib" -maxdepth 2 \( -name 'lib*.so*' -o -name 'ld-linux*' -o -name 'ld64.so*' \) 2>/dev/null
)

# add_needed FILE: the libraries that FILE names, and theirs.
add_needed() {
    local name
    for name in $(readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        add_library "$name"
    done
}

add_library() {
    [ ! -e "$libs/$1" ] || return 0
    if [ -z "${found[$1]-}" ]; then
        echo "make-initrd.sh: no $kind_architecture library $1" >&2
        return 1
    fi
    cp -L "${found[$1]}" "$libs/$1"
    add_needed "$libs/$1"
}

cp "$here/init" "$root/init"
for busybox in "$fetched/sysroot"/bin/busybox "$fetched/sysroot"/usr/bin/busybox; do
    [ ! -e "$busybox" ] || cp "$busybox" "$root/bin/busybox"
done
chmod 755 "$root/init" "$root/bin/busybox"
ln -s busybox "$root/bin/sh"
printf 'root:x:0:0::/tmp:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
printf '127.0.0.1 localhost node\n' >"$root/etc/hosts"
cp "$list" "$root/programs.list"

case $kind_architecture in
arm64)
    add_library ld-linux-aarch64.so.1
    ln -s "$kind_triplet/ld-linux-aarch64.so.1" "$root/lib/ld-linux-aarch64.so.1"
    ;;
riscv64)
    add_library ld-linux-riscv64-lp64d.so.1
    ln -s "$kind_triplet/ld-linux-riscv64-lp64d.so.1" "$root/lib/ld-linux-riscv64-lp64d.so.1"
    ;;
ppc64el)
    add_library ld64.so.2
    mkdir "$root/lib64"
    ln -s "../lib/$kind_triplet/ld64.so.2" "$root/lib64/ld64.so.2"
    ;;
amd64)
    add_library ld-linux-x86-64.so.2
    mkdir "$root/lib64"
    ln -s "../lib/$kind_triplet/ld-linux-x86-64.so.2" "$root/lib64/ld-linux-x86-64.so.2"
    ;;
esac
# Opened by name while a program runs, so that no program's header tells.
add_library libhwloc.so.15
add_library libpfm.so.4
# What starts ranks, where a program of the list has some. The libraries are 40 MB, which each node would unpack.
ranks=''
if grep -q '^[^#].* ranks=' "$list" && [ -e "$fetched/sysroot/usr/bin/mpiexec.hydra" ]; then
    ranks=1
    for name in mpiexec.hydra hydra_pmi_proxy; do
        cp -L "$fetched/sysroot/usr/bin/$name" "$root/bin/$name"
        add_needed "$root/bin/$name"
    done
fi
for name in "${!found[@]}"; do
    # Ranks are MPICH's there, nothing is emulated once more, and call sites have the loader's names.
    case ${found[$name]} in
    *openmpi* | "$build"/plugin/* | "$build"/mpi-wrappers/installed/* | "$build"/tests/*) ;;
    "$build"/src-c/profile/*) ;;
    "$build"/mpi-wrappers/*) # papi_doctor says whether it is there
        cp -L "${found[$name]}" "$libs/$name"
        [ -z "$ranks" ] || add_needed "$libs/$name"
        ;;
    "$build"/*) add_library "$name" ;;
    esac
done
# The distribution's libpapi, for the comparison of costs, where the programs do not find it.
for name in "$fetched/sysroot/usr/lib/$kind_triplet"/libpapi.so.*; do
    if [ -e "$name" ] && grep -q '^[^#].*=/debian/' "$list"; then
        cp -L "$name" "$root/debian/libpapi.so"
        add_needed "$name"
    fi
done

if [ -e "$build/tests/node/as_user" ]; then
    cp "$build/tests/node/as_user" "$root/bin/as_user"
fi
# pack PROGRAM: with the libraries that it needs
pack() {
    mkdir -p "$root/fpapi/$(dirname "$1")"
    cp -L "$build/$1" "$root/fpapi/$1"
    add_needed "$build/$1"
}
while read -r name program options; do
    case $name in '' | '#'*) continue ;; esac
    if [ -e "$build/$program" ]; then
        pack "$program"
    elif [[ $options != *ranks=* || -e $root/bin/mpiexec.hydra ]]; then # its own test fails, the others run
        echo "make-initrd.sh: $program has not been built" >&2
    fi
    for option in $options; do
        case $option in
        file=*)
            file=${option#file=}
            case $file in /*) ;; *) file=$source/$file ;; esac
            cp -L "$file" "$root/data/"
            ;;
        arg=/fpapi/*) # what the program itself starts
            [ ! -e "$build/${option#arg=/fpapi/}" ] || pack "${option#arg=/fpapi/}"
            ;;
        esac
    done
done <"$list"

# Debug information would only make the node slower to start, as unpacking would; the names of functions stay.
find "$libs" "$root/fpapi" "$root/debian" -type f -exec "$kind_strip" --strip-debug {} + 2>/dev/null || true
(cd "$root" && find . -print0 | cpio --null -o -H newc -R 0:0 --quiet) >"$output"
