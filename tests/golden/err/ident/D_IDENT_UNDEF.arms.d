inline int on = 1; BEGIN { on ? trace(nosuch) : 1; on ? 1 : trace(nosuch); }
