#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# arm64.sh ROOT: the tarball for arm64, built here. Its program is static and at most 4 MB, and compiles D under an
# emulator of that CPU alone; nothing is traced there. Needs root and the network.
set -eu -o pipefail
root=$1
[ "$(id -u)" -eq 0 ] || { echo "skip: needs root"; exit 77; }
. "$root/.ci/lib.sh"
need_packages "to test the program for arm64" qemu-user-static file
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}

name=$("$root/package" tar arm64)
tar -C "$tmp" -xzf "$root/build-packages/tar/$name"
dir=$tmp/${name%.tar.gz}
size=$(stat -c %s "$dir/dwire")
[ "$size" -le $((4 << 20)) ] || fail "the program has $size bytes"
[[ $(file -b "$dir/dwire") == *"ARM aarch64"*"statically linked"*stripped* ]] || fail "$(file -b "$dir/dwire")"
! grep -qaF "$root" "$dir/dwire" || fail "paths of this tree are in the program"
arm() {
	timeout 60 qemu-aarch64-static "$dir/dwire" "$@" 2>&1
}
[ "$(arm -V)" = "$("$root/build/dwire" -V)" ] || fail "-V: $(arm -V)"
[[ $(arm man tcplife) == *"dwire tcplife"* ]] || fail "man tcplife: $(arm man tcplife)"
arm -e -n 'tcp:::send { @[args[1]->cs_execname] = count(); }' || fail "it does not compile"
[[ $(arm -e -n 'tcp:::sned') == *"did you mean tcp:::send"* ]] || fail "no error: $(arm -e -n 'tcp:::sned')"
arm --dump=bpf -n 'BEGIN { exit(6 * 7); }' >"$tmp/bpf"
grep -q 'exit$' "$tmp/bpf" || fail "no instructions: $(<"$tmp/bpf")"
