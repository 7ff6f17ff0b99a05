# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# dwire on with pods: kubectl is a program of the test's that checks its words and enters a namespace, as kubectl exec
# enters a pod. Words, scripts and statuses arrive as they are; a pod that is not there is reported; the input's end does.
. "$here/lib/fleet.lib"
fleet_new 3
write_tick
mkdir bin
cat >bin/kubectl <<'SH'
#!/bin/sh
# kubectl exec -i POD -- COMMAND ARG…: no shell reads the command; kubectl says more when it fails
case "$1 $2 $4" in
"exec -i --") ;;
*) echo "kubectl: unexpected words: $*" >&2; exit 64 ;;
esac
pod=$3
shift 4
if [ ! -e "/run/netns/$pod" ]; then
	echo "Error from server (NotFound): pods \"$pod\" not found" >&2
	exit 1
fi
ip netns exec "$pod" "$@" && exit
status=$?
echo "command terminated with exit code $status" >&2
exit $status
SH
chmod +x bin/kubectl
PATH=$PWD/bin:$PATH
pods=("$dwire" on --through 'kubectl exec -i %h --')
on=("${pods[@]}" --dwire "$PWD/host.sh $dwire")

# Words of the script are the pod's, whatever is in them.
words='BEGIN { printf("%s%% \\ %s\n", "it'"'"'s $HOME", $$1); exit(0); }'
"${pods[@]}" --dwire "$dwire" "$FLEET" -qn "$words" '%h "a" `b` ;$(c)' >out 2>err
expect_eq "$? $(head -n 1 out)" '0 it'"'"'s $HOME% \ %h "a" `b` ;$(c)' "words: $(<err)"

# A script, its sums; exit() of one pod's trace is the status of all.
: >out
"${on[@]}" --by host "$FLEET" -s tick.d >out 2>err &
for n in "${NODES[@]}"; do wait_for out "^$n  *beat [0-9]"; done
end_on
expect_eq "$STATUS" 0 "status: $(<err)"
expect_ended
"${pods[@]}" --dwire "$dwire" "$FLEET" -qn 'BEGIN { @["rows"] = sum(5); exit(6); }' >out 2>err
expect_eq "$? $(awk '$1 == "rows" { print $2 }' out)" "6 15" "exit(6): $(<err)"

# A pod that is not there, and one without dwire: reported once, and the others go on.
: >out
"${on[@]}" "$FLEET,gone" -s tick.d >out 2>err &
wait_for out '^beat 3$'
end_on
expect_eq "$STATUS" 1 "status with a pod that is not there"
expect_match "$(<err)" 'gone: Error from server .NotFound.: pods "gone" not found' "its report"
expect_eq "$(grep -c 'gone: ' err)" 1 "once: $(<err)"
expect_match "$(<err)" "1 of 4 hosts never reported: gone" "who is missing"
"${pods[@]}" --dwire /nosuch/dwire "$FLEET" -qn BEGIN >out 2>err
expect_eq "$? $(grep -c 'm[1-3]: .*/nosuch/dwire' err)" "1 3" "pods without dwire: $(<err)"

expect_end_with_caller "$FLEET"
