# SPDX-License-Identifier: GPL-2.0-or-later
# Errors that are common among users of other tools: each has a message and a hint.
. "$here/lib/cli.lib"

n=0
while IFS=$'\t' read -r text hint; do
	n=$((n + 1))
	timeout 10 "$dwire" -e -n "$text" >out 2>err
	[[ $(<err) == *"$hint"* ]] || fail "$text: no '$hint' in: $(<err)"
done <<'END'
kprobe:tcp_sendmsg	did you mean fbt::tcp_sendmsg:entry?
kprobe:nf_nat:nf_*	did you mean fbt:nf_nat:nf_*:entry?
kr:tcp_sendmsg	did you mean fbt::tcp_sendmsg:return?
tracepoint:tcp:tcp_probe	did you mean sdt:tcp::tcp_probe?
t:syscalls:sys_exit_connect	did you mean syscall::connect:return?
sys_enter_connect	did you mean syscall::connect:entry?
uprobe:libc:malloc	did you mean pid*:libc:malloc:entry?
uprobe:/bin/bash:readline { trace(1); }	did you mean pid*:/bin/bash:readline:entry?
ur:/bin/bash:readline	did you mean pid*:/bin/bash:readline:return?
usdt:/usr/bin/python3:function__entry { }	the provider's name stands first: PROVIDER*:/usr/bin/python3::function__entry
profile-100000	N times a second, 5000 at most
BEGIN { $x = 1; }	a variable of one clause is this->name
BEGIN { time("%H"); }	printf("%Y", walltimestamp)
BEGIN { delete(@a); }	trunc(@a) empties an aggregation
interval:s:1	did you mean tick-1s?
tick:1s	did you mean tick-1s?
profile:hz:99	did you mean profile-99hz?
syscall:connect	did you mean syscall::connect:entry?
syscall:connect:entry	did you mean syscall::connect:entry?
syscalls::conect:entry	did you mean syscall::connect:entry?
syscall::connect:exit	did you mean syscall::connect:return?
tcp:send	did you mean tcp:::send?
tpc:::sned	did you mean tcp:::send?
tcp	all probes of the provider: tcp:::
tcp:::x	-l -P tcp lists the probes of tcp
none:::x	there is no provider none; the providers: dtrace,
tcp:::send { trace(ip_daddr); }	did you mean args[2]->ip_daddr?
tcp:::send { trace(saddr); }	did you mean args[2]->ip_saddr?
tcp:::send { trace(args[3]->ip_saddr); }	did you mean args[2]->ip_saddr?
tcp:::send { trace(args[4]->dport); }	did you mean tcp_dport?
tcp:::send { trace(args[3]->cwnd); }	did you mean tcps_cwnd?
tcp:::send { trace(args[1].cs_pid); }	use ->
tcp:::send { trace(comm); }	did you mean args[1]->cs_execname?
tcp:::send { @ = hist(1); }	quantize()
BEGIN { @ = count(); printa("%d\n", @); }	%@d prints its value
tcp:::send /args[2]->ip_saddr == "10.0.0.0/8"/ { }	inet_in(address, network)
tcp:::send /args[2]->ip_saddr == 10.0.0.1/ { }	write it in quotes
tcp:::send /execname == 'curl'/ { }	strings take double quotes
tcp:::send /execname = "curl"/ { }	did you mean ==?
END
expect_eq "$n" 39 "texts"

# Words that stand where a program or a tool should.
words() { # HINT ARG...
	local hint=$1
	shift
	run "$@"
	[[ $STATUS -gt 0 && $ERR == *"$hint"* ]] || fail "$*: no '$hint' in: $ERR"
}
words "in quotes: -n '...'" -n tcp:::send /pid==1/
words "to trace a probe: dwire -n 'BEGIN { exit(0); }'" -e 'BEGIN { exit(0); }'
words "to trace a probe: dwire -n 'tcp:::send'" -q tcp:::send
words "the tool's name stands first: dwire tcptop" -q tcptop
words "to run a script: dwire -s x.d" -q x.d
words "filters are options of tools: dwire tcpsnoop -P 443" tcp port 443
words "nothing to trace: give a probe (-n) or a script (-s)" -c true

# Options and words of other tools behind a tool's name.
words "a port is given as -P 8080" tcplife 8080
words "an address is given as --host 10.0.0.1" tcplife 10.0.0.1
words "a device is given as -i lo" neighsnoop lo
words "filters are options: -P 443" tcplife 'tcp port 80'
words 'a process is given as -p nginx' tcplife nginx
words '-p $(pgrep -o nginx)' -p nginx
words "no option --port: did you mean -P PORT,...?" tcpconnect --port 80
words "SECS must be a number without a unit, not 5s" tcptop -d 5s
words "interval must be a number without a unit, not 5s" tcptop 5s
words "–n: options begin with a plain -" –n BEGIN
words "filters are options of tools" 'host 10.0.0.1'
# A provider whose name ends with a digit is no process; a macro is shown as what it became.
words "probe description nfsv3:::op-read-start does not match any probes" -n nfsv3:::op-read-start
words "hint: there is no provider foo9" -n foo9:::
words "probe description syscall::nosuch:entry does not match any probes" -n 'syscall::$1:entry' nosuch
