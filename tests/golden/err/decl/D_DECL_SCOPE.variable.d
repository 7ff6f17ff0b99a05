self->x int;
int vmlinux`x;
BEGIN { exit(0); }
