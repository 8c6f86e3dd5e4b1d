#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: fetch.sh DIR
# Downloads the arm64 kernel and packages of packages.list and unpacks them:
#   DIR/vmlinuz   DIR/sysroot/...   DIR/debs/...
# apt runs on state of its own below DIR, so the machine's package lists, its architectures and its
# installed packages stay as they are, and no privileges are needed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: fetch.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

stamp=$(cat "$here/packages.list" "$here/fetch.sh" /etc/os-release | cksum)
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
for tool in apt-get dpkg-deb python3; do
    if ! command -v "$tool" >/dev/null; then
        echo "fetch.sh: $tool is missing" >&2
        exit 1
    fi
done

rm -rf "$dir/apt" "$dir/sysroot"
mkdir -p "$dir/apt/lists/partial" "$dir/apt/sources.list.d" "$dir/debs/partial" "$dir/sysroot"
: >"$dir/apt/status" # nothing counts as installed, so dependencies are downloaded too
python3 "$here/sources.py" arm64 >"$dir/apt/sources.list"

apt() {
    tool=$1
    shift
    "$tool" -qq \
        -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
        -o Dir::State::lists="$dir/apt/lists" -o Dir::State::status="$dir/apt/status" \
        -o Dir::Cache::archives="$dir/debs" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o Dir::Etc::sourcelist="$dir/apt/sources.list" \
        -o Dir::Etc::sourceparts="$dir/apt/sources.list.d" \
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 -o Acquire::Languages=none \
        -o Debug::NoLocking=1 -o APT::Install-Recommends=0 "$@"
}

packages() {
    sed -n "s/^$1[[:space:]]*//p" "$here/packages.list"
}

echo "-- node: package lists for arm64"
apt apt-get update

echo "-- node: kernel and libraries for arm64"
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
if [ -z "$kernel" ]; then
    echo "fetch.sh: found no arm64 kernel package" >&2
    exit 1
fi
cd "$dir/debs"
# shellcheck disable=SC2046
apt apt-get download "$kernel" $(packages develop)
for package in $(packages wanted); do
    apt apt-get download "$package" || echo "-- node: no package $package here; going on without it"
done

for deb in "$dir"/debs/*.deb; do
    case ${deb##*/} in
    linux-image-*)
        [ "${deb##*/"${kernel}"_}" != "${deb##*/}" ] || continue # an older one from before
        dpkg-deb --fsys-tarfile "$deb" >"$dir/apt/kernel.tar"
        tar -xOf "$dir/apt/kernel.tar" --wildcards './boot/vmlinuz-*' >"$dir/vmlinuz"
        rm -f "$dir/apt/kernel.tar"
        ;;
    *) dpkg-deb -x "$deb" "$dir/sysroot" ;;
    esac
done
echo "$stamp" >"$dir/stamp"
echo "-- node: $(du -sh "$dir/debs" | cut -f 1) downloaded, kernel $kernel"
