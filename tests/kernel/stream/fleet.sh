# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# dwire on with namespaces as machines: sums of exact counts, names, refusals, scripts and arguments, the copy.
. "$here/lib/fleet.lib"
fleet_new 3
plain=("$dwire" on --through 'ip netns exec %h' --dwire "$dwire")
said() { # the messages, but for those about the namespaces that stand for machines
	grep -v 'the whole machine is traced' err
}
cat >sent.d <<'D'
#pragma D option quiet
dtrace:::BEGIN { printf("go\n"); }
tcp:::send /args[1]->cs_netns == $1/ { @sent["sent"] = count(); }
dtrace:::END { printa("%s %@d\n", @sent); }
D

# All machines together, and each under its name.
: >out
"${on[@]}" "$FLEET" -s sent.d >out 2>err &
wait_for out '^go$'
echoes
end_on
expect_eq "$STATUS $(grep -v '^$' out) $(said)" "0 go
sent $SEGMENTS " "three machines"
: >out
"${on[@]}" --by host "$FLEET" -s sent.d >out 2>err &
wait_for out '^go$'
echoes
end_on
expect_eq "$(awk '$2 == "sent" { print $1 }' out | sort)" "$(printf '%s\n' "${NODES[@]}")" "rows by host"
expect_eq "$(awk '$2 == "sent" { n += $3 } END { print n }' out)" "$SEGMENTS" "... and their sum"

# The script may be the standard input; words arrive as they are, also by ssh; exit()'s status is that of dwire on.
: >out
"${on[@]}" "$FLEET" -s - <<<'BEGIN { exit($1 > 0 ? 7 : 8); }' >out 2>err
expect_eq "$? $(said)" "7 " "a script of the standard input, exit(7)"
cat >ssh.sh <<'SH'
#!/bin/sh
# ssh.sh OPTION… NODE COMMAND: as ssh
while [ $# -gt 2 ]; do shift; done
exec ip netns exec "$1" sh -c "$2"
SH
cat >scp.sh <<'SH'
#!/bin/sh
# scp.sh OPTION… SOURCE [NODE]:PATH: as scp
while [ $# -gt 2 ]; do shift; done
echo "${2#*:}" >>"$COPIES"
exec cp "$1" "${2#*:}"
SH
chmod +x ssh.sh scp.sh
words='BEGIN { printf("%s%% \\ %s\n", "it'"'"'s $HOME", $$1); exit(0); }'
"$dwire" on -O "ssh_path=$PWD/ssh.sh" --dwire "$dwire" "$FLEET" -qn "$words" '%h "a" `b`' >out 2>err
expect_eq "$? $(head -n 1 out)" '0 it'"'"'s $HOME% \ %h "a" `b`' "words, by ssh: $(said)"
"$dwire" on --through 'ip netns exec %h' --dwire "$dwire" "$FLEET" -qn "$words" '%h "a" `b`' >out 2>err
expect_eq "$? $(head -n 1 out)" '0 it'"'"'s $HOME% \ %h "a" `b`' "words, by exec: $(said)"

# --copy: the program is sent, used and removed.
export COPIES=$PWD/copies
"$dwire" on --copy="$PWD" -O "ssh_path=$PWD/ssh.sh" -O "scp_path=$PWD/scp.sh" "${NODES[0]}" -qn 'BEGIN { exit(3); }' 2>err
expect_eq "$? $(said)" "3 " "a copied dwire"
expect_eq "$(wc -l <copies) $(ls "$(head -n 1 copies)" 2>&1 | grep -c 'No such file')" "1 1" "its copy is gone"

# A machine that refuses does not stop the others; it is reported once, and in the status.
: >out
"${on[@]}" "$FLEET,nosuch" -s sent.d >out 2>err &
wait_for out '^go$'
echoes
end_on
expect_eq "$STATUS $(grep sent out)" "1 sent $SEGMENTS" "with a machine that refuses"
expect_match "$(said)" '^dwire: nosuch: Cannot open network namespace "nosuch"[^
]*
dwire: 1 of 4 hosts never reported: nosuch$' "its report"
"${plain[@]}" --all-or-none "$FLEET,nosuch" -qn 'BEGIN { printf("go\n"); }' >out 2>err
expect_eq "$? $(<out)" "1 " "all or none"
expect_match "$(said)" "^dwire: nosuch: Cannot open.*dwire: nosuch cannot trace, so nobody does .--all-or-none.$" "its report"
"${plain[@]}" --all-or-none "$FLEET" -qn 'BEGIN { printf("go\n"); exit(0); }' >out 2>err
expect_eq "$? $(head -n 1 out) $(said)" "0 go " "all"
"${plain[@]}" "$FLEET" -n 'BEGIN { nosuch(); }' >out 2>err
expect_eq "$? $(grep -c 'D_FUNC_UNDEF' err)" "1 3" "a wrong program: $(said)"

# Without ClusterShell; wrong use.
PATH=/nosuch "$dwire" on a -n BEGIN >out 2>err
expect_eq "$? $(said)" "1 dwire: cannot start nodeset: No such file or directory
    hint: it is part of ClusterShell: apt-get install clustershell" "no ClusterShell"
expect_eq "$("$dwire" on a 2>&1 | head -n 1)" "dwire: on: nothing to trace: give a probe (-n), a script (-s) or a tool" "no trace"
"$dwire" on 'a[1-' -n BEGIN >out 2>err
expect_eq "$? $(tail -n 1 err)" "1 dwire: a[1-: no nodes" "a node set that is none"
