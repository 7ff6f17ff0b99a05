BEGIN { this->s = speculation(1); }
