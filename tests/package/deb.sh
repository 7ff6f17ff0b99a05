#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# deb.sh ROOT: the Debian packages. Two builds in two places are equal; lintian says nothing; in a fresh Debian 12 they
# install, README's lines run there, and nothing stays when they are removed. Needs root, some six minutes and the network.
root=$1
. "$root/tests/package/fresh"
need_packages "to test the packages" lintian

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

in_fresh bookworm "$first"
