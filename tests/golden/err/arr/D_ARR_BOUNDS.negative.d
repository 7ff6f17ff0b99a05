BEGIN { this->a = &curthread->comm; trace(curthread->comm[-1]); }
