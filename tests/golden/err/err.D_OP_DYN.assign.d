tcp:::send { this->info = args[2]; }
