# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# What the kernel's verifier walks before a tool is armed: its time is most of a tool's start. A function of the library
# is walked once, not at each call.
since 6.4 || skip "an older kernel walks functions at each call, or more paths" # may read a stack that is not set
# The instructions that the verifier processed for all programs that the tracer, its parent, holds.
cat >"$tmp/sum" <<'END'
#!/bin/bash
for f in /proc/$PPID/fdinfo/*; do
	awk '/^prog_id/ { id = $2 } /^verified_insns/ { print id, $2 }' "$f"
done 2>/dev/null | sort -u | awk '{ n += $2 } END { print n + 0 }' >"$0.n"
END
chmod +x "$tmp/sum"

bounded() { # WHAT MOST ARGUMENT...
	local what=$1 most=$2
	shift 2
	"$dwire" "$@" "$tmp/sum" >"$tmp/out" 2>"$tmp/err" || fail "$what: $(<"$tmp/err")"
	expect_le "$(<"$tmp/sum.n")" "$most" "instructions walked for $what"
	expect_ge "$(<"$tmp/sum.n")" 30 "instructions walked for $what"
}

# Further paths cost some hundred instructions, not the loop that walks up the path again.
trace='io:::start { trace(fds[0].fi_pathname);'
bounded "a path" 3000 -qn "$trace }" -c
bounded "four paths" 4000 -qn "$trace trace(fds[1].fi_pathname); trace(fds[2].fi_pathname); trace(fds[3].fi_pathname); }" -c
tools=$here/../../tools
bounded sofdsnoop 20000 "$tools/sofdsnoop.d" --everyone --command # 372,000 when each call was walked
bounded dnssnoop 120000 "$tools/dnssnoop.d" --everyone --command  # 1,328,000
bounded gethostlatency 12000 "$tools/gethostlatency.d" --everyone --command # 29,000
bounded "owners of sockets" 25000 -qn 'tcp:::send { @[args[1]->cs_pid] = count(); }' -c # 38,000
# The name of a number is one of 135 texts, compared and searched: not a path to the end of the program for each.
bounded "reasons of drops" 12000 -qn 'tcp:::drop /strstr(args[5]->drop_reason, "QDISC") == NULL &&
	strstr(args[5]->drop_reason, "RCVBUF") == NULL && args[5]->drop_reason != "QUEUE_PURGE"/
	{ @[args[5]->drop_reason] = count(); }' -c # 87,000
