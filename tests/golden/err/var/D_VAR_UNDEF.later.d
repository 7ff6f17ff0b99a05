BEGIN /self->later == 1/ { trace(1); } BEGIN { self->later = 1; }
