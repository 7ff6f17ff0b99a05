inline int tt = this->v + 1; BEGIN { this->v = 3; printf("%d", this->v); exit(0); }
