#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# traffic.sh BUILD [SECONDS]: the demonstration of ./run. Traces, with demo/demo.d, traffic that it makes itself for
# some ten seconds: TCP and UDP over IPv4 and IPv6 between processes of this machine, and connections refused.
set -eu -o pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
build=$(realpath "$1")
seconds=${2:-10}

# One line a program of tests/triggers with its arguments. Each is a client and its server, in two processes.
traffic=(
	'tcp_echo -4 -n 3'
	'tcp_echo -6 -n 2'
	'udp_echo -4 -n 3'
	'udp_echo -6 -n 2'
	'tcp_refused -4'
	'tcp_refused -6'
)

make_traffic() {
	local line words end=$((SECONDS + seconds))
	while [ $SECONDS -lt $end ]; do
		for line in "${traffic[@]}"; do
			read -r -a words <<<"$line"
			"$build/tests/triggers/${words[0]}" "${words[@]:1}" >/dev/null &
			sleep 0.25
		done
		wait
	done
}

if [ "${3-}" = --make ]; then
	make_traffic
	exit 0
fi

# As the command of -c the traffic begins when the probes are armed, and its end ends the trace.
exec "$build/dwire" -s "$here/demo.d" -c "$here/traffic.sh $build $seconds --make"
