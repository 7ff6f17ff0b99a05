/* args: -5 name 10.0.0.1 0x10 */
BEGIN
{
	1 + 0x1fULL + 017 + 10lu + 'a' + 'ab' + '\n' + '\'' + '\0' + '\x41';
	"plain" + "\t\"\\\101\x42\
joined";
	args[2]->ip_saddr + a.b->c[1, 2].d + self->x + this->y[3];
	@ = count();
	@a = sum(1);
	@[pid] = avg(2);
	@b[execname, probefunc] = quantize(arg0);
	printf("%d\n", `jiffies + vmlinux`hz + LM0`libc`x);
	sizeof (int) + sizeof (struct task_struct *) + sizeof a->b + sizeof (a);
	(uint32_t)a + (struct sock *)arg0 + (int (*)(char, void *))p + (a) - (uint32_t *)b;
	offsetof(struct sk_buff, len) + stringof a + stringof(b->c);
	xlate <struct x>(arg0).m + xlate <struct psinfo *>(arg1)->n;
	$1 + $2 + $4 + $target;
	$$1 == $$3;
	p->string + p->this;
}

pid$target::$2:entry, tick-$4 { }
