#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: fetch.sh DIR
# Downloads Debian's Prometheus (19 MB) and unpacks it: DIR/usr/bin/prometheus and promtool. It is not installed, as
# that would start a service on this machine.
set -eu
dir=${1:?usage: fetch.sh DIR}
mkdir -p "$dir"
cd "$dir"
exec 9>lock
flock 9
[ ! -x usr/bin/promtool ] || exit 0
rm -f ./*.deb
apt-get -q download prometheus
dpkg-deb -x prometheus_*.deb unpacked
rm -rf usr
mv unpacked/usr usr
rm -rf unpacked ./*.deb
