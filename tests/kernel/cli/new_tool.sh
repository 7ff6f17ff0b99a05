# SPDX-License-Identifier: GPL-2.0-or-later
# `dwire new-tool`: what it writes is a tool that counts right, with a page that the build takes.
. "$here/lib/cli.lib"
need python3
run new-tool my-count
expect_eq "$STATUS $ERR" "0 " "new-tool"
"$dwire" ./my-count.d -h >help || fail "its -h"
expect_match "$(<help)" '^my-count: TCP segments sent, by process.*usage: my-count ' "its help"
cat >cmd <<E2
#!/bin/sh
exec tcp_echo -4 -n 3 >$tmp/said
E2
chmod +x cmd
"$dwire" ./my-count.d --json --everyone --command ./cmd >rows 2>err || fail "$(<err)"
client=$(sed -n 's/^client_pid=//p' said)
"$dwire" -qn 'tcp:::send { @[args[1]->cs_pid] = count(); }' -c ./cmd >sums
client2=$(sed -n 's/^client_pid=//p' said)
expect_eq "$(sed -n "s/.*\"pid\":$client,\"comm\":\"dw_client\",\"segments\":\([0-9]*\)}/\1/p" rows)" \
	"$(awk -v pid="$client2" '$1 == pid { print $2 }' sums)" "segments of the client"
# As a tool of the tree: the page is made of what it says.
mkdir made
printf '#!/bin/sh\nexec %s "./$1.d" "$2"\n' "$dwire" >run && chmod +x run
python3 "$here/../../tools/gen_man.py" ./run 1 made my-count.8 2>err || fail "its page: $(<err)"
for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLE COST "WHAT IT CANNOT SEE" "SEE ALSO"; do
	grep -qx "\.SH $section" made/my-count.8 || fail "its page has no $section"
done
# Nothing is overwritten; a half is not left.
run new-tool my-count
expect_eq "$STATUS $ERR" "1 dwire: cannot write my-count.d: File exists" "a second time"
touch other.8
run new-tool other
expect_eq "$STATUS $ERR" "1 dwire: cannot write other.8: File exists" "one of both exists"
[ ! -e other.d ] && [ ! -s other.8 ] || fail "other.d or other.8 was written"
gives 2 "" "dwire: there is a tool tcptop" new-tool tcptop
gives 2 "" "dwire: ../x is no name for a tool: small letters, digits, - and _, at most 24" new-tool ../x
gives 2 "" "dwire: new-tool takes the name of the tool: dwire new-tool tcpcount" new-tool
