/* print(): numbers, characters, enums, structures with structures, arrays, unions and bit-fields; trace() of memory. */
#pragma D option quiet
enum color { RED = 1, GREEN, BLUE = 10 };
struct in { char c; short s; enum color col; };
struct foo { int a; char name[8]; struct in i; struct in arr[2]; int nums[3]; unsigned b1:3; unsigned b2:5; void *p; union { int u; char v; }; };
struct foo f;
struct in g;
BEGIN { f.a = 5; f.i.c = 'x'; f.i.s = -1; f.i.col = BLUE; f.arr[1].col = GREEN; f.nums[2] = 255; f.b1 = 5; f.b2 = 17; f.p = (void *)0xffff8000; f.u = 65; f.name[0] = 'o'; f.name[1] = 'k'; }
BEGIN { print(f); printf("\n"); }
BEGIN { print(0); printf("|"); print(-1); printf("|"); print((char)'a'); printf("|"); print((char)7); printf("|"); print("string"); printf("|"); print(f.i.col); printf("|"); print(f.nums); printf("|"); print((short)-2); printf("\n"); }
BEGIN { g.col = 7; print(g); printf("\n"); trace(f); trace(f.nums); trace(f.name); printf("\n"); exit(0); }
