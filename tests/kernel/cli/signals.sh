# SPDX-License-Identifier: GPL-2.0-or-later
# A trace that a signal ends: SIGINT and the like fire END and print aggregations; after SIGKILL nothing is left.
. "$here/lib/cli.lib"
. "$here/lib/orphans.lib"
d='BEGIN { @ = count(); } END { printf("end\n"); }'

for sig in INT TERM HUP; do
	traced "$d"
	kill -$sig $tracer
	ended
	expect_eq "$STATUS $OUT $ERR" "0 
end

                1 " "SIG$sig"
done
traced 'END { exit(5); }'
kill -INT $tracer
ended
expect_eq "$STATUS" 5 "END with exit(5)"

# Under nohup the end of the terminal means nothing.
under=(nohup)
traced "$d"
kill -HUP $tracer
sleep 0.2
kill -0 $tracer || fail "nohup: ended by SIGHUP"
kill -INT $tracer
ended
expect_match "$STATUS $OUT" $'^0 \nend' "nohup"
under=()

# A ^C that comes before BEGIN ends the trace at once; END knows what time it is.
for ms in 5 10 20 40 80; do
	"$dwire" -qn 'END { printf("%Y ", walltimestamp); }' >early 2>&1 &
	sleep "$(printf 0.%03d $ms)"
	kill -INT $!
	{ wait $!; } 2>/dev/null
	[ ! -s early ] || expect_match "$(tr -d '\n' <early)" "^$(date +%Y) " "END's time, stopped after $ms ms"
done

# kill -9 whenever it comes: no program, map, link or mount of that process stays.
mounts() {
	grep -cE ' - (bpf|cgroup2|debugfs|securityfs|tracefs) ' /proc/self/mountinfo
}
orphans >before
mounts_before=$(mounts)
for ms in 1 3 5 8 12 16 20 25 30 40 50 60 80 100 150; do
	"$dwire" -qn 'tcp:::send, tcp:::receive, udp:::, ip::: { @[args[1]->cs_execname] = count(); } BEGIN, tick-10, profile-97 { n++; }' \
		>"$tmp/out" 2>"$tmp/err" &
	sleep "$(printf 0.%03d $ms)"
	kill -9 $!
	{ wait $!; } 2>/dev/null
	expect_eq "$? $(<"$tmp/out")$(<"$tmp/err")" "137 " "kill -9 after $ms ms"
done
no_new_orphans before "kill -9"
expect_eq "$(mounts)" "$mounts_before" "mounts after kill -9"
