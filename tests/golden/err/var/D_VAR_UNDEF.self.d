BEGIN { trace(self->y); }
