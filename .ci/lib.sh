# SPDX-License-Identifier: GPL-2.0-or-later
# What ./run and ./check share: packages and builds. Sourced by bash, with `root` set to the top of the tree.
# Each step costs milliseconds when nothing is to be done: no apt, no meson.

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 2
}

# need_packages WHY PACKAGE...: installs those that are missing.
need_packages() {
	local why=$1 have missing=() p
	shift
	command -v dpkg-query >/dev/null || return 0 # not a Debian: the build says what it lacks
	have=" $(dpkg-query -W -f '${Package}:${db:Status-Status} ' "$@" 2>/dev/null || :)" # fails if one is missing
	for p in "$@"; do
		[[ $have == *" $p:installed "* ]] || missing+=("$p")
	done
	[ ${#missing[@]} -eq 0 ] && return 0
	[ "$(id -u)" -eq 0 ] || die "these packages are missing $why: ${missing[*]}; install them, or run this as root (sudo)"
	echo "installing packages $why: ${missing[*]}" >&2
	quietly apt_install "${missing[@]}" ||
		die "cannot install ${missing[*]}: is the network up, and is this a Debian 12 or later?"
}

apt_install() {
	export DEBIAN_FRONTEND=noninteractive
	local opts=(-y --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
	# The lists may be older than the archive: fetch them again when the first try fails.
	apt-get "${opts[@]}" install "$@" </dev/null || {
		apt-get update </dev/null && apt-get "${opts[@]}" install "$@" </dev/null
	}
}

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	local log status=0
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	[ $status -eq 0 ] || cat "$log" >&2
	rm -f "$log"
	return $status
}

build_packages=(gcc libc6-dev meson ninja-build pkg-config python3 clang bpftool libbpf-dev libelf-dev zlib1g-dev liblzma-dev libdw-dev libbz2-dev libiberty-dev libjansson-dev
	libmicrohttpd-dev libcurl4-gnutls-dev libprotobuf-c-dev protobuf-c-compiler
	libncurses-dev)

# A fingerprint of the set of files that meson looks for.
source_set() {
	(cd "$root" && find src bpf dlib tools tests docs \( -name '*.c' -o -name '*.d' -o -name '*.[1-8]' -o -name '*.py' \
		-o -name meson.build \) -type f 2>/dev/null | LC_ALL=C sort | cksum)
}

# build DIR TARGET... with `setup` an array of arguments for meson setup. Configures when the directory is new or files
# came or went. One at a time: two runs may start together.
build() {
	local dir=$root/$1 set
	shift
	mkdir -p "$dir"
	(
		flock 9
		set=$(source_set)
		if [ ! -f "$dir/build.ninja" ]; then
			echo "configuring and building ${dir##*/} (about a minute)" >&2
			quietly meson setup "${setup[@]}" "$dir" "$root" || exit 1
		elif [ "$set" != "$(cat "$dir/.source-set" 2>/dev/null)" ]; then
			quietly meson setup --reconfigure "${setup[@]}" "$dir" "$root" || exit 1
		fi
		echo "$set" >"$dir/.source-set"
		quietly ninja --quiet -C "$dir" "$@"
	) 9>"$dir/.lock"
}

build_main() {
	local setup=()
	build build "$@"
}

build_asan() {
	local setup=(-Db_sanitize=address,undefined -Db_lundef=false -Dstatic=false -Dfuzzers=true)
	CC=clang build build-asan "$@"
}
