#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rpm.sh ROOT: rpmlint has no errors for the spec but those that rpmlint.toml explains, and rpmbuild makes packages in
# which is what the Debian packages have. They are not installed: Debian is no system of RPM.
set -eu -o pipefail
root=$1
. "$root/.ci/lib.sh"
need_packages "to test RPM packages" rpmlint rpm
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
rpmlint --config "$root/packaging/rpm/rpmlint.toml" "$root/packaging/rpm/dwire.spec" >"$tmp/lint" 2>&1 || :
grep -q '1 specfiles checked; 0 errors, 0 warnings' "$tmp/lint" || { echo "FAILED: $(<"$tmp/lint")"; exit 1; }
"$root/package" rpm >/dev/null
for p in "$root"/build-packages/rpm/*/*.rpm; do
	rpm -qlp "$p" 2>/dev/null
done | sort -u >"$tmp/files"
for f in /usr/sbin/dwire /usr/bin/dwire-export /usr/bin/dwire-live libdwire.so.1 dwire.h libdwire.pc /dwire/trace.py tcplife.8 libdwire.3 \
	/etc/dwire/export.d dwire-record.service dwire-emit.service tmpfiles.d/dwire-export.conf completions/dwire; do
	grep -qE "$f(\.gz)?\$" "$tmp/files" || { echo "FAILED: no $f in the packages"; exit 1; }
done
