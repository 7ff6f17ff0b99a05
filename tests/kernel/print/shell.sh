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

# What was traced is data: a name that a shell would act on, or that leads to another folder, is refused.
cat >"$tmp/name" <<'END'
printf '%s' "$1" >/proc/self/comm
kill -0 $$
END
named() { # NAME D OPTION...: runs D for a process of that name
	local name=$1 script=$2
	shift 2
	d -wq "$@" -n "syscall::kill:entry /pid == \$target/ { $script }" -c "bash $tmp/name $name"
}
named 'a;id' 'system("echo %s", execname);'
same "a command in a name" '' "$OUT"
same "a command in a name, why" 'dwire: did not run a command: "a;id", which was traced, is no plain word for a shell
    hint: -x rawshell allows it: then a traced process may choose what is run' "$ERR"
named '-n' "system(\"echo '%s'\", execname);"
same "an option in a name" '' "$OUT"
named 'plain-1.2:x' "system(\"echo '%s' %d\", execname, 3);"
same "a plain name" 'plain-1.2:x 3' "$OUT$ERR"
named 'a;echo' 'system("echo %s b", execname);' -x rawshell
same "-x rawshell" $'a\nb' "$OUT$ERR"
named '../x' "freopen(\"$tmp/%s\", execname); printf(\"out\");"
same "a folder in a name" 'out:dwire: did not open a file: "../x", which was traced, is no plain name of a file
    hint: -x rawshell allows it: then a traced process may choose which file is written' "$OUT:$ERR"
named 'log;1' "freopen(\"$tmp/%s\", execname); printf(\"out\");"
same "a name of a file" 'out' "$OUT$ERR$(<"$tmp/log;1")"

# A newline in a name is no line more.
ln -s "$(command -v bash)" "$tmp/a"$'\n'b
echo "exec $tmp/a\$'\\n'b -c 'kill -0 \$\$'" >"$tmp/lines"
d -q -n 'syscall::kill:entry /pid == $target/ { printf("%s|\n", execname); @[execname] = count(); }' -c "bash $tmp/lines"
same "a newline in a name" 'a\x0ab|' "$(head -n 1 "$tmp/out")"
expect_match "$(tail -n 1 "$tmp/out")" '^  a\\x0ab +1$' "a newline in a key"

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
