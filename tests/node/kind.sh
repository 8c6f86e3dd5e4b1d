# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034 # what it sets is for the scripts that read this one

# read_kind NAME: the line of kinds.list.
read_kind() {
    local name
    while read -r name kind_architecture kind_processor kind_arguments; do
        [ "$name" = "$1" ] || continue
        case $kind_architecture in
        arm64) kind_fetched='' kind_preset=arm64 kind_triplet=aarch64-linux-gnu kind_strip=aarch64-linux-gnu-strip ;;
        riscv64) kind_fetched=riscv64 kind_preset=riscv64 kind_triplet=riscv64-linux-gnu kind_strip=riscv64-linux-gnu-strip ;;
        ppc64el) kind_fetched=ppc64el kind_preset=ppc64el kind_triplet=powerpc64le-linux-gnu kind_strip=powerpc64le-linux-gnu-strip ;;
        amd64) kind_fetched=amd64 kind_preset=dev kind_triplet=x86_64-linux-gnu kind_strip=strip ;;
        esac
        return
    done < <(grep '^[a-z]' "$(dirname "${BASH_SOURCE[0]}")/kinds.list")
    echo "$1 is not a kind of node: kinds.list has them" >&2
    return 2
}
