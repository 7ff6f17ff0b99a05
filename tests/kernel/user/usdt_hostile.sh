# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A program with 8,000 places of one probe, each with other operands: the first of them make a probe, the others
# are reported, within bounded memory.
# timeout: 60
need gcc python3
python3 - >notes.s <<'PY'
print('.text\n.globl _start\n_start: nop\nmov $60, %eax\nxor %edi, %edi\nsyscall')
print('.section .note.stapsdt,"","note"')
for i in range(8000):
    print(f'''.balign 4
.4byte 8, 9{i}f - 8{i}f, 3
.asciz "stapsdt"
8{i}: .8byte _start, 0, 0
.asciz "evil"
.asciz "name"
.asciz "8@{i}(%rax)"
9{i}:''')
PY
[ "$(uname -m)" = x86_64 ] || skip "the program is one for x86-64"
gcc -nostdlib -static -o notes notes.s || skip "cannot build"
STATUS=0
OUT=$(ulimit -v 1000000; timeout 30 "$dwire" -ln 'evil$target:::' -c ./notes 2>err) || STATUS=$?
expect_eq "$STATUS" 0 "status: $(<err)"
expect_match "$OUT" 'evil[0-9]+ +notes +name' "the probe"
expect_match "$(<err)" 'warning: .*/notes has places of a probe with more than 256 different operands' "the rest"
