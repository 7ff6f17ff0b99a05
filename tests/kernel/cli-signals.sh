# How a trace ends from outside: END fires and aggregations are printed for the signals that ask, nothing is left after
# the one that does not.
. "$here/cli.lib"
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

# kill -9 whenever it comes: no program, map, link or mount of that process stays.
left() {
	{ bpftool prog show; bpftool map show; } 2>/dev/null | grep -cE ' name dw'
	grep -c . /proc/self/mountinfo
}
sleep 0.3
before=$(left)
for ms in 1 3 5 8 12 16 20 25 30 40 50 60 80 100 150; do
	"$dwire" -qn 'tcp:::, udp:::, ip::: { @[args[1]->cs_execname] = count(); } BEGIN, tick-10, profile-97' \
		>/dev/null 2>&1 &
	sleep "$(printf 0.%03d $ms)"
	kill -9 $!
	wait $! 2>/dev/null
done
for i in {1..20}; do
	after=$(left)
	[ "$after" = "$before" ] && break
	sleep 0.2
done
# Another trace of the machine may have come or gone meanwhile: what counts is that nothing piles up.
expect_le "${after%%$'\n'*}" $((${before%%$'\n'*} + 10)) "programs and maps left after kill -9"
expect_le "${after##*$'\n'}" "${before##*$'\n'}" "mounts after kill -9"
