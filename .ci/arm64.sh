# SPDX-License-Identifier: GPL-2.0-or-later
# What a build for arm64 on another machine needs: Debian's packages for arm64, unpacked into a folder and never installed,
# so that this machine knows nothing of them. Sourced by bash after lib.sh.

arm64_compiler=(gcc-aarch64-linux-gnu)
# What dwire is linked with.
arm64_libraries=(libc6-dev libbpf-dev libelf-dev zlib1g-dev libdw-dev liblzma-dev libbz2-dev libiberty-dev libjansson-dev)

# foreign_apt FOLDER: sets apt. The lists of packages are kept there, apart from those of this machine.
foreign_apt() {
	apt=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Languages=none -o Dir::State="$1/state"
		-o Dir::State::status=/dev/null -o Dir::Cache="$1/cache")
	mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
}

# foreign_root ROOT APT PACKAGE...: the packages and what they depend on, after foreign_apt APT.
foreign_root() {
	local root=$1 archives=$2/cache/archives d deb
	shift 2
	apt-get "${apt[@]}" update || return 1
	apt-get "${apt[@]}" -y --no-install-recommends --download-only install "$@" || return 1
	for d in bin lib sbin; do
		mkdir -p "$root/usr/$d" && ln -s "usr/$d" "$root/$d" || return 1
	done
	for deb in "$archives"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$root" || return 1
	done
	rm "$archives"/*.deb
}

# foreign_cross ROOT: the file that meson wants.
foreign_cross() {
	cat <<-END
		[constants]
		root = '$1'
		[binaries]
		c = ['aarch64-linux-gnu-gcc', '--sysroot=' + root]
		ar = 'aarch64-linux-gnu-ar'
		strip = 'aarch64-linux-gnu-strip'
		pkgconfig = 'pkg-config'
		[properties]
		sys_root = root
		pkg_config_libdir = root / 'usr/lib/aarch64-linux-gnu/pkgconfig'
		[host_machine]
		system = 'linux'
		cpu_family = 'aarch64'
		cpu = 'aarch64'
		endian = 'little'
	END
}
