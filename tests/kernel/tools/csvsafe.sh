# SPDX-License-Identifier: GPL-2.0-or-later
# --csvsafe: the name of a process that a spreadsheet would compute is text; --csv and --json give it unchanged.
cp "$(command -v bash)" "$tmp/=1+1"
# shellcheck disable=SC2016
printf ': <>/dev/tcp/127.0.0.1/1\n' >"$tmp/connect"

name_with() { # OPTION
	"$dwire" tcpconnect "$1" --everyone --command './=1+1 ./connect' 2>/dev/null | grep -o '[^,{]*1+1[^,}]*'
}
expect_eq "$(name_with --csvsafe)" "\"'=1+1\"" "the name with --csvsafe"
expect_eq "$(name_with --csv)" '"=1+1"' "the name with --csv"
expect_eq "$(name_with --json)" '"comm":"=1+1"' "the name with --json"
