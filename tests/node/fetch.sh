#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: fetch.sh [-a ARCHITECTURE] DIR
# Downloads the kernel, where packages.list has one, and the packages of that list for arm64 (or another
# architecture of Debian) and unpacks them:
#   DIR/vmlinuz   DIR/sysroot/...   DIR/debs/...
# and the emulator, where the machine's own does not do:
#   DIR/emulator/sysroot/...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt.sh"
architecture=arm64
if [ "${1:-}" = -a ]; then
    architecture=$2
    shift 2
fi
dir=${1:?usage: fetch.sh [-a ARCHITECTURE] DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

exec 9>"$dir/lock"
flock 9 # nodes of the same architecture may be started together
stamp=$(cat "$here/packages.list" "$here/fetch.sh" "$here/apt.sh" /etc/os-release | cksum)
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
need_tools fetch.sh apt-get dpkg-deb python3
rm -rf "$dir/sysroot" "$dir/emulator"
mkdir -p "$dir/sysroot"

# packages WORD: those of the lines that begin with it, or with it and the architecture
cross=cross
[ "$architecture" != amd64 ] || cross=amd64
packages() {
    sed -n "s/^$1\(:$architecture\|:$cross\)\{0,1\}[[:space:]][[:space:]]*//p" "$here/packages.list"
}

release=$(packages release)
apt_state "$dir" "$architecture" deb "$release"

echo "-- node: package lists for $architecture"
# A mirror may have one list that its signature is not of: without that list there is all of the others.
apt apt-get update || echo "-- node: going on with the lists that could be had"

echo "-- node: kernel and libraries for $architecture"
# shellcheck disable=SC2046 # one word a package
apt apt-get install -y --download-only $(packages run)
for package in $(packages optional); do
    apt apt-get install -y --download-only "$package" ||
        echo "-- node: no package $package here; going on without it"
done
kernel=
for package in $(packages kernel); do
    kernel=$(apt apt-cache depends "$package" 2>/dev/null |
        sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    [ -z "$kernel" ] || break
done
if [ -z "$kernel" ] && [ -n "$(packages kernel)" ]; then
    echo "fetch.sh: found no kernel package for $architecture" >&2
    exit 1
fi
cd "$dir/debs"
# shellcheck disable=SC2046
apt apt-get download $kernel $(packages develop)
for package in $(packages wanted); do
    apt apt-get download "$package" || echo "-- node: no package $package here; going on without it"
done

for deb in "$dir"/debs/*.deb; do
    case ${deb##*/} in
    linux-image-*)
        [ "${deb##*/"${kernel}"_}" != "${deb##*/}" ] || continue # an older one from before
        dpkg-deb --fsys-tarfile "$deb" >"$dir/apt/kernel.tar"
        tar -xOf "$dir/apt/kernel.tar" --wildcards './boot/vmlinu[xz]-*' >"$dir/vmlinuz"
        rm -f "$dir/apt/kernel.tar"
        ;;
    *) dpkg-deb -x "$deb" "$dir/sysroot" ;;
    esac
done
if [ -n "$(packages emulator)" ]; then
    echo "-- node: the emulator for $architecture"
    mkdir -p "$dir/emulator/sysroot"
    apt_state "$dir/emulator" "$(dpkg --print-architecture)" deb "$release"
    apt apt-get update || echo "-- node: going on with the lists that could be had"
    # shellcheck disable=SC2046
    apt apt-get install -y --download-only $(packages emulator)
    for deb in "$dir"/emulator/debs/*.deb; do
        dpkg-deb -x "$deb" "$dir/emulator/sysroot"
    done
    rm -rf "$dir/emulator/debs" # unpacked, they are of no more use
fi
echo "$stamp" >"$dir/stamp"
echo "-- node: $(du -sh "$dir/debs" | cut -f 1) downloaded, ${kernel:-no kernel}"
