BEGIN { this->p = curthread; this->p *= 2; }
