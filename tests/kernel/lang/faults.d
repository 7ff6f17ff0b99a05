/* A fault gives its clause up, prints what DTrace prints, fires ERROR; clauses before and behind go on. */
#pragma D option quiet
struct bits { int a : 3; unsigned b : 5; };
int zero, after;
BEGIN { printf("first\n"); this->kept = 7; }
BEGIN { this->n = (struct task_struct *)0; printf("never %d\n", this->n->pid); }
BEGIN { after++; printf("%d\n", 5 / zero); }
BEGIN { printf("%d\n", 5 % zero); }
BEGIN /5 / zero/ { printf("never: the predicate fails\n"); }
BEGIN { printf("%d\n", *(int *)0x10); }
BEGIN { printf("%d\n", ((struct task_struct *)0x1000)->real_parent->pid); }
BEGIN { printf("%d\n", ((struct bits *)12)->b); }
BEGIN { printf("%s\n", zero ? execname : pid / zero ? "a" : "b"); }
BEGIN { after += 10; x = zero ? 1 / zero : 2; printf("not evaluated %d %d\n", x, zero && 1 / zero); }
BEGIN { @never[1 / zero] = count(); }
BEGIN { after += 100; if (zero == 0) { after += 1000; x = 3 / zero; } after += 10000; }
BEGIN { printf("last %d %d\n", after, this->kept); exit(3); }
ERROR { errors++; printf("ERROR %d: action %d fault %d value %x\n", errors, arg2, arg4, arg5); }
/* status: 3 */
