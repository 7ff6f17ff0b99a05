/pid == 1/ { trace(1); }
{ trace(2); }
}
@a = count();
x = 5;
self->y = 1;
foo_t v;
a:b:c:d:e { trace(3); }
0 { x = ; }
tcp:::send, { trace(4); }
tcp:::(send) { trace(5); }
BEGIN /pid = 1/ { y = ; }
BEGIN /pid == 1 { trace(6); }
BEGIN /(pid == 1/ { trace(7); }
BEGIN / / { trace(8); }
#include <linux/tcp.h>
#pragma D
#error stop here
BEGIN { trace(9); }
