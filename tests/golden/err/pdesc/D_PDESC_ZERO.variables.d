tcp:::sent { self->x = timestamp; n++; a["k"] = args[0]; }
BEGIN /self->x && n/ { trace(timestamp - self->x); trace(a["k"]); trace(self->typo); exit(0); }
