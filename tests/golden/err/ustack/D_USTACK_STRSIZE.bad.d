BEGIN { ustack(5, -1); ustack(5, pid); }
