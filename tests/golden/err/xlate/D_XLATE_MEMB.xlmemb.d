struct out { int a; }; translator struct out < struct task_struct *T > { b = T->pid; }; BEGIN { exit(0); }
