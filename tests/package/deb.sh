#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# deb.sh ROOT: the Debian packages. Two builds in two places are equal; lintian says nothing; in a fresh Debian 12 they
# install, README's lines run there, and nothing stays when they are removed. Needs root, some six minutes and the network.
set -eu -o pipefail
root=$1
[ "$(id -u)" -eq 0 ] || { echo "skip: needs root"; exit 77; }
. "$root/.ci/lib.sh"
need_packages "to test the packages" lintian debootstrap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}

"$root/package" deb >/dev/null
first=$root/build-packages/deb
mkdir "$tmp/elsewhere"
tar -C "$root" --exclude='./build*' --exclude=./.git -cf - . | tar -C "$tmp/elsewhere" -xf -
"$tmp/elsewhere/package" deb >/dev/null
for f in "$first"/*.deb; do
	cmp "$f" "$tmp/elsewhere/build-packages/deb/${f##*/}" || fail "${f##*/} differs between two builds"
done
# The tag is a word that lintian finds in compressed data.
lintian --allow-root -I --suppress-tags spelling-error-in-binary "$first"/*.changes >"$tmp/lintian" 2>&1 || :
[ ! -s "$tmp/lintian" ] || fail "lintian: $(<"$tmp/lintian")"

fresh=$tmp/root
debootstrap --variant=minbase bookworm "$fresh" >"$tmp/log" 2>&1 || fail "debootstrap: $(tail -n 5 "$tmp/log")"
mkdir "$fresh/packages"
cp "$first"/*.deb "$root/tests/package/in_root" "$fresh/packages/"
mount_and_run='mount -t proc proc "$1/proc"; mount --rbind /sys "$1/sys"; mount --bind /dev "$1/dev"
	ip link set lo up; exec chroot "$1" /bin/bash /packages/in_root run'
# Namespaces of mounts, processes and the network end with it. apt needs the machine's network: it runs before.
cp /etc/resolv.conf "$fresh/etc/resolv.conf"
echo '127.0.0.1 localhost' >"$fresh/etc/hosts"
unshare --mount --pid --fork --mount-proc="$fresh/proc" chroot "$fresh" /bin/bash /packages/in_root install >"$tmp/log" 2>&1 ||
	fail "install: $(tail -n 20 "$tmp/log")"
unshare --mount --pid --net --fork /bin/sh -euc "$mount_and_run" - "$fresh" >"$tmp/log" 2>&1 || fail "$(tail -n 30 "$tmp/log")"
grep -q '^all lines ran$' "$tmp/log" || fail "the lines did not run: $(tail -n 5 "$tmp/log")"
unshare --mount --pid --fork --mount-proc="$fresh/proc" chroot "$fresh" /bin/bash /packages/in_root remove >"$tmp/log" 2>&1 ||
	fail "remove: $(tail -n 20 "$tmp/log")"
