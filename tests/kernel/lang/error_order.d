/* What ERROR's clauses print stands where the fault was: before what later clauses print.
 * status: 3
 */
BEGIN { printf("before\n"); }
BEGIN { printf("lost %d\n", *(int *)64); }
BEGIN { printf("after\n"); }
BEGIN { x = 0; printf("lost %d\n", 1 / x); }
BEGIN { printf("end\n"); exit(3); }
ERROR { n++; printf("error %d: clause %d, fault %d, value %x\n", n, arg1, arg4, arg5); }
ERROR { @[arg4] = count(); }
END { printf("%d errors\n", n); printa("%d %@d\n", @); }
