# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# Each program in docs/PYTHON.md, and docs/examples/plot.py, run while connections are made.
python=/usr/bin/python3
docs=$here/../../docs
[ -e "$build/libdwire.so.1" ] || skip "libdwire.so is not built here"
"$python" -c 'import cffi' 2>/dev/null || skip "needs python3-cffi"
export PYTHONPATH=$build/python LD_LIBRARY_PATH=$build
(while [ ! -e stop ]; do tcp_echo -4 -n 3 >/dev/null 2>&1; done) &
awk '/^```python/ { n++; on = 1; next } /^```/ { on = 0 } on { print >("example" n ".py") }' "$docs/PYTHON.md"
run() { # N PATTERN
	timeout 20 "$python" "example$1.py" >"out$1" 2>"err$1" || fail "example $1: $(tail -n 5 "err$1")"
	expect_match "$(<"out$1")" "$2" "what example $1 prints"
}
run 1 '^[^ ]+ [0-9a-f.:]+ [0-9]+ on CPU [0-9]+$'
run 2 'dw_(client|server) +[0-9]+ +[0-9]+'
run 3 'to +[0-9]+ us +[0-9]+.the median is at most [0-9]+ us$'
run 4 '^(another task runs.)+True$'
run 5 '^1 1 D_PDESC_ZERO did you mean tcp:::send\?.program:1:1: error'
! "$python" -c 'import pandas' 2>/dev/null || run 6 'dw_client +[1-9]'
expect_eq "$(ls example*.py | wc -l)" 6 "examples in docs/PYTHON.md"
if "$python" -c 'import matplotlib' 2>/dev/null; then
	timeout 40 "$python" "$docs/examples/plot.py" 2 plot.png >out 2>err || fail "plot.py: $(tail -n 5 err)"
	expect_match "$(<out)" "^[1-9][0-9]* connects; .*'dw_client': [1-9]" "what plot.py prints"
	expect_eq "$(head -c 4 plot.png | tail -c 3)" PNG "the picture"
fi
touch stop
wait
