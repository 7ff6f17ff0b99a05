# SPDX-License-Identifier: GPL-2.0-or-later
# Destructive actions need -w: commands, files, signals.
d() { STATUS=0; "$dwire" "$@" >"$tmp/out" 2>"$tmp/err" || STATUS=$?; OUT=$(<"$tmp/out"); ERR=$(<"$tmp/err"); }
same() { [ "$2" = "$3" ] || { printf 'FAILED: %s\n--- want\n%s\n--- got\n%s\n' "$1" "$2" "$3"; failed=1; }; }

d -qn 'BEGIN { system("echo no"); exit(0); }'
same "without -w" "1:dwire: could not enable tracing: Destructive actions not allowed" "$STATUS:$ERR$OUT"
d -qn 'BEGIN { raise(10); exit(0); }'
same "raise without -w" "1:dwire: could not enable tracing: Destructive actions not allowed" "$STATUS:$ERR$OUT"

d -wqn 'BEGIN { printf("a\n"); system("echo %s %d; kill -0 $$ && echo alive", "b", 7); printf("c\n"); exit(0); }'
same "system" $'a\nb 7\nalive\nc' "$OUT$ERR"

file=$tmp/file
d -wqn "BEGIN { freopen(\"$file.%d\", 1); printf(\"one\n\"); freopen(\"$file.2\"); trace(\"two\"); freopen(\"\"); printf(\"out\n\"); }
	BEGIN { freopen(\"$file.1\"); printf(\"three\n\"); freopen(\"$file.3\"); printf(\"gone\n\"); ftruncate(); printf(\"kept\n\"); exit(0); }"
same "freopen, standard output" "out" "$OUT$ERR"
same "freopen, appended" $'one\nthree' "$(<"$file.1")"
same "freopen, second" "two" "$(<"$file.2")"
same "ftruncate" "kept" "$(<"$file.3")"
d -wqn 'BEGIN { freopen("/nowhere/at/all"); printf("still\n"); exit(0); }'
same "freopen of nothing" "still" "$OUT"
same "freopen of nothing, why" 'dwire: cannot open "/nowhere/at/all": No such file or directory' "$ERR"

# A signal to the traced process: profile fires in it while it computes. It has no way to end but the signal.
bash -c 'trap "echo got; exit 3" USR1; echo ready; while :; do :; done' >"$tmp/victim" 2>&1 &
victim=$!
until grep -qs ready "$tmp/victim"; do sleep 0.02; done
d -wqn "profile-199 /pid == $victim/ { raise(10); printf(\"raised\n\"); exit(0); }"
wait $victim
same "raise" $'3:ready\ngot:raised' "$?:$(<"$tmp/victim"):$OUT"

# chill: this CPU is kept busy; DTrace allows half a second.
from=$(date +%s%N)
d -wqn 'BEGIN { chill(300000000); exit(0); }'
expect_ge $((($(date +%s%N) - from) / 1000000)) 300 "chill: milliseconds"
d -wqn 'BEGIN { chill(600000000); } BEGIN { exit(0); } ERROR { printf("fault %d", arg4); }'
same "chill for too long" "fault 3" "$OUT"
