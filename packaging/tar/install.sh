#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# install.sh [PREFIX]: installs dwire below /usr/local, or PREFIX. install.sh --remove [PREFIX] removes it.
# DESTDIR is put before all paths.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
remove=
if [ "${1-}" = --remove ]; then
	remove=1
	shift
fi
prefix=${DESTDIR-}${1:-/usr/local}

# Files of the tarball, and where they go.
files() {
	echo "sbin dwire"
	for page in "$here"/man/*; do
		echo "share/man/man${page##*.} man/${page##*/}"
	done
	echo "share/bash-completion/completions completion/dwire"
	echo "share/zsh/site-functions completion/_dwire"
	echo "share/fish/vendor_completions.d completion/dwire.fish"
}

files | while read -r folder file; do
	to=$prefix/$folder/${file##*/}
	if [ -n "$remove" ]; then
		rm -f "$to"
		# Folders that nobody else uses.
		(cd "$prefix" && rmdir -p "$folder" 2>/dev/null) || :
		continue
	fi
	mkdir -p "$prefix/$folder"
	cp "$here/$file" "$to.new"
	mv "$to.new" "$to"
done
[ -n "$remove" ] || echo "dwire is in $prefix/sbin; try: sudo $prefix/sbin/dwire --self-test"
