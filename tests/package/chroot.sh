#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# chroot.sh ROOT [SUITE]: the Debian packages as ./package deb --chroot builds them for SUITE, trixie if none is given.
# They install in a fresh root of it, README's lines run there, and nothing stays. Needs root, some eight minutes and the
# network.
root=$1
suite=${2:-trixie}
. "$root/tests/package/fresh"

"$root/package" deb --chroot "$suite" >/dev/null
in_fresh "$suite" "$root/build-packages/deb-$suite"
