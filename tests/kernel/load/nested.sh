# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that interrupt each other on a CPU record into the same ring, on all CPUs, while the tracer keeps up, stands still
# and goes on. Lines and drops add up to all firings, and no record has bytes of another one.
. "$here/lib/cli.lib"
many=300000 ticks=4999
! slow_machine || many=4000 ticks=997

# Each line has numbers that belong together. Records are of two lengths; other clauses, which record nothing, count them.
cat >"$tmp/d" <<END
syscall::write:entry, syscall::write:return, profile-${ticks}hz { @n = count(); }
profile-${ticks}hz { @n = count(); }
syscall::write:entry, profile-${ticks}hz { this->t = timestamp; printf("a %d %d\n", this->t, this->t * 31 + 7); }
syscall::write:return, profile-${ticks}hz
{
	this->t = timestamp;
	printf("b %d %d %d %d %d\n", this->t, this->t + 1, this->t + cpu + 2, cpu, this->t * 17 + 3);
}
END { printa("n %@d\n", @n); }
END

busy() { # writes on each CPU
	local cpu
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" dd if=/dev/zero of=/dev/null bs=1 count=$many 2>/dev/null &
		writers+=($!)
	done
	wait "${writers[@]}"
	writers=()
}

check() { # WHAT: the output, and how much was dropped: $dropped
	local lines firings
	firings=$(awk '$1 == "n" { print $2 }' "$tmp/out")
	lines=$(grep -c '^[ab] ' "$tmp/out")
	dropped=$(awk '/ drops? on CPU [0-9]+$/ { n += $2 } END { print n + 0 }' "$tmp/err")
	expect_eq "$STATUS" 0 "$1: status"
	expect_eq $((lines + dropped)) "$firings" "$1: $lines lines, $dropped drops"
	expect_eq "$(grep -vE '^dwire: [0-9]+ (drops? on CPU|profile firings? missed|probe firings? missed in )' "$tmp/err")" "" "$1: messages"
	expect_eq "$(python3 - "$tmp/out" <<-'END'
		import sys
		wide = lambda x: (x + 2**63) % 2**64 - 2**63
		for line in open(sys.argv[1]):
		    f = line.split()
		    v = [int(x) for x in f[1:]]
		    if not f or f[0] == "n":
		        continue
		    if f[0] == "a":
		        good = len(v) == 2 and v[1] == wide(v[0] * 31 + 7)
		    else:
		        good = len(v) == 5 and v[1:3] == [v[0] + 1, v[0] + v[3] + 2] and v[4] == wide(v[0] * 17 + 3)
		    if not good:
		        print(line)
	END
	)" "" "$1: records with bytes of others"
	expect_ge "$lines" 1000 "$1: lines"
}

stop() {
	kill -INT "$tracer"
	ended
}

# The tracer's own writes are traced, too: they are counted as all others are.
for size in 4k 64k 8m; do
	traced "$(<"$tmp/d")" -x bufsize=$size
	busy
	stop
	check "rings of $size"
	[ $size = 8m ] || expect_ge "$dropped" 100 "rings of $size: drops"
done

# Laps of a tracer that stands still and goes on, by turns.
traced "$(<"$tmp/d")" -x bufsize=32k -x switchrate=100hz
(
	for _ in {1..20}; do
		kill -STOP "$tracer"
		sleep 0.05
		kill -CONT "$tracer"
		sleep 0.05
	done
) &
turns=$!
busy
wait $turns
stop
check "by turns"
expect_ge "$dropped" 100 "by turns: drops"
