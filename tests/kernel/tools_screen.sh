# Only a terminal's screen is cleared: not what goes to a file or a pipe, nor a terminal that cannot.
need script
clear=$'\033[H\033[J'
on() { # TERM TOOL ARG…: on a terminal
	TERM=$1 script -qec "$dwire ${*:2} 1 1" /dev/null </dev/null >"$tmp/$1$2${3-}" &
}
for tool in tcptop udptop; do
	on xterm $tool
	on xterm $tool -C
	on dumb $tool
	TERM=xterm "$dwire" $tool 1 1 >"$tmp/pipe$tool" &
done
wait
for tool in tcptop udptop; do
	for of in xterm$tool xterm$tool-C dumb$tool pipe$tool; do
		[[ $(<"$tmp/$of") == *"$clear"* ]] && clears=1 || clears=0
		expect_eq "$clears" "$([ "$of" = "xterm$tool" ] && echo 1 || echo 0)" "$of clears"
		expect_match "$(<"$tmp/$of")" "load: +[0-9]" "$of"
	done
done
