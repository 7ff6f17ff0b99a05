# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that tests run and that must not be installed: their packages would start services and make users. They are
# unpacked into a folder (tests/kernel/run-kernel has it in PATH). Sourced by bash after lib.sh.

test_packages=(openssh-server prometheus victoria-metrics)
test_libraries=(libwrap0 openssh-client) # what they need besides

# fetch_programs FOLDER: unpacks the packages that are missing. One that cannot be had is left out; tests that need it are
# skipped and say so.
fetch_programs() {
	local p
	command -v apt-get >/dev/null || return 0
	for p in "${test_packages[@]}"; do
		[ -e "$1/$p.unpacked" ] || quietly unpack_package "$1" "$p" || echo "cannot fetch the package $p" >&2
	done
}

unpack_package() { # FOLDER PACKAGE
	local tmp=$1/fetch.$2
	rm -rf "$tmp" && mkdir -p "$tmp" || return 1
	(cd "$tmp" && { apt-get download "$2" || { apt-get update && apt-get download "$2"; }; }) </dev/null &&
		dpkg-deb -x "$tmp"/*.deb "$1" && rm -r "$tmp" && touch "$1/$2.unpacked"
}
