# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 150
# parallel: yes
# Many clauses on all probes: memory grows at most in proportion to the clauses, and what is too much is reported.
. "$here/lib/cli.lib"
need python3

# The peak of memory, in KB, and the exit status of dwire -en 'CLAUSE CLAUSE ...', N of them.
cat >"$tmp/peak.py" <<'END'
import resource, subprocess, sys
dwire, n, clause = sys.argv[1:]
status = subprocess.run([dwire, "-en", " ".join([clause] * int(n))]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, status)
END

# Most of it is waiting for the kernel: all at once.
measured() { # NAME N CLAUSE
	python3 peak.py "$dwire" "$2" "$3" >"$1" 2>"$1.err" &
}
measured one 1 '*:::{@=count();}'
measured five 5 '*:::{@=count();}'
measured many 20 '*:::{@=count();}'
measured faults 20 '*:::{trace(*(int *)arg0);}'
wait
read -r one status <one
expect_eq "$status" 0 "status of one clause"
read -r five status <five
expect_eq "$status" 0 "status of 5 clauses"
read -r many status <many
expect_eq "$status" 0 "status of 20 clauses"
expect_ge "$five" "$one" "KB of 5 clauses"
expect_le "$five" $((one * 5)) "KB of 5 clauses, one takes $one"
expect_le "$many" $((five * 4)) "KB of 20 clauses, 5 take $five"

# A clause that may fault holds the clauses of dtrace:::ERROR: 20 hold 20 each, on every probe.
read -r many status <faults
expect_eq "$status" 1 "status of 20 clauses that may fault"
expect_le "$many" $((1 << 20)) "KB of 20 clauses that may fault"
expect_match "$(<faults.err)" 'error\[D_LIMIT\]: the script makes more than 4194304 instructions in [0-9]+ programs' \
	"clauses that may fault"
expect_match "$(<faults.err)" 'hint: trace in several runs' "its hint"
