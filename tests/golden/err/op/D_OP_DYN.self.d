tcp:::send { self->info = args[2]; }
