/* Symbols of the kernel. What is compared: the magic number at the start of the kernel's BTF, as /sys gives it. */
uint64_t start;
BEGIN { start = `jiffies; }
BEGIN { printf("%x", *(unsigned short *)&`__start_BTF); }
BEGIN
{
	this->p = (unsigned char *)&vmlinux`__start_BTF;
	printf(" %x %x", this->p[0], *(this->p + 1));
	printf(" %x %x\n", ((unsigned char *)&`__start_BTF)[1], ((uint16_t *)&genunix`__start_BTF)[0]);
}
BEGIN { printf("%d %d %d\n", (uint64_t)`schedule == (uint64_t)&`schedule, &`vfs_read != 0, &`vfs_read == &`vfs_write); }
BEGIN { printf("%s\n", ((struct vmlinux`task_struct *)curthread)->comm); }
BEGIN { printf("%d %d\n", `runqueues.cpu == cpu, (uint64_t)`runqueues.curr == (uint64_t)curthread); }
tick-50ms
{
	printf("%d %d %d\n", `jiffies > start, vmlinux`jiffies - start < 10000, sizeof(`jiffies));
	exit(0);
}
