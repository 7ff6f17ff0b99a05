translator int < struct task_struct *T > { a = T->pid; }; BEGIN { exit(0); }
