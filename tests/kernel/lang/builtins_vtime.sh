# SPDX-License-Identifier: GPL-2.0-or-later
# vtimestamp is the thread's CPU time: it stands still while the thread sleeps and is finer than the scheduler's
# tick.
trace_with '
uint64_t last, at, switches, counted; int64_t longest;
profile-499 /pid == $target && last/ {
	this->v = (int64_t)(vtimestamp - last); this->t = (int64_t)(timestamp - at);
	this->stayed = curthread->nvcsw + curthread->nivcsw == switches;
	@n = count(); @near = sum(this->t < 12000000 && this->v <= this->t + 500000 && this->v + 1500000 >= this->t);
	@less = sum(this->stayed && this->v < 0); @behind = sum(vtimestamp + 100000 < counted); @round = sum(this->v % 100000 == 0);
	longest = this->t > longest ? this->t : longest;
}
profile-499 /pid == $target/ {
	last = vtimestamp; at = timestamp; switches = curthread->nvcsw + curthread->nivcsw; counted = curthread->se.sum_exec_runtime;
	@behind = sum(last + 100000 < counted);
}
END { printf("last=%d longest=%d\n", last, longest); printa("n=%@d near=%@d less=%@d behind=%@d round=%@d\n", @n, @near, @less, @behind, @round); }
' burn -m 100 -r 4
cpu=$(value_of cpu_ns)
last=$(sed -n 's/^last=\([0-9]*\) .*/\1/p' <<<"$OUT")
read -r n near less behind round <<<"$(sed -n '/^n=/s/[a-z]*=//gp' <<<"$OUT")"
expect_ge "$n" 50 "samples: $OUT"
# Between switches interrupts count as the thread's.
expect_le "$last" "$((cpu + 2000000 + cpu / 50))" "the last vtimestamp, against the thread's own clock"
expect_ge "$last" "$((cpu - 40000000))" "the last vtimestamp, against the thread's own clock"
# A sample may follow a sleep, or a time in which other threads ran: many do not.
expect_ge "$near" 20 "samples whose CPU time went on with the clock: $OUT"
# At a switch the kernel takes off what interrupts and the host of a virtual machine had of the time since the last one.
expect_eq "$less" 0 "steps back between switches"
expect_eq "$behind" 0 "samples behind what the kernel had counted: $OUT"
expect_le "$round" "$((n / 4))" "round numbers"
