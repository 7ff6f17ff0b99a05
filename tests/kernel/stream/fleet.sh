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
case $2 in *--until-eof*) [ "$1" != "$SLOW" ] || sleep 2 ;; esac
exec ip netns exec "$1" sh -c "$2"
SH
cat >scp.sh <<'SH'
#!/bin/sh
# scp.sh OPTION… SOURCE [NODE]:PATH: as scp, which does not mind (as cp does) if others make the same file at once
while [ $# -gt 2 ]; do shift; done
echo "${2#*:}" >>"$COPIES"
exec cat "$1" >"${2#*:}"
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
expect_eq "$(wc -l <copies) $(ls "$(head -n 1 copies)"* 2>&1 | grep -c 'No such file')" "1 1" "its copy is gone"

# Machines may share the folder: one that begins when others have ended still has its copy. One without a copy is named.
mkdir shared
copying=("$dwire" on --copy="$PWD/shared" -O "ssh_path=$PWD/ssh.sh" -O "scp_path=$PWD/scp.sh")
SLOW=${NODES[1]} "${copying[@]}" "$FLEET" -qn 'BEGIN { @["rows"] = sum(7); exit(3); }' >out 2>err
expect_eq "$? $(awk '$1 == "rows" { print $2 }' out) $(said)" "3 21 " "copies in a shared folder"
expect_eq "$(ls -A shared)" "" "they are gone"
cat >noscp.sh <<'SH'
#!/bin/sh
# noscp.sh: as scp, but one machine cannot be copied to
case $* in *"$BROKEN]:"*) echo "lost connection" >&2; exit 1 ;; esac
exec ./scp.sh "$@"
SH
chmod +x noscp.sh
copying[-1]="scp_path=$PWD/noscp.sh"
BROKEN=${NODES[2]} "${copying[@]}" "${NODES[0]},${NODES[2]}" -qn 'BEGIN { @["rows"] = sum(7); exit(0); }' >out 2>err
expect_eq "$(awk '$1 == "rows" { print $2 }' out) $(said | head -n 1)" "14 dwire: ${NODES[2]}: lost connection" \
	"a copy that failed; the folder is shared, so there is one all the same"
expect_eq "$(ls -A shared)" "" "no copy is left"
BROKEN=${NODES[2]} "${copying[@]}" --all-or-none "${NODES[0]},${NODES[2]}" -qn 'BEGIN { printf("go\n"); }' >out 2>err
expect_eq "$? $(<out) $(ls -A shared)" "1  " "all or none of copies: $(said)"

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

# A tool's words may stand for other numbers on each machine: a namespace, a user, an address.
for i in 1 2; do
	ip netns add "dwt$$-same"
	"$dwire" tcptop --emit --netns "dwt$$-same" -b 1 1 >"same$i" 2>err || fail "tcptop: $(<err)"
	touch "held$i"
	mount --bind "/run/netns/dwt$$-same" "held$i" # so that the next one has another number
	ip netns del "dwt$$-same"
done
umount held1 held2
"$dwire" merge same1 same2 >out 2>err
expect_eq "$? $(<err)" "0 " "the same tool for namespaces with different numbers"
expect_eq "$(jq -r 'select(.f == "hello").script' same1 same2 | grep -o 'cs_netns == [0-9]*' | sort -u | wc -l)" 2 "numbers"
