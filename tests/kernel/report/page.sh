# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# A report counts what a process did, whatever the process calls itself; nothing of its name is markup. The file of -o is
# whole at each moment.
need python3
report=$here/report
echo old >page.html
"$dwire" report 60 -o page.html 2>err &
pid=$!
for ((i = 0; i < 200 && $(ls /proc/$pid/fd 2>/dev/null | wc -l) < 60; i++)); do sleep 0.1; done
sleep 2
trigger python3 "$report/talk.py" 2
expect_eq "$(<page.html)" old "the file during the trace"
kill -INT "$pid"
wait "$pid" || fail "status $?: $(<err)"
grep -q 'wrote page.html (ended early)' err || fail "the message: $(<err)"
expect_eq "$(ls page.html*)" page.html "files beside the page"
PYTHONPATH=$report python3 - "$(value_of pid)" "$(value_of port)" "$(value_of sent)" "$(value_of opened)" <<'P' || fail "the page"
import sys
import page

pid, port, sent, opened = sys.argv[1:]
name = "</td><script>a"
tables, text = page.tables("page.html"), page.text("page.html")
assert "ended early" in text
def rows(section, title, *match):
    return [r for r in tables[section][title] if all(m in r for m in match)]
def shown(n):  # bytes as the page rounds them
    n = int(n)
    return "%d KB" % round(n / 1000) if 100000 <= n < 999500 else "%.1f KB" % (n / 1000) if n < 100000 else "%.1f MB" % (n / 1e6)
mine = rows("traffic", "By process", pid, name)
assert len(mine) == 1, tables["traffic"]["By process"]
both = 2 * int(sent)  # the server is in the same process; a datagram of 9 bytes each round
want = shown(both + 9 * int(opened))
assert mine[0][2] == want, (mine, want)
failed = rows("connections", "Failures", pid, name, "127.0.0.1", "1")
assert [r[-1] for r in failed] == [format(int(opened), ",")], (failed, opened)
resets = rows("losses", "Resets", "received", pid, name, "1")
assert [r[-1] for r in resets] == [format(int(opened), ",")], (resets, opened)
assert int(rows("drops", "Why, and of whom", "NO_SOCKET", "127.0.0.1")[0][-1].replace(",", "")) >= 2 * int(opened)
assert any("TCP failed to open" in r for t in tables["findings"].values() for r in t), tables["findings"]
P

# What cannot be written is an error before anything is traced.
"$dwire" report 60 -o nowhere/page.html 2>err
expect_eq $? 1 "status with a directory that is not there"
grep -q 'cannot write nowhere/page.html: No such file' err || fail "the message: $(<err)"
"$dwire" report 0 -o page.html 2>err
expect_eq $? 2 "status of 0 seconds"
"$dwire" report 2>err
expect_eq $? 2 "status without -o"
# A pipe gets the same page.
"$dwire" report 0.5 -o - >piped.html 2>err || fail "a page to the standard output: $(<err)"
PYTHONPATH=$report python3 -c 'import page; assert "for 0." in page.text("piped.html")' || fail "the piped page"
