# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 60
# parallel: yes
# Filters by a process's name, also of one that starts later, by user, host name and range of ports, and what "!" excludes.
. "$here/tools/json.lib"
need python3
netns_new words
rows() { # OPTION...: the processes that tcplife tells of, each once
	ip netns exec "$NETNS" "$dwire" tcplife --netns "$NETNS" --json "$@" --everyone --command 'tcp_echo -4 -n 2' 2>"$tmp/err" |
		grep -o '"comm":"dw_[a-z]*"' | cut -d'"' -f4 | sort -u | tr '\n' ' '
}
both="dw_client dw_server "
expect_eq "$(rows)" "$both" "no filter"
expect_eq "$(rows -p dw_client)" "dw_client " "-p NAME"
expect_eq "$(rows -p dw_client,dw_server)" "$both" "-p NAME,NAME"
expect_eq "$(rows -p '!dw_client')" "dw_server " "-p !NAME"
expect_eq "$(rows -p dw_client,dw_server,'!dw_server')" "dw_client " "what is excluded goes before what is named"
expect_eq "$(rows -p dw_nobody)" "" "-p NAME of nobody"
expect_eq "$(rows --user root)" "$both" "--user NAME"
expect_eq "$(rows --user 0)" "$both" "--user UID"
expect_eq "$(rows --user '!root')" "" "--user !NAME"
expect_eq "$(rows --host localhost)" "$both" "--host NAME"
expect_eq "$(rows --host '!localhost')" "" "--host !NAME"
expect_eq "$(rows --host '!10.0.0.0/8')" "$both" "--host !NET"
expect_eq "$(rows -P 1-65535)" "$both" "-P RANGE"
expect_eq "$(rows -P 1-1023,'!22')" "" "-P RANGE of others"
expect_eq "$(rows -P '!1-65535')" "" "-P !RANGE"
expect_eq "$(rows --netns "$NETNS,!$NETNS")" "" "--netns !NAME"
