# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# For .ci/package and .ci/matrix: clean Debian systems in folders, which they enter with chroot. They take root.
# FPAPI_MIRROR is where the packages come from.

systems=$PWD/build/systems

# need_systems: debootstrap is there, and the rights to use it.
need_systems() {
    if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
        echo "$0: a clean system takes root, and debootstrap (apt-get install debootstrap)" >&2
        exit 2
    fi
}

# system NAME SUITE: a clean one. A suite that was downloaded stays for the next time.
system() {
    local base=$systems/$2.tar made=$systems/$2.made
    if [ ! -f "$base" ]; then
        echo "== downloading a clean $2"
        rm -rf --one-file-system "$made"
        mkdir -p "$systems"
        # What it mounts there ends with it, also where it is stopped: nothing may delete a mounted /proc with the rest.
        unshare --mount debootstrap --variant=minbase "$2" "$made" "${FPAPI_MIRROR:-http://deb.debian.org/debian}" >"$systems/$2.log"
        echo force-unsafe-io >"$made/etc/dpkg/dpkg.cfg.d/unsafe"
        rm -f "$made"/var/cache/apt/archives/*.deb
        tar -C "$made" -cf "$base.part" --one-file-system .
        mv "$base.part" "$base"
        rm -rf --one-file-system "$made"
    fi
    rm -rf --one-file-system "${systems:?}/$1"
    mkdir "$systems/$1"
    tar -C "$systems/$1" -xf "$base"
    cp /etc/resolv.conf "$systems/$1/etc/resolv.conf" 2>/dev/null || true
}

# inside NAME COMMAND: runs a shell's command there. Its mounts end with it.
inside() {
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount -t sysfs -o ro sysfs "$0/sys" &&
        exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive sh -euc "$1"' "$systems/$1" "$2" </dev/null
}

# add PACKAGE...: the command that installs them inside.
add() {
    echo "apt-get -qq update && apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends $* >/tmp/apt.log 2>&1 ||
        { tail -n 5 /tmp/apt.log && exit 1; }"
}
