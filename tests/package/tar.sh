#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tar.sh ROOT: the tarball. Its program is static and at most 4 MB; it installs into a root with nothing else in it,
# shows pages there, and leaves nothing when it is removed; packing again yields the same bytes.
set -eu -o pipefail
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}

name=$("$root/package" tar)
archive=$root/build-packages/tar/$name
sum=$(sha256sum <"$archive")
"$root/package" tar >/dev/null
[ "$sum" = "$(sha256sum <"$archive")" ] || fail "packed again, it differs"
tar -C "$tmp" -xzf "$archive"
dir=$tmp/${name%.tar.gz}
size=$(stat -c %s "$dir/dwire")
[ "$size" -le $((4 << 20)) ] || fail "the program has $size bytes"
! ldd "$dir/dwire" >/dev/null 2>&1 || fail "the program is not static"
for page in "$dir"/man/*; do # of programs that are not in it
	[[ ${page##*/} != *-export.* && ${page##*/} != *-live.* ]] || fail "there is ${page##*/}"
done
! grep -qaF "$root" "$dir/dwire" || fail "paths of this tree are in the program"

mkdir -p "$tmp/to/usr/local/share/man/man8"
touch "$tmp/to/usr/local/share/man/man8/other.8"
find "$tmp/to" | sort >"$tmp/before"
DESTDIR=$tmp/to "$dir/install.sh" >/dev/null
mkdir "$tmp/to/dev" && : >"$tmp/to/dev/null"
chroot "$tmp/to" /usr/local/sbin/dwire man tcplife >"$tmp/page"
rm -r "$tmp/to/dev"
grep -q 'dwire tcplife' "$tmp/page" || fail "dwire man tcplife: $(head -n 3 "$tmp/page")"
MANPATH=$tmp/to/usr/local/share/man man -w tcptop >/dev/null || fail "man does not find tcptop"
"$tmp/to/usr/local/sbin/dwire" -qn 'BEGIN { printf("%d", 6 * 7); exit(0); }' | grep -qx 42 || fail "it does not trace"
DESTDIR=$tmp/to "$dir/install.sh" --remove
find "$tmp/to" | sort | diff "$tmp/before" - || fail "something stays"
