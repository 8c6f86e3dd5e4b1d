# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For scripts that take packages apart: apt on state of its own, so that the machine's package lists, its
# architectures and its installed packages stay as they are, and no privileges are needed. here is the reader's
# own directory; apt_tools says where sources.py is, unless that is there.

# apt_state DIR ARCHITECTURE [TYPE [RELEASE]]: recreates DIR/apt with the machine's own sources; TYPE: deb, or deb-src;
# RELEASE: of Debian, where it is not the machine's.
apt_state() {
    apt_dir=$1
    apt_architecture=$2
    rm -rf "$apt_dir/apt"
    mkdir -p "$apt_dir/apt/lists/partial" "$apt_dir/apt/sources.list.d" "$apt_dir/debs/partial"
    : >"$apt_dir/apt/status" # nothing counts as installed, so dependencies are downloaded too
    python3 "${apt_tools:-$here}/sources.py" "$2" ${4:+"$4"} | sed "s/^deb /${3:-deb} /" >"$apt_dir/apt/sources.list"
}

# apt TOOL WORD...: apt-get or apt-cache there.
apt() {
    apt_tool=$1
    shift
    "$apt_tool" -qq \
        -o APT::Architecture="$apt_architecture" -o APT::Architectures::="$apt_architecture" \
        -o Dir::State::lists="$apt_dir/apt/lists" -o Dir::State::status="$apt_dir/apt/status" \
        -o Dir::Cache::archives="$apt_dir/debs" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o Dir::Etc::sourcelist="$apt_dir/apt/sources.list" \
        -o Dir::Etc::sourceparts="$apt_dir/apt/sources.list.d" \
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 -o Acquire::Languages=none \
        -o Debug::NoLocking=1 -o APT::Install-Recommends=0 "$@"
}

# need_tools SCRIPT TOOL...: status 1 where one is missing.
need_tools() {
    apt_script=$1
    shift
    for apt_tool; do
        if ! command -v "$apt_tool" >/dev/null; then
            echo "$apt_script: $apt_tool is missing" >&2
            return 1
        fi
    done
}
