struct out { int a; }; translator struct out < struct task_struct *T > { a = T->comm; }; BEGIN { exit(0); }
