/* Members of kernel structures of every shape, and calculating with their addresses. */
#pragma D option quiet
BEGIN { printf("%d\n", curthread->se.load.weight > 0); }
BEGIN { printf("%d\n", curthread->files->fdt->fd[0]->f_mode > 0); }
BEGIN { this->i = 1; printf("%d\n", curthread->files->fdt->fd[this->i]->f_mode > 0); }
BEGIN { printf("%d\n", curthread->mm->exe_file->f_inode->i_ino > 0); }
BEGIN { this->i = 7; printf("%d\n", curthread->signal->rlim[this->i].rlim_cur > 0); }
BEGIN { printf("%d\n", curthread->tasks.next->next != 0); }
BEGIN { printf("%d\n", curthread->sched_reset_on_fork); }
BEGIN { printf("%d %d\n", curthread->in_execve, curthread->in_iowait); }
BEGIN { printf("%d\n", curthread->cpus_ptr->bits[0] & 1); }
BEGIN { @[curthread->comm, curthread->pid > 0] = count(); a[curthread->comm] = 5; printf("%d %d\n", a[execname], a["dwire"]); }
BEGIN { printf("%d\n", curthread->mm->pgd != 0); }
BEGIN { this->far = 100; printf("%d\n", curthread->comm[this->far] < 128); }
BEGIN { printf("%d\n", ((struct list_head *)&curthread->tasks)->next == curthread->tasks.next); }
BEGIN { printf("%s\n", stringof(curthread->comm)); printf("%s\n", (string)curthread->comm); }
BEGIN { printf("%d %d\n", curthread->real_parent->real_parent->pid >= 0, curthread->mm->mm_users.counter > 0); }
BEGIN { self->t = curthread; this->m = curthread->mm; printf("%d %d\n", this->m->map_count > 0, self->t != 0);  printf("%d\n", self->t->pid > 0); g = curthread; printf("%d\n", g->tgid == pid); }
BEGIN { this->n = pid ? curthread : 0; printf("%d %d\n", this->n->tgid == pid, (pid ? curthread : this->n)->tgid == pid); }
BEGIN { self->never = ""; printf("%d %s %c %x %d %s %d %u %o %s %d %d %s %i %d %5s %-5d %05d %d %s|\n", 1, "two", 'c', 4, 5ull, execname, (char)-7, (uint8_t)-8, 9, "10.0.0.1", 11, timestamp > 0, probename, 14, curthread != 0, "s", 17, 18, a["dwire"], self->never); }
BEGIN { printf("%d\n", TCP_ESTABLISHED); printf("%d\n", sizeof (curthread->comm)); printf("%d %d\n", sizeof(struct list_head), sizeof (curthread->pid)); }
BEGIN { printf("%d\n", ((struct task_struct *)((uint64_t)curthread + 0))->tgid == pid); printf("%d\n", (uint64_t)&((struct task_struct *)0)->tgid == offsetof(struct task_struct, tgid)); }
BEGIN { printf("done\n"); }
inline uint64_t name = (uint64_t)curthread->mm->exe_file->f_path.dentry->d_name.name;
BEGIN { printf("%d %d %d %d %d\n", name + 5 > 10, name >> 48 == 0xffff, (int64_t)name < 0, name + 5 - name == 5, (int64_t)name >= 0); }
BEGIN { printf("%d %d %d %d\n", name * 2 < name, (name & 0xff) < 256, (name | 1) > name - 1, (int)name == (int)(name & 0xffffffff)); }
BEGIN { printf("%d\n", (uint64_t)curthread->mm->exe_file->f_path.dentry->d_name.name & 7); }
BEGIN { printf("%d\n", (int)(uint64_t)curthread->stack & 7); }
BEGIN { exit(0); }
