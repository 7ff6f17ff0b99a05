/* Speculations: kept until they are committed, in their order; thrown away; more than there are; none at all. */
/* options: -q -x nspec=2 -x specsize=100 */
#pragma D option quiet
BEGIN { self->s = speculation(); self->t = speculation(); printf("%d %d %d\n", self->s, self->t, speculation()); }
BEGIN { speculate(self->s); printf("first\n"); }
BEGIN { speculate(self->t); printf("other %d\n", 1); }
BEGIN { speculate(self->s); printf("second %s\n", "string"); }
BEGIN { printf("now\n"); }
BEGIN { speculate(0); x = 1; printf("never\n"); }
BEGIN { commit(self->s); }
BEGIN { printf("committed %d\n", x); }
BEGIN { discard(self->t); }
BEGIN { commit(self->t); commit_nothing = 1; }
BEGIN { speculate(self->t); printf("not active\n"); }
BEGIN { self->s = speculation(); printf("again %d\n", self->s); }
BEGIN { speculate(self->s); trace("cut"); printf("\n"); }
BEGIN { speculate(self->s); trace("cut"); printf("\n"); }
BEGIN { speculate(self->s); trace("cut"); printf("\n"); }
BEGIN { speculate(self->s); trace("cut"); printf("\n"); }
BEGIN { speculate(self->s); trace("cut"); printf("\n"); }
BEGIN { speculate(self->s); trace("cut"); printf("\n"); }
BEGIN { commit(self->s); }
BEGIN { if (x) { speculate(1); } printf("plain\n"); }
BEGIN { discard(3); printf("faulty\n"); }
BEGIN { discard(0); exit(0); }
ERROR { printf("fault %d\n", arg4); }
