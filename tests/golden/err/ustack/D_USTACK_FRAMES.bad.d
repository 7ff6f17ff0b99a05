BEGIN { ustack(0); ustack(pid); jstack(-5); }
