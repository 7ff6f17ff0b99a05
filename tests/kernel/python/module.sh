# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# The Python module: values, aggregations, Ctrl-C, asyncio, errors, drops (module.py); and its types, by mypy.
python=/usr/bin/python3
[ -e "$build/libdwire.so.1" ] || skip "libdwire.so is not built here"
"$python" -c 'import cffi' 2>/dev/null || skip "needs python3-cffi"
export PYTHONPATH=$build/python LD_LIBRARY_PATH=$build BUILD=$build
"$python" -W error::SyntaxWarning "$(dirname "$test")/module.py" >log 2>&1 || fail "$(tail -n 40 log)"
grep -q '^OK' log || fail "no test ran"
# Some installations of mypy know the types of cffi.
if command -v mypy >/dev/null; then
	mypy --strict --no-warn-unused-ignores --cache-dir "$tmp/mypy" "$build/python/dwire" >types 2>&1 || fail "mypy: $(<types)"
fi
