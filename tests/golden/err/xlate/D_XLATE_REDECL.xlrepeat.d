struct out { int a; }; translator struct out < struct task_struct *T > { a = T->pid; }; translator struct out < struct task_struct *T > { a = T->tgid; }; BEGIN { exit(0); }
