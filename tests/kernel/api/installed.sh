# SPDX-License-Identifier: GPL-2.0-or-later
# What is installed: a program is built with cc and pkg-config alone; the library shows what its header declares, and
# nothing else; the header compiles alone, in C and C++.
need cc pkg-config meson
[ -e "$build/libdwire.so.1" ] || skip "libdwire.so is not built here"
meson install -C "$build" --no-rebuild --destdir "$tmp/root" >log 2>&1 || fail "meson install: $(tail -n 3 log)"
lib=$(dirname "$(find "$tmp/root" -name libdwire.so)")
include=$(dirname "$(find "$tmp/root" -name dwire.h)")
export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root LD_LIBRARY_PATH=$lib
for f in "$lib/libdwire.a" "$lib/libdwire.so.1" "$lib/pkgconfig/libdwire.pc" "$include/dwire.h"; do
	[ -e "$f" ] || fail "$f is not installed"
done
find "$tmp/root" -name 'libdwire.3*' | grep -q . || fail "there is no man page"

read -ra flags <<<"$(pkg-config --cflags --libs libdwire)"
cc -Wall -Wextra -Werror -o bytes "$here/../../docs/examples/bytes.c" "${flags[@]}" 2>err || fail "the example: $(<err)"
readelf -d bytes | grep -q 'NEEDED.*libdwire.so.1' || fail "the example does not need libdwire.so.0"
expect_eq "$(pkg-config --modversion libdwire)" "$("$dwire" -V | cut -d' ' -f2)" "the version of the package"

grep -v '^typedef' "$include/dwire.h" | grep -oE '^[A-Za-z][^(]*\bdwire_[a-z_]+\(' | grep -oE 'dwire_[a-z_]+\($' | tr -d '(' | sort >declared
nm -D --defined-only "$lib/libdwire.so.1" | awk '$2 != "A" { sub("@@DWIRE_1", "", $3); print $3 }' | sort >shown
expect_eq "$(<shown)" "$(<declared)" "symbols of the library, and what the header declares"
expect_ge "$(wc -l <shown)" 25 "functions of the library"
grep -oE '\bdwire_[a-z_]+' "$here/../../docs/libdwire.3" | sort -u >described
expect_eq "$(comm -23 declared described)" "" "functions that libdwire(3) does not name"

for lang in c c++; do
	command -v g++ >/dev/null || [ $lang = c ] || continue
	echo '#include <dwire.h>' | gcc -x $lang -fsyntax-only -Wall -Wextra -Werror -I"$include" - 2>err || fail "dwire.h as $lang: $(<err)"
done
