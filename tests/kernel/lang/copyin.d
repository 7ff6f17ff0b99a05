/* copyin(), copyinstr(), copyinto() of the process: dwire's own arguments; addresses that are not there. */
#pragma D option quiet
BEGIN { this->a = curthread->mm->arg_start; printf("%s %s %s\n", basename(copyinstr(this->a)), copyinstr(this->a, 4) == substr(copyinstr(this->a), 0, 4) ? "cut" : "no", stringof(copyinstr(this->a, 200)) == copyinstr(this->a) ? "whole" : "");
	this->m = pid ? 3 : 0; printf("%d %d\n", strlen(copyinstr(this->a, this->m)), strlen(copyinstr(this->a, 5)));
	this->n = strlen(copyinstr(this->a)); this->p = (char *)copyin(this->a, this->n + 1); printf("%s %d\n", basename(stringof(this->p)), this->p[this->n]);
	this->q = (char *)alloca(8); copyinto(this->a, 4, this->q); this->q[4] = 0; printf("%d\n", stringof(this->q) == substr(stringof(this->p), 0, 4)); }
ERROR { printf("fault %d %x\n", arg4, arg5); }
BEGIN { copyin(8, 4); }
BEGIN { copyinto(16, 4, this->q); }
BEGIN { copyinto(this->a, 4, (void *)24); }
BEGIN { printf("%s\n", copyinstr(32)); }
BEGIN { copyin(this->a, 70000); }
BEGIN { exit(0); }
