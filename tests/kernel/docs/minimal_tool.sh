# SPDX-License-Identifier: GPL-2.0-or-later
# The minimal tool of docs/HOWTO_ADD_TOOL.md counts what its trigger sent, and its page becomes a whole man page.
need python3
netns_new tool
page=$here/../../docs/HOWTO_ADD_TOOL.md
block() { # LANGUAGE: the first one of the page
	awk -v want="\`\`\`$1" '$0 == want { on = 1; next } /^```/ { if (on) exit } on' "$page"
}
mkdir tool
block d >tool/tcpcount.d
block roff >tool/tcpcount.8
printf '#!/bin/sh\nexec ip netns exec %s tcp_echo -4 -n 3 >%s\n' "$NETNS" "$tmp/trigger" >cmd && chmod +x cmd
"$dwire" tool/tcpcount.d --json --netns "$NETNS" --everyone --command ./cmd >rows 2>err || fail "$(<err)"
for side in client server; do
	expect_match "$(<rows)" "\"pid\":$(value_of ${side}_pid),\"comm\":\"dw_$side\",\"segments\":[0-9]+" "the row of the $side"
done
sum=$(awk -F '[:}]' '{ n += $(NF - 1) } END { print n }' rows)
expect_eq "$sum" $(($(value_of client_segs_out) + $(value_of server_segs_out))) "segments of both sides, and of none"

# gen_man.py calls DWIRE NAME -h: here the tool is a file.
printf '#!/bin/sh\nexec %q %q "$2"\n' "$dwire" "$tmp/tool/tcpcount.d" >dwire && chmod +x dwire
python3 "$here/../../tools/gen_man.py" ./dwire 1.2 . tool/tcpcount.8 || fail "no man page"
expect_match "$(<tcpcount.8)" 'TH TCPCOUNT 8 "" "dwire 1.2".*SH NAME.tcpcount .- TCP segments sent, by process.*SH SYNOPSIS' "the page's head"
expect_match "$(<tcpcount.8)" 'SH OPTIONS.*fB.-p.fR .fIpid,\.\.\..fR.Only these processes.*SH EXAMPLE' "its options"
printf '.SH OPTIONS\n.TP\n\\fB\\-Q\\fR\nNone.\n' >>tool/tcpcount.8
python3 "$here/../../tools/gen_man.py" ./dwire 1.2 . tool/tcpcount.8 2>err && fail "an option that the tool does not have"
expect_match "$(<err)" 'does not have: -Q' "the message"
