BEGIN { trace(self->x); trace(this->y); }
