# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Frames on the standard output are not mixed with what the command of -c prints: that goes to the standard error. Where
# the frames go elsewhere, and with text, it stays on the standard output.
need jq
need_traced tcp:::send
netns_new command
cat >"$tmp/traffic" <<-'END'
	echo printed by the command
	tcp_echo -4 -n 1 -q
END
PATH=$triggers:$PATH
run="ip netns exec $NETNS $BASH $tmp/traffic"
script="tcp:::send /args[1]->cs_netns == $NETNS_ID/ { @ = count(); }"

frames() { # WHAT: out has only frames, from hello to end
	expect_eq "$(jq -r .f "$tmp/out" 2>&1 | sed -n '1p;$p' | paste -sd ' ')" "hello end" "$1: $(head -c 300 "$tmp/out")"
	expect_eq "$(grep -vc '^{' "$tmp/out")" 0 "$1: other lines"
}

"$dwire" "${dwire_opts[@]}" --emit -n "$script" -c "$run" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
frames "a script"
expect_match "$(<"$tmp/err")" "printed by the command" "the command's text"
"$dwire" tcpsnoop --emit --netns "$NETNS" --everyone --command "$run" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
frames "a tool"
expect_match "$(<"$tmp/err")" "printed by the command" "the command's text, of a tool"
"$dwire" "${dwire_opts[@]}" -q --emit -o "$tmp/file" -n "$script" -c "$run" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/out")" "^printed by the command" "frames in a file"
cp "$tmp/file" "$tmp/out"
frames "in a file"
